"""Optimizers: operations that make the state of one for a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.training import HostOperation, host_argument
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.parameters import Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.entities import ModelType, OptimizerType, ScheduleType
from shapescript_check.types.values import ErrorType, HostType, PythonType
from shapescript_check.types.wording import described

if TYPE_CHECKING:
    import ast


def check_rate(call: OperationCall, name: str) -> Typed:
    """An argument that is a learning rate: a number, a schedule or a Python value."""
    node = call.value(name)
    kind = node.type
    if isinstance(kind, ErrorType):
        call.stop()
    number = isinstance(kind, HostType) and kind.kind != "bool"
    if not number and not isinstance(kind, ScheduleType | PythonType):
        call.refuse(
            "E1504",
            node.span,
            f"`{name}` of `{call.shown_name}` is a learning rate, and this is {described(kind)}",
            help="a learning rate is a Python number or a schedule, such as cosine(3e-4, 1000)",
        )
    return node


class Optimizer(HostOperation):
    """Makes optimizer state. `hyperparameters` pair each name with the kind of number it is."""

    def __init__(
        self, name: str, kind: str, hyperparameters: dict[str, str], defaults: str, example: str
    ) -> None:
        self.name = name
        self.kind = kind
        self.hyperparameters = hyperparameters
        self.signature = f"fn {name}(m: Model, lr: Schedule, {defaults}) -> {kind}[Model]"
        self.doc = (
            f"Makes the state of torch's {kind} for every param of the model `m`, at the learning rate `lr`, "
            "a number or a schedule."
        )
        self.example = example
        self._parameters = (
            Parameter("m", optional=True),
            Parameter("lr", keyword_only=True),
            *(Parameter(h, optional=True, keyword_only=True) for h in hyperparameters),
        )

    @property
    def parameter_list(self) -> tuple[Parameter, ...]:
        return self._parameters

    def check(self, call: OperationCall) -> Typed:
        if not call.has("m") or call.given("m").name is not None:
            call.refuse(
                "E1501",
                call.callee_span,
                f"`{self.name}` needs a model first, by position",
                help=f"write {self.name}(m, lr=...)",
            )
        m = call.value("m")
        if isinstance(m.type, ErrorType):
            call.stop()
        if not isinstance(m.type, ModelType):
            what = (
                "a value from Python, which has no type"
                if isinstance(m.type, PythonType)
                else described(m.type)
            )
            call.refuse(
                "E1501", m.span, f"`{self.name}` makes optimizer state for a model, and this is {what}"
            )
        rate = check_rate(call, "lr")
        given = [("lr", rate)]
        for name, kind in self.hyperparameters.items():
            if call.has(name):
                given.append((name, host_argument(call, name, kind)))
        names = tuple(n for n, _ in given)
        operands = (m, *(v for _, v in given))
        return call.result(OptimizerType(self.kind, m.type.name), operands, detail=names)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        import ast

        m, *values = [emit.number_or_tensor(o) for o in node.operands]
        result = python(f"_ss_rt.{self.name}(m)", m=m)
        assert isinstance(result, ast.Call)
        result.keywords += [ast.keyword(n, v) for n, v in zip(node.detail, values, strict=True)]
        return result
