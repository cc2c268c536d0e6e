"""Modules that need torch alone: compiled code with the parts of the runtime that it uses inside it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable

from shapescript.standalone.scoping import GlobalNames
from shapescript.standalone.sources import PACKAGE, Definition, Import, Place, Runtime, Submodule

_RUNTIME = "_ss_rt"  # what compiled code calls the runtime


def embed(module: ast.Module) -> ast.Module:
    """A module as `generate` makes it, made independent of the runtime.

    The runtime's definitions that the module uses, directly or not, come before its own statements. They keep
    their docstrings and are renamed to start with `_ss_rt_`, so that they are in the way of nothing that the
    program declares. Only exceptions keep their names, since callers catch them.

    Raises:
        ValueError: if the runtime has something at a top level that can't be moved. That is a mistake in
            ShapeScript, not in a program.
    """
    runtime = Runtime()
    names = _Names(module)
    inlined = _Inlined(runtime, names)
    own = inlined.visit(module)
    moved = [_moved(d, runtime, names) for d in runtime.in_order(_closure(runtime, inlined.used))]
    return _assembled(own, names.new_imports(), moved)


def _closure(runtime: Runtime, roots: Iterable[Place | Import]) -> set[Definition]:
    """Every definition that is needed."""
    found: set[Definition] = set()
    waiting: list[Place | Import | Submodule | None] = list(roots)
    while waiting:
        target = waiting.pop()
        if isinstance(target, Place) and (definition := runtime.definition(target)) not in found:
            found.add(definition)
            waiting += [runtime.resolve(definition.module, name) for name in definition.uses]
    return found


def _moved(definition: Definition, runtime: Runtime, names: _Names) -> ast.stmt:
    """A definition for the new module, with the names that things have there."""

    def rename(name: str) -> str:
        target = runtime.resolve(definition.module, name)
        if isinstance(target, Submodule):
            raise ValueError(f"{PACKAGE}.{definition.module} uses the module {name} as a value")
        return name if target is None else names.of(target)

    statement: ast.stmt = GlobalNames(rename).visit(copy.deepcopy(definition.node))
    return statement


class _Names:
    """What the runtime's definitions, and what they import, are called in a module."""

    def __init__(self, module: ast.Module) -> None:
        self._names: dict[Place | Import, str] = {}
        self._taken: set[str] = set()
        for statement in module.body:
            if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                self._taken.add(statement.name)
            elif isinstance(statement, (ast.Import, ast.ImportFrom)):
                self._take_imports(statement)
            else:
                self._taken.update(n.id for n in ast.walk(statement) if isinstance(n, ast.Name))
        self._given = set(self._names)

    def _take_imports(self, statement: ast.Import | ast.ImportFrom) -> None:
        for alias in statement.names:
            bound = alias.asname or alias.name.partition(".")[0]
            self._taken.add(bound)
            if isinstance(statement, ast.ImportFrom):
                self._names[Import(statement.module or "", alias.name)] = bound
            elif alias.asname or "." not in alias.name:
                self._names[Import(alias.name, None)] = bound

    def of(self, target: Place | Import) -> str:
        """The name of something of the runtime. It never changes."""
        if target not in self._names:
            self._names[target] = name = next(n for n in _candidates(target) if n not in self._taken)
            self._taken.add(name)
        return self._names[target]

    def new_imports(self) -> list[ast.stmt]:
        """The imports that the module doesn't have yet."""
        new = [(t, n) for t, n in self._names.items() if isinstance(t, Import) and t not in self._given]
        statements: list[ast.stmt] = []
        for target, name in sorted(new, key=lambda pair: (pair[0].module, pair[0].name or "")):
            if target.name is None:
                statements.append(ast.Import([ast.alias(target.module, name)]))
            else:
                statements.append(ast.ImportFrom(target.module, [ast.alias(target.name, name)], 0))
        return statements


def _candidates(target: Place | Import) -> list[str]:
    """Names for something of the runtime, the best one first."""
    if isinstance(target, Import):
        plain = target.name or target.module.replace(".", "_")
        return [f"_ss_rt_{plain}", f"_ss_rt_{target.module.replace('.', '_')}_{plain}"]
    plain = target.name.lstrip("_")
    own = [target.name] if target.module == "errors" and not target.name.startswith("_") else []
    return [*own, f"_ss_rt_{plain}", f"_ss_rt_{target.module.replace('.', '_')}_{plain}"]


class _Inlined(ast.NodeTransformer):
    """Replaces `_ss_rt.name` by the name that it has now, and takes out the import of the runtime."""

    def __init__(self, runtime: Runtime, names: _Names) -> None:
        self._runtime = runtime
        self._names = names
        self.used: list[Place | Import] = []

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        path = _path(node)
        if path is None:
            return self.generic_visit(node)
        target = self._runtime.exported(path)
        if target is None and len(path) > 1:
            return self.generic_visit(node)
        if target is None:
            raise ValueError(f"{PACKAGE} has no {path[0]}")
        self.used.append(target)
        return ast.copy_location(ast.Name(self._names.of(target), node.ctx), node)

    def visit_Import(self, node: ast.Import) -> ast.AST | None:
        node.names = [alias for alias in node.names if alias.name != PACKAGE]
        return node if node.names else None


def _path(node: ast.expr) -> list[str] | None:
    """The attributes after `_ss_rt`, or None if it doesn't start so."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return names if isinstance(node, ast.Name) and node.id == _RUNTIME and names else None


def _assembled(module: ast.Module, imports: list[ast.stmt], moved: list[ast.stmt]) -> ast.Module:
    """The new module: its docstring and imports, the runtime's parts, then the rest."""
    body = list(module.body)
    first: list[ast.stmt] = []
    if ast.get_docstring(module, clean=False) is not None:
        first.append(body.pop(0))
    # Annotations of the runtime may name what is only there for type checkers.
    first.append(ast.ImportFrom("__future__", [ast.alias("annotations")], 0))
    rest: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            continue
        (first if isinstance(statement, (ast.Import, ast.ImportFrom)) else rest).append(statement)
    whole = ast.Module(body=[*first, *imports, *moved, *rest], type_ignores=[])
    return ast.fix_missing_locations(whole)
