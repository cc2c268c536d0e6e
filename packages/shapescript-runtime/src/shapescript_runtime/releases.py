"""Versions of ShapeScript's own packages, and which of two is older."""

from __future__ import annotations

import re

_VERSION = re.compile(r"(\d+(?:\.\d+)*)(?:(a|b|rc)(\d+))?(?:\.(dev)(\d+))?")
_FINAL = ("z", 0)  # after every pre-release


def order(version: str) -> tuple[tuple[int, ...], tuple[str, int], tuple[str, int]]:
    """What sorts as versions do: `0.2.0.dev1` before `0.2.0b1` before `0.2.0`.

    Raises:
        ValueError: if it isn't a version as our packages have them.
    """
    found = _VERSION.match(version)
    if found is None:
        raise ValueError(f"{version!r} isn't a version")
    release, phase, number, dev, dev_number = found.groups()
    numbers = tuple(int(part) for part in release.split("."))
    while numbers and numbers[-1] == 0:
        numbers = numbers[:-1]
    early = _FINAL if phase is None else (phase, int(number))
    if dev is None:
        return numbers, early, _FINAL
    # A development version of a release comes before its pre-releases.
    return numbers, ("", 0) if phase is None else early, ("dev", int(dev_number))


def is_older(version: str, other: str) -> bool:
    """Whether a version comes before another."""
    return order(version) < order(other)


def minor(version: str) -> tuple[int, int]:
    """The first two numbers of a version: releases that agree in them have the same language."""
    first, second, *_ = [*(int(part) for part in re.findall(r"\d+", version)), 0, 0]
    return first, second
