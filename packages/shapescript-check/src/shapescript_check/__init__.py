"""Tree to typed program to Python: sizes, types, operations, the checker and the code generator."""

from __future__ import annotations

__version__ = "0.1.0"
