"""Random draws, from a mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.dropout import mode_argument
from shapescript_check.operations.families.creation import SHAPE, emit_shape
from shapescript_check.operations.families.positions import type_values
from shapescript_check.operations.families.sizes import shape_argument
from shapescript_check.operations.families.training import host_argument
from shapescript_check.operations.flows import OperandFlows
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.domains import Domain
from shapescript_check.types.dtypes import DType
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import ErrorType, HostType, PythonType, TensorType, ValueType
from shapescript_check.types.wording import described

if TYPE_CHECKING:
    import ast


class Draw(Operation):
    """Numbers drawn at random, in f32 on the declared device.

    `options` are the two numbers that the distribution has, with what each is by default.
    """

    options: ClassVar[tuple[tuple[str, float], tuple[str, float]]]

    @property
    def parameter_list(self) -> tuple[Parameter, ...]:
        first, second = (Parameter(name, optional=True) for name, _ in self.options)
        return (SHAPE, Parameter("mode", mode=True), first, second, Parameter("salt", optional=True))

    def check(self, call: OperationCall) -> Typed:
        names = [name for name, _ in self.options]
        type_values(call, "mode", *names, "salt")
        mode = mode_argument(call, "mode")
        given = [n for n in names if call.has(n)]
        numbers = [host_argument(call, n, "float") for n in given]
        self.check_numbers(call)
        salt = (_salt(call),) if call.has("salt") else ()
        axes = shape_argument(call, "shape")
        kind = TensorType(axes, DType.F32, self.drawn(call))
        return call.result(kind, (mode, *numbers, *salt), detail=(*given, *(("salt",) if salt else ())))

    def check_numbers(self, call: OperationCall) -> None:
        """Refuses numbers that no distribution has."""

    def drawn(self, call: OperationCall) -> Domain:
        """What is drawn."""
        raise NotImplementedError

    def interval(self, call: OperationCall, name: str) -> Interval:
        """The range of one of the numbers."""
        if not call.has(name):
            return Interval.point(dict(self.options)[name])
        kind = call.value(name).type
        return kind.interval if isinstance(kind, HostType) else Interval.REAL

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return tuple(() for _ in node.operands)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        import ast

        kind = node.type
        assert isinstance(kind, TensorType) and kind.axes is not None
        mode, *numbers = node.operands
        call = python(
            "f(s, mode, d)",
            f=emit.runtime(f"draw_{self.name}"),
            s=emit_shape(kind.axes, emit),
            mode=emit.mode_for(mode, self.name),
            d=emit.device(),
        )
        assert isinstance(call, ast.Call)
        values = [emit.number_or_tensor(n) for n in numbers]
        call.keywords += [ast.keyword(n, v) for n, v in zip(node.detail, values, strict=True)]
        return call


def _salt(call: OperationCall) -> Typed:
    """An int, a [] tensor of integers, or a Python value."""
    node = call.value("salt")
    kind = node.type
    if isinstance(kind, ErrorType):
        call.stop()
    axes = isinstance(kind, TensorType) and kind.axes != ()
    if axes or not _is_whole(kind):
        what = str(kind) if isinstance(kind, TensorType) else described(kind)
        call.refuse(
            "E0403" if axes else "E0502",
            node.span,
            f"`salt` of `{call.shown_name}` is one integer, and this is {what}",
        )
    return node


def _is_whole(kind: ValueType) -> bool:
    if isinstance(kind, TensorType):
        return kind.dtype is not None and kind.dtype.is_int
    return isinstance(kind, PythonType) or (isinstance(kind, HostType) and kind.kind == "int")
