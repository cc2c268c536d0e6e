"""Calling a compiled function with arguments that don't fit its signature."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import ones

import shapescript_runtime as rt
from shapescript_runtime import AxisSpec, Parameter, Signature
from tests.runtime.generated import grouped, heads, patches, project, scalar, shifted

pytestmark = pytest.mark.usefixtures("cpu")

W = ones(768, 2304)


def refused(function: object, *arguments: object) -> rt.ShapeError:
    with pytest.raises(rt.ShapeError) as raised:
        function(*arguments)  # type: ignore[operator]
    return raised.value


def test_arguments_that_fit_are_taken() -> None:
    mask = ones(5, 7, dtype=torch.bool)
    assert project(ones(2, 5, 768), W, mask).shape == (10, 3)
    assert heads(ones(2, 5, 64), ones(4, 16)).shape == (2, 5, 4, 16)
    assert patches(ones(1, 224, 32)).shape == (1, 14, 16, 2, 16)
    assert shifted(ones(5), ones(11), ones(4, 4)) == 4
    assert grouped(ones(6), ones(3, 5)) == 7
    assert scalar(torch.tensor(1.0)).shape == ()


def test_sizes_of_zero_fit() -> None:
    assert project(ones(0, 5, 768), W, ones(5, 0)).shape == (0, 3)
    assert heads(ones(2, 5, 0), ones(0, 16)).shape == (2, 5, 0, 16)
    assert shifted(ones(1), ones(3), ones(0, 0)) == 0


def test_parameters_and_subclasses_of_tensors_are_tensors() -> None:
    class Marked(torch.Tensor):
        pass

    assert scalar(torch.nn.Parameter(torch.tensor(1.0))).requires_grad
    assert isinstance(scalar(torch.tensor(1.0).as_subclass(Marked)), Marked)


def test_an_error_carries_its_parts() -> None:
    error = refused(project, ones(2, 5, 72), W, ones(5, 7))
    assert isinstance(error, ValueError)
    assert error.location == "layers.ss:3:12"
    assert error.argument == "x"
    assert error.expected == "[b n D] with D = 768"
    assert error.got == "shape (2, 5, 72)"
    assert str(error) == f"layers.ss:3:12: {error.message}"


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        pytest.param(
            project,
            (ones(2, 5, 72), W, ones(5, 7)),
            "argument `x` of `project` should be [b n D] with D = 768, got shape (2, 5, 72): "
            "axis 3 is 72, not D = 768",
            id="dim",
        ),
        pytest.param(
            project,
            (ones(2, 5, 768), ones(768, 768), ones(5, 7)),
            "argument `w` of `project` should be [D 3*D] with D = 768, got shape (768, 768): "
            "axis 2 is 768, not 3*D = 2304",
            id="multiple of a dim",
        ),
        pytest.param(
            project,
            (ones(5, 768), W, ones(5, 7)),
            "argument `x` of `project` should be [b n D] with D = 768, got shape (5, 768): 2 axes, not 3",
            id="rank",
        ),
        pytest.param(
            project,
            (ones(768), W, ones(5, 7)),
            "argument `x` of `project` should be [b n D] with D = 768, got shape (768,): 1 axis, not 3",
            id="rank 1",
        ),
        pytest.param(
            project,
            (ones(2, 5, 768), W, ones(4, 7)),
            "argument `mask` of `project` should be [n m] Mask, got shape (4, 7): "
            "axis 1 is 4, but n is 5, from axis 2 of `x`",
            id="generic size that two arguments disagree on",
        ),
        pytest.param(
            heads,
            (ones(2, 5, 72), ones(4, 16)),
            "argument `x` of `heads` should be [b n (h Dh)], whose axis 3 is a multiple of Dh = 16, "
            "got shape (2, 5, 72): 72 isn't divisible by 16",
            id="group with a dim",
        ),
        pytest.param(
            heads,
            (ones(2, 5, 64), ones(3, 16)),
            "argument `w` of `heads` should be [h Dh] with Dh = 16, got shape (3, 16): "
            "axis 1 is 3, but h is 4, from axis 3 of `x`",
            id="generic size read from a group",
        ),
        pytest.param(
            patches,
            (ones(1, 224, 225),),
            "argument `img` of `patches` should be [b 16gh 16gw], whose axis 3 is a multiple of 16, "
            "got shape (1, 224, 225): 225 isn't divisible by 16",
            id="grouped size",
        ),
        pytest.param(
            shifted,
            (ones(0), ones(11), ones(4, 4)),
            "argument `x` of `shifted` should be [n+1], whose axis 1 is at least 1, got shape (0,): "
            "0 is less than 1",
            id="sum, too small",
        ),
        pytest.param(
            shifted,
            (ones(5), ones(12), ones(4, 4)),
            "argument `y` of `shifted` should be [2*n+3], got shape (12,): "
            "axis 1 is 12, not 2*n+3 = 11, where n = 4 is axis 1 of `x`",
            id="expression of a known size",
        ),
        pytest.param(
            shifted,
            (ones(5), ones(11), ones(4, 5)),
            "argument `z` of `shifted` should be [n n], got shape (4, 5): "
            "axis 2 is 5, but n is 4, from axis 1 of `x`",
            id="the same name twice",
        ),
        pytest.param(
            grouped,
            (ones(7), ones(3, 5)),
            "argument `y` of `grouped` should be [(g h)], whose axis 1 is a multiple of g = 3, got shape "
            "(7,): 7 isn't divisible by 3, where g = 3 is axis 1 of `x`",
            id="group whose other name comes later",
        ),
        pytest.param(
            grouped,
            (ones(7), ones(0, 5)),
            "argument `y` of `grouped` should be [(g h)], got shape (7,): "
            "axis 1 is 7, not (g h) = 0, where g = 0 is axis 1 of `x`",
            id="group with a size of 0",
        ),
        pytest.param(
            grouped,
            (ones(0), ones(0, 5)),
            "argument `y` of `grouped` should be [(g h)], got shape (0,): "
            "h can't be read from axis 1, (g h), where g = 0 is axis 1 of `x`",
            id="group that any size would fit",
        ),
        pytest.param(
            scalar,
            (ones(1),),
            "argument `s` of `scalar` should be [], got shape (1,): 1 axis, not 0",
            id="scalar",
        ),
    ],
)
def test_shapes_that_do_not_fit(function: object, arguments: tuple[object, ...], message: str) -> None:
    assert refused(function, *arguments).message == message


@pytest.mark.parametrize(
    ("value", "got"),
    [
        (None, "None, which isn't a tensor"),
        (3, "the int 3, which isn't a tensor: make one of it with torch.tensor"),
        (0.5, "the float 0.5, which isn't a tensor: make one of it with torch.tensor"),
        (True, "the bool True, which isn't a tensor: make one of it with torch.tensor"),
        ("abc", "a value of type str, which isn't a tensor"),
        ([1.0, 2.0], "a value of type list, which isn't a tensor"),
        (torch.nn.Linear(2, 2), "a value of type Linear, which isn't a tensor"),
        (
            np.ones((2, 5, 768)),
            "a NumPy array of shape (2, 5, 768), which isn't a tensor: make one of it with torch.from_numpy",
        ),
        (np.float64(1.5), "a NumPy float64, which isn't a tensor: make one of it with torch.tensor"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_that_are_no_tensors(value: object, got: str) -> None:
    message = refused(project, value, W, ones(5, 7)).message
    assert message == f"argument `x` of `project` should be [b n D] with D = 768, got {got}"


def test_numpy_arrays_are_refused_even_where_every_shape_fits() -> None:
    assert "a NumPy array" in refused(grouped, np.ones(6), np.ones((3, 5))).message
    assert "a NumPy array" in refused(scalar, np.array(1.0)).message


def test_the_first_argument_that_is_wrong_is_named() -> None:
    assert refused(project, ones(2, 5, 768), ones(1), ones(4, 7)).argument == "w"
    assert refused(project, ones(1), None, None).argument == "x"


def test_a_tensor_on_another_device() -> None:
    with pytest.raises(rt.DeviceError) as raised:
        heads(ones(2, 5, 64), ones(4, 16, device="meta"))
    assert str(raised.value) == (
        "layers.ss:7:27: argument `w` of `heads` should be on the declared device, cpu, got a tensor on "
        'meta: nothing is moved for you, so pass w.to("cpu")'
    )
    assert (raised.value.argument, raised.value.expected, raised.value.got) == ("w", "cpu", "meta")


def test_a_refusal_never_lets_the_call_go_on() -> None:
    signature = Signature("f", (Parameter("x", "a.ss:1:6", "[n]", (AxisSpec("n", 0, ((1, ("n",)),)),)),))
    with pytest.raises(rt.ShapeError) as raised:
        rt.refuse_arguments(signature, ones(3))
    assert str(raised.value) == (
        "a.ss:1:6: `f` refused its arguments, though each of them fits its type now: another thread may have "
        "changed one during the call, or one is a tensor subclass whose shape or device varies"
    )


def axis_error(axis: AxisSpec, size: int, dims: tuple[tuple[str, int], ...] = ()) -> str:
    signature = Signature("f", (Parameter("x", "a.ss:1:6", f"[{axis.text}]", (axis,)),), dims)
    with pytest.raises(rt.ShapeError) as raised:
        rt.refuse_arguments(signature, ones(size))
    return raised.value.message.removeprefix("argument `x` of `f` should be ")


@pytest.mark.parametrize(
    ("axis", "size", "dims", "message"),
    [
        (
            AxisSpec("16*h+3", 3, ((16, ("h",)),)),
            20,
            (),
            "[16*h+3], whose axis 1 is 3 more than a multiple of 16, got shape (20,): "
            "17 isn't divisible by 16",
        ),
        (
            AxisSpec("16*h+3", 3, ((16, ("h",)),)),
            2,
            (),
            "[16*h+3], whose axis 1 is 3 more than a multiple of 16, got shape (2,): 2 is less than 3",
        ),
        (
            AxisSpec("2*n-1", -1, ((2, ("n",)),)),
            4,
            (),
            "[2*n-1], whose axis 1 is 1 less than a multiple of 2, got shape (4,): 5 isn't divisible by 2",
        ),
        (
            AxisSpec("10-n", 10, ((-1, ("n",)),)),
            11,
            (),
            "[10-n], whose axis 1 is 10-n, got shape (11,): no whole n of at least 0 makes that 11",
        ),
        (
            AxisSpec("(h H Dh)", 0, ((192, ("h",)),)),
            200,
            (("D", 768), ("Dh", 16), ("H", 12)),
            "[(h H Dh)] with H = 12, Dh = 16, whose axis 1 is a multiple of H*Dh = 192, got shape (200,): "
            "200 isn't divisible by 192",
        ),
        (
            AxisSpec("2*Dh*h", 0, ((32, ("h",)),)),
            33,
            (("Dh", 16),),
            "[2*Dh*h] with Dh = 16, whose axis 1 is a multiple of 32, got shape (33,): "
            "33 isn't divisible by 32",
        ),
        (
            AxisSpec("vision.D", 8),
            9,
            (("vision.D", 8),),
            "[vision.D] with vision.D = 8, got shape (9,): axis 1 is 9, not vision.D = 8",
        ),
        (AxisSpec("196", 196), 195, (), "[196], got shape (195,): axis 1 is 195, not 196"),
    ],
    ids=lambda value: value.text if isinstance(value, AxisSpec) else "",
)
def test_which_sizes_fit(axis: AxisSpec, size: int, dims: tuple[tuple[str, int], ...], message: str) -> None:
    assert axis_error(axis, size, dims) == message


def test_an_axis_of_two_names_that_nothing_determines_takes_any_size() -> None:
    axis = AxisSpec("(h w)", 0, ((1, ("h", "w")),))
    assert "refused its arguments, though each of them fits" in axis_error(axis, 7)


@pytest.mark.parametrize(
    ("size", "coefficient", "constant", "solution"),
    [
        (64, 16, 0, 4),
        (0, 16, 0, 0),
        (72, 16, 0, None),
        (5, 1, 3, 2),
        (3, 1, 3, 0),
        (2, 1, 3, None),
        (7, -1, 9, 2),
    ],
)
def test_solving_an_axis(size: int, coefficient: int, constant: int, solution: int | None) -> None:
    assert rt.solve_axis(size, coefficient, constant) == solution
