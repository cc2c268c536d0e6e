"""Which function a call means: overloads by the model of its first argument, and instances of generic functions."""

from __future__ import annotations

from collections.abc import Sequence

from shapescript_check import operations
from shapescript_check.bodies.arguments import Matcher
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.declarations import keys
from shapescript_check.declarations.interfaces import (
    Broken,
    FnInterface,
    GenericInterface,
    Interface,
    OverloadsInterface,
)
from shapescript_check.operations.parameters import Given, Parameter
from shapescript_check.typed.tree import Typed
from shapescript_check.types.entities import ModelType
from shapescript_check.types.values import ErrorType, PythonType
from shapescript_check.types.wording import described
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Label

PASSED_ON = ("E2311", "E2313")
"""Problems of an instance that are its caller's too, if that is an instance itself."""


def function_for(
    checker: BodyChecker, name: tree.Ident, found: Interface | None, arguments: Sequence[Given]
) -> Interface | None:
    """What a name of a function means for the arguments of its call.

    Arguments:
        checker: the checker of the body that has the call.
        name: the name.
        found: what the file that the call is in declares, or the prelude.
        arguments: the arguments; the first one is typed if it decides.

    Returns: the interface, of one function if there are several; None for a name that is nobody's, and Broken once
    something is reported.
    """
    if isinstance(found, GenericInterface):
        return _instance(checker, name, found, arguments)
    if isinstance(found, OverloadsInterface):
        return _version(checker, name, found, arguments)
    if isinstance(found, FnInterface) and found.path is None and found.parameters:
        if not _may_be_another(checker, arguments, found):
            return found
        beside = _beside_the_model(checker, name, arguments)
        if beside is None and isinstance(found.parameters[0].type, ModelType) and _in_instance(checker):
            return _needed(checker, name, str(_first(checker, arguments).type))  # type: ignore[union-attr]
        return beside or found
    if found is None and (":" in name.name or _is_nobodys(name.name)):
        return _beside_the_model(checker, name, arguments) or _missing(checker, name, arguments)
    return found


def _is_nobodys(name: str) -> bool:
    return operations.lookup(name) is None and name not in ("Train", "Sample", "Eval", "causal")


# --- the first argument decides ----------------------------------------------------------------------------


def _first(checker: BodyChecker, arguments: Sequence[Given]) -> Typed | None:
    """The typed first argument, if there is one by position."""
    given = arguments[0] if arguments else None
    if given is None or given.name is not None:
        return None
    if given.typed is None:
        if given.syntax is None or isinstance(
            given.syntax, tree.Pattern | tree.ShapeExpr | tree.Lambda | tree.Hole | tree.ToStage
        ):
            return None
        if isinstance(given.syntax, tree.Ident) and _is_function(checker, given.syntax.name):
            return None  # which decides nothing, and may be right for what is called
        given.typed = checker.expression(given.syntax)
    return given.typed


def _is_function(checker: BodyChecker, name: str) -> bool:
    return isinstance(checker.declaration(name), FnInterface | OverloadsInterface | GenericInterface)


def _beside_the_model(checker: BodyChecker, name: tree.Ident, arguments: Sequence[Given]) -> Interface | None:
    """The function of that name that the file with the model of the first argument declares for it."""
    first = _first(checker, arguments)
    if first is None or not isinstance(first.type, ModelType):
        return None
    model = first.type.name
    # A function that a generic one asks for has its file in front, which doesn't declare it.
    plain = name.name.rpartition(":")[2] if ":" in name.name else keys.plain(name.name)
    owner = keys.owner_of(model)
    if not owner and not _in_instance(checker):
        return None  # it is in this file, whose functions were looked through
    return _taking(checker, keys.joined(owner, plain), model)


def _may_be_another(checker: BodyChecker, arguments: Sequence[Given], known: FnInterface) -> bool:
    first = _first(checker, arguments)
    return first is not None and isinstance(first.type, ModelType) and first.type != known.parameters[0].type


def _taking(checker: BodyChecker, name: str, model: str) -> Interface | None:
    found = checker.interface(name)
    if isinstance(found, OverloadsInterface):
        key = found.version(model)
        return checker.interface(key) if key is not None else None
    if isinstance(found, FnInterface) and found.path is None and found.parameters:
        return found if found.parameters[0].type == ModelType(model) else None
    return None


def _version(
    checker: BodyChecker, name: tree.Ident, found: OverloadsInterface, arguments: Sequence[Given]
) -> Interface | None:
    first = _first(checker, arguments)
    if first is not None and isinstance(first.type, ErrorType):
        return Broken(name.name)
    if first is not None and isinstance(first.type, ModelType):
        key = found.version(first.type.name)
        if key is not None:
            return checker.interface(key)
        beside = _beside_the_model(checker, name, arguments)
        if beside is not None:
            return beside
    return _no_version(checker, name, found, first)


def _no_version(
    checker: BodyChecker, name: tree.Ident, found: OverloadsInterface, first: Typed | None
) -> Interface:
    if first is not None and isinstance(first.type, ModelType) and _in_instance(checker):
        return _needed(checker, name, first.type.name)
    models = [model for model, _ in found.versions]
    listed = models[0] if len(models) == 1 else f"{', '.join(models[:-1])} or {models[-1]}"
    shown = keys.plain(name.name)
    if first is None:
        checker.report(
            "E2308",
            name.span,
            f"`{shown}` is picked by the model that comes first, and nothing does",
            help=f"give it a model, {listed}, as its first argument, by position",
        )
        return Broken(name.name)
    checker.report(
        "E2308",
        first.span,
        f"no `{shown}` takes {described(first.type)} first",
        labels=tuple(Label(None, f"this one takes {model}", key) for model, key in found.versions),
        help=f"declare fn {shown}(m: {first.type}, ...)"
        if isinstance(first.type, ModelType)
        else f"give it a model first, {listed}",
    )
    return Broken(name.name)


# --- what an instance needs --------------------------------------------------------------------------------


def _in_instance(checker: BodyChecker) -> bool:
    return checker.function is not None and keys.is_instance(checker.function.key)


def _missing(checker: BodyChecker, name: tree.Ident, arguments: Sequence[Given]) -> Interface | None:
    """What a name of no function is, in a generic function: something that a model has to bring."""
    if not _in_instance(checker) or ":" not in name.name:
        return None
    first = _first(checker, arguments)
    if first is not None and isinstance(first.type, ModelType):
        return _needed(checker, name, first.type.name)
    if first is not None and isinstance(first.type, ErrorType):
        return Broken(name.name)
    checker.report("E0301", name.span, f"nothing named `{name.name.rpartition(':')[2]}` is in scope")
    return Broken(name.name)


def _needed(checker: BodyChecker, name: tree.Ident, model: str) -> Interface:
    shown = keys.plain(name.name.rpartition(":")[2])
    checker.report("E2311", name.span, f"needs a function `{shown}` that takes `{model}` first")
    return Broken(name.name)


# --- generic functions -------------------------------------------------------------------------------------


def _instance(
    checker: BodyChecker, name: tree.Ident, generic: GenericInterface, arguments: Sequence[Given]
) -> Interface:
    from shapescript_check.modules.generics import type_given

    parameters = [
        Parameter(p.name.text, optional=p.default is not None, mode=_is_mode(p.type))
        for p in generic.item.parameters
    ]
    shown = keys.plain(generic.name)
    filled = Matcher(checker, shown, name.span).match(parameters, list(arguments))
    types: dict[str, tuple[str, Given]] = {}
    for syntax in generic.item.parameters if filled is not None else ():
        given = (filled or {}).get(syntax.name.text)
        if not given or syntax.type is None:
            continue
        typed = _typed(checker, given[0])
        if typed is None or isinstance(typed.type, ErrorType):
            return Broken(name.name)
        said = type_given(syntax.type, typed.type, generic.variables)
        if said is None:
            continue
        if not said[1]:
            _says_nothing(checker, shown, syntax, said[0], typed)
            return Broken(name.name)
        if not _agrees(checker, shown, said, given[0], typed, types):
            return Broken(name.name)
    if filled is None or not _all_said(checker, shown, name, generic, types):
        return Broken(name.name)
    key = keys.instance_of(generic.name, [types[v][0] for v in generic.variables])
    return _checked(checker, name, generic, key)


def _is_mode(syntax: tree.TypeExpr | None) -> bool:
    return syntax is not None and len(syntax.words) == 1 and syntax.words[0].name.text == "Mode"


def _typed(checker: BodyChecker, given: Given) -> Typed | None:
    if given.typed is None and given.syntax is not None and not isinstance(given.syntax, tree.Pattern):
        given.typed = checker.expression(given.syntax)
    return given.typed


def _says_nothing(
    checker: BodyChecker, shown: str, parameter: tree.Parameter, variable: str, typed: Typed
) -> None:
    """Reports E2310 for an argument of another kind than its parameter's."""
    assert parameter.type is not None
    (word,) = parameter.type.words
    wanted = word.name.text if word.argument is None else f"{word.name.text}[{variable}]"
    if parameter.type.shape is not None:
        wanted = f"a batch of {wanted}"
    elif word.argument is None:
        wanted = f"a model or a record, {wanted}"
    checker.report(
        "E2310",
        typed.span,
        f"this is {described(typed.type)}, which doesn't say what {variable} of `{shown}` is",
        notes=(f"`{parameter.name.text}` of `{shown}` is {wanted}",),
        help="a value from Python has no type here: take it as a parameter that has one"
        if isinstance(typed.type, PythonType)
        else None,
    )


def _agrees(
    checker: BodyChecker,
    shown: str,
    said: tuple[str, str],
    given: Given,
    typed: Typed,
    types: dict[str, tuple[str, Given]],
) -> bool:
    variable, kind = said
    earlier = types.setdefault(variable, (kind, given))
    if earlier[0] == kind:
        return True
    checker.report(
        "E2310",
        typed.span,
        f"{variable} of `{shown}` is `{earlier[0]}` by one argument and `{kind}` by this one",
        labels=(Label(earlier[1].span, f"this makes it `{earlier[0]}`"),),
    )
    return False


def _all_said(
    checker: BodyChecker,
    shown: str,
    name: tree.Ident,
    generic: GenericInterface,
    types: dict[str, tuple[str, Given]],
) -> bool:
    missing = next((v for v in generic.variables if v not in types), None)
    if missing is not None:
        checker.report("E2310", name.span, f"no argument of `{shown}` says what its type {missing} is")
    return missing is None


def _checked(checker: BodyChecker, name: tree.Ident, generic: GenericInterface, key: str) -> Interface:
    """The instance, unless something is wrong with it, which is reported at the call."""
    from shapescript_check.modules.generics import Problem

    checker.instances[key] = None
    problem = checker.read(("problem", key))
    if not isinstance(problem, Problem):
        found = checker.interface(key)
        return found if found is not None else Broken(name.name)
    shown = keys.plain(generic.name)
    _, types = keys.instance_parts(key)
    bound = ", ".join(f"{v} = {t}" for v, t in zip(generic.variables, types, strict=True))
    if _in_instance(checker) and problem.code in PASSED_ON:
        assert checker.function is not None
        note = f"{problem.note}, called by `{checker.function.name}`" if problem.note else problem.note
        checker.report(problem.code, name.span, problem.message, notes=(note,) if note else ())
        return Broken(name.name)
    message = f"`{shown}` with {bound} {problem.message}"
    checker.report(problem.code, name.span, message, notes=(problem.note,) if problem.note else ())
    return Broken(name.name)
