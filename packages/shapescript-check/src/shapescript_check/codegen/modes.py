"""Modes as they are passed on: each call extends the path that its random draws come from.

A path says the callee, how many times this call of the function has passed a mode to it before, and in which iteration
of which loops. Calls are counted while code is generated, in the order that they run in; after an `if` whose branches
count differently, counting goes on from the higher count, so that no two calls share a path.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from shapescript_check.operations.lowering import python
from shapescript_check.typed import tree as typed
from shapescript_check.typed.walk import parts_of
from shapescript_check.types.entities import ModeType

Counts = dict[str, int]


class ModePaths:
    """The calls that have passed a mode on so far, in the function being written."""

    def __init__(self) -> None:
        self._loops: list[str] = []
        self._counts: list[Counts] = [{}]
        self._earlier: dict[int, Counts] = {}
        """How often loops of each depth that are over have passed a mode to each callee."""

    def passed(self, mode: ast.expr, callee: str) -> ast.expr:
        """The mode with its path extended by a call of `callee`."""
        counts = self._counts[-1]
        count = counts.get(callee, 0)
        counts[callee] = count + 1
        call = python("m.call(f, n)", m=mode, f=callee, n=count)
        assert isinstance(call, ast.Call)
        call.args += [ast.Name(name, ast.Load()) for name in self._loops]
        return call

    @contextmanager
    def loop(self, name: str) -> Iterator[None]:
        """While the body of a loop is written, whose iteration the Python variable `name` tells."""
        depth = len(self._loops)
        start = dict(self._earlier.get(depth, {}))
        self._loops.append(name)
        self._counts.append(start)
        try:
            yield
        finally:
            self._loops.pop()
            self._earlier[depth] = self._counts.pop()

    def mark(self) -> Counts:
        """The counts now, to start the other branch of an `if` from."""
        return dict(self._counts[-1])

    def go_back(self, mark: Counts) -> Counts:
        """Counts from a mark again; gives the counts that were reached."""
        reached = self._counts[-1]
        self._counts[-1] = dict(mark)
        return reached

    def merge(self, reached: Counts) -> None:
        """Goes on after an `if`, one of whose branches reached other counts."""
        counts = self._counts[-1]
        for callee, count in reached.items():
            counts[callee] = max(count, counts.get(callee, 0))


def passes_mode(statements: tuple[typed.Statement, ...]) -> bool:
    """Whether a block passes a mode on anywhere in it."""
    stack: list[typed.Typed | tuple[typed.Statement, ...] | typed.Statement] = list(statements)
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack += node
            continue
        if isinstance(getattr(node, "type", None), ModeType):
            return True
        stack += parts_of(node)
    return False
