"""Fixtures of the training tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import shapescript_runtime as rt
from shapescript_runtime import declared


@pytest.fixture(autouse=True)
def cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that runs on the CPU, whatever other tests declared."""
    monkeypatch.setattr(declared, "_declaration", None)
    monkeypatch.setattr(declared, "_device", None)
    rt.devices("cpu")


@pytest.fixture
def no_workers() -> Iterator[None]:
    """Datasets are loaded by this process."""
    before = rt.loader_workers(0)
    yield
    rt.loader_workers(before)


@pytest.fixture
def one_worker() -> Iterator[None]:
    """Datasets are loaded by one worker. Each takes seconds to start, since it imports torch."""
    before = rt.loader_workers(1)
    yield
    rt.loader_workers(before)
