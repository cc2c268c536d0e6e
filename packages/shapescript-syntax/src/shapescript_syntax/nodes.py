"""How syntax tree classes are made.

Nodes are slotted dataclasses that nobody changes after the parser made them. Building a frozen dataclass
costs about three times as much as a plain one, so they are declared frozen for type checkers and frozen for
real only where SHAPESCRIPT_FREEZE is set, as the tests do.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

_T = TypeVar("_T")
_FREEZE = bool(os.environ.get("SHAPESCRIPT_FREEZE"))


@dataclass_transform(frozen_default=True)
def node(cls: type[_T]) -> type[_T]:
    """Makes a class a tree node: slots, equality by identity, frozen under test."""
    return dataclass(slots=True, eq=False, frozen=_FREEZE)(cls)
