"""Which names in a piece of Python mean something at the top level of its module."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TypeVar

_Comprehension = TypeVar("_Comprehension", ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_Function = TypeVar("_Function", ast.FunctionDef, ast.AsyncFunctionDef)


class GlobalNames(ast.NodeTransformer):
    """Passes every use of a global name through a function, which may give another name for it.

    Names that a function, a class body or a comprehension binds for itself are left alone. A relative import
    inside a function counts as one at the top level, and is taken out.
    """

    def __init__(self, rename: Callable[[str], str]) -> None:
        self._rename = rename
        self._scopes: list[tuple[str, set[str]]] = []

    def _name(self, name: str) -> str:
        for depth, (kind, bound) in enumerate(self._scopes, start=1):
            # What a class binds is seen in its body, not in its methods.
            if name in bound and (kind == "function" or depth == len(self._scopes)):
                return name
        return self._rename(name)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._name(node.id)
        return node

    def visit_Global(self, node: ast.Global) -> ast.AST:
        node.names = [self._rename(name) for name in node.names]
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        return ast.Pass() if node.level else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def _function(self, node: _Function) -> _Function:
        node.name = self._name(node.name)
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        node.args = self.visit(node.args)
        if node.returns is not None:
            node.returns = self.visit(node.returns)
        self._inside("function", _parameters(node.args) | _bound(node.body), node.body)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        node.args = self.visit(node.args)
        self._scopes.append(("function", _parameters(node.args)))
        node.body = self.visit(node.body)
        self._scopes.pop()
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = self._name(node.name)
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        node.bases = [self.visit(base) for base in node.bases]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        self._inside("class", _bound(node.body), node.body)
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        return self._comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        return self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        return self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        return self._comprehension(node)

    def _comprehension(self, node: _Comprehension) -> ast.AST:
        bound: set[str] = set()
        for generator in node.generators:
            bound |= {n.id for n in ast.walk(generator.target) if isinstance(n, ast.Name)}
        self._scopes.append(("function", bound))
        visited = self.generic_visit(node)
        self._scopes.pop()
        return visited

    def _inside(self, kind: str, bound: set[str], body: list[ast.stmt]) -> None:
        self._scopes.append((kind, bound))
        body[:] = [self.visit(statement) for statement in body]
        self._scopes.pop()


def _parameters(arguments: ast.arguments) -> set[str]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return {argument.arg for argument in every}


def _bound(body: Iterable[ast.stmt]) -> set[str]:
    """The names that statements bind in their own scope."""
    names: set[str] = set()
    elsewhere: set[str] = set()
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names.add(node.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            elsewhere.update(node.names)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)) and not getattr(node, "level", 0):
            names.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
        if not isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            waiting.extend(ast.iter_child_nodes(node))
    return names - elsewhere
