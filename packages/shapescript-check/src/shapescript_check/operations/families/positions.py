"""What becomes of axes, domains and flows when axes of an operand go, come or are mixed."""

from __future__ import annotations

from collections.abc import Container, Sequence

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.pasting import in_brackets
from shapescript_check.operations.flows import Flow, Kept, Mixed, OperandFlows
from shapescript_check.typed.tree import Typed
from shapescript_check.types.axes import Axes
from shapescript_check.types.domains import Domain, Range, Semantic
from shapescript_check.types.values import HostType, PythonType, TensorType


def without(axes: Axes, gone: Container[int]) -> Axes:
    """The axes but for those at some positions."""
    return tuple(axis for i, axis in enumerate(axes) if i not in gone)


def domain_without(domain: Domain, gone: Sequence[int]) -> Domain:
    """A domain once some axes are gone: a semantic one over another axis moves with it, and one over an axis
    that goes leaves its range."""
    if not isinstance(domain, Semantic):
        return domain
    if domain.over in gone:
        return Range(domain.interval)
    return Semantic(domain.kind, domain.over - sum(g < domain.over for g in gone))


def flows_without(rank: int, gone: Container[int], flow: Flow) -> OperandFlows:
    """The flows of an operand that keeps its axes in order, but for some that all have one flow."""
    flows: list[tuple[Flow, ...]] = []
    kept = 0
    for i in range(rank):
        if i in gone:
            flows.append((flow,))
        else:
            flows.append((Kept(kept),))
            kept += 1
    return tuple(flows)


def flows_mixed(rank: int, at: int, kind: str) -> OperandFlows:
    """The flows of an operand that keeps every axis, with positions mixed along one."""
    return tuple((Mixed(i, kind) if i == at else Kept(i),) for i in range(rank))


def semantic_kept(domain: Domain, kinds: Container[str]) -> bool:
    """Whether a domain is one of some kinds: `Logit`, `Binary`, and so on, or `Range` or `Index`."""
    if isinstance(domain, Range):
        return "Range" in kinds
    return getattr(domain, "kind", "Index") in kinds


def rank_of(node: Typed) -> int:
    """How many axes a typed value has; a host number has none."""
    return node.type.rank if isinstance(node.type, TensorType) else 0


def type_of(node: Typed) -> TensorType:
    """The type of a node that a typing rule gave a tensor's."""
    assert isinstance(node.type, TensorType)
    return node.type


def type_values(call: OperationCall, *names: str) -> None:
    """Types the arguments that are given for some parameters, so that one that is refused hides no other."""
    for name in names:
        if call.has(name):
            call.value(name)


def refuse_mask(call: OperationCall, node: Typed, help: str | None = None) -> None:
    """Refuses a Mask where numbers are needed."""
    on_host = isinstance(node.type, HostType)
    call.refuse(
        "E0501",
        node.span,
        f"`{call.shown_name}` takes numbers, and this is a {'bool' if on_host else 'Mask'}",
        label="holds true and false",
        help=help
        or (None if on_host else f"for the numbers 0 and 1, convert it: {in_brackets(call, node)} to Binary"),
    )


def check_whole_number(call: OperationCall, name: str) -> Typed:
    """An argument that is an int, or a value from Python, which is taken unchecked."""
    node = call.value(name)
    if isinstance(node.type, PythonType):
        return node
    kind: HostType = call.host_number(name)[1]
    if kind.kind != "int":
        call.refuse(
            "E0502", node.span, f"`{name}` of `{call.shown_name}` is an int, and this is a {kind.kind}"
        )
    return node
