"""What generated code reads of its arguments' shapes where nothing is checked: the sizes that the body uses."""

from __future__ import annotations

import ast

import pytest

from shapescript_check import Checker, codegen
from shapescript_check.codegen import Options

CASES = [
    ("fn f(x: [b n], y: [n b]) -> [b n] = x + y", ["return x + y.mT"]),
    ("fn f(x: [b n], y: [n]) -> [] = sum(x * y) / n", ["b, n = x.shape", "return (x * y).sum() / n"]),
    (
        "fn f(x: [(g 4)], y: [(g k)]) -> int = k",
        ["_ss_1, = x.shape", "_ss_2, = y.shape", "g = _ss_1 // 4", "k = _ss_2 // g", "return k"],
    ),
    ("fn f(x: [16h 16w], y: [h]) -> int = w", ["_ss_1, _ss_2 = x.shape", "w = _ss_2 // 16", "return w"]),
]


@pytest.mark.parametrize(("source", "body"), CASES)
def test_only_what_the_body_uses_is_read(source: str, body: list[str]) -> None:
    program = Checker().check("reads.ss", f"devices cpu\n\n{source}\n")
    assert not program.diagnostics
    module = codegen.generate(program, Options(checks="off", value_checks="off"))
    function = next(n for n in module.body if isinstance(n, ast.FunctionDef))
    assert [ast.unparse(statement) for statement in function.body[1:]] == body
