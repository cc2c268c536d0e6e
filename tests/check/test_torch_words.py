"""What a help offers for a name of PyTorch's or Python's is written in the language, with functions that there are."""

from __future__ import annotations

import pytest

from shapescript_check import Checker
from shapescript_check.bodies.torch_helps import name_help
from shapescript_check.bodies.torch_words import WORDS

SIGNATURE = (
    "fn f(x: [n m], y: [n m], mask: [n] Mask, other: [n] Mask, ids: [n] i64, logits: [n C], mode: Mode,"
    " p: float, weight: float):\n"
)
OF_SHAPES = frozenset(
    {"E0401", "E0402", "E0403", "E0404", "E0405", "E0408", "E0409", "E0411", "E0501", "E0507"}
)
"""What isn't right for the tensors above may be right for others."""

WRITTEN = {word: help.split("write ", 1)[1] for word in WORDS if "write " in (help := name_help(word) or "")}


@pytest.mark.parametrize("word", sorted(WRITTEN))
def test_what_is_to_be_written_is_a_program(word: str) -> None:
    code = WRITTEN[word].split(", or ")[0]
    if code == "the number":
        return
    body = code.replace("n:", "n:\n        y = x") if code.startswith("for ") else code
    if body[0].isalpha() and " = " not in body:
        body = f"z = {body}"
    program = Checker().check("words.ss", f"{SIGNATURE}    {body}\n    return x\n")
    assert {d.code for d in program.diagnostics if d.code[0] == "E"} <= OF_SHAPES, program.diagnostics
