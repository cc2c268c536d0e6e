"""Text to tree: chunks, tokens, syntax nodes, diagnostics and the formatter."""

from __future__ import annotations

__version__ = "0.1.0"
