"""`print` for values that may be on any device."""

from __future__ import annotations

from typing import Any

import torch

from .logs import Logs, numbers
from .progress import write_line


def print_values(*values: Any) -> None:
    """Prints values with spaces between them, as Python's print does, above any display of progress.

    A [] tensor is printed as a number, another tensor without its device and history, and a logs record as a dict of
    its numbers.
    """
    write_line(" ".join(map(_text, values)))


def _text(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        plain = value.detach().cpu()
        return str(plain.item() if plain.dim() == 0 else plain)
    if isinstance(value, Logs):
        return str(numbers(value))
    return str(value)
