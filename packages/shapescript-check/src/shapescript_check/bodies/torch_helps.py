"""How what PyTorch and NumPy users write is written here, for the helps of what isn't known."""

from __future__ import annotations

from typing import Final

from shapescript_check import operations, quoting
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.torch_words import KEYWORDS, LAYERS, MODULES, OF_MODELS, WORDS
from shapescript_check.declarations.interfaces import AxisParameter, FnInterface, OverloadsInterface
from shapescript_check.operations.parameters import Kind
from shapescript_check.prelude import stub_names
from shapescript_check.types.axes import Axes, named
from shapescript_check.types.values import TensorType, ValueType
from shapescript_syntax import tree
from shapescript_syntax.spans import Span
from shapescript_syntax.suggestions import closest

_LONGEST: Final = 30


def member_help(checker: BodyChecker, kind: ValueType, name: str, owner: Span | None) -> str | None:
    """For a member that a value hasn't."""
    text = _short(checker, owner) if owner is not None else "x"
    called = _call(checker, kind, name.removesuffix("_"), text)
    if called is not None:
        return f"functions are called by name: {called}"
    known = _filled(WORDS.get(name), kind, text)
    if known is not None:
        return known
    near = closest(name, {*operations.names(), *stub_names()}) if isinstance(kind, TensorType) else None
    return f"did you mean {_call(checker, kind, near, text)}?" if near else None


def name_help(name: str) -> str | None:
    """For a name that is none."""
    layer = next((f for prefix, f in LAYERS.items() if name.startswith(prefix)), None)
    if layer is not None:
        return f"a layer is a function of a model's fields: {layer}(x)"
    return _filled(WORDS.get(name), None, "x")


def entity_help(name: str) -> str | None:
    """For a member that a model, a gradient or an optimizer hasn't."""
    return OF_MODELS.get(name)


def keyword_help(name: str) -> str | None:
    """For a parameter that a function hasn't."""
    return KEYWORDS.get(name)


def report_foreign(checker: BodyChecker, syntax: tree.Attribute) -> bool:
    """Reports `torch.gelu`, `F.gelu` and the like where no such module is imported (E0301)."""
    root: tree.Expr = syntax
    while isinstance(root, tree.Attribute):
        root = root.value
    if not isinstance(root, tree.Ident) or root.name not in MODULES or checker.incomplete:
        return False
    scope = checker.scope
    if root.name in scope.values or root.name in scope.axes or checker.interface(root.name) is not None:
        return False
    if checker.elements and root.name in checker.binding:
        return False
    name = syntax.name.text
    module = MODULES[root.name]
    if operations.lookup(name) is not None or name in stub_names():
        help_text = f"`{name}` is built in: write {name}(x)"
    else:
        help_text = (
            name_help(name)
            or f"to use Python's {module}, declare `import python {module}` at the top of the file"
        )
    checker.report("E0301", root.span, f"nothing named `{root.name}` is in scope", help=help_text)
    return True


def last_axis(kind: ValueType | None) -> str | None:
    """The name of the last axis that has one."""
    axes = kind.axes if isinstance(kind, TensorType) else None
    known = named(axes) if axes else ()
    return known[-1] if known else None


def _call(checker: BodyChecker, kind: ValueType, name: str, text: str) -> str | None:
    """A call of a function of this name, if there is one."""
    operation = operations.lookup(name)
    if operation is not None:
        needed = [p for p in operation.parameter_list if not p.optional and p.kind is not Kind.SIZES]
        over = len(needed) == 2 and needed[1].kind is Kind.AXIS
        more = len(needed) > 1
    else:
        found = checker.interface(name)
        if not isinstance(found, FnInterface | OverloadsInterface):
            return None
        left = (
            [p for p in found.parameters if not p.has_default][1:] if isinstance(found, FnInterface) else []
        )
        over = len(left) == 1 and isinstance(left[0].type, AxisParameter)
        more = bool(left) or isinstance(found, OverloadsInterface)
    return (
        f"{name}({text}, over={last_axis(kind) or 'D'})"
        if over
        else f"{name}({text}{', ...' if more else ''})"
    )


def _filled(template: str | None, kind: ValueType | None, text: str) -> str | None:
    if template is None:
        return None
    axes = _written(kind.axes) if isinstance(kind, TensorType) and kind.axes else []
    if len(axes) < 2:
        axes = ["a", "b"]
    turned = [*axes[:-2], *axes[:-3:-1]]
    return template.format(x=text, axes=" ".join(axes), turned=" ".join(turned), over=last_axis(kind) or "n")


def _written(axes: Axes) -> list[str]:
    """Names for axes in a pattern, made up for those that have none."""
    spare = iter("abcdefgh")
    known = set(named(axes))
    return [a.name or next(s for s in spare if s not in known) for a in axes]


def _short(checker: BodyChecker, span: Span) -> str:
    """The operand's text as a call can hold it, or x where it is long."""
    text = checker.text(span)
    return quoting.operand(text) if len(text) <= _LONGEST else "x"
