"""Home of the exporters. No exporter exists yet: this version holds the package and its dependencies."""

from __future__ import annotations

__version__ = "0.1.0"
