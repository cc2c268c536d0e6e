"""Symbolic sizes: polynomials over dims, generic axes, unknown sizes and variables, and their solver."""

from __future__ import annotations

from shapescript_check.sizes.polynomial import Size, SizeTooLarge
from shapescript_check.sizes.solver import Equation, Failure, FailureKind, Solution, Solver, solve
from shapescript_check.sizes.symbols import Symbol, SymbolKind

__all__ = [
    "Equation",
    "Failure",
    "FailureKind",
    "Size",
    "SizeTooLarge",
    "Solution",
    "Solver",
    "Symbol",
    "SymbolKind",
    "solve",
]
