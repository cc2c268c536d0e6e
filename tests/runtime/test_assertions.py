"""Claims with `as` about shapes and host scalars."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import ones

import shapescript_runtime as rt

DIMS = (("D", 768), ("H", 12))


def shape_error(value: object, expected: tuple[int | str | None, ...], text: str) -> rt.ShapeError:
    with pytest.raises(rt.ShapeError) as raised:
        rt.check_shape(value, expected, text, "a.ss:4:9", DIMS)
    return raised.value


@pytest.mark.parametrize(
    "expected", [(196, 768), (None, 768), (None, None), ("?k", 768), ("?k", "?j"), (196, None)]
)
def test_a_tensor_of_the_shape_comes_back(expected: tuple[int | str | None, ...]) -> None:
    value = ones(196, 768)
    assert rt.check_shape(value, expected, "[196 D]", "a.ss:4:9", DIMS) is value


def test_a_scalar_and_the_same_unknown_size_twice() -> None:
    assert rt.check_shape(torch.tensor(2.0), (), "[]", "a.ss:4:9").item() == 2.0
    assert rt.check_shape(ones(3, 5, 3), ("?k", None, "?k"), "[?k ?j ?k]", "a.ss:4:9").shape == (3, 5, 3)


@pytest.mark.parametrize(
    ("value", "expected", "text", "message"),
    [
        (
            ones(195, 768),
            (196, 768),
            "[196 D]",
            "[196 D] with D = 768, got shape (195, 768): axis 1 is 195, not 196",
        ),
        (
            ones(196, 768),
            (196, 2304),
            "[196 3*D]",
            "[196 3*D] with D = 768, got shape (196, 768): axis 2 is 768, not 3*D = 2304",
        ),
        (
            ones(4, 7),
            (5, None),
            "[b ?k]",
            "[b ?k], got shape (4, 7): axis 1 is 4, not b = 5",
        ),
        (
            ones(4, 60),
            (4, 5 * 12),
            "[b (n H)] Unit bf16",
            None,
        ),
        (
            ones(4, 61),
            (4, 5 * 12),
            "[b (n H)] Unit bf16",
            "[b (n H)] Unit bf16 with H = 12, got shape (4, 61): axis 2 is 61, not (n H) = 60",
        ),
        (
            ones(3, 4),
            ("?k", "?k"),
            "[?k ?k]",
            "[?k ?k], got shape (3, 4): axis 2 is 4, but ?k is 3, from axis 1",
        ),
        (ones(3), (3, 768), "[n D]", "[n D] with D = 768, got shape (3,): 1 axis, not 2"),
        (ones(3, 768, 1), (3, 768), "[n D]", "[n D] with D = 768, got shape (3, 768, 1): 3 axes, not 2"),
        (ones(3, 4), (3, 5), "[n n + 1]", "[n n + 1], got shape (3, 4): axis 2 is 4, not 5"),
        ([1, 2], (2,), "[2]", "[2], got a value of type list, which isn't a tensor"),
        (None, (2,), "[2]", "[2], got None, which isn't a tensor"),
        (
            np.ones((2, 3)),
            (2, 3),
            "[2 3]",
            "[2 3], got a NumPy array of shape (2, 3), which isn't a tensor: "
            "make one of it with torch.from_numpy",
        ),
    ],
)
def test_shapes_that_do_not_fit(
    value: object, expected: tuple[int | str | None, ...], text: str, message: str | None
) -> None:
    if message is None:
        assert rt.check_shape(value, expected, text, "a.ss:4:9", DIMS) is value
        return
    error = shape_error(value, expected, text)
    assert str(error) == f"a.ss:4:9: the value asserted with `as` should be {message}"
    assert error.location == "a.ss:4:9"
    assert error.argument is None


def test_host_scalars_of_the_kind_come_back() -> None:
    assert rt.check_host(3, "int", "a.ss:1:1") == 3
    assert rt.check_host(2.5, "float", "a.ss:1:1") == 2.5
    assert rt.check_host(True, "bool", "a.ss:1:1") is True
    assert rt.check_host(np.float64(2.5), "float", "a.ss:1:1") == 2.5


def test_an_int_is_taken_for_a_float() -> None:
    value = rt.check_host(1, "float", "a.ss:1:1")
    assert value == 1
    assert isinstance(value, int)


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (True, "int", "an int, got the bool True"),
        (True, "float", "a float, got the bool True"),
        (2.0, "int", "an int, got the float 2.0"),
        (1, "bool", "a bool, got the int 1"),
        ("3", "int", "an int, got a value of type str"),
        (None, "float", "a float, got None"),
        (torch.tensor(3), "int", "an int, got a tensor of shape (); read its number with .item()"),
        (ones(2, 3), "float", "a float, got a tensor of shape (2, 3)"),
        (np.int64(3), "int", "an int, got a NumPy int64; read its number with .item()"),
        (np.bool_(True), "bool", "a bool, got a NumPy bool; read its number with .item()"),
        (np.ones(3), "float", "a float, got a NumPy ndarray"),
    ],
)
def test_values_of_another_kind(value: object, kind: str, message: str) -> None:
    with pytest.raises(rt.ShapeError) as raised:
        rt.check_host(value, kind, "a.ss:2:5")
    assert str(raised.value) == f"a.ss:2:5: the value asserted with `as` should be {message}"
    assert raised.value.location == "a.ss:2:5"
