"""Types written where an argument stands, as in `load("ckpt.pt", Mlp, AdamW[Mlp], int)`."""

from __future__ import annotations

from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.declarations.entity_types import TYPE_NAMES
from shapescript_check.declarations.interfaces import DimInterface, FnInterface, PythonModule, what_it_is
from shapescript_check.declarations.types import Place, TypeResolver
from shapescript_check.types.entities import ModelType, OptimizerType
from shapescript_check.types.values import ErrorType, HostType, ValueType
from shapescript_syntax import tree

_NO_TYPES = (DimInterface, FnInterface, PythonModule)
_EXAMPLE = 'write the type of a value in the file, as in load("ckpt.pt", Mlp)'


def written_type(checker: BodyChecker, syntax: tree.Expr) -> ValueType | None:
    """The type that an argument is written as; None once it is reported to be none."""
    word = _word(syntax)
    if word is None or word.name.text in checker.scope.values or word.name.text in checker.scope.axes:
        known = checker.scope.values.get(syntax.name) if isinstance(syntax, tree.Ident) else None
        its = (
            f"write its type, {known}"
            if isinstance(known, ModelType | OptimizerType | HostType)
            else _EXAMPLE
        )
        checker.report("E1602", syntax.span, "this is a value, and here a type is written", help=its)
        return None
    name = word.name.text
    found = checker.interface(name)
    if found is None and name not in TYPE_NAMES and checker.is_unknown(tree.Ident(word.name.span, name)):
        return None
    if isinstance(found, _NO_TYPES) or (found is None and name not in TYPE_NAMES):
        what = what_it_is(found) if found is not None else "a built-in operation"
        checker.report("E1602", syntax.span, f"`{name}` is {what}, not a type", help=_EXAMPLE)
        return None
    written = tree.TypeExpr(syntax.span, None, (word,))
    kind = TypeResolver(checker, checker.report, Place.RETURN).resolve(written)
    return None if isinstance(kind, ErrorType) else kind  # type: ignore[return-value]


def _word(syntax: tree.Expr) -> tree.TypeWord | None:
    if isinstance(syntax, tree.Ident):
        return tree.TypeWord(syntax.span, None, tree.Name(syntax.span, syntax.name), None, None)
    if isinstance(syntax, tree.Index) and isinstance(syntax.value, tree.Ident) and len(syntax.indices) == 1:
        (inside,) = syntax.indices
        if isinstance(inside, tree.Ident):
            name = tree.Name(syntax.value.span, syntax.value.name)
            return tree.TypeWord(syntax.span, None, name, inside, None)
    return None
