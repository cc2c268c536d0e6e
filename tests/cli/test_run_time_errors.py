"""What `run` prints for an error of compiled code: the places that it is about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from shapescript import DeviceError, DomainError, ShapeError, devices
from shapescript.cli.run_time_errors import render_error
from shapescript.importing.finder import spec_of
from shapescript.modes import CheckModes

MODEL = """\
devices cpu

fn double(x: [n 4], factor: []) -> [n 4] = x * factor

fn same(x: [n 4]) -> [n 4] = x

fn twice(x: [n m]) -> [n 4]:
    y = x * 2 |> relu
    return same(
        y as [n 4]
    )

fn share(p: [n] Unit) -> [n] = p * 2
"""


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[str]]:
    """Runs the text of a program that may use `model`, and gives the lines that its error is shown with."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.ss").write_text(MODEL)
    spec = spec_of("model", str(tmp_path / "model.ss"), CheckModes(value_checks="always"))
    model: dict[str, Any] = {"__name__": "model", "__spec__": spec}
    exec(spec.loader.get_code("model"), model)  # type: ignore[union-attr]

    def run(text: str) -> list[str]:
        file = tmp_path / "program.py"
        file.write_text(text)
        public = {name: value for name, value in model.items() if not name.startswith("_")}
        variables = {"__name__": "__main__", "torch": torch, "devices": devices, **public}
        try:
            exec(compile(text, str(file), "exec"), variables)
        except (ShapeError, DomainError, DeviceError) as error:
            own = error.__traceback__
            rendered = render_error(error, own and own.tb_next, color=False)
            return (rendered or "").splitlines()
        raise AssertionError("no error")

    return run


def test_an_argument_that_is_given_by_name(shown: Callable[[str], list[str]]) -> None:
    lines = shown("double(\n    factor=torch.tensor(3.0),\n    x=torch.ones(\n        3))\n")
    assert lines[0].startswith("ShapeError: argument `x` of `double` should be ")
    assert lines[1:] == [
        " --> program.py:3:7",
        "  |",
        "3 |       x=torch.ones(",
        "  |  _______^",
        "4 | |         3))",
        "  | |__________^ given for `x`",
        "  |",
        " ::: model.ss:3:11",
        "  |",
        "3 | fn double(x: [n 4], factor: []) -> [n 4] = x * factor",
        "  |           -------- the parameter `x`",
    ]


def test_an_argument_that_is_given_by_place(shown: Callable[[str], list[str]]) -> None:
    lines = shown("x = torch.ones(3, 4)\ndouble(x, torch.ones(2))\n")
    assert "2 | double(x, torch.ones(2))" in lines
    assert "  |           ^^^^^^^^^^^^^ given for `factor`" in lines


def test_an_argument_that_cannot_be_told_apart_is_the_call(shown: Callable[[str], list[str]]) -> None:
    lines = shown("arguments = [torch.ones(3)]\nsame(*arguments)\n")
    assert "  | ^^^^^^^^^^^^^^^^ given for `x` of `same` in this call" in lines


def test_a_value_that_is_not_what_an_as_says(shown: Callable[[str], list[str]]) -> None:
    lines = shown("def go():\n    return twice(torch.ones(3, 5))\n\ngo()\n")
    assert lines[0].startswith("ShapeError: the value asserted with `as` should be [n 4]")
    assert lines[1] == "  --> model.ss:10:9"
    assert "10 |         y as [n 4]" in lines
    assert " 2 |     return twice(torch.ones(3, 5))" in lines
    assert "   |            ----------------------- in this call of `twice`" in lines
    assert lines[-1] == "   = note: called from program.py:4:1, in <module>"


def test_a_value_outside_its_domain(shown: Callable[[str], list[str]]) -> None:
    lines = shown("share(torch.tensor([0.5, 1.5]))\n")
    assert lines[0].startswith("DomainError: argument `p` of `share` should be ")
    assert " 1 | share(torch.tensor([0.5, 1.5]))" in lines
    assert "   |       ^^^^^^^^^^^^^^^^^^^^^^^^ given for `p`" in lines


def test_an_error_of_a_call_from_python_is_shown_at_the_call(shown: Callable[[str], list[str]]) -> None:
    lines = shown("devices(\n  'cuda[0]')\n")
    assert lines[0].startswith("DeviceError: ")
    assert lines[1] == " --> program.py:1:1"


def test_a_deep_stack_is_told_in_part(shown: Callable[[str], list[str]]) -> None:
    lines = shown(
        "def down(depth):\n    return down(depth - 1) if depth else same(torch.ones(1))\n\ndown(20)\n"
    )
    notes = [line for line in lines if "= note: " in line]
    assert len(notes) == 9
    assert "more calls: SHAPESCRIPT_TRACEBACK=1 shows all of them" in notes[-1]
