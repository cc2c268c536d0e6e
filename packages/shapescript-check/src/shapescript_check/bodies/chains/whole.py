"""Stages as plain tensor operations: a function that is elementwise in its parameters is computed on whole tensors.

A parameter becomes the whole tensor that is iterated, `x[i]` becomes `x`, and a part without axes gets size-1 axes to
line up. Where any part is anything else, there is no whole body, and torch.vmap runs the function.
"""

from __future__ import annotations

from shapescript_check.bodies.chains.functions import StageFunction
from shapescript_check.bodies.chains.sources import axis_of
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.operations.call import HOST_DTYPES
from shapescript_check.operations.forms.indexing import Indices as IndexItems
from shapescript_check.operations.forms.indexing import Pick
from shapescript_check.typed import tree as typed
from shapescript_check.types.axes import Axis
from shapescript_check.types.domains import Domain, Semantic
from shapescript_check.types.dtypes import Tier, promote
from shapescript_check.types.values import HostType, TensorType


def whole_body(
    checker: BodyChecker, sources: tuple[typed.Iterated, ...], function: StageFunction
) -> typed.Typed | None:
    """The function's body on whole tensors, or None."""
    kind = function.body.type
    rank = len(kind.axes or ()) if isinstance(kind, TensorType) else 0
    whole = _Whole(sources, function.names, rank)
    try:
        result = whole.node(function.body)
    except _NotElementwise:
        return None
    return result if whole.depends(function.body) else None


class _NotElementwise(Exception):
    pass


class _Whole:
    def __init__(self, sources: tuple[typed.Iterated, ...], names: tuple[str, ...], rank: int) -> None:
        self.sources = dict(zip(names, sources, strict=True))
        self.axis = axis_of(sources[0])
        self.rank = rank

    def depends(self, node: typed.Typed) -> bool:
        """Whether a part uses a parameter."""
        if isinstance(node, typed.Local):
            return node.name in self.sources
        if isinstance(node, typed.Mapped):
            raise _NotElementwise
        return any(self.depends(p) for p in typed_parts(node))

    def node(self, node: typed.Typed) -> typed.Typed:
        """A part on whole tensors; one that uses no parameter stays as it is."""
        if not self.depends(node):
            return node
        kind = node.type
        if not isinstance(kind, TensorType) or kind.axes is None or len(kind.axes) not in (0, self.rank):
            raise _NotElementwise
        if isinstance(node, typed.Local):
            return typed.Moved(node.span, self.type(kind), self.sources[node.name])
        indexed = self.indexed(node)
        if indexed is not None:
            return indexed
        self.require_one_promotion(node)
        if isinstance(node, typed.Apply) and node.operation.elementwise:
            operands = tuple(self.node(o) for o in node.operands)
            return typed.Apply(
                node.span,
                self.type(kind),
                node.operation,
                operands,
                self.alignment(node, node.alignment),
                node.detail,
            )
        if isinstance(node, typed.CallExtern) and node.alignment:
            arguments = tuple((n, self.node(a)) for n, a in node.arguments)
            alignment = self.call_alignment([a for _, a in node.arguments], node.alignment)
            return typed.CallExtern(
                node.span,
                self.type(kind),
                node.name,
                node.path,
                arguments,
                node.positional,
                node.math,
                alignment,
            )
        if isinstance(node, typed.CallFn) and node.elementwise:
            given = tuple((n, self.node(a) if a is not None else None) for n, a in node.arguments)
            alignment = self.call_alignment([a for _, a in node.arguments], node.elementwise)
            return typed.CallFn(node.span, self.type(kind), node.name, given, node.bindings, alignment)
        raise _NotElementwise

    def indexed(self, node: typed.Typed) -> typed.Typed | None:
        """`x[i]`, where i is the index of a size that is x's first axis: x itself."""
        if not isinstance(node, typed.Apply) or not isinstance(node.detail, IndexItems):
            return None
        value, *indices = node.operands
        items = node.detail.items
        if (
            len(items) != 1
            or not isinstance(items[0], Pick)
            or self.depends(value)
            or not isinstance(value, typed.Local)
        ):
            raise _NotElementwise
        (index,) = indices
        source = self.sources.get(index.name) if isinstance(index, typed.Local) else None
        if source is None or not isinstance(source.value, typed.Indices) or source.value.lo is not None:
            raise _NotElementwise
        kind = value.type
        assert isinstance(kind, TensorType) and kind.axes is not None
        if not kind.axes[0].size.same(self.axis.size):
            raise _NotElementwise
        return value

    def require_one_promotion(self, node: typed.Typed) -> None:
        """Refuses operands whose dtypes promote otherwise once those without axes, which give way to the others, have
        the iterated axis."""
        operands = [p for p in typed_parts(node) if isinstance(p.type, TensorType | HostType)]
        each, whole = [], []
        for operand in operands:
            kind = operand.type
            if isinstance(kind, TensorType):
                tier = Tier.TENSOR if kind.axes else Tier.SCALAR_TENSOR
                each.append((kind.dtype, tier))
                whole.append((kind.dtype, Tier.TENSOR if self.depends(operand) else tier))
            elif isinstance(kind, HostType):
                each.append((HOST_DTYPES[kind.kind], Tier.NUMBER))
                whole.append((HOST_DTYPES[kind.kind], Tier.NUMBER))
        if each and promote(each) is not promote(whole):
            raise _NotElementwise

    def type(self, kind: TensorType) -> TensorType:
        """The type of a part on whole tensors: the iterated axis comes first."""
        assert kind.axes is not None
        domain: Domain = kind.domain
        if isinstance(domain, Semantic):
            domain = Semantic(domain.kind, domain.over + 1)
        first = Axis(self.axis.size, self.axis.name)
        return TensorType((first, *kind.axes), kind.dtype, domain)

    def alignment(
        self, node: typed.Apply, alignment: tuple[tuple[int, ...], ...]
    ) -> tuple[tuple[int, ...], ...]:
        if not alignment:
            if len(node.operands) != 1:
                raise _NotElementwise
            return ()
        return self.call_alignment(list(node.operands), alignment)

    def call_alignment(
        self, operands: list[typed.Typed | None], alignment: tuple[tuple[int, ...], ...]
    ) -> tuple[tuple[int, ...], ...]:
        """Where operands' axes stand once the iterated axis is first."""
        if len(operands) != len(alignment):
            raise _NotElementwise
        result: list[tuple[int, ...]] = []
        for operand, positions in zip(operands, alignment, strict=True):
            shifted = tuple(p + 1 for p in positions)
            uses = operand is not None and self.depends(operand)
            result.append((0, *shifted) if uses else shifted)
        return tuple(result)


def typed_parts(node: typed.Typed) -> list[typed.Typed]:
    """The expressions directly under a node."""
    from shapescript_check.typed.walk import parts_of

    return [p for p in parts_of(node) if not isinstance(p, tuple)]
