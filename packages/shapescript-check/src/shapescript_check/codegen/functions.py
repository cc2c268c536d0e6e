"""Generates functions: the `def`, its argument checks, and its body."""

from __future__ import annotations

import ast

from shapescript_check.codegen.arguments import ArgumentChecks
from shapescript_check.codegen.context import FunctionContext, ModuleContext
from shapescript_check.codegen.expressions import ExpressionEmitter
from shapescript_check.codegen.names import python_name
from shapescript_check.codegen.positions import Positions, put
from shapescript_check.codegen.statements import StatementEmitter
from shapescript_check.codegen.values import value_check
from shapescript_check.declarations.interfaces import FnInterface
from shapescript_check.declarations.module import Declared
from shapescript_check.operations.lowering import constant, python
from shapescript_check.typed.tree import Body
from shapescript_check.types.axes import shape_text
from shapescript_check.types.values import TensorType
from shapescript_syntax import tree


class FunctionWriter:
    """Writes one function."""

    def __init__(self, module: ModuleContext, declared: Declared, interface: FnInterface, body: Body) -> None:
        assert isinstance(declared.item, tree.Fn)
        self.module = module
        self.item = declared.item
        self.interface = interface
        self.body = body
        self.positions = Positions(module.program.source, declared.start)
        self.context = FunctionContext(module, self.positions)
        self.emit = ExpressionEmitter(self.context)
        for parameter in interface.parameters:
            if isinstance(parameter.type, TensorType):
                self.context.types[parameter.name] = parameter.type

    def write(self) -> list[ast.stmt]:
        """The function's signature for messages, if it has one, and its `def`."""
        checks = ArgumentChecks(self.context, self.interface, self.item)
        written = StatementEmitter(self.emit, self.interface.returns).block(self.body.statements)
        values = self._value_checks()
        start = checks.statements()
        doc: list[ast.stmt] = [ast.Expr(constant(self._doc()))]
        definition = ast.FunctionDef(
            name=python_name(self.interface.name),
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
        result: list[ast.stmt] = [*signature, definition]
        for statement in signature:
            put(statement, place)
        return result

    def _doc(self) -> str:
        header = self.positions.source.text[
            self.item.header.start + self.positions.offset : self.item.header.end + self.positions.offset
        ]
        declaration = " ".join(header.split()).rstrip(":= ")
        return f"{self.item.doc}\n\n{declaration}" if self.item.doc else declaration

    def _arguments(self) -> ast.arguments:
        arguments = []
        defaults: list[ast.expr] = []
        for syntax, parameter in zip(self.item.parameters, self.interface.parameters, strict=True):
            argument = ast.arg(python_name(parameter.name))
            put(argument, self.positions.place(syntax.span))
            arguments.append(argument)
            if parameter.has_default:
                default = self._default(parameter.default, parameter.type)
                put(default, self.positions.place(syntax.span))
                defaults.append(default)
            elif defaults:
                defaults.append(ast.Name("_ss_missing", ast.Load()))
        return ast.arguments([], arguments, None, [], [], None, defaults)

    def _default(self, value: object, kind: object) -> ast.expr:
        assert isinstance(value, int | float)
        if isinstance(kind, TensorType):
            # A shapeless parameter may be used where torch wants a tensor, so its default is made one in the body.
            return python("_ss_rt.Default(x)", x=constant(value))
        return constant(value)

    def _value_checks(self) -> list[ast.stmt]:
        statements: list[ast.stmt] = []
        for syntax, parameter in zip(self.item.parameters, self.interface.parameters, strict=True):
            kind = parameter.type
            if not isinstance(kind, TensorType) or kind.axes is None:
                continue
            text = f"{kind}" or shape_text(kind.axes)
            value = ast.Name(python_name(parameter.name), ast.Load())
            where = self.positions.where(syntax.span)
            check = value_check(self.emit, value, kind, text, where, parameter.name, self.interface.name)
            if check is not None:
                put(check, self.positions.place(syntax.span))
                statements.append(check)
        return statements


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
