"""Home of the language server. No server exists yet: this version holds the package alone."""

from __future__ import annotations

__version__ = "0.1.0"
