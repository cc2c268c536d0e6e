"""`cross_entropy(z, y, over=C)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.indices import as_index, check_index
from shapescript_check.operations.families.joining import Part
from shapescript_check.operations.families.logits import check_logits
from shapescript_check.operations.families.matching import in_any_order
from shapescript_check.operations.families.pasting import in_brackets
from shapescript_check.operations.families.positions import rank_of, type_values, without
from shapescript_check.operations.flows import Flow, Kept, OperandFlows, Reduced
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import OVER, Parameter
from shapescript_check.typed.tree import Apply, Literal, Typed
from shapescript_check.types.domains import NONNEG, Semantic
from shapescript_check.types.dtypes import DType, Tier, promote
from shapescript_check.types.values import TensorType
from shapescript_syntax.records import value

if TYPE_CHECKING:
    import ast


@value
class Detail:
    """Where the classes are in z, and whether the losses of all examples are kept rather than averaged."""

    classes: int
    per_example: bool


class CrossEntropy(Operation):
    """How unlikely targets are under logits."""

    name = "cross_entropy"
    signature = (
        "fn cross_entropy(z: [... n] Logit over n, y: [...] Index[n], over: Axis[n], per_example: bool = false) "
        "-> [] NonNeg"
    )
    doc = (
        "The mean of the negative log-likelihoods of targets under logits. A target is a class, or probabilities of "
        "all classes in z's shape. `per_example=true` gives one number for each example, to weigh or mask."
    )
    example = """\
dim Tokens = 30

## A language model's loss on the tokens that aren't padding.
fn masked_loss(z: [b t Tokens] Logit over Tokens, y: [b t] Index[Tokens], real: [b t] Mask) -> [] NonNeg:
    losses = cross_entropy(z, y, over=Tokens, per_example=true)
    return sum(where(real, losses, 0.0)) / maximum(sum(real), 1)
"""
    parameters = (
        Parameter("z"),
        Parameter("y"),
        OVER,
        Parameter("per_example", optional=True, keyword_only=True),
    )

    # --- typing ---

    def check(self, call: OperationCall) -> Typed:
        type_values(call, "z", "y")
        z = Part(*call.shaped("z"))
        at = call.axis(z.axes)
        check_logits(
            call, z.node, z.type, at, "softmax applied before cross_entropy? pass it the logits themselves"
        )
        y = Part(*call.shaped("y"))
        probabilities = y.type.dtype is not None and y.type.dtype.is_float
        others = without(z.axes, (at,))
        if probabilities:
            positions = self._probabilities(call, z, y, at)
        else:
            check_index(call, y.node, y.type, z.axes[at])
            positions = in_any_order(call, (z.node, z.axes), (y.node, y.axes), others)
        per_example = _is_per_example(call)
        dtype = promote((p.type.dtype, Tier.TENSOR) for p in ((z, y) if probabilities else (z,)))
        if dtype is not None and not dtype.is_float:
            dtype = DType.F32
        return call.result(
            TensorType(others if per_example else (), dtype, NONNEG),
            (z.node, y.node),
            alignment=(tuple(range(len(z.axes))), positions),
            detail=Detail(at, per_example),
        )

    def _probabilities(self, call: OperationCall, z: Part, y: Part, at: int) -> tuple[int, ...]:
        """Where the axes of targets that are probabilities stand in z."""
        axis = z.axes[at]
        domain = y.type.domain
        if not isinstance(domain, Semantic) or domain.kind != "Prob":
            self._refuse_target(call, y, str(axis))
        positions = in_any_order(call, (z.node, z.axes), (y.node, y.axes))
        if positions[domain.over] != at:
            self._refuse_target(call, y, str(axis))
        return positions

    def _refuse_target(self, call: OperationCall, y: Part, axis: str) -> NoReturn:
        call.refuse(
            "E0501",
            y.node.span,
            f"targets are an Index[{axis}] or Prob over {axis}, and these are {y.type}",
            help=f"if they are probabilities, say so: {in_brackets(call, y.node)} as Prob over {axis}",
        )

    # --- what becomes of axes, and Python ---

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        z, y = node.operands
        detail: Detail = node.detail
        rank = rank_of(z)
        of_z = [self._flow(i, detail) for i in range(rank)]
        if rank_of(y) == rank:
            return (tuple(of_z), tuple(of_z[p] for p in node.alignment[1]))
        others = [f for i, f in enumerate(of_z) if i != detail.classes]
        return (tuple(of_z), tuple(others[p] for p in node.alignment[1]))

    def _flow(self, axis: int, detail: Detail) -> tuple[Flow, ...]:
        if axis == detail.classes:
            return (Reduced("cross_entropy"),)
        if detail.per_example:
            return (Kept(axis - (axis > detail.classes)),)
        return (Reduced("mean"),)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        z, y = node.operands
        detail: Detail = node.detail
        last = rank_of(z) - 1
        soft = rank_of(y) > last
        logits, target = emit.tensor(z), self._target(node, emit)
        if not _is_float(z):
            logits = python("x.to(torch.float32)", x=logits)
        if detail.classes == last > 1:
            return _flattened(logits, target, last, soft, detail.per_example, emit)
        if detail.classes != min(1, last):
            logits = python("x.movedim(k, 1)", x=logits, k=detail.classes)
            target = python("x.movedim(k, 1)", x=target, k=detail.classes) if soft else target
        template = _EACH if detail.per_example else _MEAN
        return python(template, z=logits, y=target)

    def _target(self, node: Apply, emit: Emitter) -> ast.expr:
        y, positions = node.operands[1], node.alignment[1]
        if positions == tuple(range(len(positions))):
            target = emit.tensor(y)
        else:
            target = emit.aligned(y, positions, len(positions))
        return target if _is_float(y) else as_index(target, y)


_MEAN = "torch.nn.functional.cross_entropy(z, y)"
_EACH = 'torch.nn.functional.cross_entropy(z, y, reduction="none")'


def _flattened(
    logits: ast.expr, target: ast.expr, last: int, soft: bool, per_example: bool, emit: Emitter
) -> ast.expr:
    """The loss of examples along several axes, with the classes last: torch copies nothing of them as one axis,
    where moving the classes to its place for them makes it copy everything."""
    if per_example:
        target = emit.once(target)
    flat = python("y.flatten(0, k)", y=target, k=last - 1) if soft else python("y.flatten()", y=target)
    z = python("z.flatten(0, k)", z=logits, k=last - 1)
    if not per_example:
        return python(_MEAN, z=z, y=flat)
    losses = python(_EACH, z=z, y=flat)
    if soft:
        return python("losses.view(y.shape[:-1])", losses=losses, y=target)
    return python("losses.view_as(y)", losses=losses, y=target)


def _is_float(node: Typed) -> bool:
    return isinstance(node.type, TensorType) and (node.type.dtype is None or node.type.dtype.is_float)


def _is_per_example(call: OperationCall) -> bool:
    """Whether `per_example=true` is written; its value decides the result's type, so it has to be a literal."""
    if not call.has("per_example"):
        return False
    node = call.value("per_example")
    if not isinstance(node, Literal) or not isinstance(node.value, bool):
        call.refuse(
            "E0406",
            node.span,
            "`per_example=` is true or false, written out, since it decides what the result is",
        )
    return node.value


OPERATION = CrossEntropy()
