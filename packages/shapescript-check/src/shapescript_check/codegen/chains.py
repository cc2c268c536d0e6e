"""Generates iterator stages: plain operations on whole tensors, or torch.vmap."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from shapescript_check.codegen.names import python_name
from shapescript_check.operations.lowering import python
from shapescript_check.typed import tree as typed
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    from shapescript_check.codegen.expressions import ExpressionEmitter


def indices(emit: ExpressionEmitter, node: typed.Indices) -> ast.expr:
    """`torch.arange(n)`."""
    hi, device = emit.size(node.hi), emit.device()
    if node.lo is None:
        return python("torch.arange(b, device=d)", b=hi, d=device)
    return python("torch.arange(a, b, device=d)", a=emit.size(node.lo), b=hi, d=device)


def moved(emit: ExpressionEmitter, node: typed.Moved) -> ast.expr:
    """The iterated axis first."""
    return _first(emit, node.source)


def _first(emit: ExpressionEmitter, source: typed.Iterated) -> ast.expr:
    value = emit.shared(source.value)
    return value if source.axis == 0 else python("x.movedim(a, 0)", x=value, a=source.axis)


def filtered(emit: ExpressionEmitter, node: typed.Filtered) -> ast.expr:
    """The elements that a mask keeps."""
    return python("x[m]", x=_first(emit, node.source), m=emit.shared(node.mask))


def mapped(emit: ExpressionEmitter, node: typed.Mapped) -> ast.expr:
    """A function of each element."""
    if node.whole is not None:
        return emit.tensor(node.whole)
    sources = [emit.shared(s.value) for s in node.sources]
    function = _function(emit, node)
    axes = [s.axis for s in node.sources]
    mapper = python("g(f)", g=emit.runtime("vmap"), f=function)
    assert isinstance(mapper, ast.Call)
    if any(axes):
        dims = (
            ast.Constant(axes[0])
            if len(axes) == 1
            else ast.Tuple([ast.Constant(a) for a in axes], ast.Load())
        )
        mapper.keywords.append(ast.keyword("in_dims", dims))
    return ast.Call(mapper, sources, [])


def _function(emit: ExpressionEmitter, node: typed.Mapped) -> ast.expr:
    """A lambda, or a function defined before where the body needs statements."""
    context = emit.context
    outer = {n: context.types.get(n) for n in node.names}
    for name, source in zip(node.names, node.sources, strict=True):
        kind = source.value.type
        assert isinstance(kind, TensorType) and kind.axes is not None
        axes = (*kind.axes[: source.axis], *kind.axes[source.axis + 1 :])
        context.types[name] = TensorType(axes, kind.dtype)
    shared = dict(context.shared)
    with context.block() as statements:
        body = emit.tensor(node.body)
    context.shared = shared
    for name, before in outer.items():
        if before is None:
            del context.types[name]
        else:
            context.types[name] = before
    parameters = [ast.arg(python_name(n)) for n in node.names]
    arguments = ast.arguments([], parameters, None, [], [], None, [])
    if not statements:
        return ast.Lambda(arguments, body)
    name = context.temporary()
    place = context.positions.place(node.body.span)
    context.add(ast.FunctionDef(name, arguments, [*statements, ast.Return(body)], [], None), place)
    return ast.Name(name, ast.Load())
