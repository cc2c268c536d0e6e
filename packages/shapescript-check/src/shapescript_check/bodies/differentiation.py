"""What each value of a function is computed from, and how many times it can be differentiated by that.

A tensor of floats depends on every value that its expression uses, but not through integers, masks and host numbers.
Each binding of a name is a value of its own; the fields of a model are, too. What a function's result depends on is
worked out once for each function, and calls are followed that way.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.declarations.interfaces import ModelInterface
from shapescript_check.declarations.keys import shown
from shapescript_check.operations.gradient import Gradient
from shapescript_check.operations.value_and_grad import ValueAndGrad
from shapescript_check.typed import tree as typed
from shapescript_check.typed.walk import parts_of
from shapescript_check.types.entities import ModelType
from shapescript_check.types.values import HostType, TensorType
from shapescript_syntax.diagnostics import Label

DEPTH = 32
"""How deep calls are followed; past it, a result is taken to be differentiable by every argument."""

ONCE: Final = frozenset(
    {
        "shapescript_runtime.nn.scaled_dot_product_attention",
        "torch.cdist",
        "torch.nn.functional.hardsigmoid",
    }
)
"""Functions of the prelude that torch has no second derivative of."""


class Limit(NamedTuple):
    """How many times more a value can be differentiated, and because of what, which is in which function."""

    left: int
    has: int
    what: str
    function: str | None


Source = tuple[int, str | None]
"""A binding, by its number, and a field of it where it is a model."""

Sources = dict[Source, "Limit | None"]
"""What a value depends on; None where it can be differentiated by it any number of times."""


class Value(NamedTuple):
    """What a name stands for: its own bindings (several after a branch), and what they depend on."""

    own: frozenset[int]
    sources: Sources


Names = dict[str, Value]


def check_derivatives(checker: BodyChecker, statements: tuple[typed.Statement, ...]) -> None:
    """Reports E3403 and E3404 at the gradients that a function takes."""
    function = checker.function
    parameters = [p.name for p in function.parameters] if function is not None else []
    _Follower(checker, {}, DEPTH, None).run(statements, parameters)


class _Follower:
    """Follows the values of one function. `name` is the function's where it is another than the one being checked,
    in which nothing is reported."""

    def __init__(
        self, checker: BodyChecker, known: dict[str, Sources | None], depth: int, name: str | None
    ) -> None:
        self.checker = checker
        self.known = known
        self.depth = depth
        self.name = name
        self.returned: Sources = {}
        self.broken: set[str] = set()
        """Functions in which something is wrong, or in what they call, so that what they depend on isn't known."""
        self._bindings = 0

    def run(self, statements: tuple[typed.Statement, ...], parameters: Iterable[str]) -> Sources:
        """What the function's result depends on: the binding of the parameter at position i is number i."""
        names: Names = {}
        for parameter in parameters:
            names[parameter] = self._new({})
        self._block(statements, names)
        return self.returned

    def _new(self, sources: Sources) -> Value:
        number = self._bindings
        self._bindings += 1
        return Value(frozenset((number,)), {**sources, (number, None): None})

    # --- statements ---

    def _block(self, statements: tuple[typed.Statement, ...], names: Names) -> None:
        for statement in statements:
            match statement:
                case typed.BindTo():
                    self._bind(statement, names)
                case typed.ReturnValue(value=value) if value is not None:
                    self.returned = _both(self.returned, self._sources(value, names))
                case typed.SetField(target=target, value=value):
                    changed, found = names.get(target), self._sources(value, names)
                    if changed is not None:
                        names[target] = Value(changed.own, _both(changed.sources, found))
                case typed.Branch():
                    self._branch(statement, names)
                case typed.CountLoop() | typed.EachLoop() | typed.BatchLoop():
                    self._loop(statement, names)
                case _:
                    for part in parts_of(statement):
                        assert not isinstance(part, tuple)
                        self._sources(part, names)

    def _bind(self, statement: typed.BindTo, names: Names) -> None:
        value = statement.value
        if isinstance(value, typed.Local) and isinstance(value.type, ModelType) and value.name in names:
            names[statement.names[0]] = names[value.name]
            return
        sources = self._sources(value, names)
        for name in statement.names:
            names[name] = self._new(sources)

    def _branch(self, statement: typed.Branch, names: Names) -> None:
        self._sources(statement.condition, names)
        body, orelse = dict(names), dict(names)
        self._block(statement.body, body)
        self._block(statement.orelse or (), orelse)
        names.update(_either(body, orelse))

    def _loop(self, statement: typed.CountLoop | typed.EachLoop | typed.BatchLoop, names: Names) -> None:
        for part in parts_of(statement):
            if not isinstance(part, tuple):
                self._sources(part, names)
        # Once more from where an iteration ends, since the next one starts with what it has bound.
        for _ in range(2):
            body = dict(names)
            body[statement.name] = self._new({})
            self._block(statement.body, body)
            names.update(_either(names, body))

    # --- expressions ---

    def _sources(self, node: typed.Typed, names: Names) -> Sources:
        """What an expression depends on. The gradients in it are checked."""
        match node:
            case typed.Local():
                found = names[node.name].sources if node.name in names else {}
            case typed.FieldOf():
                found = _field(self._sources(node.value, names), node.name)
            case typed.CallFn():
                found = self._call(node, names)
            case typed.Mapped():
                found = self._mapped(node, names)
            case typed.Apply(operation=Gradient()):
                found = self._gradient(node, names)
            case typed.Apply(operation=ValueAndGrad()):
                found = self._value_and_grad(node, names)
            case typed.Apply(operation=operation) if not operation.reads_values:
                self._parts(node, names)
                found = {}
            case _:
                found = self._parts(node, names)
                limit = self._limit(node)
                if limit is not None:
                    found = {source: _less(limit, known) for source, known in found.items()}
        return found if _holds_derivatives(node) else {}

    def _parts(self, node: typed.Typed, names: Names) -> Sources:
        found: Sources = {}
        for part in parts_of(node):
            assert not isinstance(part, tuple)
            found = _both(found, self._sources(part, names))
        return found

    def _limit(self, node: typed.Typed) -> Limit | None:
        """How many times what the node itself does can be differentiated."""
        if isinstance(node, typed.CallExtern) and node.path in ONCE:
            return Limit(1, 1, f"`{node.name}`", self.name)
        if isinstance(node, typed.Apply):
            known = node.operation.derivatives(node)
            if known is not None:
                return Limit(known.number, known.number, known.what, self.name)
        return None

    def _mapped(self, node: typed.Mapped, names: Names) -> Sources:
        inside = dict(names)
        found: Sources = {}
        for name, source in zip(node.names, node.sources, strict=True):
            sources = self._sources(source.value, names)
            inside[name] = self._new(sources)
            found = _both(found, sources)
        return _both(found, self._sources(node.body, inside))

    def _call(self, node: typed.CallFn, names: Names) -> Sources:
        summary = self._summary(node.name)
        found: Sources = {}
        for i, (_, argument) in enumerate(node.arguments):
            if argument is None:
                continue
            given = self._sources(argument, names)
            if summary is None:
                found = _both(found, given)
                continue
            for (parameter, field), limit in summary.items():
                if parameter == i:
                    through = given if field is None else _field(given, field)
                    found = _both(found, {source: _less(limit, known) for source, known in through.items()})
        return found

    def _summary(self, name: str) -> Sources | None:
        """What a function's result depends on, by its parameters' positions; None where that isn't known."""
        if name not in self.known:
            self.known[name] = None
            interface = self.checker.function_interface(name)
            body = self.checker.body_of(name) if self.depth > 0 else None
            if body is not None and body.broken:
                self.broken.add(name)
            elif interface is not None and body is not None:
                follower = _Follower(self.checker, self.known, self.depth - 1, name)
                follower.broken = self.broken
                found = follower.run(body.statements, [p.name for p in interface.parameters])
                count = len(interface.parameters)
                self.known[name] = {source: limit for source, limit in found.items() if source[0] < count}
        return self.known[name]

    # --- gradients ---

    def _gradient(self, node: typed.Apply, names: Names) -> Sources:
        y, x = node.operands
        sources, by = self._sources(y, names), self._sources(x, names)
        if self.name is None:
            own = self._own(x, names)
            self._check_gradient(node, [sources[source] for source in own if source in sources])
        return _both({source: _once_less(limit) for source, limit in sources.items()}, by)

    def _check_gradient(self, node: typed.Apply, found: list[Limit | None]) -> None:
        """Reports a gradient that isn't there; `found` says how y depends on what x stands for."""
        y, x = node.operands
        shown = self.checker.text(x.span)
        if not found and not self.broken:
            self.checker.report(
                "E3403",
                y.span,
                f"this isn't computed from `{shown}`, or only through integers and masks",
                labels=(Label(x.span, f"this `{shown}`"),),
                help="compute it in this function, after what it is differentiated by has its value",
            )
        limit = next((known for known in found if known is not None and known.left == 0), None)
        if limit is not None:
            self.checker.report(
                "E3404",
                y.span,
                f"this is computed from `{shown}` through {limit.what}, which has no {_derivative(limit)}",
                labels=_labels(limit),
            )

    def _own(self, x: typed.Typed, names: Names) -> set[Source]:
        """The bindings that a gradient is with respect to."""
        field = x.name if isinstance(x, typed.FieldOf) else None
        owner = x.value if isinstance(x, typed.FieldOf) else x
        assert isinstance(owner, typed.Local)
        value = names.get(owner.name)
        return {(number, field) for number in value.own} if value is not None else set()

    def _value_and_grad(self, node: typed.Apply, names: Names) -> Sources:
        (inner,) = node.operands
        assert isinstance(inner, typed.CallFn)
        sources = self._sources(inner, names)
        summary = self._summary(inner.name)
        if self.name is None and summary is not None:
            params = self._params(inner)
            for (parameter, field), limit in summary.items():
                if parameter == 0 and limit is not None and limit.left == 0 and field in params:
                    self.checker.report(
                        "E3404",
                        node.span,
                        f"`{shown(inner.name)}` can't be differentiated by `{field}`: its value goes "
                        f"through {limit.what}, which has no {_derivative(limit)}",
                        labels=_labels(limit),
                    )
                    break
        return {source: _once_less(limit) for source, limit in sources.items()}

    def _params(self, call: typed.CallFn) -> frozenset[str]:
        """The params of a call's first argument, a model."""
        argument = call.arguments[0][1]
        kind = argument.type if argument is not None else None
        model = self.checker.interface(kind.name) if isinstance(kind, ModelType) else None
        return frozenset(p.name for p in model.params) if isinstance(model, ModelInterface) else frozenset()


def _holds_derivatives(node: typed.Typed) -> bool:
    """Whether gradients can go through a value."""
    kind = node.type
    if isinstance(kind, TensorType):
        return kind.dtype is None or kind.dtype.is_float
    return not isinstance(kind, HostType)


def _field(sources: Sources, field: str) -> Sources:
    """What a field of a value depends on."""
    return {(number, field if of is None else of): limit for (number, of), limit in sources.items()}


def _less(a: Limit | None, b: Limit | None) -> Limit | None:
    """The stricter of two limits."""
    if a is None or b is None:
        return a or b
    return a if a.left <= b.left else b


def _once_less(limit: Limit | None) -> Limit | None:
    return limit._replace(left=max(limit.left - 1, 0)) if limit is not None else None


def _both(a: Sources, b: Sources) -> Sources:
    """What depends on two values depends on."""
    if not a or not b:
        return a or b
    return a | {source: _less(a.get(source), limit) for source, limit in b.items()}


def _either(a: Names, b: Names) -> Names:
    """What names stand for where one of two blocks has run."""
    joined: Names = {}
    for name in {*a, *b}:
        mine, other = a.get(name), b.get(name)
        if mine is None or other is None or mine is other:
            found = mine or other
            assert found is not None
            joined[name] = found
        else:
            joined[name] = Value(mine.own | other.own, _both(mine.sources, other.sources))
    return joined


def _derivative(limit: Limit) -> str:
    return "derivative" if limit.has == 0 else "second derivative"


def _labels(limit: Limit) -> tuple[Label, ...]:
    if limit.function is None:
        return ()
    return (Label(None, f"it goes through {limit.what}", limit.function),)
