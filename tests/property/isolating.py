"""Takes single applications of operations out of checked programs, and computes them on values of their own."""

from __future__ import annotations

import ast
import math
import random
from collections.abc import Callable
from typing import Any

import torch

import shapescript_runtime
from shapescript_check.codegen import Options
from shapescript_check.codegen.context import FunctionContext, ModuleContext
from shapescript_check.codegen.expressions import ExpressionEmitter
from shapescript_check.codegen.names import python_name
from shapescript_check.codegen.positions import Positions
from shapescript_check.declarations.interfaces import DimInterface
from shapescript_check.program import Program
from shapescript_check.sizes import Symbol
from shapescript_check.typed import tree as typed
from shapescript_check.types.domains import IndexOf
from shapescript_check.types.values import HostType, ResultsType, TensorType, ValueType
from shapescript_syntax.records import replaced
from tests.property.holding import Sizes
from tests.property.nodes import under
from tests.property.running import allowed
from tests.property.values import MILD, tensor

_CONSTANTS = (typed.Literal, typed.SizeValue)


class Isolated:
    """One application with its tensor operands replaced by values of their types.

    Attributes:
        node: the application.
        sizes: what the size symbols in its types are.
        operands: a value for each tensor operand, by position.
    """

    def __init__(self, program: Program, function: str, node: typed.Apply, rng: random.Random) -> None:
        self.node = node
        self.rng = rng
        self.sizes = Sizes()
        interface = program.interfaces[function]
        symbols = _symbols(node) | set(getattr(interface, "generics", ()))
        for symbol in sorted(symbols, key=lambda s: (s.name, s.kind.value)):
            self.sizes.known.setdefault(symbol, rng.choice((1, 2, 3, 3, 4)))
        self.operands: dict[int, torch.Tensor] = {}
        tensors = all(isinstance(k, TensorType) for k in _results(node.type))
        self._compute = _compiled(program, function, node, self.sizes) if tensors else None

    @property
    def possible(self) -> bool:
        """Draws the operands; False where there are no values of their types, or the node needs more than them."""
        if self._compute is None:
            return False
        for i, operand in enumerate(self.node.operands):
            if isinstance(operand.type, TensorType):
                value = self.draw(i)
                if value is None:
                    return False
                self.operands[i] = value
            elif not isinstance(operand, _CONSTANTS):
                return False
        try:
            self.result(self.operands)
        except Exception as error:
            if not allowed(error):
                raise
            return False
        return True

    def draw(self, operand: int) -> torch.Tensor | None:
        """A value of an operand's type."""
        kind = self.node.operands[operand].type
        assert isinstance(kind, TensorType)
        found = [self.sizes.value(a.size) for a in kind.axes or ()]
        if any(s is None or s < 0 for s in found) or kind.axes is None:
            return None
        shape = tuple(s for s in found if s is not None)
        drawn = tensor(kind, shape, self.sizes, self.rng, MILD)
        assert drawn is None or isinstance(drawn, torch.Tensor)
        return drawn

    def result(self, operands: dict[int, torch.Tensor]) -> Any:
        """What the operation computes of some operands."""
        assert self._compute is not None
        return self._compute({f"_ss_operand{i}": value for i, value in operands.items()})


def _results(kind: ValueType) -> tuple[ValueType, ...]:
    return kind.items if isinstance(kind, ResultsType) else (kind,)


def _symbols(node: typed.Apply) -> set[Symbol]:
    found: set[Symbol] = set()

    def add(kind: ValueType) -> None:
        if isinstance(kind, TensorType):
            for axis in kind.axes or ():
                found.update(axis.size.symbols(), *(p.size.symbols() for p in axis.parts))
            if isinstance(kind.domain, IndexOf):
                found.update(kind.domain.size.symbols())
        elif isinstance(kind, HostType) and kind.size is not None:
            found.update(kind.size.symbols())

    for operand in node.operands:
        add(operand.type)
    return found


def _compiled(
    program: Program, function: str, node: typed.Apply, sizes: Sizes
) -> Callable[[dict[str, Any]], Any] | None:
    """Python that computes a node from its operands; None where it needs more than their values."""
    declared = program.scope.functions[function]
    context = FunctionContext(ModuleContext(program, Options()), Positions(program.source, declared.start))
    emit = ExpressionEmitter(context)
    operands: list[typed.Typed] = []
    for i, operand in enumerate(node.operands):
        if isinstance(operand.type, TensorType):
            context.types[f"_ss_operand{i}"] = operand.type
            operand = typed.Local(operand.span, operand.type, f"_ss_operand{i}")
        operands.append(operand)
    if any(isinstance(n, typed.Local) and n.name[:3] != "_ss" for n in under((node.detail, operands))):
        return None
    try:
        with context.block() as statements:
            expression = emit.value(replaced(node, operands=tuple(operands)))
    except LookupError:
        return None
    body = [*statements, ast.Assign([ast.Name("_ss_result", ast.Store())], expression)]
    module = ast.fix_missing_locations(ast.Module(body, []))
    code = compile(module, "isolated", "exec", dont_inherit=True)
    names: dict[str, Any] = {
        "torch": torch,
        "math": math,
        "_ss_rt": shapescript_runtime,
        "_ss_device": torch.device("cpu"),
        **{python_name(s.name): value for s, value in sizes.known.items()},
        **{python_name(i.name): i.value for i in program.interfaces.values() if isinstance(i, DimInterface)},
    }

    def compute(values: dict[str, Any]) -> Any:
        scope = {**names, **values}
        exec(code, scope)
        return scope["_ss_result"]

    return compute
