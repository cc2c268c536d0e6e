"""`value.name`: fields of models, gradients, batches and logs records, and members of Python values."""

from __future__ import annotations

from collections.abc import Mapping

from shapescript_check.bodies import torch_helps
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.declarations.interfaces import DataInterface, LogsInterface, ModelInterface
from shapescript_check.typed.tree import FieldOf, PythonAttribute, Typed
from shapescript_check.types.domains import Domain, Semantic
from shapescript_check.types.entities import (
    DatasetType,
    GradType,
    LogsType,
    ModelType,
    RecordType,
    SinkType,
    is_entity,
)
from shapescript_check.types.values import PYTHON, ErrorType, PythonType, TensorType, ValueType
from shapescript_check.types.wording import described
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Label
from shapescript_syntax.spans import Span
from shapescript_syntax.suggestions import closest


def type_attribute(checker: BodyChecker, syntax: tree.Attribute) -> Typed:
    """A field or a member."""
    if model_itself(checker, syntax.value) is not None:
        return _of_a_model_itself(checker, syntax)
    if torch_helps.report_foreign(checker, syntax):
        return checker.unresolved(syntax.span)
    return attribute_of(checker, syntax, checker.expression(syntax.value))


def model_itself(checker: BodyChecker, owner: tree.Expr) -> ModelInterface | None:
    """The model that an expression is the name of."""
    if not isinstance(owner, tree.Ident) or owner.name in checker.scope.values:
        return None
    found = checker.interface(owner.name)
    return found if isinstance(found, ModelInterface) else None


def attribute_of(checker: BodyChecker, syntax: tree.Attribute, value: Typed) -> Typed:
    """A field or a member of a value that is typed already."""
    kind = value.type
    if isinstance(kind, PythonType):
        return PythonAttribute(syntax.span, PYTHON, value, syntax.name.text)
    if isinstance(kind, ErrorType):
        return checker.unresolved(syntax.span)
    field = field_type(checker, kind, syntax.name, syntax.value.span)
    if field is None:
        return checker.unresolved(syntax.span)
    return FieldOf(syntax.span, field, value, syntax.name.text)


def field_type(
    checker: BodyChecker, kind: ValueType, name: tree.Name, owner: Span | None = None
) -> ValueType | None:
    """The type of a field of a value, which `owner` spans; None once it is reported that there is none."""
    if isinstance(kind, ModelType):
        model = checker.interface(kind.name)
        assert isinstance(model, ModelInterface)
        fields = {f.name: f.type for f in model.fields}
        return _field(checker, name, "E0901", f"model `{kind.name}`", kind.name, fields)
    if isinstance(kind, GradType):
        model = checker.interface(kind.model)
        assert isinstance(model, ModelInterface)
        fields = {f.name: f.type for f in model.params}
        if name.text not in fields and model.field(name.text) is not None:
            note = f"`{name.text}` is a buffer, and buffers aren't differentiated"
            checker.report(
                "E0901", name.span, f"a gradient of `{kind.model}` has no `{name.text}`", notes=(note,)
            )
            return None
        return _field(checker, name, "E0901", f"a gradient of `{kind.model}`", kind.model, fields)
    if isinstance(kind, RecordType):
        record = checker.interface(kind.name)
        assert isinstance(record, DataInterface)
        known = {n: batched(t, kind) for n, t in record.fields}
        return _field(checker, name, "E1301", f"data record `{kind.name}`", kind.name, known)
    if isinstance(kind, LogsType):
        logs = checker.interface(kind.name)
        assert isinstance(logs, LogsInterface)
        metrics: dict[str, ValueType] = {m.name: m.type for m in logs.metrics}
        return _field(checker, name, "E1401", f"logs record `{kind.name}`", kind.name, metrics)
    _no_member(checker, kind, name, owner)
    return None


def batched(kind: TensorType, record: RecordType) -> TensorType:
    """A field's type in a batch: the batch's axes come first."""
    assert kind.axes is not None
    domain: Domain = kind.domain
    if isinstance(domain, Semantic):
        domain = Semantic(domain.kind, domain.over + len(record.axes))
    return TensorType((*record.axes, *kind.axes), kind.dtype, domain)


def _field(
    checker: BodyChecker,
    name: tree.Name,
    code: str,
    owner: str,
    declaration: str,
    fields: Mapping[str, ValueType],
) -> ValueType | None:
    found = fields.get(name.text)
    known = checker.interface(declaration)
    if found is None and name.text not in getattr(known, "broken", ()):
        near = closest(name.text, fields)
        checker.report(
            code,
            name.span,
            f"{owner} has no {'metric' if code == 'E1401' else 'field'} `{name.text}`",
            labels=(Label(None, "declared here", declaration),),
            notes=(f"it has {', '.join(fields)}",) if fields and not near else (),
            help=f"did you mean `{near}`?" if near else torch_helps.entity_help(name.text),
        )
    return found


def _of_a_model_itself(checker: BodyChecker, syntax: tree.Attribute) -> Typed:
    assert isinstance(syntax.value, tree.Ident)
    name = syntax.value.name
    if syntax.name.text == "init":
        checker.report(
            "E0303",
            syntax.span,
            f"`{name}.init` makes a model when it is called",
            help=f"write {name}.init(seed=0)",
        )
    else:
        checker.report(
            "E0301",
            syntax.name.span,
            f"`{name}` is a model, and has no `{syntax.name.text}` of its own",
            help=f"fields are read from a value of it; {name}.init(seed=0) makes one",
        )
    return checker.unresolved(syntax.span)


def _no_member(checker: BodyChecker, kind: ValueType, name: tree.Name, owner: Span | None) -> None:
    what = f"a value of type {kind}"
    if is_entity(kind):
        what, help_text = described(kind), torch_helps.entity_help(name.text)
    else:
        help_text = torch_helps.member_help(checker, kind, name.text, owner)
    if isinstance(kind, SinkType):
        help_text = "a sink's methods are called: sink.write(record) and sink.flush()"
    elif isinstance(kind, DatasetType):
        help_text = "an example's fields are read from a batch of it"
    checker.report("E0303", name.span, f"{what} has no member `{name.text}`", help=help_text)
