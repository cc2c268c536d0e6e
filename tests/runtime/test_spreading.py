"""A call of an elementwise function has the shape of all its arguments, whichever of them the body uses."""

from __future__ import annotations

from types import ModuleType

import pytest
import torch

import shapescript

X, Y = torch.ones(2, 3), torch.arange(3.0)


@pytest.fixture(scope="module")
def program() -> ModuleType:
    return shapescript.compile(
        """\
fn second(x: Real, y: Real) -> Real = y
fn one(x: Real) -> Real = 1.0
fn renewed(x: Real, y: Real) -> Real:
    x = y + 1
    return x
fn either(x: Real, y: Real, first: bool) -> Real:
    z = y
    if first:
        z = x
    return z
fn both(x: Real, y: Real) -> Real:
    for i in 0..2:
        y = x + y
    return second(y, x)
fn called(a: [n m], b: [m]) -> [n m] = second(a, b)
""",
        "spreading.ss",
        devices="cpu",
    )


def test_the_result_has_every_arguments_shape(program: ModuleType) -> None:
    assert program.called(X, Y).tolist() == [[0, 1, 2], [0, 1, 2]]
    assert program.second(X, Y).shape == (2, 3)
    assert program.one(X).tolist() == [[1, 1, 1], [1, 1, 1]]
    assert program.renewed(X, Y).tolist() == [[1, 2, 3], [1, 2, 3]]


@pytest.mark.parametrize("first", [True, False])
def test_whichever_way_a_block_goes(program: ModuleType, first: bool) -> None:
    assert program.either(X, Y, first).shape == (2, 3)
    assert program.either(Y, X, first).shape == (2, 3)
    assert program.both(Y, X).shape == (2, 3)


def test_numbers_have_no_shape(program: ModuleType) -> None:
    assert program.second(1.0, Y).shape == (3,)
