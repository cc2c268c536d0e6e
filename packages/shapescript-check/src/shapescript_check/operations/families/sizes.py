"""Arguments that are sizes or shapes: `topk(x, k)`, `iota(n)`, `zeros([b D])`."""

from __future__ import annotations

from shapescript_check.operations.call import OperationCall, Refused
from shapescript_check.operations.families.positions import check_whole_number
from shapescript_check.typed.tree import Typed
from shapescript_check.types.axes import Axes, Axis
from shapescript_check.types.values import HostType
from shapescript_syntax import tree


def size_argument(call: OperationCall, name: str) -> tuple[Typed, Axis]:
    """A whole number and the axis of that size, which has a name where the argument is one of an axis or a dim.

    A number that only run time knows makes an axis of unknown size.
    """
    node = check_whole_number(call, name)
    syntax = call.given(name).syntax
    if isinstance(syntax, tree.Ident):
        size = call.context.axis_size(syntax.name)
        if size is not None:
            return node, Axis(size, syntax.name)
    known = node.type.size if isinstance(node.type, HostType) else None
    return node, Axis(known if known is not None else call.context.fresh_unknown(name))


def new_axis(call: OperationCall, name: str) -> tuple[Typed, Axis]:
    """A whole number and the new axis of that size; one that is surely below 0 is refused."""
    node, axis = size_argument(call, name)
    known = axis.size.as_int()
    if known is not None and known < 0:
        call.refuse("E0406", node.span, f"`{call.shown_name}` can't make an axis of size {known}")
    return node, axis


def shape_argument(call: OperationCall, name: str) -> Axes:
    """The axes of a shape written as in a type."""
    given = call.given(name)
    syntax = given.syntax
    if isinstance(syntax, tree.Ident) and call.context.axis_size(syntax.name) is None:
        # An alias may be the whole shape, as in a type; any other name is reported as the size that it isn't.
        syntax = tree.ShapeExpr(syntax.span, (syntax,))
    if not isinstance(syntax, tree.ShapeExpr):
        if isinstance(syntax, tree.ErrorExpr):
            raise Refused
        text = call.context.text(given.span)
        call.refuse(
            "E0406",
            given.span,
            f"`{call.shown_name}` takes a shape in square brackets",
            help=f"write {call.shown_name}([{text if text.isidentifier() or text.isdigit() else 'n D'}])",
        )
    axes = call.context.resolve_shape(syntax)
    if axes is None:
        raise Refused
    return axes
