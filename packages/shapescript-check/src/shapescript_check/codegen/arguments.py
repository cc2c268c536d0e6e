"""Generates argument checks: one comparison chain on the fast path, and a call into the runtime only to raise.

The form of the checks is the fastest one measured that is right for every kind of argument; see the module
`checks` of the runtime package, which makes the messages.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from shapescript_check.codegen.context import FunctionContext, ModuleContext
from shapescript_check.codegen.names import argument, function_name, python_name
from shapescript_check.codegen.sizes import size_expression
from shapescript_check.codegen.untold import linear_in, readable
from shapescript_check.declarations.interfaces import FnInterface, ParameterInterface
from shapescript_check.operations.lowering import constant, python
from shapescript_check.sizes import Size, Symbol, SymbolKind
from shapescript_check.types.axes import Axis
from shapescript_check.types.entities import RecordType
from shapescript_check.types.values import TensorType
from shapescript_syntax import tree


@dataclass(slots=True)
class _Plan:
    """The statements of the check, in the order they run."""

    reads: list[ast.stmt] = field(default_factory=list)
    solved: list[ast.stmt] = field(default_factory=list)
    tests: list[ast.expr] = field(default_factory=list)
    divides: bool = False


class ArgumentChecks:
    """The checks of one function's arguments."""

    def __init__(self, context: FunctionContext, interface: FnInterface, item: tree.Fn) -> None:
        self.context = context
        self.interface = interface
        self.item = item
        self.shaped = shaped_parameters(context.module, interface)
        self.plain = self._plain_sources()
        self.bound: set[Symbol] = set()

    def _plain_sources(self) -> set[Symbol]:
        """Generic sizes that some axis is, alone."""
        found: set[Symbol] = set()
        for _, kind in self.shaped:
            for axis in kind.axes or ():
                symbol = _lone_generic(axis.size)
                if symbol is not None:
                    found.add(symbol)
        return found

    # --- what the function starts with ---

    def device(self) -> list[ast.stmt]:
        """Asks for the declared device, which a module that declares its devices has already."""
        if self.context.module.declares_devices:
            return []
        return [ast.Assign([ast.Name("_ss_device", ast.Store())], python("_ss_rt.device()"))]

    def statements(self) -> list[ast.stmt]:
        """The checks, and the sizes that the body reads."""
        mode = self.context.module.options.checks
        if not self.shaped:
            return []
        needed = {python_name(s.name) for s in self.context.used}
        plan = self._plan()
        if mode == "off":
            return _unchecked_reads(plan, needed)
        checks = self._checks(plan)
        if mode == "debug":
            return [ast.If(ast.Name("__debug__", ast.Load()), checks, _unchecked_reads(plan, needed))]
        return checks

    def _checks(self, plan: _Plan) -> list[ast.stmt]:
        caught = ["AttributeError", "TypeError", "ValueError"] + (
            ["ZeroDivisionError"] if plan.divides else []
        )
        chain = plan.tests[0] if len(plan.tests) == 1 else ast.BoolOp(ast.And(), plan.tests)
        ok = ast.Name("_ss_ok", ast.Store())
        attempt = ast.Try(
            body=[*plan.reads, *plan.solved, ast.Assign([ok], chain)],
            handlers=[
                ast.ExceptHandler(
                    ast.Tuple([ast.Name(c, ast.Load()) for c in caught], ast.Load()),
                    None,
                    [ast.Assign([ast.Name("_ss_ok", ast.Store())], ast.Constant(False))],
                )
            ],
            orelse=[],
            finalbody=[],
        )
        refuse = python("_ss_rt.refuse_arguments(s)", s=ast.Name(self.signature_name, ast.Load()))
        assert isinstance(refuse, ast.Call)
        refuse.args += [argument(p.name) for p, _ in self.shaped]
        failed = ast.If(ast.UnaryOp(ast.Not(), ast.Name("_ss_ok", ast.Load())), [ast.Expr(refuse)], [])
        return [attempt, failed]

    # --- the plan ---

    def _plan(self) -> _Plan:
        plan = _Plan()
        later: list[tuple[str, Size]] = []
        tests_by_parameter: list[list[tuple[ast.expr, Size]]] = []
        for parameter, kind in self.shaped:
            # Numbers, not the dims they are the values of: a tuple of them is made once.
            sizes = [a.size.value for a in kind.axes or ()]
            tests_by_parameter.append([])
            if all(self._is_known(size) for size in sizes):
                shape = ast.Attribute(_name(parameter.name), "shape", ast.Load())
                wanted = ast.Tuple([size_expression(self.context, size) for size in sizes], ast.Load())
                tests_by_parameter[-1].append((ast.Compare(shape, [ast.Eq()], [wanted]), Size.number(0)))
                continue
            self._unpack(plan, parameter, sizes, later, tests_by_parameter[-1])
        left = later
        while (rest := [(n, size) for n, size in left if not self._solve(plan, n, size)]) and rest != left:
            left = rest
        for tests in tests_by_parameter:
            for expr, size in tests:
                if isinstance(expr, ast.Compare):
                    plan.tests.append(expr)
                elif self._is_known(size):
                    plan.tests.append(ast.Compare(expr, [ast.Eq()], [size_expression(self.context, size)]))
        plan.tests += self._at_least_zero(later)
        plan.tests += self._on_the_device()
        return plan

    def _on_the_device(self) -> list[ast.expr]:
        values = [_name(p.name) for p, _ in self.shaped]
        if self.context.module.devices == "cpu":
            # A device is an object that is made each time it is asked for.
            return [ast.Attribute(value, "is_cpu", ast.Load()) for value in values]
        first, *rest = [ast.Attribute(value, "device", ast.Load()) for value in values]
        chain = [*rest, ast.Name("_ss_device", ast.Load())]
        return [ast.Compare(first, [ast.Eq() for _ in chain], chain)]

    def _is_known(self, size: Size) -> bool:
        return all(s.kind is not SymbolKind.GENERIC or s in self.bound for s in size.symbols())

    def _unpack(
        self,
        plan: _Plan,
        parameter: ParameterInterface,
        sizes: list[Size],
        later: list[tuple[str, Size]],
        tests: list[tuple[ast.expr, Size]],
    ) -> None:
        targets: list[ast.expr] = []
        for size in sizes:
            symbol = _lone_generic(size)
            if symbol is not None and symbol not in self.bound:
                self.bound.add(symbol)
                targets.append(ast.Name(python_name(symbol.name), ast.Store()))
                continue
            name = self.context.temporary()
            targets.append(ast.Name(name, ast.Store()))
            tests.append((ast.Name(name, ast.Load()), size))
            if any(s.kind is SymbolKind.GENERIC and s not in self.plain for s in size.symbols()):
                later.append((name, size))
        shape = ast.Attribute(_name(parameter.name), "shape", ast.Load())
        plan.reads.append(ast.Assign([ast.Tuple(targets, ast.Store())], shape))

    def _solve(self, plan: _Plan, name: str, size: Size) -> bool:
        """Reads a generic size from an axis that isn't just it: `h = (axis - c) // a`. False where another size has
        to be known first."""
        if self._is_known(size):
            return True
        symbol = readable(size, self.bound)
        parts = linear_in(size, symbol) if symbol is not None else None
        if symbol is None or parts is None:
            return False
        factor, rest = parts
        value: ast.expr = ast.Name(name, ast.Load())
        if rest != Size.number(0):
            taken = rest.as_int()
            if taken is not None and taken < 0:
                value = ast.BinOp(value, ast.Add(), constant(-taken))
            else:
                value = ast.BinOp(value, ast.Sub(), size_expression(self.context, rest))
        if factor != Size.number(1):
            value = ast.BinOp(value, ast.FloorDiv(), size_expression(self.context, factor))
            plan.divides |= factor.as_int() is None
        self.bound.add(symbol)
        plan.solved.append(ast.Assign([ast.Name(python_name(symbol.name), ast.Store())], value))
        return True

    def _at_least_zero(self, later: list[tuple[str, Size]]) -> list[ast.expr]:
        tests: list[ast.expr] = []
        seen: set[Symbol] = set()
        for _, size in later:
            for symbol in size.symbols():
                if symbol in seen or symbol in self.plain or symbol not in self.bound:
                    continue
                seen.add(symbol)
                parts = linear_in(size, symbol)
                if parts is not None and parts[1] != Size.number(0):
                    tests.append(python("h >= 0", h=_name(symbol.name)))
        return tests

    # --- the signature that messages are made from ---

    @property
    def signature_name(self) -> str:
        return f"_ss_signature_{function_name(self.interface.key)}"

    def signature(self) -> list[ast.stmt]:
        """`_ss_signature_f = _ss_rt.Signature(...)`, unless nothing is checked."""
        if not self.shaped or self.context.module.options.checks == "off":
            return []
        self.context.module.dims_named = True
        places = {p.name.text: p.span for p in self.item.parameters}
        parameters = [
            python(
                "_ss_rt.Parameter(name, where, text, axes)",
                name=p.name,
                where=self.context.positions.where(places[p.name.partition(".")[0]]),
                text=str(kind),
                axes=ast.Tuple([_axis_spec(a) for a in kind.axes or ()], ast.Load()),
            )
            for p, kind in self.shaped
        ]
        value = python(
            "_ss_rt.Signature(name, parameters, _ss_dims)",
            name=self.interface.name,
            parameters=ast.Tuple(parameters, ast.Load()),
        )
        return [ast.Assign([ast.Name(self.signature_name, ast.Store())], value)]


def shaped_parameters(
    module: ModuleContext, interface: FnInterface
) -> list[tuple[ParameterInterface, TensorType]]:
    """The tensors with a shape that a function is given: its parameters, and the fields of those that are batches."""
    found: list[tuple[ParameterInterface, TensorType]] = []
    for parameter in interface.parameters:
        kind = parameter.type
        if isinstance(kind, TensorType) and kind.axes is not None:
            found.append((parameter, kind))
        elif isinstance(kind, RecordType):
            for name, field_kind in module.fields_of(kind):
                found.append((ParameterInterface(f"{parameter.name}.{name}", field_kind), field_kind))
    return found


def _name(name: str) -> ast.expr:
    return argument(name)


def _unchecked_reads(plan: _Plan, needed: set[str]) -> list[ast.stmt]:
    """Only what the body needs, where checks are off."""
    kept: list[ast.stmt] = []
    for statement in reversed([*plan.reads, *plan.solved]):
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        if any(isinstance(node.ctx, ast.Store) and node.id in needed for node in names):
            kept.append(statement)
            needed |= {node.id for node in names}
    return kept[::-1]


def _lone_generic(size: Size) -> Symbol | None:
    symbols = size.symbols()
    if len(symbols) != 1:
        return None
    (symbol,) = symbols
    return symbol if symbol.kind is SymbolKind.GENERIC and size == Size.of(symbol) else None


def _axis_spec(axis: Axis) -> ast.expr:
    number = 0
    terms: list[ast.expr] = []
    for monomial, coefficient in axis.size.value.terms:
        if not monomial:
            number = coefficient
            continue
        names = ast.Tuple([ast.Constant(s.name) for s in monomial], ast.Load())
        terms.append(ast.Tuple([constant(coefficient), names], ast.Load()))
    spec = python("_ss_rt.AxisSpec(text, n)", text=str(axis), n=number)
    assert isinstance(spec, ast.Call)
    if terms:
        spec.args.append(ast.Tuple(terms, ast.Load()))
    return spec
