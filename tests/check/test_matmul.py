"""The types of matrix products, what becomes of their axes, and what is refused."""

from __future__ import annotations

import pytest

from shapescript_check import Checker
from shapescript_check.operations.flows import Contracted, Flow, Kept, Stretched
from shapescript_check.program import Program
from shapescript_check.typed.tree import Apply, ReturnValue
from shapescript_syntax.diagnostics import Diagnostic

DIMS = "dim D = 768\ndim H = 12\ndim Dh = D / H\n"


def checked(parameters: str, expression: str) -> Program:
    return Checker().check("f.ss", f"{DIMS}\nfn f({parameters}) = {expression}\n")


def refusal(parameters: str, expression: str) -> tuple[Diagnostic, str]:
    """The only diagnostic, and the source it points at."""
    program = checked(parameters, expression)
    assert len(program.diagnostics) == 1, [str(d) for d in program.diagnostics]
    found = program.diagnostics[0]
    return found, program.source.text[found.span.start : found.span.end]


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        ("x: [n D], y: [D m]", "x @ y", "[n m]"),
        ("x: [D], y: [D]", "x @ y", "[]"),
        ("x: [D], y: [D m]", "x @ y", "[m]"),
        ("x: [b n D], y: [D]", "x @ y", "[b n]"),
        ("x: [D], y: [b D m]", "x @ y", "[b m]"),
        ("x: [b n D], y: [D m]", "x @ y", "[b n m]"),
        ("x: [b n (H Dh)], y: [D D]", "x @ y", "[b n D]"),
        ("x: [b H n k], y: [b H k m]", "x @ y", "[b H n m]"),
        ("x: [b H n k], y: [H b k m]", "x @ y", "[b H n m]"),
        ("x: [b H n k], y: [b k m]", "x @ y", "[b H n m]"),
        ("x: [b n k], y: [b H k m]", "x @ y", "[b H n m]"),
        ("x: [b n k], y: [1 k m]", "x @ y", "[b n m]"),
        ("x: [n m], y: [m n]", "x @ y", "[n n]"),
        ("x: [n D] Unit bf16, y: [D m] bf16", "x @ y", "[n m] bf16"),
        ("x: [n D] bf16, y: [D m] bf16", "matmul(x, y, out=f32)", "[n m]"),
        ("x: [n D], y: [D m]", "x |> matmul(y)", "[n m]"),
    ],
)
def test_matmul_types(parameters: str, expression: str, expected: str) -> None:
    program = checked(parameters, expression)
    assert not program.diagnostics, [str(d) for d in program.diagnostics]
    assert str(program.bodies["f"].body.returns) == expected


@pytest.mark.parametrize(
    ("parameters", "expression", "code", "at"),
    [
        ("x: [n 3], y: [4 5]", "x @ y", "E0401", "@"),
        ("x: [n], y: [m]", "matmul(x, y)", "E0401", "matmul"),
        ("x: [], y: [4 5]", "x @ y", "E0403", "x"),
        ("x: [n 3], y: []", "x @ y", "E0403", "y"),
        ("x: [n 3]", "x @ 2.0", "E0403", "2.0"),
        ("x: Real, y: [n m]", "x @ y", "E0403", "x"),
        ("x: [b n D], y: [c D m]", "x @ y", "E0404", "@"),
        ("x: [n D], y: [D m] bf16", "x @ y", "E0502", "y"),
        ("x: [n D] Mask, y: [D m]", "x @ y", "E0505", "x"),
        ("x: [n D] bf16, y: [D m] bf16", "matmul(x, y, out=bf16)", "E0406", "out=bf16"),
        ("x: [n D] f64, y: [D m] f64", "matmul(x, y, out=f32)", "E0502", "x"),
    ],
)
def test_what_matmul_refuses(parameters: str, expression: str, code: str, at: str) -> None:
    found, source = refusal(parameters, expression)
    assert (found.code, source) == (code, at)


@pytest.mark.parametrize(
    ("parameters", "help"),
    [
        ("x: [n D], y: [D m] Mask", "y to Binary"),
        ("x: [n D], y: [D m] bf16", "y to f32"),
        ("x: [n D], y: [m D]", "rearrange(y, m D -> D m)"),
    ],
)
def test_helps_end_in_what_can_be_pasted(parameters: str, help: str) -> None:
    assert (refusal(parameters, "x @ y")[0].help or "").endswith(help)


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        (
            "x: [b n k], y: [1 k m]",
            "x @ y",
            (
                ((Kept(0),), (Kept(1),), (Contracted(1, 1),)),
                ((Stretched(0),), (Contracted(0, 2),), (Kept(2),)),
            ),
        ),
        (
            "x: [k], y: [b k m]",
            "x @ y",
            (((Contracted(1, 1),),), ((Kept(0),), (Contracted(0, 0),), (Kept(1),))),
        ),
        ("x: [b k], y: [k]", "x @ y", (((Kept(0),), (Contracted(1, 0),)), ((Contracted(0, 1),),))),
    ],
)
def test_what_becomes_of_axes(
    parameters: str, expression: str, expected: tuple[tuple[tuple[Flow, ...], ...], ...]
) -> None:
    (statement,) = checked(parameters, expression).bodies["f"].body.statements
    assert isinstance(statement, ReturnValue)
    assert isinstance(statement.value, Apply)
    assert statement.value.operation.flows(statement.value) == expected
