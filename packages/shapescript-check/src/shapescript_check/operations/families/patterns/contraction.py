"""`einsum` as the matrix product, or the product and sum, that it is.

`torch.einsum` reads its equation at every call, and takes two to three times as long as the product it comes to at the
sizes of a small model; what is left to it are products of three and more tensors, whose order it chooses.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from shapescript_check.operations.families.patterns.factors import Factor
from shapescript_check.operations.families.patterns.moves import Moves
from shapescript_check.operations.families.patterns.plan import Key, Plan, parts_of
from shapescript_check.operations.families.patterns.sizes import Axis
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.typed.tree import Apply

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def lower_einsum(node: Apply, emit: Emitter) -> ast.expr:
    """The Python of an `einsum`."""
    plan: Plan = node.detail
    out = [p.key for p in parts_of(plan.output)]
    factors = [
        Factor.of(side, operand, emit) for side, operand in zip(plan.inputs, node.operands, strict=True)
    ]
    readers = [f.moves.sizes for f in factors]
    names = {n for f in factors for n in f.names}
    by_equation = len(factors) > 2 and len(names) <= len(_LETTERS)
    value = _by_equation(factors, out) if by_equation else _in_pairs(factors, out)
    for reader in readers:
        value = reader.settle(value)
    return value


def _in_pairs(factors: Sequence[Factor], out: Sequence[Key]) -> ast.expr:
    result = factors[0]
    for i, factor in enumerate(factors[1:], 1):
        later = {n for f in factors[i + 1 :] for n in f.names}
        wanted = out
        if later:
            both = dict.fromkeys([*result.names, *factor.names])
            wanted = [n for n in both if n in later or n in out]
        result = _Product(result, factor, wanted).write()
    result.sum_out([n for n in result.names if n not in out])
    result.arrange([[n] for n in out])
    return result.value


def _by_equation(factors: Sequence[Factor], out: Sequence[Key]) -> ast.expr:
    letters: dict[Key, str] = {}
    for name in (n for f in factors for n in f.names):
        if name not in letters:
            first = str(name)[0]
            likely = [c for c in (first, first.lower(), first.upper()) if c in _LETTERS]
            letters[name] = next(c for c in (*likely, *_LETTERS) if c not in letters.values())
    sides = ",".join("".join(letters[n] for n in f.names) for f in factors)
    equation = f"{sides}->{''.join(letters[n] for n in out)}"
    return ast.Call(python("torch.einsum"), [ast.Constant(equation), *(f.value for f in factors)], [])


class _Product:
    """The product of two factors, summed over the names that `out` has not."""

    def __init__(self, left: Factor, right: Factor, out: Sequence[Key]) -> None:
        self.out = list(out)
        for factor, other in ((left, right), (right, left)):
            factor.sum_out([n for n in factor.names if n not in other.names and n not in out])
        self.left, self.right = left, right
        shared = [n for n in left.names if n in right.names]
        self.batch = [n for n in self.out if n in shared]
        self.summed = [n for n in shared if n not in self.out]

    def write(self) -> Factor:
        """The product, with its axes in the order of `out`."""
        if not self.summed:
            return self._outer()
        rows, columns = self._own(self.left), self._own(self.right)
        if not rows and not columns:
            return self._dot()
        if not rows:
            return self._vector(self.left, self.right, columns)
        if not columns:
            return self._vector(self.right, self.left, rows)
        last_is_row = self.out.index(rows[-1]) > self.out.index(columns[-1])
        if last_is_row and (len(rows) == 1 or len(columns) > 1):
            self._swap()
            rows, columns = columns, rows
        return self._matrices(rows, columns)

    def _own(self, factor: Factor) -> list[Key]:
        """The names that the result has from one factor alone."""
        other = self.right if factor is self.left else self.left
        return [n for n in self.out if n in factor.names and n not in other.names]

    def _swap(self) -> None:
        if not self.left.moves.sizes.is_simple and not self.right.moves.sizes.is_simple:
            # What is written first is computed first.
            self.left.moves.sizes.name()
        self.left, self.right = self.right, self.left

    def _result(self, value: ast.expr, axes: Sequence[Axis]) -> Factor:
        """A factor of a product, with merged axes apart again and in order."""
        result = Factor(Moves(value, axes, self.left.moves.sizes))
        for i in range(len(axes) - 1, -1, -1):
            if len(axes[i]) > 1:
                source = self.left if axes[i][0].key in self.left.names else self.right
                result.moves.sizes = source.moves.sizes
                result.moves.regroup(
                    [*result.moves.axes[:i], *((p,) for p in axes[i]), *result.moves.axes[i + 1 :]]
                )
        result.arrange([[n] for n in self.out])
        return result

    def _outer(self) -> Factor:
        left, right = self.left, self.right
        axes = [left.axis([n]) if n in left.names else right.axis([n]) for n in self.out]
        left.spread(self.out)
        right.spread(self.out)
        return self._result(python("x * y", x=left.value, y=right.value), axes)

    def _dot(self) -> Factor:
        left, right, summed = self.left, self.right, self.summed
        if not self.batch and (len(summed) == 1 or left.names == right.names):
            for factor in (left, right):
                factor.arrange([summed])
            return self._result(python("x @ y", x=left.value, y=right.value), [])
        right.arrange([[n] for n in left.names])
        product = Factor(
            Moves(python("x * y", x=left.value, y=right.value), left.moves.axes, left.moves.sizes)
        )
        product.sum_out(summed)
        return self._result(product.value, product.moves.axes)

    def _vector(self, vector: Factor, matrix: Factor, kept: list[Key]) -> Factor:
        """`vector` has no axis of its own in the result."""
        summed = [n for n in matrix.names if n in self.summed]
        batch = [vector.axis([n]) for n in self.batch]
        together = matrix.axis(kept)
        if batch:
            vector.arrange([*([n] for n in self.batch), summed])
            matrix.arrange([*([n] for n in self.batch), summed, kept])
            template = "(x.unsqueeze(-2) @ y).squeeze(-2)"
            return self._result(python(template, x=vector.value, y=matrix.value), [*batch, together])
        vector.arrange([summed])
        if matrix.names == [*summed, *kept]:
            matrix.arrange([summed, kept])
            return self._result(python("x @ y", x=vector.value, y=matrix.value), [together])
        axes = [matrix.axis([n]) for n in kept]
        matrix.arrange([*([n] for n in kept), summed])
        return self._result(python("x @ y", x=matrix.value, y=vector.value), axes)

    def _matrices(self, rows: list[Key], columns: list[Key]) -> Factor:
        left, right = self.left, self.right
        order = right if right.are_neighbours([n for n in right.names if n in self.summed]) else left
        summed = [n for n in order.names if n in self.summed]
        row_groups = [[n] for n in rows]
        batch = [[n] for n in self.batch]
        before = [*batch, *row_groups]
        if batch and len(rows) > 1:
            if left.are_neighbours(rows) or not self._broadcasts(rows, columns):
                before = [*batch, rows]
            else:
                before = [*row_groups[:-1], *batch, row_groups[-1]]
        axes = [*(left.axis(group) for group in before), right.axis(columns)]
        left.arrange([*before, summed])
        right.arrange([*batch, summed, columns])
        return self._result(python("x @ y", x=left.value, y=right.value), axes)

    def _broadcasts(self, rows: list[Key], columns: list[Key]) -> bool:
        """Whether the result's axes are in the order in which torch repeats the right factor along the first rows."""
        return self.out == [*rows[:-1], *self.batch, rows[-1], *columns] and len(columns) == 1
