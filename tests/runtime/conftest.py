"""Fixtures of the runtime's tests."""

from __future__ import annotations

import pytest

import shapescript_runtime as rt
from shapescript_runtime import declared


@pytest.fixture
def undeclared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that hasn't declared its devices. What other tests declared is back afterwards."""
    monkeypatch.setattr(declared, "_declaration", None)
    monkeypatch.setattr(declared, "_device", None)


@pytest.fixture
def cpu(undeclared: None) -> None:
    """A program that runs on the CPU."""
    rt.devices("cpu")
