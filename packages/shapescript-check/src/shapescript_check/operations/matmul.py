"""`x @ y` and `matmul(x, y)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from shapescript_check.operations.broadcasting import pair_up, why_different
from shapescript_check.operations.call import Operand, OperationCall, Refused
from shapescript_check.operations.families.products import one_dtype, refuse_masks
from shapescript_check.operations.flows import Contracted, Flow, Kept, OperandFlows, Stretched
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import Kind, Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.axes import Axes, Axis, shape_text
from shapescript_check.types.domains import REAL
from shapescript_check.types.dtypes import DTYPES, DType
from shapescript_check.types.values import TensorType
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Label

if TYPE_CHECKING:
    import ast

_ACCUMULATED = (DType.F16, DType.BF16, DType.F32)
"""The dtypes whose products torch adds up in f32."""


class Matmul(Operation):
    """The matrix product."""

    name = "matmul"
    signature = "fn matmul(x: [...], y: [...], out: Type) -> Any"
    doc = (
        "The matrix product, what `x @ y` computes: along the last axis of `x` and the last but one of `y`, or its "
        "only one. The axes before those line up as in arithmetic. `out=f32` keeps the f32 that products of f16 and "
        "bf16 are added up in."
    )
    example = """\
dim Features = 8
dim Classes = 3

fn classify(x: [b Features], weights: [Features Classes], offset: [Classes]) -> [b Classes]:
    return x |> matmul(weights) |> add(offset)
"""
    parameters = (
        Parameter("x"),
        Parameter("y"),
        Parameter("out", Kind.WORD, optional=True, keyword_only=True),
    )

    def check(self, call: OperationCall) -> Typed:
        x, y = self._operands(call)
        refuse_masks(call, (x, y))
        dtype = self._out(call, x, one_dtype(call, (x, y)))
        left, right = self._axes(call, x), self._axes(call, y)
        self._check_contracted(call, x, y, left, right)
        if len(left) < 2 or len(right) < 2:
            axes = (*left[:-1], *right[:-2], *right[-1:]) if len(right) > 1 else left[:-1]
            alignment: tuple[tuple[int, ...], ...] = ()
        else:
            batch, mine, theirs = pair_up(call, (x.node, left[:-2]), (y.node, right[:-2]))
            axes = (*batch, left[-2], right[-1])
            rank = len(axes)
            alignment = ((*mine, rank - 2, rank - 1), (*theirs, rank - 2, rank - 1))
        out = dtype if dtype is not x.dtype else None
        return call.result(TensorType(axes, dtype, REAL), (x.node, y.node), alignment=alignment, detail=out)

    def _operands(self, call: OperationCall) -> tuple[Operand, Operand]:
        operands = []
        for name in ("x", "y"):
            try:
                operands.append(call.operand(name))
            except Refused:
                continue
        if len(operands) < 2:
            raise Refused
        return operands[0], operands[1]

    def _out(self, call: OperationCall, x: Operand, dtype: DType | None) -> DType | None:
        if not call.has("out"):
            return dtype
        given = call.given("out")
        word = given.syntax.name if isinstance(given.syntax, tree.Ident) else None
        if word != "f32":
            what = f"`{word}`" if word in DTYPES else "this"
            call.refuse(
                "E0406",
                given.span,
                f"`out` of `matmul` says what the products are added up in, f32, and {what} is not that",
                help="write out=f32, and convert the result with `to`",
            )
        if dtype not in _ACCUMULATED:
            call.refuse(
                "E0502",
                x.node.span,
                f"only products of f16 and bf16 are added up in f32, and these are {dtype}",
                help="leave out=f32 out",
            )
        return DType.F32

    def _axes(self, call: OperationCall, operand: Operand) -> Axes:
        if operand.axes is None:
            call.refuse(
                "E0403",
                operand.node.span,
                "a matrix product needs axes to add up along, and this value may have any number",
                help="give the parameter a shape, such as [n D]",
            )
        if not operand.axes:
            call.refuse(
                "E0403",
                operand.node.span,
                "a matrix product needs an axis to add up along, and this has none",
                help="to multiply by a number, write *",
            )
        return operand.axes

    def _check_contracted(self, call: OperationCall, x: Operand, y: Operand, left: Axes, right: Axes) -> None:
        mine, theirs = left[-1], right[-2] if len(right) > 1 else right[0]
        if not mine.size.same(theirs.size):
            self._refuse_contracted(call, (x, left, mine), (y, right, theirs))

    def _refuse_contracted(
        self, call: OperationCall, x: tuple[Operand, Axes, Axis], y: tuple[Operand, Axes, Axis]
    ) -> NoReturn:
        which = "the last but one" if len(y[1]) > 1 else "the only one"
        last = "the last axis" if len(x[1]) > 1 else "the only axis"
        call.refuse(
            "E0401",
            call.callee_span,
            f"{last} of the left operand is {x[2]} and {which} of the right is {y[2]}, and they have to be equal",
            labels=(Label(x[0].node.span, shape_text(x[1])), Label(y[0].node.span, shape_text(y[1]))),
            notes=(why_different(x[2], y[2]),),
            help=_transposed(call, x, y),
        )

    # --- what becomes of axes, and Python ---

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        left, right = (_axes_of(o) for o in node.operands)
        result = _axes_of(node)
        summed = len(right) - 2 if len(right) > 1 else 0
        if node.alignment:
            mine, theirs = node.alignment
            x = [*_lined_up(left[:-2], mine, result), (Kept(mine[-2]),)]
            y = [*_lined_up(right[:-2], theirs, result), (Contracted(0, len(left) - 1),), (Kept(theirs[-1]),)]
        else:
            x = [(Kept(i),) for i in range(len(left) - 1)]
            y = [(Kept(i),) for i in range(len(right) - 1)]
            y.insert(summed, (Contracted(0, len(left) - 1),))
        x.append((Contracted(1, summed),))
        return tuple(x), tuple(y)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        rank = len(_axes_of(node))
        x, y = node.operands
        if node.alignment:
            left, right = (emit.aligned(o, a, rank) for o, a in zip((x, y), node.alignment, strict=True))
        else:
            left, right = emit.tensor(x), emit.tensor(y)
        if node.detail is not None:
            return python("_ss_rt.matmul_f32(x, y)", x=left, y=right)
        return python("x @ y", x=left, y=right)


def _transposed(
    call: OperationCall, x: tuple[Operand, Axes, Axis], y: tuple[Operand, Axes, Axis]
) -> str | None:
    """A help where the right operand fits the other way round."""
    axes = y[1]
    if len(axes) != 2 or not axes[-1].size.same(x[2].size) or not all(a.name for a in axes):
        return None
    if axes[0].name == axes[1].name:
        return None
    text = call.context.text(y[0].node.span)
    return f"the right operand fits the other way round: rearrange({text}, {axes[0]} {axes[1]} -> {axes[1]} {axes[0]})"


def _axes_of(node: Typed) -> Axes:
    return (node.type.axes or ()) if isinstance(node.type, TensorType) else ()


def _lined_up(axes: Axes, positions: tuple[int, ...], result: Axes) -> list[tuple[Flow, ...]]:
    flows: list[tuple[Flow, ...]] = []
    for axis, p in zip(axes, positions, strict=False):
        stretched = axis.size.as_int() == 1 and result[p].size.as_int() != 1
        flows.append((Stretched(p) if stretched else Kept(p),))
    return flows


OPERATION = Matmul()
