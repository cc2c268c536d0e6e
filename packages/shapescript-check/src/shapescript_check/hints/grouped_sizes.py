"""Two axes, `16 gh`, where one of that size, `16gh`, was probably meant (H2201)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from shapescript_check.declarations.interfaces import AliasInterface, Broken, DimInterface
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Diagnostic, Fix, Label
from shapescript_syntax.lexer import lex
from shapescript_syntax.spans import Span
from shapescript_syntax.tokens import GROUPED

Lookup = Callable[[str], object]
"""What a name of the file is: an interface, or None if it isn't declared."""


def grouped_size_hints(function: tree.Fn | tree.ExternFn, lookup: Lookup) -> Iterator[Diagnostic]:
    """The pairs of a number and a name in a signature that look like a grouped size.

    The name is a generic one that is no other axis by itself, and that is a part of a group: then something is
    split into gh parts or joined from them, and an axis of 16·gh is what that takes.
    """
    types = [p.type for p in function.parameters if p.type is not None]
    if function.returns is not None:
        types.append(function.returns)
    pairs = [pair for t in types if t.shape is not None for pair in _pairs(t.shape)]
    if not pairs:
        return
    uses = _Uses(types, lookup)
    for number, name in pairs:
        group = uses.groups.get(name.name)
        if group is not None and uses.axes[name.name] == 1 and name.name not in uses.grouped_sizes:
            if not isinstance(lookup(name.name), DimInterface | AliasInterface | Broken):
                yield _hint(number, name, group)


def _pairs(shape: tree.ShapeExpr) -> Iterator[tuple[tree.Int, tree.Ident]]:
    for number, name in pairwise(shape.axes):
        if isinstance(number, tree.Int) and number.value > 1 and isinstance(name, tree.Ident):
            yield number, name


class _Uses:
    """How the names of a signature are used, with its shape aliases replaced by their axes.

    `axes` counts the axes that are a name alone, `groups` points at the first group that a name is in, and
    `grouped_sizes` are the names in those.
    """

    def __init__(self, types: Iterable[tree.TypeExpr], lookup: Lookup) -> None:
        self.lookup = lookup
        self.axes: Counter[str] = Counter()
        self.groups: dict[str, Label] = {}
        self.grouped_sizes: set[str] = set()
        for written in types:
            if written.shape is not None:
                self.add(written.shape.axes, None)
            elif written.words and written.words[0].qualifier is None:
                self.add_alias(written.words[0].name.text, None)

    def add(self, axes: Iterable[tree.AxisExpr], inside: str | None) -> None:
        """Adds the axes of a shape; `inside` is the alias of the signature that they come from."""
        for axis in axes:
            if isinstance(axis, tree.Ident):
                if not self.add_alias(axis.name, inside):
                    self.axes[axis.name] += 1
            elif isinstance(axis, tree.GroupedSize):
                self.grouped_sizes.add(axis.name.text)
            elif isinstance(axis, tree.Group):
                self.add_group(axis, axis.span, inside)

    def add_alias(self, name: str, inside: str | None) -> bool:
        """Adds an alias's axes, if the name is one's."""
        declared = self.lookup(name)
        if not isinstance(declared, AliasInterface):
            return False
        self.add(declared.shape.axes, inside or name)
        return True

    def add_group(self, group: tree.Group, whole: Span, inside: str | None) -> None:
        for axis in group.axes:
            if isinstance(axis, tree.Ident):
                message = f"`{axis.name}` is part of a group"
                label = Label(None, f"{message} in here", inside) if inside else Label(whole, message)
                self.groups.setdefault(axis.name, label)
            elif isinstance(axis, tree.GroupedSize):
                self.grouped_sizes.add(axis.name.text)
            elif isinstance(axis, tree.Group):
                self.add_group(axis, whole, inside)


def _hint(number: tree.Int, name: tree.Ident, group: Label) -> Diagnostic:
    meant = f"{number.value}{name.name}"
    if lex(meant).kinds[0] is not GROUPED:
        # `16 e5` joined would be a number.
        meant = f"({name.name} {number.value})"
    span = number.span.to(name.span)
    return Diagnostic(
        "H2201",
        f"`{number.value} {name.name}` is two axes: did you mean `{meant}`?",
        span,
        f"an axis of size {number.value}, and one of size {name.name}",
        labels=(group,),
        help=f"write `{meant}` for one axis of size {number.value}×{name.name}",
        fixes=(Fix(f"write `{meant}`", ((span, meant),)),),
    )
