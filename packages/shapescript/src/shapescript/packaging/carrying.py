"""Compiled code as a wheel carries it: Python's source, where its nodes are in the .ss file, and what decided it."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import shapescript_runtime
from shapescript import __version__
from shapescript.importing.finding import STANDARD
from shapescript.modes import DEFAULT
from shapescript_check.codegen import Options, files_of_functions, generate
from shapescript_runtime.built import Built, digest
from shapescript_runtime.positions import encode, place_of, placed_nodes

if TYPE_CHECKING:
    from shapescript_check.program import Program

_ROOT = "<site-packages>"


def is_standard(module: str) -> bool:
    """Whether an import is of the standard library, which comes with the compiler."""
    return module.startswith(STANDARD)


def standard_place(module: str) -> str:
    """The path of a standard library's file below the folder of the package shapescript."""
    return f"{module.replace('.', '/')}.ss"


class Carrier:
    """Makes compiled code for a wheel that is unpacked in the folder `root`."""

    def __init__(self, root: str) -> None:
        # Everything will be in one folder where the wheel is installed, and is in several here.
        self._folders = [root, *(os.path.abspath(folder) for folder in sys.path if folder)]

    def built(self, program: Program, file: str) -> Built:
        """The code of a checked program.

        Arguments:
            program: the program, without errors.
            file: where it will be, below the folder that the wheel is installed in, with `/`.
        """
        text = program.source.text
        root = _ROOT
        while root in text:
            root = f"<{root}>"
        names = self._names(program, file, root)
        options = Options(checks=DEFAULT.checks, value_checks=DEFAULT.value_checks)
        tree = _Renamed(names).visit(generate(program, options))
        python, positions = _written(tree)
        return Built(
            compiler=__version__,
            runtime=shapescript_runtime.__version__,
            modes=(DEFAULT.checks, DEFAULT.value_checks),
            root=root,
            file=file,
            files=_digests(program),
            functions={name: names[path] for name, path in files_of_functions(program).items()},
            python=python,
            positions=positions,
        )

    def _names(self, program: Program, file: str, root: str) -> dict[str, str]:
        """What the paths of files become in the code, which must not say where the wheel was built."""
        others = [*(i.source.path for i in program.instances), *(f.found.path for f in program.imports.files)]
        names = {path: f"{root}/{self._inside(path)}" for path in others}
        return {**names, program.source.path: f"{root}/{file}"}

    def _inside(self, path: str) -> str:
        for folder in self._folders:
            if path.startswith(folder + os.sep):
                return os.path.relpath(path, folder).replace(os.sep, "/")
        return os.path.basename(path)


class _Renamed(ast.NodeTransformer):
    """Replaces the paths of files in the code's strings, which say where a check stands."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = sorted(names.items(), key=lambda pair: -len(pair[0]))

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, str):
            for path, name in self._names:
                node.value = node.value.replace(path, name)
        return node


def _digests(program: Program) -> dict[str, str]:
    """Digests of the file and of those that it imports, by the words of the `import`."""
    paths = {"": program.source.path} | {f.module: f.found.path for f in program.imports.files}
    found = {}
    for module, path in paths.items():
        with open(path, "rb") as file:
            found[module] = digest(file.read())
    return found


def _written(tree: ast.Module) -> tuple[str, str]:
    """A module as text, and the places of the nodes that the text is read as."""
    text = ast.unparse(tree)
    parsed = ast.parse(text)
    _transfer(tree, parsed)
    return text, encode([place_of(node) for node in placed_nodes(parsed)])


def _transfer(written: ast.AST, parsed: ast.AST) -> None:
    """Gives the nodes of a tree that was parsed the places of those that it was written from.

    Where the two differ, as for -1, which may be written as one node and is read as two, all of it has one place.
    """
    pairs = [(written, parsed)]
    while pairs:
        old, new = pairs.pop()
        if new._attributes:
            ast.copy_location(new, old)
        inner = _inner(old, new)
        if inner is None:
            for node in ast.walk(new):
                if node._attributes:
                    ast.copy_location(node, old)
        else:
            pairs += inner


def _inner(old: ast.AST, new: ast.AST) -> list[tuple[ast.AST, ast.AST]] | None:
    """The nodes inside two nodes, in pairs, or None if they aren't the same."""
    if type(old) is not type(new):
        return None
    found: list[tuple[ast.AST, ast.AST]] = []
    for name in new._fields:
        olds, news = _nodes(getattr(old, name, None)), _nodes(getattr(new, name, None))
        if len(olds) != len(news):
            return None
        found += zip(olds, news, strict=True)
    return found


def _nodes(value: object) -> list[ast.AST]:
    values: Iterable[object] = value if isinstance(value, list) else [value]
    return [v for v in values if isinstance(v, ast.AST)]
