"""Watches a compiled program run, and holds every value that it binds or returns against its inferred type.

The Python that the code generator writes is left as it is but for one call around each value that a statement of
the program binds or returns, and one where a function starts. What is called is a `Frame`, which raises
`Counterexample` for a value that isn't of its type.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType
from typing import Any, NamedTuple

import torch

from shapescript_check.codegen import Options, generate
from shapescript_check.codegen.names import python_name
from shapescript_check.codegen.positions import Place, Positions
from shapescript_check.declarations.interfaces import FnInterface
from shapescript_check.program import Program
from shapescript_check.sizes import Size, Symbol, SymbolKind
from shapescript_check.typed import tree as typed
from shapescript_check.types.domains import IndexOf
from shapescript_check.types.values import HostType, ResultsType, TensorType, ValueType
from tests.property.holding import VALUES_WRONG, Sizes, problem

LARGEST_INTEGERS = {torch.int32: 2**13, torch.int64: 2**26}
"""Magnitudes from which on wide integers aren't watched any more: a checker takes counters not to overflow."""


class Counterexample(Exception):
    """A value that isn't what the checker inferred."""


class Unwatched(Exception):
    """The run has come to where nothing is promised, such as integers that are about to overflow."""


class Site(NamedTuple):
    """A statement that binds or returns a value."""

    function: str
    line: int
    what: str
    types: tuple[ValueType, ...]
    introduced: frozenset[Symbol]
    """The unknown sizes that mean something new each time the statement runs."""


class Watched(NamedTuple):
    """A program that watches itself: its code, its sites and the signatures of its functions."""

    code: CodeType
    sites: list[Site]
    functions: list[FnInterface]


def watched(program: Program, options: Options | None = None) -> Watched:
    """Code of a checked program that tells `_ss_watch`, which makes frames, what it does."""
    module = generate(program, options)
    sites: list[Site] = []
    functions: list[FnInterface] = []
    for name, checked in program.bodies.items():
        interface = program.interfaces[name]
        assert isinstance(interface, FnInterface)
        definition = next(
            n for n in module.body if isinstance(n, ast.FunctionDef) and n.name == python_name(name)
        )
        _Instrumenter(program, interface, sites, len(functions)).function(definition, checked.body)
        functions.append(interface)
    return Watched(compile(module, program.source.path, "exec", dont_inherit=True), sites, functions)


class _Instrumenter(ast.NodeTransformer):
    """Puts the calls into one function."""

    def __init__(self, program: Program, interface: FnInterface, sites: list[Site], number: int) -> None:
        self.interface = interface
        self.sites = sites
        self.number = number
        declared = program.scope.functions[interface.name]
        self.positions = Positions(program.source, declared.start)
        self.source = program.source
        self.seen: set[Symbol] = set()
        self.at: dict[tuple[Place, tuple[str, ...]], int] = {}

    def function(self, definition: ast.FunctionDef, body: typed.Body) -> None:
        for place, names, kinds in self._valued(body.statements):
            self.at[place, names] = len(self.sites)
            text = ", ".join(names) if names else "the result"
            new = frozenset(s for kind in kinds for s in _unknowns(kind)) - self.seen
            self.seen |= new
            self.sites.append(Site(self.interface.name, place[0], text, kinds, new))
        arguments = ", ".join(python_name(p.name) for p in self.interface.parameters)
        given = ", ".join(f"{a.arg!r}: {a.arg}" for a in definition.args.kwonlyargs)
        start = _parsed(f"_ss_frame = _ss_watch({self.number}, [{arguments}], {{{given}}})", definition)
        definition.body = [definition.body[0], *start, *(self.visit(s) for s in definition.body[1:])]

    def _valued(
        self, statements: tuple[typed.Statement, ...]
    ) -> Iterator[tuple[Place, tuple[str, ...], tuple[ValueType, ...]]]:
        for statement in statements:
            if isinstance(statement, typed.BindTo):
                names = tuple(python_name(n) for n in statement.names)
                yield self.positions.place(statement.span), names, _items(statement.value.type)
            elif isinstance(statement, typed.ReturnValue) and statement.value is not None:
                yield self.positions.place(statement.span), (), _items(statement.value.type)
            elif isinstance(statement, typed.CountLoop | typed.EachLoop):
                yield from self._valued(statement.body)
            elif isinstance(statement, typed.Branch):
                yield from self._valued(statement.body)
                yield from self._valued(statement.orelse or ())

    def _around(self, value: ast.expr, node: ast.stmt, names: tuple[str, ...]) -> ast.expr:
        place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        site = self.at.get((place, names))  # type: ignore[call-overload]
        if site is None:
            return value
        (statement,) = _parsed(f"_ss_frame.see({site}, x)", node)
        assert isinstance(statement, ast.Expr)
        assert isinstance(statement.value, ast.Call)
        statement.value.args[1] = value
        return statement.value

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        (target,) = node.targets
        elements = target.elts if isinstance(target, ast.Tuple) else [target]
        names = tuple(e.id for e in elements if isinstance(e, ast.Name))
        node.value = self._around(node.value, node, names)
        return node

    def visit_Return(self, node: ast.Return) -> ast.Return:
        if node.value is not None:
            node.value = self._around(node.value, node, ())
        return node


def _parsed(code: str, at: ast.stmt) -> list[ast.stmt]:
    """Python code, placed where a statement is."""
    statements = ast.parse(code).body
    for statement in statements:
        for node in ast.walk(statement):
            ast.copy_location(node, at)
    return statements


def _items(kind: ValueType) -> tuple[ValueType, ...]:
    return kind.items if isinstance(kind, ResultsType) else (kind,)


def _unknowns(kind: ValueType) -> Iterator[Symbol]:
    sizes: list[Size] = []
    if isinstance(kind, TensorType):
        sizes += [a.size for a in kind.axes or ()]
        sizes += [p.size for a in kind.axes or () for p in a.parts]
        sizes += [kind.domain.size] if isinstance(kind.domain, IndexOf) else []
    elif isinstance(kind, HostType) and kind.size is not None:
        sizes.append(kind.size)
    for size in sizes:
        yield from (s for s in size.symbols() if s.kind is SymbolKind.UNKNOWN)


class Frame:
    """One call of a function of the program."""

    def __init__(
        self, watch: Watch, interface: FnInterface, arguments: list[Any], sizes: dict[str, int | None]
    ) -> None:
        self.watch = watch
        self.sites = watch.program.sites
        self.interface = interface
        self.arguments = arguments
        self.sizes = Sizes()
        for symbol in interface.generics:
            size = sizes.get(python_name(symbol.name))
            if size is not None:
                self.sizes.known[symbol] = size
        self._started = False

    def see(self, number: int, value: Any) -> Any:
        """Holds a value against its type, and gives it back."""
        if _is_one_of_many(value):
            return value
        if not self._started:
            self._started = True
            self._bind_generics()
        site = self.sites[number]
        self.sizes.forget(site.introduced)
        values = value if len(site.types) > 1 else (value,)
        if len(values) != len(site.types):
            raise Counterexample(f"line {site.line}: {len(values)} values are bound to {site.what}")
        for kind, item in zip(site.types, values, strict=True):
            self._hold(site, kind, item)
        return value

    def _hold(self, site: Site, kind: ValueType, value: Any) -> None:
        limit = LARGEST_INTEGERS.get(value.dtype) if isinstance(value, torch.Tensor) else 2**52
        wrong = problem(kind, value, self.sizes)
        if limit is not None and _magnitude(value) > limit:
            raise Unwatched
        if wrong is not None and self.watch.nan and wrong.startswith(VALUES_WRONG):
            raise Unwatched  # NaN isn't tracked, and neither is what becomes of it: its sign is 0
        self.watch.nan = self.watch.nan or _has_nan(value)
        if wrong is not None:
            raise Counterexample(
                f"line {site.line}, {site.what} in {site.function}, whose type is {kind}: {wrong}"
            )

    def _bind_generics(self) -> None:
        pairs = [
            (axis.size, size)
            for p, v in zip(self.interface.parameters, self.arguments, strict=True)
            if isinstance(p.type, TensorType) and p.type.axes is not None and isinstance(v, torch.Tensor)
            for axis, size in zip(p.type.axes, v.shape, strict=True)
        ]
        for _ in range(len(pairs)):
            for size, actual in pairs:
                self.sizes.agree(size, actual)


def _is_one_of_many(value: Any) -> bool:
    """Whether a value stands for each element of an iterator stage: those are computed together, by torch.vmap."""
    return isinstance(value, torch.Tensor) and torch._C._functorch.is_batchedtensor(value)


def _has_nan(value: Any) -> bool:
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or _is_one_of_many(value):
        return False
    return bool(value.isnan().any())


def _magnitude(value: Any) -> float:
    if isinstance(value, torch.Tensor):
        # In floats, as the magnitude of the least integer is none of its dtype.
        return float(value.double().abs().max()) if value.numel() else 0.0
    return abs(value) if isinstance(value, int) else 0.0


class Watch:
    """Makes the frames of a watched program."""

    def __init__(self, program: Watched) -> None:
        self.program = program
        self.nan = False
        """Whether a NaN has been seen."""

    def __call__(self, function: int, arguments: list[Any], sizes: dict[str, int | None]) -> Frame:
        self.nan = self.nan or any(map(_has_nan, arguments))
        return Frame(self, self.program.functions[function], arguments, sizes)


def load(program: Watched) -> dict[str, Any]:
    """Runs a watched program's module, and gives its names."""
    names: dict[str, Any] = {"__name__": "watched", "_ss_watch": Watch(program)}
    exec(program.code, names)
    return names
