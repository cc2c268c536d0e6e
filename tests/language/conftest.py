"""The switch that rewrites snapshots."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-snapshots",
        action="store_true",
        default=False,
        help="rewrite the snapshots of tests/language instead of comparing with them",
    )


@pytest.fixture
def update_snapshots(request: pytest.FixtureRequest) -> bool:
    """Whether snapshots are written. The switch is known only where this folder is named on the command line."""
    return bool(request.config.getoption("--update-snapshots", default=False))
