"""Random well-typed programs, for the properties that hold of every program."""

from __future__ import annotations

from tests.property.programs.draft import Counts
from tests.property.programs.writing import Written, write

__all__ = ["Counts", "Written", "write"]
