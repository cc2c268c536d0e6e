"""Example modules, imported as their users would."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch

import shapescript

EXAMPLES = Path(__file__).parents[2] / "examples"


def compiled(name: str, **options: str) -> ModuleType:
    """The module of an example."""
    path = EXAMPLES / f"{name}.ss"
    return shapescript.compile(path.read_text(encoding="utf-8"), str(path), **options)


@pytest.fixture(scope="session")
def attention() -> ModuleType:
    return compiled("attention")


@pytest.fixture(scope="session")
def patches() -> ModuleType:
    return compiled("patches")


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Small operations take many times as long on several threads where the machine has other work."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
