"""What a function may change: its `mut` parameters, and models and optimizer state that it makes itself."""

from __future__ import annotations

from shapescript_check import quoting
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.fits import check_element, check_number, not_equal_note
from shapescript_check.declarations.interfaces import ModelInterface, what_it_is
from shapescript_check.operations.parameters import Given
from shapescript_check.typed.tree import CallFn, Local, SetField, Statement, Typed, Unresolved
from shapescript_check.types.axes import shape_text
from shapescript_check.types.entities import CHANGEABLE, ModelType
from shapescript_check.types.values import ErrorType, HostType, PythonType, TensorType, ValueType
from shapescript_check.types.wording import described
from shapescript_syntax import tree
from shapescript_syntax.spans import Span


def is_mut_parameter(checker: BodyChecker, name: str) -> bool:
    """Whether a name is a parameter that the function may change."""
    return name in checker.changed


def may_be_fixed(checker: BodyChecker, value: Typed) -> bool:
    """Whether a value may be a parameter without `mut`: it is one, or a call's result of the same type as one that
    was passed, since a function can give back its argument."""
    if isinstance(value, Local):
        return value.name in checker.scope.fixed
    if isinstance(value, CallFn) and isinstance(value.type, CHANGEABLE):
        return any(
            a is not None and a.type == value.type and may_be_fixed(checker, a) for _, a in value.arguments
        )
    return False


def check_change(checker: BodyChecker, function: str, changes: bool, given: Given, parameter: str) -> bool:
    """Whether an argument is marked `mut` exactly where its parameter is, and may be changed here."""
    value = given.typed
    if not changes:
        if given.mut is None or (value is not None and isinstance(value.type, ErrorType)):
            return True
        checker.report(
            "E1101",
            given.mut,
            f"`{function}` doesn't change `{parameter}`, so its argument isn't `mut`",
            help="leave mut out",
        )
        return False
    assert value is not None
    if given.mut is None:
        checker.report(
            "E1103",
            given.span,
            f"`{function}` changes `{parameter}`, so the call has to say so",
            help=_with_mut(checker, function, given, value),
        )
        return False
    return _passed_for_change(checker, value, given.span)


def _with_mut(checker: BodyChecker, function: str, given: Given, value: Typed) -> str:
    """How an argument says that it is changed."""
    if not isinstance(value, Local):
        return "bind it to a name, and pass mut and the name"
    marked = f"mut {checker.text(value.span)}"
    if given.syntax is None:
        return f"pass it as an argument, as in {function}({marked})"
    return f"write {given.name.text}={marked}" if given.name is not None else f"write {marked}"


def check_python_change(checker: BodyChecker, given: Given) -> bool:
    """Whether an argument of a Python function that is marked `mut` may be changed here."""
    value = given.typed
    if given.mut is None or value is None or isinstance(value.type, ErrorType):
        return True
    if not isinstance(value.type, (*CHANGEABLE, PythonType)):
        checker.report(
            "E1102",
            given.span,
            f"only a model or the state of an optimizer can be changed, and this is {described(value.type)}",
            help="leave mut out, and bind what the call gives to a name",
        )
        return False
    return _passed_for_change(checker, value, given.span)


def _passed_for_change(checker: BodyChecker, value: Typed, span: Span) -> bool:
    if isinstance(value, Unresolved):
        return False
    if not isinstance(value, Local):
        checker.report("E1101", span, "only a name can be passed as `mut`", help="bind it to a name first")
        return False
    return changeable(checker, value.name, span)


def changeable(checker: BodyChecker, name: str, span: Span) -> bool:
    """Whether a function may change a value of its own; E1102 if it may not."""
    kind = checker.scope.values.get(name)
    fn = checker.function
    if name in checker.scope.fixed:
        own = fn is not None and any(p.name == name for p in fn.parameters)
        is_one = "is a parameter" if own else "may be a parameter"
        checker.report(
            "E1102",
            span,
            f"`{name}` {is_one} without `mut`, so the function may not change it",
            help=f"declare it mut {name}: {kind}, and write mut where it is passed"
            if own
            else "declare that parameter `mut`, or change a model that is made here",
        )
        return False
    if kind is None and fn is not None:
        checker.report(
            "E1102", span, f"`{name}` is a Python value from outside the function, which can't change it"
        )
        return False
    return True


def type_set_field(checker: BodyChecker, syntax: tree.SetField) -> Statement | None:
    """`m.w = e`."""
    from shapescript_check.bodies.members import field_type

    name = syntax.target.text
    known = checker.scope.values.get(name)
    value = checker.expression(syntax.value)
    if isinstance(known, ErrorType):
        return None
    if not isinstance(known, ModelType):
        _not_a_model(checker, syntax.target, known)
        return None
    field = field_type(checker, known, syntax.field)
    if (
        field is None
        or not changeable(checker, name, syntax.target.span)
        or isinstance(value.type, ErrorType)
    ):
        return None
    assert isinstance(field, TensorType)
    what = f"the new value of `{name}.{syntax.field.text}`"
    if not _fits(checker, value, field, what):
        return None
    return SetField(syntax.span, name, syntax.field.text, value)


def _not_a_model(checker: BodyChecker, target: tree.Name, known: ValueType | None) -> None:
    if known is None and checker.is_unknown(tree.Ident(target.span, target.text)):
        return
    found = checker.declaration(target.text)
    what = described(known) if known is not None else what_it_is(found) if found is not None else "no value"
    checker.report(
        "E0303",
        target.span,
        f"only the fields of a value that is a model can be assigned, and `{target.text}` is {what}",
        help=f"declare a parameter of it, mut m: {found.name}, and assign the field of that"
        if isinstance(found, ModelInterface)
        else None,
    )


def _fits(checker: BodyChecker, value: Typed, field: TensorType, what: str) -> bool:
    kind = value.type
    if isinstance(kind, PythonType):
        text = checker.text(value.span)
        checker.report(
            "E0413",
            value.span,
            f"{what} comes from Python, and has no type yet",
            help=f"assert it: {text} as {field}",
        )
        return False
    if isinstance(kind, HostType) and field.axes == ():
        return check_number(checker, value, field, what)
    if isinstance(kind, HostType):
        checker.report(
            "E0403",
            value.span,
            f"{what} is a number, and the field is {shape_text(field.axes or ())}",
            help=f"make a tensor: full({shape_text(field.axes or ())}, {checker.text(value.span)})",
        )
        return False
    if not isinstance(kind, TensorType):
        checker.report("E0412", value.span, f"{what} is a tensor, and this is {described(kind)}")
        return False
    return _same_axes(checker, value, kind, field, what) and check_element(
        checker, value.span, kind, field, what
    )


def _same_axes(checker: BodyChecker, value: Typed, kind: TensorType, field: TensorType, what: str) -> bool:
    mine, theirs = kind.axes, field.axes
    assert theirs is not None
    if mine is None or len(mine) != len(theirs):
        shown = shape_text(mine) or "of any shape"
        checker.report("E0403", value.span, f"{what} is {shown}, and the field is {shape_text(theirs)}")
        return False
    notes = tuple(
        not_equal_note(a.size, b.size, i)
        for i, (a, b) in enumerate(zip(mine, theirs, strict=True))
        if not a.size.same(b.size)
    )
    if notes:
        message = f"{what} is {shape_text(mine)}, and the field is {shape_text(theirs)}"
        known = any(
            None not in (a.size.as_int(), b.size.as_int()) and not a.size.same(b.size)
            for a, b in zip(mine, theirs, strict=True)
        )
        claimed = f"{quoting.operand(checker.text(value.span))} as {shape_text(theirs)}"
        help_text = (
            None
            if known
            else f"if they are always the same, say so: {claimed}, which is checked when it runs"
        )
        checker.report("E0401", value.span, message, notes=notes, help=help_text)
    return not notes
