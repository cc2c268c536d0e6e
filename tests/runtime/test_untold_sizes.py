"""Sizes that the shapes of a function's arguments don't tell: a call in ShapeScript gives them, Python may have to."""

from __future__ import annotations

from types import ModuleType

import pytest
import torch

import shapescript

IDS = torch.tensor([0, 2])


@pytest.fixture(scope="module")
def program() -> ModuleType:
    return shapescript.compile(
        """\
fn hot(ids: [b] Index[V]) -> [b V] Binary = one_hot(ids)
fn turned(ids: [b] Index[V]) -> [b] Index[V] = flip(ids, over=b)
fn chosen(x: [b V], ids: [b] Index[V]) -> [b V] = x * hot(turned(ids))
fn passed_on(ids: [b] Index[V]) -> [b V] Binary = hot(turned(ids))
fn grid(x: [h*w]) -> [h w] = zeros([h w])
fn in_any_order(x: [a*b], y: [b*c], z: [c+1]) -> [a b c] = zeros([a b c])
""",
        "untold.ss",
        devices="cpu",
    )


def test_a_call_in_shapescript_gives_what_types_tell(program: ModuleType) -> None:
    assert program.chosen(torch.ones(2, 4), IDS).tolist() == [[0, 0, 1, 0], [1, 0, 0, 0]]


def test_python_gives_a_size_by_its_name(program: ModuleType) -> None:
    assert program.hot(IDS, V=3).tolist() == [[1, 0, 0], [0, 0, 1]]
    assert program.passed_on(IDS, V=5).shape == (2, 5)
    assert program.grid(torch.ones(6), h=2, w=3).shape == (2, 3)


def test_a_size_that_is_needed_is_asked_for(program: ModuleType) -> None:
    with pytest.raises(shapescript.ShapeError, match=r"`hot` needs the size `V`.*hot\(\.\.\., V=8\)"):
        program.hot(IDS)
    with pytest.raises(shapescript.ShapeError, match="needs the size `h`"):
        program.grid(torch.ones(6))


def test_a_size_that_only_bounds_indices_need_not_be_given(program: ModuleType) -> None:
    assert program.turned(IDS).tolist() == [2, 0]
    with pytest.raises(shapescript.DomainError, match="value -1"):
        program.turned(torch.tensor([-1]))
    with pytest.raises(shapescript.DomainError, match="value 2 at"):
        program.turned(IDS, V=2)


def test_sizes_are_read_in_whatever_order_tells_them(program: ModuleType) -> None:
    assert program.in_any_order(torch.ones(6), torch.ones(12), torch.ones(5)).shape == (2, 3, 4)
