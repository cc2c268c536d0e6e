"""Generates Python from a checked program, as Python's own `ast`, each node placed in the .ss source."""

from __future__ import annotations

from shapescript_check.codegen.dispatch import files_of_functions
from shapescript_check.codegen.module import generate
from shapescript_check.codegen.options import Options

__all__ = ["Options", "files_of_functions", "generate"]
