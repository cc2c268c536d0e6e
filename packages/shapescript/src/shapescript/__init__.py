"""The command line, the import hook and the standard library of ShapeScript."""

from __future__ import annotations

__version__ = "0.1.0"
