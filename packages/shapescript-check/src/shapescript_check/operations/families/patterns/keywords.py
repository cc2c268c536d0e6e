"""Sizes given by keyword, as `h=12` in `rearrange(x, b n (h d) -> b h n d, h=12)`."""

from __future__ import annotations

from shapescript_check.operations.call import OperationCall, Refused
from shapescript_check.operations.families.patterns.written import WrittenPattern
from shapescript_check.operations.parameters import Given
from shapescript_check.sizes import Size
from shapescript_check.typed.tree import Typed
from shapescript_check.types.values import ErrorType, HostType, PythonType
from shapescript_syntax.spans import Span
from shapescript_syntax.suggestions import closest

SIZES = "sizes"
"""The parameter that takes them."""


class KeywordSizes:
    """The keyword sizes of one call. Reports E0406 for those that can't be.

    Attributes:
        sizes: the size of each name.
        spans: where each is given.
        runtime: the values that only run time knows, whose sizes are unknown ones.
    """

    def __init__(self, call: OperationCall, pattern: WrittenPattern) -> None:
        self.call = call
        self.sizes: dict[str, Size] = {}
        self.spans: dict[str, Span] = {}
        self.runtime: dict[str, Typed] = {}
        given = call.arguments.get(SIZES, ())
        if not given:
            return
        names = {p.name for side in (*pattern.inputs, pattern.output) for p in side.parts() if p.name}
        refused = False
        for argument, value in zip(given, call.values(SIZES), strict=True):
            try:
                self._read(argument, value, names)
            except Refused:
                refused = True
        if refused:
            raise Refused

    def _read(self, given: Given, value: Typed, names: set[str]) -> None:
        assert given.name is not None
        name, span = given.name.text, given.name.span
        if name in self.sizes:
            self.call.refuse("E0406", given.span, f"the size of `{name}` is given twice")
        if name not in names:
            near = closest(name, names)
            self.call.refuse(
                "E0406",
                span,
                f"`{name}` isn't a name of the pattern",
                help=f"did you mean `{near}`?" if near else None,
            )
        known = self.call.context.axis_size(name)
        if known is not None:
            shown = known.text_with_value()
            self.call.refuse(
                "E0406",
                span,
                f"`{name}` is an axis already" if shown == name else f"`{name}` has a size already: {shown}",
                help=f"leave {self.call.context.text(given.span)} out, or give the axis a new name",
            )
        self.spans[name] = span
        self.sizes[name] = self._size(name, value)

    def _size(self, name: str, value: Typed) -> Size:
        kind = value.type
        if isinstance(kind, ErrorType):
            raise Refused
        if isinstance(kind, PythonType):
            self.call.refuse(
                "E0406",
                value.span,
                f"the size of `{name}` is an int, and a value from Python is anything until it is asserted",
                help=f"write ({self.call.context.text(value.span)}) as int",
            )
        if not isinstance(kind, HostType) or kind.kind != "int":
            self.call.refuse("E0406", value.span, f"the size of `{name}` is an int, and this is {kind}")
        if kind.interval.hi < 1 or (kind.size is not None and Size.number(0).surely_at_least(kind.size)):
            self.call.refuse("E0406", value.span, f"the size of `{name}` is at least 1")
        if kind.size is not None:
            return kind.size
        self.runtime[name] = value
        return self.call.context.fresh_unknown(name)
