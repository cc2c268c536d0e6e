"""Operands that have to be logits: scores along an axis that softmax makes probabilities of."""

from __future__ import annotations

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.positions import refuse_mask
from shapescript_check.typed.tree import Typed
from shapescript_check.types.domains import Semantic, domain_text
from shapescript_check.types.values import TensorType


def check_logits(call: OperationCall, node: Typed, kind: TensorType, at: int, twice: str) -> None:
    """Refuses masks, and probabilities along the axis itself; along another axis they are plain numbers.

    Args:
        call: the call, to report E0501 in.
        node: the operand.
        kind: its type.
        at: the axis along which it has to be logits.
        twice: the help for what probabilities are a sign of.
    """
    if kind.is_mask:
        refuse_mask(call, node)
    domain = kind.domain
    if isinstance(domain, Semantic) and domain.kind == "Prob" and domain.over == at:
        assert kind.axes is not None
        axis = str(kind.axes[at])
        call.refuse(
            "E0501",
            node.span,
            f"`{call.shown_name}` takes logits over {axis}, and this is {domain_text(domain, axis)}",
            label="probabilities already",
            help=twice,
        )
