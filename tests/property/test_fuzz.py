"""Edited programs go through the whole compiler: nothing raises, hangs or points outside the text, and the formatter
keeps what it formats.

More of it: `python -m tests.property.fuzz --edits 100000`.
"""

from __future__ import annotations

import pytest

from tests.property.fuzz import Fault, edit, hold, originals

EDITS = 3000
CHUNK = 500


@pytest.mark.parametrize("first", range(0, EDITS, CHUNK))
def test_edited_programs_are_survived(first: int) -> None:
    wrong = []
    for seed in range(first, first + CHUNK):
        text = edit(seed)
        try:
            hold(text)
        except Fault as found:
            wrong.append(f"edit {seed}: {found}\n{text!r}")
    assert not wrong, "\n\n".join(["", *wrong])


def test_programs_themselves_are_survived() -> None:
    for text in originals():
        hold(text)


ONCE_WRONG = [
    "import python torch\nfn f(x: [n]) -> [n] = torch.exp(x, out=x, out=x) as [n]\n",
    "## Nothing stands after this \n## line, a form feed after this one\f\nfn f(x: [n])  -> [n] = x\n",
    "devices cpu\n    sh" + "x: [n], " * 700,
]


@pytest.mark.parametrize("text", ONCE_WRONG)
def test_programs_that_were_not_survived_once(text: str) -> None:
    hold(text)


def test_a_seed_gives_one_edit() -> None:
    assert edit(3) == edit(3) != edit(4)
