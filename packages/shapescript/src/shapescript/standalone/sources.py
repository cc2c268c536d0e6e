"""The runtime's source text, taken apart into definitions without importing it."""

from __future__ import annotations

import ast
import copy
import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import NamedTuple

from shapescript.standalone.scoping import GlobalNames

PACKAGE = "shapescript_runtime"


class Import(NamedTuple):
    """`import module` if `name` is None, or `from module import name`, of something outside the runtime."""

    module: str
    name: str | None


class Place(NamedTuple):
    """A name at the top level of one of the runtime's modules."""

    module: str
    name: str


class Submodule(NamedTuple):
    """One of the runtime's modules, as a value: its names are said with its own before them."""

    module: str


@dataclass(eq=False)
class Definition:
    """A statement that binds names at the top level, and the global names that it uses."""

    module: str
    index: int
    node: ast.stmt
    uses: frozenset[str]


class _Module:
    """One file of the runtime: what each global name is, and which other files it imports."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.definitions: dict[str, Definition] = {}
        self.imports: dict[str, Import | Place | Submodule] = {}
        tree = ast.parse(text)
        self.needed_first = [
            node.module
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and node.level and node.module
        ]
        """The files that this one imports when it runs, not only inside functions."""
        for index, statement in enumerate(tree.body):
            self._add(index, statement)
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self._add_import(node)

    def _add(self, index: int, statement: ast.stmt) -> None:
        for name in _defined(statement, self.name):
            if name in self.definitions:
                raise ValueError(f"{PACKAGE}.{self.name} defines {name} twice")
            self.definitions[name] = Definition(self.name, index, statement, _global_uses(statement))

    def _add_import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            bound = alias.asname or alias.name
            if isinstance(node, ast.Import):
                if alias.asname is None and "." in alias.name:
                    bound = alias.name.partition(".")[0]
                self.imports[bound] = Import(alias.name if alias.asname else bound, None)
            elif node.level and node.module is None:
                self.imports[bound] = Submodule(alias.name)
            elif node.level:
                self.imports[bound] = Place(node.module or "", alias.name)
            elif node.module != "__future__":
                self.imports[bound] = Import(node.module or "", alias.name)


class Runtime:
    """The runtime's modules, read when they are asked for.

    Raises:
        ValueError: from any method, if a module has something at its top level that can't be moved elsewhere.
    """

    def __init__(self) -> None:
        spec = find_spec(PACKAGE)
        if spec is None or not spec.submodule_search_locations:
            raise ValueError(f"{PACKAGE} isn't installed")
        self._folder = next(iter(spec.submodule_search_locations))
        self._modules: dict[str, _Module] = {}

    def exported(self, path: list[str]) -> Place | Import | None:
        """What `_ss_rt` with these attributes is: `["nn", "layer_norm"]` is `_ss_rt.nn.layer_norm`.

        None if that isn't exactly one definition: nothing is called so, or only a first part of the path is.
        """
        module = ""
        for index, name in enumerate(path):
            target = self.resolve(module, name)
            if not isinstance(target, Submodule):
                return target if index == len(path) - 1 else None
            module = target.module
        return None

    def resolve(self, module: str, name: str) -> Place | Import | Submodule | None:
        """What a global name of a module is, wherever it is defined; None for a built-in of Python."""
        found = self._module(module)
        if name in found.definitions:
            return Place(module, name)
        imported = found.imports.get(name)
        if isinstance(imported, Place):
            return self.resolve(imported.module, imported.name)
        return imported

    def definition(self, place: Place) -> Definition:
        """The statement that binds a name."""
        return self._module(place.module).definitions[place.name]

    def in_order(self, definitions: Iterable[Definition]) -> list[Definition]:
        """Definitions in an order in which they can run: that in which importing the modules runs them."""
        order: dict[str, int] = {}
        for definition in sorted(definitions, key=lambda d: d.module):
            self._visit(definition.module, order, set())
        return sorted(definitions, key=lambda d: (order[d.module], d.index))

    def _visit(self, module: str, order: dict[str, int], entered: set[str]) -> None:
        """Numbers a module after those that it imports when it runs."""
        if module in order or module in entered:
            return
        entered.add(module)
        for imported in self._module(module).needed_first:
            self._visit(imported, order, entered)
        order[module] = len(order)

    def _module(self, name: str) -> _Module:
        if name not in self._modules:
            # What the package offers is loaded on demand; its stub has the imports.
            path = os.path.join(self._folder, *(name.split(".") if name else ["__init__"]))
            path += ".py" if name else ".pyi"
            with open(path, encoding="utf-8") as file:
                self._modules[name] = _Module(name, file.read())
        return self._modules[name]


def _defined(statement: ast.stmt, module: str) -> list[str]:
    """The names that a top-level statement defines, leaving out what it imports."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [statement.name]
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    elif not isinstance(statement, (ast.Import, ast.ImportFrom)) and not _is_docstring(statement):
        raise ValueError(f"line {statement.lineno} of {PACKAGE}.{module} can't be moved into another module")
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _global_uses(statement: ast.stmt) -> frozenset[str]:
    used = set()

    def note(name: str) -> str:
        used.add(name)
        return name

    GlobalNames(note).visit(copy.deepcopy(statement))
    return frozenset(used)
