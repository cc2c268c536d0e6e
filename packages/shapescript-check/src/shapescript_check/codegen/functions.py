"""Generates functions: the `def`, its argument checks, and its body."""

from __future__ import annotations

import ast

from shapescript_check.codegen.arguments import ArgumentChecks
from shapescript_check.codegen.context import FunctionContext, ModuleContext
from shapescript_check.codegen.differentiated import differentiated, recording, track
from shapescript_check.codegen.entity_checks import entity_checks
from shapescript_check.codegen.expressions import ExpressionEmitter
from shapescript_check.codegen.names import argument, function_name, python_name
from shapescript_check.codegen.positions import Positions, put
from shapescript_check.codegen.spreading import as_given, left_out
from shapescript_check.codegen.statements import StatementEmitter
from shapescript_check.codegen.untold import untold
from shapescript_check.codegen.values import as_debug, value_check
from shapescript_check.declarations.interfaces import FnInterface
from shapescript_check.declarations.module import Declared
from shapescript_check.operations.lowering import constant, python
from shapescript_check.typed.tree import Body
from shapescript_check.types.dtypes import DType
from shapescript_check.types.entities import RecordType
from shapescript_check.types.values import TensorType
from shapescript_syntax import tree
from shapescript_syntax.spans import Source


class FunctionWriter:
    """Writes one function."""

    def __init__(
        self,
        module: ModuleContext,
        declared: Declared,
        interface: FnInterface,
        body: Body,
        source: Source | None = None,
    ) -> None:
        assert isinstance(declared.item, tree.Fn)
        self.module = module
        self.item = declared.item
        self.interface = interface
        self.body = body
        self.positions = Positions(source or module.program.source, declared.start)
        self.context = FunctionContext(module, self.positions)
        self.context.untold = untold(interface)
        if "gradient" in declared.chunk.text:
            self.context.differentiated = differentiated(body)
        self.emit = ExpressionEmitter(self.context)
        for parameter in interface.parameters:
            if isinstance(parameter.type, TensorType | RecordType):
                self.context.types[parameter.name] = parameter.type

    def write(self) -> list[ast.stmt]:
        """The function's signature for messages, if it has one, and its `def`."""
        checks = ArgumentChecks(self.context, self.interface, self.item)
        left = left_out(self.interface, self.body)
        written = StatementEmitter(self.emit, self.interface.returns, left).block(self.body.statements)
        values = self._value_checks()
        start = [*checks.device(), *self._completed(), *self._entities(), *checks.statements()]
        start += self._told()
        if self.context.differentiated is not None:
            by = [track(p.name) for p in self.interface.parameters if p.name in self.context.differentiated]
            written = recording([*by, *written])
        for name in sorted({n for names in left.values() for n in names}):
            # The body may give the parameter's name another value.
            kept = ast.Name(python_name(name), ast.Load())
            start.append(ast.Assign([ast.Name(as_given(name), ast.Store())], kept))
        doc: list[ast.stmt] = [ast.Expr(constant(self._doc()))]
        definition = ast.FunctionDef(
            name=function_name(self.interface.key),
            args=self._arguments(),
            body=[*doc, *start, *values, *written],
            decorator_list=[],
            returns=None,
        )
        place = self.positions.place(self.item.header)
        for statement in (*doc, *start):
            put(statement, place)
        definition.lineno, definition.col_offset, definition.end_lineno, definition.end_col_offset = place
        put_all(definition, place)
        signature = checks.signature()
        renamed = self._renamed()
        for statement in (*signature, *renamed):
            put(statement, place)
        return [*signature, definition, *renamed]

    def _doc(self) -> str:
        header = self.positions.source.text[
            self.item.header.start + self.positions.offset : self.item.header.end + self.positions.offset
        ]
        declaration = " ".join(header.split()).rstrip(":= ").replace("( ", "(").replace(", )", ")")
        return f"{self.item.doc}\n\n{declaration}" if self.item.doc else declaration

    def _arguments(self) -> ast.arguments:
        arguments = []
        defaults: list[ast.expr] = []
        for syntax, parameter in zip(self.item.parameters, self.interface.parameters, strict=True):
            argument = ast.arg(python_name(parameter.name))
            put(argument, self.positions.place(syntax.span))
            arguments.append(argument)
            if parameter.has_default:
                default = self._default(parameter.default)
                put(default, self.positions.place(syntax.span))
                defaults.append(default)
            elif defaults:
                # Python wants a default behind a default; the body refuses this one.
                missing = python("_ss_rt.MISSING")
                put(missing, self.positions.place(syntax.span))
                defaults.append(missing)
        given = [ast.arg(python_name(s.name)) for s in self.context.untold]
        for argument in given:
            put(argument, self.positions.place(self.item.header))
        return ast.arguments([], arguments, None, given, [ast.Constant(None) for _ in given], None, defaults)

    def _default(self, value: object) -> ast.expr:
        assert isinstance(value, int | float)
        return constant(value)

    def _completed(self) -> list[ast.stmt]:
        """Refuses required arguments that are missing, and makes tensors of numbers given for shapeless parameters."""
        statements: list[ast.stmt] = []
        optional = False
        for syntax, parameter in zip(self.item.parameters, self.interface.parameters, strict=True):
            name = ast.Name(python_name(parameter.name), ast.Load())
            place = self.positions.place(syntax.span)
            if optional and not parameter.has_default:
                refuse = python("_ss_rt.refuse_missing(f, p)", f=self.interface.name, p=parameter.name)
                statement: ast.stmt = ast.If(python("x is _ss_rt.MISSING", x=name), [ast.Expr(refuse)], [])
                put(statement, place)
                statements.append(statement)
            kind = parameter.type
            if parameter.has_default and isinstance(kind, TensorType):
                made = python(
                    "_ss_rt.as_tensor(x, t, d)",
                    x=name,
                    t=self.emit.dtype(kind.dtype or DType.F32),
                    d=self.emit.device(),
                )
                statement = ast.Assign([ast.Name(python_name(parameter.name), ast.Store())], made)
                put(statement, place)
                statements.append(statement)
            optional |= parameter.has_default
        return statements

    def _told(self) -> list[ast.stmt]:
        """Refuses a call that doesn't give a size that the body needs and no shape tells."""
        where = self.positions.where(self.item.name.span)
        return [
            ast.If(
                python("n is None", n=ast.Name(python_name(s.name), ast.Load())),
                [ast.Expr(python("_ss_rt.refuse_untold(f, n, w)", f=self.interface.name, n=s.name, w=where))],
                [],
            )
            for s in self.context.untold
            if s in self.context.used
        ]

    def _renamed(self) -> list[ast.stmt]:
        """Lets Python give keyword arguments by names that it keeps for itself."""
        names = {
            p.name: python_name(p.name) for p in self.interface.parameters if python_name(p.name) != p.name
        }
        if not names:
            return []
        function = ast.Name(function_name(self.interface.key), ast.Load())
        pairs = ast.Dict([ast.Constant(n) for n in names], [ast.Constant(n) for n in names.values()])
        value = python("_ss_rt.renamed(f, names)", f=function, names=pairs)
        return [ast.Assign([ast.Name(function.id, ast.Store())], value)]

    def _entities(self) -> list[ast.stmt]:
        """Checks of arguments that are no tensors."""
        statements: list[ast.stmt] = []
        for syntax, parameter in zip(self.item.parameters, self.interface.parameters, strict=True):
            where = self.positions.where(syntax.span)
            for statement in entity_checks(self.module, self.interface, parameter, where):
                put(statement, self.positions.place(syntax.span))
                statements.append(statement)
        return statements

    def _value_checks(self) -> list[ast.stmt]:
        statements: list[ast.stmt] = []
        for syntax, parameter in zip(self.item.parameters, self.interface.parameters, strict=True):
            kind = parameter.type
            checks: list[ast.stmt] = []
            if isinstance(kind, TensorType) and kind.axes is not None:
                checks = self._value_check(syntax, parameter.name, kind)
            elif isinstance(kind, RecordType):
                for name, field in self.module.fields_of(kind):
                    checks += self._value_check(syntax, f"{parameter.name}.{name}", field)
                if checks:
                    # What a loader made was checked when it was loaded.
                    unchecked = python("not x._ss_checked", x=argument(parameter.name))
                    checks = [ast.If(unchecked, checks, [])]
            for check in checks:
                put(check, self.positions.place(syntax.span))
            statements += checks
        return as_debug(self.emit, statements)

    def _value_check(self, syntax: tree.Parameter, name: str, kind: TensorType) -> list[ast.stmt]:
        where = self.positions.where(syntax.span)
        check = value_check(self.emit, argument(name), kind, str(kind), where, name, self.interface.name)
        return [check] if check is not None else []


def put_all(node: ast.AST, place: tuple[int, int, int, int]) -> None:
    """Gives a place to whatever is still without one, from the node above it."""
    for child in ast.iter_child_nodes(node):
        if "lineno" in child._attributes and not hasattr(child, "lineno"):
            put(child, place)
        line = getattr(child, "lineno", None)
        inner = place
        if line is not None:
            inner = (line, child.col_offset, child.end_lineno, child.end_col_offset)  # type: ignore[attr-defined]
        put_all(child, inner)
