"""`table_scan(table, symbols, over=t)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.indices import index_operand
from shapescript_check.operations.families.positions import (
    check_whole_number,
    flows_mixed,
    rank_of,
    type_values,
)
from shapescript_check.operations.families.scans import SCAN
from shapescript_check.operations.flows import OperandFlows, Selected
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import OVER, Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.axes import Axis, shape_text
from shapescript_check.types.domains import IndexOf
from shapescript_check.types.dtypes import DType
from shapescript_check.types.values import HostType, TensorType

if TYPE_CHECKING:
    import ast


class TableScan(Operation):
    """A deterministic automaton."""

    name = "table_scan"
    signature = (
        "fn table_scan(table: [s k] Index[s], symbols: [... t] Index[k], over: Axis[t], start: int = 0) "
        "-> [... t] Index[s]"
    )
    doc = (
        "The states of an automaton that reads symbols along an axis: h[t] = table[h[t-1], symbols[t]], from the state "
        "`start`. It takes about log t steps, and memory for a table of all states at each symbol. It has no gradient; "
        "a model reads the states as indices."
    )
    example = """\
## Whether the ones so far are an odd number: reading a 1 changes the state, and reading a 0 keeps it.
fn parity(bits: [b t] Index[2]) -> [b t] Index[2]:
    flips = rearrange(iota(2), state -> state 1) != rearrange(iota(2), bit -> 1 bit)
    return table_scan(flips to i64, bits, over=t)
"""
    parameters = (
        Parameter("table"),
        Parameter("symbols"),
        OVER,
        Parameter("start", optional=True, keyword_only=True),
    )

    def check(self, call: OperationCall) -> Typed:
        type_values(call, "table", "symbols", "start")
        table, _, axes = call.shaped("table")
        if len(axes) != 2:
            call.refuse(
                "E0403",
                table.span,
                f"the table of `table_scan` has an axis of states and one of symbols, and this is {shape_text(axes)}",
            )
        states = axes[0]
        index_operand(call, "table", states)
        symbols, read = index_operand(call, "symbols", axes[1])
        at = call.axis(read)
        operands = [table, symbols]
        if call.has("start"):
            operands.append(self._start(call, states))
        return call.result(TensorType(read, DType.I64, IndexOf(states.size)), operands, detail=at)

    def _start(self, call: OperationCall, states: Axis) -> Typed:
        node = check_whole_number(call, "start")
        kind = node.type
        if isinstance(kind, HostType):
            count = states.size.as_int()
            if kind.interval.hi < 0 or (count is not None and kind.interval.lo >= count):
                call.refuse(
                    "E0406",
                    node.span,
                    f"an automaton of {states.size.text_with_value()} states can't start in this one",
                    help="states are counted from 0",
                )
        return node

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        gone = ((Selected(None),), (Selected(None),))
        read = flows_mixed(rank_of(node.operands[1]), node.detail, SCAN)
        return (gone, read, *(() for _ in node.operands[2:]))

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        import ast

        table, symbols, *start = node.operands
        call = python(
            "f(table, symbols, dim=d)",
            f=emit.runtime(self.name),
            table=emit.tensor(table),
            symbols=emit.tensor(symbols),
            d=node.detail,
        )
        assert isinstance(call, ast.Call)
        call.keywords += [ast.keyword("start", emit.number_or_tensor(s)) for s in start]
        return call


OPERATION = TableScan()
