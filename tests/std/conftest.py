"""The standard library's modules, imported as their users would."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from types import ModuleType

import pytest
import torch

import shapescript


def imported(name: str) -> ModuleType:
    """A module of the standard library, by the import hook."""
    shapescript.devices("cpu")
    shapescript.install()
    try:
        return importlib.import_module(f"shapescript.std.{name}")
    finally:
        shapescript.uninstall()


@pytest.fixture(scope="session")
def layers() -> ModuleType:
    return imported("layers")


@pytest.fixture(scope="session")
def metrics() -> ModuleType:
    return imported("metrics")


@pytest.fixture(autouse=True)
def _draws_repeat() -> Iterator[None]:
    """Each test draws the same numbers whatever ran before it, and leaves torch's state as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield
