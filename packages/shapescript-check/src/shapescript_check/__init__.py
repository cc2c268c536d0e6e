"""The checker and code generator of ShapeScript: from a syntax tree to a typed program, and to Python."""

from __future__ import annotations

from shapescript_check.checker import Checker
from shapescript_check.program import Program

__version__ = "0.1.0"

__all__ = ["Checker", "Program", "__version__"]
