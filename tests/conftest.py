"""Settings that hold for every test."""

from __future__ import annotations

import os
import sys
import zlib

# Trees and types are never changed after they are made: under test that is enforced. Set before the compiler loads.
os.environ.setdefault("SHAPESCRIPT_FREEZE", "1")
# Models of transformers are made from configurations: no test fetches anything.
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import pytest
from hypothesis import settings

# A deadline per example is an assertion about the machine, not about the code.
settings.register_profile("shapescript", deadline=None)
settings.load_profile("shapescript")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-snapshots",
        action="store_true",
        default=False,
        help="rewrite the snapshots of tests/language, and what pages of docs/ print, instead of comparing with them",
    )


@pytest.fixture
def update_snapshots(request: pytest.FixtureRequest) -> bool:
    """Whether snapshots are written."""
    return bool(request.config.getoption("--update-snapshots"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips the tests marked `gpu` where there is no CUDA device. torch is loaded only if there are any."""
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if not marked:
        return
    import torch

    if not torch.cuda.is_available():
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="no CUDA device"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test draws the same numbers each time, whatever ran before it. torch is not loaded for this."""
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(zlib.crc32(item.nodeid.encode()))
