"""Whether arguments have the types that parameters ask for."""

from __future__ import annotations

from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.entities import check_entity
from shapescript_check.bodies.fits import check_element, check_host, check_number
from shapescript_check.declarations.interfaces import AnyNumber, FnInterface, ParameterInterface
from shapescript_check.operations.parameters import Given
from shapescript_check.typed.tree import Typed
from shapescript_check.types.domains import Domain
from shapescript_check.types.entities import GradType, is_entity
from shapescript_check.types.values import (
    ErrorType,
    HostType,
    PythonType,
    TensorType,
    ValueType,
)
from shapescript_check.types.wording import described
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Label


def type_arguments(checker: BodyChecker, arguments: list[Given]) -> list[Typed] | None:
    """Types every argument; None if one is an error or no value."""
    values: list[Typed] = []
    good = True
    for given in arguments:
        if given.typed is None:
            if given.syntax is None or isinstance(given.syntax, tree.Pattern):
                good = False
                continue
            given.typed = checker.expression(given.syntax)
        good &= not isinstance(given.typed.type, ErrorType)
        values.append(given.typed)
    return values if good else None


def inferred_result(checker: BodyChecker, syntax: tree.Call, fn: FnInterface) -> ValueType:
    """The result's type of a function that doesn't declare it; E0306 inside a cycle of such functions."""
    inferred = checker.inferred_returns(fn.key)
    if inferred is None:
        checker.report(
            "E0306",
            syntax.callee.span,
            f"`{fn.name}` calls itself, so its result's type can't be told from its body",
            labels=(Label(None, "it has no return type", fn.key),),
            help="declare a return type, as in -> [n D]",
        )
        return ErrorType()
    return inferred


def not_a_tensor(fn: FnInterface, kind: ValueType, what: str) -> tuple[str, str]:
    """The code and message for a value where a tensor is expected."""
    if isinstance(kind, PythonType):
        return (
            "E0413",
            f"{what} is a tensor with a type, and a value from Python has none until it is asserted with `as`",
        )
    code = "E1108" if isinstance(kind, GradType) and fn.path is not None else "E0412"
    return code, f"{what} is a tensor, and this is {described(kind)}"


def check_argument(
    checker: BodyChecker,
    fn: FnInterface,
    parameter: ParameterInterface,
    value: Typed,
    domain: Domain | None,
    labels: tuple[Label, ...],
) -> bool:
    """Whether an argument's element type fits its parameter's; reports if it doesn't."""
    expected = parameter.type
    what = f"`{parameter.name}` of `{fn.name}`"
    if isinstance(expected, HostType | AnyNumber):
        return check_host(checker, value, expected.kind, what, labels)
    if is_entity(expected):
        return check_entity(checker, value, expected, what, labels)
    if not isinstance(expected, TensorType):
        return True
    assert domain is not None
    kind = value.type
    if isinstance(kind, PythonType):
        return expected.axes is None or _refuse(checker, fn, value, what, labels)
    if isinstance(kind, HostType):
        return check_number(checker, value, TensorType(expected.axes, expected.dtype, domain), what, labels)
    if not isinstance(kind, TensorType):
        return _refuse(checker, fn, value, what, labels)
    wanted = TensorType(expected.axes, expected.dtype, domain)
    return check_element(checker, value.span, kind, wanted, what, labels)


def _refuse(
    checker: BodyChecker, fn: FnInterface, value: Typed, what: str, labels: tuple[Label, ...]
) -> bool:
    code, message = not_a_tensor(fn, value.type, what)
    checker.report(code, value.span, message, labels=labels)
    return False
