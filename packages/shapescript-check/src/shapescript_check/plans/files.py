"""What the plans ask of a file that is checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from shapescript_check.bodies.functions import Checked
from shapescript_check.declarations.interfaces import Interface
from shapescript_check.typed.tree import Body
from shapescript_syntax.spans import Span


class CheckedFile(Protocol):
    """A file, as far as it is asked. Functions go by their keys, those of other files and
    instances of generic ones too."""

    def bodies(self) -> Mapping[str, Checked]:
        """The file's own functions, in order."""

    def interface(self, name: str, /) -> Interface | None:
        """What a name or key is."""

    def interpreted(self, name: str, /) -> Body | None:
        """The body of a function, if there is one."""

    def shown_place(self, name: str, span: Span, /) -> str:
        """Where a span of a function is, for people."""
