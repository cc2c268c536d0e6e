"""Operations whose result at each position depends on their operands there, and on nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from shapescript_check.operations.broadcasting import LinedUp, line_up
from shapescript_check.operations.call import Operand, OperationCall, Refused
from shapescript_check.operations.families.edges import check_edge
from shapescript_check.operations.families.pasting import in_brackets
from shapescript_check.operations.flows import Flow, Kept, OperandFlows, Stretched
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation, Stored
from shapescript_check.operations.parameters import Parameter
from shapescript_check.typed.tree import Apply, Literal, Typed
from shapescript_check.types import intervals
from shapescript_check.types.axes import Axes
from shapescript_check.types.domains import Discrete, Domain, Range, Semantic
from shapescript_check.types.dtypes import DType, Tier, promote
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import PYTHON, ErrorType, HostType, PythonType, TensorType

if TYPE_CHECKING:
    import ast

Transfer = Callable[..., Interval]
"""Operands' intervals, then `dtype=`, to the result's interval."""


class Elementwise(Operation):
    """An elementwise operation on numbers.

    Args:
        transfer: the range rule.
        template: the Python that computes it, with parameters by their names.
        operands: the parameters: names, or more where one may be left out.
        floats: whether integers give the default float.
        takes_numbers: whether the template takes Python numbers beside a tensor as they are.
        host: the Python for operands that are all Python numbers, where there is any but making tensors of them.
        keeps: discrete domains that the result has where every operand has it.
        edge: the function of `families.edges` that the last operand may be past the edge of.
    """

    elementwise = True

    def __init__(
        self,
        name: str,
        signature: str,
        doc: str,
        example: str,
        *,
        transfer: Transfer,
        template: str,
        operands: tuple[str | Parameter, ...] = ("x",),
        floats: bool = False,
        takes_numbers: bool = False,
        host: str | None = None,
        keeps: tuple[Discrete, ...] = (),
        edge: str | None = None,
    ) -> None:
        self.name = name
        self.signature = signature
        self.doc = doc
        self.example = example
        self.transfer = transfer
        self.template = template
        self.floats = floats
        self.takes_numbers = takes_numbers
        self.host = host
        self.keeps = keeps
        self.edge = edge
        self._parameters = tuple(p if isinstance(p, Parameter) else Parameter(p) for p in operands)

    @property
    def parameter_list(self) -> tuple[Parameter, ...]:
        return self._parameters

    # --- typing ---

    def check(self, call: OperationCall) -> Typed:
        nodes = self.nodes(call)
        if any(isinstance(n.type, PythonType) for n in nodes):
            # Nothing is known of the shape, so torch lines the operands up when it runs.
            return call.result(PYTHON, nodes)
        operands = self.read_operands(call)
        lined = self.line_up(call, operands)
        dtype = self.dtype_of([(o.dtype, o.tier) for o in operands], None)
        detail = self.detail(call, operands, lined, dtype)
        read = [_read(o, lined.alignment[i], lined.axes, dtype) for i, o in enumerate(operands)]
        domain = self.domain(read, dtype, detail)
        self.check_edges(call, operands)
        kind = TensorType(lined.axes, dtype, domain)
        return call.result(kind, nodes, alignment=lined.alignment, detail=detail)

    def nodes(self, call: OperationCall) -> list[Typed]:
        """The arguments that are given. Every one is typed before any is refused."""
        nodes = [call.value(p.name) for p in self._parameters if call.has(p.name)]
        if any(isinstance(n.type, ErrorType) for n in nodes):
            raise Refused
        return nodes

    def read_operands(self, call: OperationCall) -> list[Operand]:
        """The arguments as numbers, each one checked before any is refused."""
        operands: list[Operand] = []
        refused = False
        for parameter in self._parameters:
            if call.has(parameter.name):
                try:
                    operands.append(self.read(call, parameter.name))
                except Refused:
                    refused = True
        if refused:
            raise Refused
        return operands

    def read(self, call: OperationCall, name: str) -> Operand:
        """One argument, which has to hold numbers."""
        return number(call, name)

    def line_up(self, call: OperationCall, operands: Sequence[Operand]) -> LinedUp:
        """How the operands' axes line up, by the order rule."""
        return line_up(call, operands)

    def detail(
        self, call: OperationCall, operands: Sequence[Operand], lined: LinedUp, dtype: DType | None
    ) -> Any:
        """What the range rule needs to know besides the operands' domains. Reports operands that don't go together."""
        return None

    def check_edges(self, call: OperationCall, operands: Sequence[Operand]) -> None:
        """Reports values past where the function is defined."""
        if self.edge is not None:
            check_edge(call, self.edge, operands[-1])

    def dtype_of(self, operands: Sequence[Stored], detail: object) -> DType | None:
        dtype = promote(operands)
        if self.floats and dtype is not None and dtype.kind != "float":
            return DType.F32
        return dtype

    # --- ranges ---

    def domain(self, operands: Sequence[Domain], dtype: DType | None, detail: object) -> Domain:
        special = self.special_domain(operands, detail)
        if special is not None:
            return special
        return bounded(self.transfer(*(d.interval for d in operands), dtype=dtype), dtype)

    def special_domain(self, operands: Sequence[Domain], detail: object) -> Domain | None:
        """The result's domain where it is more than a range; None where the range rule decides."""
        return operands[0] if operands[0] in self.keeps and _all_same(operands) else None

    # --- what becomes of axes, and Python ---

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return aligned_flows(node)

    def on_numbers(self, node: Apply) -> bool:
        return self.host is not None

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        if self.host is not None and self.on_numbers(node) and _all_numbers(node, emit):
            names = [p.name for p in self._parameters]
            values = [emit.number_or_tensor(o) for o in node.operands]
            return python(self.host, **dict(zip(names, values, strict=False)))
        return python(self.template, **self.parts(node, emit))

    def parts(self, node: Apply, emit: Emitter) -> dict[str, ast.expr]:
        """The operands in Python, by the names of the parameters."""
        names = [p.name for p in self._parameters]
        return {names[i]: self.part(node, i, emit) for i in range(len(node.operands))}

    def part(self, node: Apply, index: int, emit: Emitter) -> ast.expr:
        """One operand in Python, its axes where the result has them."""
        operand = node.operands[index]
        if isinstance(node.type, PythonType):
            return emit.number_or_tensor(operand)
        if emit.is_number(operand):
            if self.takes_numbers and not _all_numbers(node, emit):
                return emit.number_or_tensor(operand)
            # A number has no say in the dtype beside a tensor without axes, as a tensor of its own would.
            kind = operand.type
            is_mask = kind.is_mask if isinstance(kind, TensorType) else getattr(kind, "kind", "") == "bool"
            dtype = node.type.dtype if isinstance(node.type, TensorType) and not is_mask else None
            return emit.tensor(operand, dtype)
        rank = node.type.rank if isinstance(node.type, TensorType) else 0
        return emit.aligned(operand, node.alignment[index], rank)


def _all_numbers(node: Apply, emit: Emitter) -> bool:
    return all(emit.is_number(o) for o in node.operands)


def number(call: OperationCall, name: str) -> Operand:
    """An argument that has to hold numbers. Reports E0501 for a Mask."""
    operand = call.operand(name)
    if operand.is_mask:
        call.refuse(
            "E0501",
            operand.node.span,
            f"`{call.shown_name}` takes numbers, and this is {mask_or_bool(operand)}",
            label="holds true and false",
            help=f"for the numbers 0 and 1, convert it: {in_brackets(call, operand.node)} to Binary"
            if not isinstance(operand.node.type, HostType)
            else None,
        )
    return operand


def mask_or_bool(operand: Operand) -> str:
    """How a message names an operand that holds true and false."""
    return "a bool" if isinstance(operand.node.type, HostType) else "a Mask"


def host_parameter(call: OperationCall, name: str) -> Operand:
    """An argument that has to be a Python number."""
    node, kind = call.host_number(name)
    return Operand(
        node, (), DType.I64 if kind.kind == "int" else DType.F32, Range(kind.interval), Tier.NUMBER
    )


def check_number_fits(call: OperationCall, operand: Operand, dtype: DType | None) -> None:
    """Refuses a Python number that no integer of `dtype` is, where torch takes none that it can't hold."""
    if dtype is None or dtype.kind != "int" or operand.tier is not Tier.NUMBER:
        return
    lo, hi = dtype.int_range
    node = operand.node
    least: float = operand.domain.interval.lo
    most: float = operand.domain.interval.hi
    if isinstance(node, Literal) and isinstance(node.value, int):
        least = most = node.value  # as written: a range's ends are floats
    if least > hi or most < lo:
        call.refuse(
            "E0502",
            operand.node.span,
            f"this number is stored as {dtype}, which holds {lo} to {hi}",
            help="convert the tensor to a wider dtype first, as in x to i64"
            if dtype is not DType.I64
            else None,
        )


def aligned_flows(node: Apply) -> tuple[OperandFlows, ...]:
    """Flows of operands that are lined up with the result: kept, or stretched where an axis has size 1."""
    kind = node.type
    if not node.alignment or not isinstance(kind, TensorType):
        return ((),) * len(node.operands)
    result = kind.axes or ()
    flows: list[OperandFlows] = []
    for operand, positions in zip(node.operands, node.alignment, strict=True):
        axes = operand.type.axes or () if isinstance(operand.type, TensorType) else ()
        mine: list[tuple[Flow, ...]] = []
        for axis, p in zip(axes, positions, strict=True):
            stretched = axis.size.as_int() == 1 and result[p].size.as_int() != 1
            mine.append((Stretched(p) if stretched else Kept(p),))
        flows.append(tuple(mine))
    return tuple(flows)


# --- domains of operands and results -----------------------------------------------------------------------


def placed(domain: Domain, positions: Sequence[int]) -> Domain:
    """A domain with the axis it is over where the operand's alignment puts it."""
    if isinstance(domain, Semantic) and positions:
        return Semantic(domain.kind, positions[domain.over])
    return domain


def _read(operand: Operand, positions: Sequence[int], result: Axes | None, dtype: DType | None) -> Domain:
    """An operand's domain as an operation in `dtype` sees it, at the result's positions."""
    domain = operand.domain
    if isinstance(domain, Range):
        return read_as(domain, (operand.dtype, operand.tier), dtype)
    domain = stored_wider(domain, operand.dtype, dtype)
    if isinstance(domain, Semantic) and positions:
        axes = operand.axes or ()
        if domain.kind != "Logit" and result is not None:
            stretched = (
                axes[domain.over].size.as_int() == 1 and result[positions[domain.over]].size.as_int() != 1
            )
            if stretched:
                return Range(domain.interval)
        return Semantic(domain.kind, positions[domain.over])
    return domain


def read_as(domain: Range, stored: Stored, dtype: DType | None) -> Range:
    """An operand's range as an operation in `dtype` sees it."""
    mine, tier = stored
    if mine is None or tier is Tier.NUMBER:
        return domain
    if mine.kind == "int":
        # An integer tensor's range is at most what its dtype holds.
        return Range(stored_interval(domain.interval, mine))
    if dtype is not None and dtype.kind == "float" and dtype.bits < mine.bits:
        # A [] tensor of a wider dtype is rounded to the other operand's.
        return Range(domain.interval.rounded_to(dtype))
    widened = stored_wider(domain, mine, dtype)
    assert isinstance(widened, Range)
    return widened


def stored_wider(domain: Domain, mine: DType | None, dtype: DType | None) -> Domain:
    """What a domain of values in one float dtype says once a wider one holds them.

    An end of a range stands for the number that each dtype has for it, and a narrow one's may be a little further
    out. Sums of distributions are as near to 1 as the narrow dtype can have them, which the wider one asks more of.
    """
    if mine is None or dtype is None or not (mine.is_float and dtype.is_float):
        return domain
    if isinstance(domain, Range) and mine.precision < dtype.precision:
        return Range(intervals.operand(domain.interval, mine), domain.name)
    if isinstance(domain, Semantic) and domain.kind != "Logit" and mine.bits < dtype.bits:
        return Range(domain.interval)
    return domain


def stored_interval(interval: Interval, dtype: DType | None) -> Interval:
    """An interval met with the values that a small integer dtype can hold (u8, i8 and i16)."""
    if dtype is None or dtype.kind != "int" or dtype.bits > 16:
        return interval
    lo, hi = dtype.int_range
    return interval.meet(Interval.whole(lo, hi)) or Interval.whole(lo, hi)


def bounded(interval: Interval, dtype: DType | None) -> Range:
    """The range of a computed value: small integers wrap around, so a range past theirs is all of theirs."""
    if dtype is not None and dtype.kind == "int" and dtype.bits <= 16:
        whole = Interval.whole(*dtype.int_range)
        return Range(interval if whole.contains(interval) else whole)
    return Range(interval)


def interval_of(node: Typed) -> Interval:
    """The range of a typed value: anything, where it holds no numbers."""
    kind = node.type
    if isinstance(kind, TensorType):
        return kind.domain.interval
    return kind.interval if isinstance(kind, HostType) else Interval.REAL


def as_range(domain: Domain) -> Range:
    """A domain's values as a plain range."""
    return domain if isinstance(domain, Range) else Range(domain.interval)


def _all_same(operands: Sequence[Domain]) -> bool:
    return all(d == operands[0] for d in operands)
