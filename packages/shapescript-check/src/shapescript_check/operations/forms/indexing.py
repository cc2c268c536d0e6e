"""`x[i, lo:hi, ids]`: what each index does to its axis, and the Python for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.flows import Flow, Kept, OperandFlows, Selected
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.dtypes import DType
from shapescript_check.types.values import TensorType
from shapescript_syntax.records import value

if TYPE_CHECKING:
    import ast


@value
class At:
    """One position of an axis, which goes."""

    index: Typed


@value
class Part:
    """A slice of an axis; `whole` keeps all of it."""

    lo: Typed | None
    hi: Typed | None
    step: Typed | None
    whole: bool = False


@value
class Pick:
    """A tensor index: `operand` is its position among the operands, `positions` where its axes stand among those
    of all tensor indices together, which have `rank` axes."""

    operand: int
    positions: tuple[int, ...]
    rank: int


@value
class Where:
    """A mask over `rank` axes."""

    operand: int
    rank: int


Item = At | Part | Pick | Where


@value
class Indices:
    """The indices of one `[...]`. `moved` is how many axes of the tensor indices torch puts first, where they
    belong at `place` instead; 0 where torch puts them right."""

    items: tuple[Item, ...]
    moved: int = 0
    place: int = 0


class Indexing(Operation):
    """Indexing with ints, slices, tensors and masks."""

    name = "index"
    signature = "x[i, lo:hi:step, ids, mask]"
    doc = "Takes parts of a tensor: one index per leading axis."
    example = """\
dim Width = 5

fn firsts(rows: [n Width]) -> [n] = rows[:, 0]
"""

    def check(self, call: OperationCall) -> Typed:
        raise AssertionError("indexing has a syntax of its own")

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        indices = node.detail
        assert isinstance(indices, Indices)
        value = node.operands[0].type
        assert isinstance(value, TensorType)
        mine: list[tuple[Flow, ...]] = []
        at = 0
        placed_tensors = False
        spread = _tensor_rank(indices)
        for item in indices.items:
            if isinstance(item, At):
                mine.append((Selected(None),))
            elif isinstance(item, Part):
                mine.append((Kept(at) if item.whole else Selected(at),))
                at += 1
            elif isinstance(item, Where):
                mine += [(Selected(at),)] * item.rank
                at += 1
            else:
                mine.append((Selected(indices.place if item.rank else None),))
                if item.rank and not placed_tensors:
                    at += spread
                    placed_tensors = True
        for _ in range(value.rank - len(mine)):
            mine.append((Kept(at),))
            at += 1
        others: list[OperandFlows] = []
        for item in indices.items:
            if isinstance(item, Pick):
                others.append(tuple((Kept(indices.place + p),) for p in item.positions))
            elif isinstance(item, Where):
                others.append(((Selected(0),),) * item.rank)
        return (tuple(mine), *others)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        import ast

        indices = node.detail
        assert isinstance(indices, Indices)
        items = [_index(item, node, emit) for item in indices.items]
        while len(items) > 1 and isinstance(indices.items[len(items) - 1], Part) and _is_whole(items[-1]):
            items.pop()
        subscript = items[0] if len(items) == 1 else ast.Tuple(items, ast.Load())
        result: ast.expr = ast.Subscript(emit.tensor(node.operands[0]), subscript, ast.Load())
        if indices.moved:
            sources = tuple(range(indices.moved))
            targets = tuple(range(indices.place, indices.place + indices.moved))
            result = python("x.movedim(a, b)", x=result, a=sources, b=targets)
        return result


def _tensor_rank(indices: Indices) -> int:
    return max((i.rank for i in indices.items if isinstance(i, Pick)), default=0)


def _is_whole(index: ast.expr) -> bool:
    import ast

    return isinstance(index, ast.Slice) and index.lower is None and index.upper is None and index.step is None


def _index(item: Item, node: Apply, emit: Emitter) -> ast.expr:
    import ast

    if isinstance(item, At):
        return emit.number_or_tensor(item.index)
    if isinstance(item, Part):
        parts = [emit.number_or_tensor(p) if p is not None else None for p in (item.lo, item.hi, item.step)]
        return ast.Slice(*parts)
    if isinstance(item, Where):
        return emit.tensor(node.operands[item.operand])
    operand = node.operands[item.operand]
    index = emit.aligned(operand, item.positions, item.rank)
    # torch takes a small integer dtype for a mask, or not at all.
    small = isinstance(operand.type, TensorType) and operand.type.dtype not in (DType.I64, DType.I32)
    return python("x.to(torch.int64)", x=index) if small else index


OPERATION = Indexing()
