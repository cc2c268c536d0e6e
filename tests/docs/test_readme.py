"""The README's promises that no run of its blocks holds."""

from __future__ import annotations

import re

import pytest

from shapescript_check import Checker
from shapescript_syntax.math.symbols import SYMBOLS
from tests.docs.pages import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
MATH = README.partition("## Math in comments\n")[2].partition("\n## ")[0]
COMMANDS = sorted(set(re.findall(r"\\([A-Za-z]+)", MATH)))
# What these stand around, for a formula that is one.
AROUND = {"left": r"\left( x \right)", "right": r"\left( x \right)", "begin": "", "end": ""}
ARGUMENTS = {"frac": "{1}{2}", "dfrac": "{1}{2}"}


@pytest.mark.parametrize("example", ["attention.ss", "train_mlp.ss"])
def test_examples_are_in_the_readme_word_for_word(example: str) -> None:
    assert f"```shapescript\n{(ROOT / 'examples' / example).read_text(encoding='utf-8')}```\n" in README


def test_the_table_of_math_has_every_symbol_that_is_read() -> None:
    greek = {name for name, (drawn, _) in SYMBOLS.items() if drawn.isalpha() and name.isalpha()}
    assert {name for name in SYMBOLS if name.isalpha()} - greek <= set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_in_the_table_of_math_is_read(command: str) -> None:
    formula = AROUND.get(command, rf"\{command}{ARGUMENTS.get(command, '{x}')}")
    program = f"# Some math: $x {formula}$\ndim D = 4\n"
    assert Checker().check("math.ss", program, hints=True).diagnostics == ()


def test_every_environment_in_the_table_of_math_is_read() -> None:
    row = next(line for line in MATH.splitlines() if line.startswith("| environments"))
    names = re.findall(r"`([a-z]+)`", row)
    assert len(names) == 6
    for name in names:
        program = rf"# $\begin{{{name}}} a & b \\ c & d \end{{{name}}}$" + "\ndim D = 4\n"
        assert Checker().check("math.ss", program, hints=True).diagnostics == ()
