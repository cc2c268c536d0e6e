"""The stubs that every file sees: `prelude.ss` and `nn.ss` beside this module."""

from __future__ import annotations

import os
import re

PRELUDE_FILES = ("prelude.ss", "nn.ss")

_stubs: dict[str, str] | None = None


def text(file: str) -> str:
    """The source of one of the files."""
    with open(os.path.join(os.path.dirname(__file__), file), encoding="utf-8") as opened:
        return opened.read()


def _all() -> dict[str, str]:
    global _stubs
    if _stubs is None:
        from shapescript_syntax.chunks import cut

        _stubs = {}
        for file in PRELUDE_FILES:
            for chunk in cut(text(file)):
                found = re.search(r"^extern fn (\w+)", chunk.text, re.MULTILINE)
                if found:
                    _stubs[found[1]] = chunk.text
    return _stubs


def stub_names() -> frozenset[str]:
    """The names of all stubs."""
    return frozenset(_all())


def stub_text(name: str) -> str | None:
    """The source of one stub's declaration, with its doc comment, or None."""
    return _all().get(name)
