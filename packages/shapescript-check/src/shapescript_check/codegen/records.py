"""Generates the Python classes of models, data records and logs records."""

from __future__ import annotations

import ast

from shapescript_check.codegen.context import FunctionContext, ModuleContext
from shapescript_check.codegen.expressions import ExpressionEmitter
from shapescript_check.codegen.names import python_name
from shapescript_check.codegen.positions import Positions, put
from shapescript_check.codegen.sizes import size_expression
from shapescript_check.codegen.values import domain_check
from shapescript_check.declarations.interfaces import (
    DataInterface,
    FieldInterface,
    Initializer,
    LogsInterface,
    MetricInterface,
    ModelInterface,
)
from shapescript_check.declarations.module import Declared
from shapescript_check.operations.lowering import constant, python
from shapescript_check.types.axes import Axes
from shapescript_check.types.values import HostType, TensorType
from shapescript_syntax import tree
from shapescript_syntax.spans import Span


def record_classes(module: ModuleContext) -> list[ast.stmt]:
    """A class for each model and record of the file, in its order."""
    classes: list[ast.stmt] = []
    for name, declared in module.program.scope.declared.items():
        interface = module.program.interfaces.get(name)
        if isinstance(interface, ModelInterface | DataInterface | LogsInterface):
            classes.append(_Writer(module, declared).record(interface))
    return classes


class _Writer:
    """Writes one class."""

    def __init__(self, module: ModuleContext, declared: Declared) -> None:
        assert isinstance(declared.item, tree.Model | tree.Data | tree.Logs)
        self.module = module
        self.item = declared.item
        self.positions = Positions(module.program.source, declared.start)
        self.context = FunctionContext(module, self.positions)
        self.emit = ExpressionEmitter(self.context)

    def record(self, interface: ModelInterface | DataInterface | LogsInterface) -> ast.stmt:
        if isinstance(interface, ModelInterface):
            base, slot = "Model", "_ss_fields"
            entries = [self._field(f) for f in interface.fields]
            names = [f.name for f in interface.fields]
        elif isinstance(interface, DataInterface):
            base, slot = "Batch", "_ss_fields"
            entries = [self._data_field(n, kind) for n, kind in interface.fields]
            names = [n for n, _ in interface.fields]
        else:
            base, slot = "Logs", "_ss_metrics"
            entries = [_metric(m) for m in interface.metrics]
            names = []
        body: list[ast.stmt] = [ast.Expr(constant(self._doc()))]
        body += [ast.AnnAssign(ast.Name(n, ast.Store()), python("torch.Tensor"), None, 1) for n in names]
        body.append(ast.Assign([ast.Name(slot, ast.Store())], ast.Tuple(entries, ast.Load())))
        made = ast.ClassDef(python_name(interface.name), [python(f"_ss_rt.{base}")], [], body, [])
        put(made, self.positions.place(self.item.name.span))
        return made

    def _doc(self) -> str:
        kind = type(self.item).__name__.lower()
        declaration = f"{kind} {self.item.name.text}"
        return f"{self.item.doc}\n\n{declaration}" if self.item.doc else declaration

    def _shape(self, axes: Axes | None) -> ast.expr:
        return ast.Tuple([size_expression(self.context, a.size) for a in axes or ()], ast.Load())

    def _field(self, field: FieldInterface) -> ast.expr:
        assert field.type.dtype is not None
        return python(
            "_ss_rt.Field(n, k, s, t, i)",
            n=field.name,
            k=field.kind,
            s=self._shape(field.type.axes),
            t=self.emit.dtype(field.type.dtype),
            i=_initializer(field.initializer),
        )

    def _data_field(self, name: str, kind: TensorType) -> ast.expr:
        assert kind.dtype is not None
        made = python(
            "_ss_rt.DataField(n, s, t, text, w)",
            n=name,
            s=self._shape(kind.axes),
            t=self.emit.dtype(kind.dtype),
            text=str(kind),
            w=self.positions.where(self._span_of(name)),
        )
        check = self._check(kind)
        assert isinstance(made, ast.Call)
        if check is not None:
            made.args.append(check)
        return made

    def _span_of(self, name: str) -> Span:
        assert isinstance(self.item, tree.Data)
        return next(f.span for f in self.item.fields if f.name.text == name)

    def _check(self, kind: TensorType) -> ast.expr | None:
        """The check of a value's domain, as the function and what it is given beside the value."""
        mode = self.module.options.value_checks
        call = domain_check(self.emit, ast.Constant(None), kind) if mode != "off" else None
        if call is None:
            return None
        check = ast.Tuple([call.func, *call.args[1:]], ast.Load())
        return ast.IfExp(python("__debug__"), check, ast.Constant(None)) if mode == "debug" else check


def _initializer(initializer: Initializer) -> ast.expr:
    made = python(f"_ss_rt.{initializer.name}()")
    assert isinstance(made, ast.Call)
    made.args += [constant(v) for _, v in initializer.arguments]
    return made


def _metric(metric: MetricInterface) -> ast.expr:
    kind = metric.type.kind if isinstance(metric.type, HostType) else None
    if kind is None:
        assert isinstance(metric.type, TensorType) and metric.type.dtype is not None
        kind = metric.type.dtype.kind
    return python("_ss_rt.Metric(n, k, c)", n=metric.name, k=kind, c=metric.combine)
