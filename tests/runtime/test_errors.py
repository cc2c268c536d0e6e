"""The exceptions that checks raise."""

from __future__ import annotations

import copy
import pickle

import pytest

import shapescript_runtime as rt

ERRORS = (rt.ShapeError, rt.DomainError, rt.DeviceError)


def test_they_are_pythons_own_kinds_of_error() -> None:
    assert issubclass(rt.ShapeError, ValueError)
    assert issubclass(rt.DomainError, ValueError)
    assert issubclass(rt.DeviceError, RuntimeError)
    assert not issubclass(rt.ShapeError, rt.DomainError)


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))]
)
def test_copies_and_pickles_are_equal(kind: type[rt.ShapeError], duplicate: object) -> None:
    error = kind("too wide", location="a.ss:1:2", argument="x", expected="[n]", got="shape (2, 3)")
    other = duplicate(error)  # type: ignore[operator]
    assert type(other) is kind
    assert str(other) == str(error) == "a.ss:1:2: too wide"
    assert vars(other) == vars(error)
    assert other.args == error.args


@pytest.mark.parametrize("kind", ERRORS)
def test_without_a_location_the_text_is_the_message(kind: type[rt.ShapeError]) -> None:
    error = kind("too wide")
    assert str(error) == error.message == "too wide"
    assert (error.location, error.argument, error.expected, error.got) == (None, None, None, None)
