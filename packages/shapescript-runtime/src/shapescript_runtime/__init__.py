"""What generated Python calls: checks, patterns and tensors, on top of torch alone."""

from __future__ import annotations

__version__ = "0.1.0"
