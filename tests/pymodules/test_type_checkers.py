"""What pyright and mypy make of generated modules: each kind of declaration, and calls that are wrong."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.pymodules import checkers
from tests.pymodules.checkers import Finding, errors, revealed
from tests.pymodules.programs import EVERY_KIND, IMPORTED, IMPORTING, write_both

pytestmark = pytest.mark.slow

pytest.importorskip("mypy")
pytest.importorskip("pyright")

# An expression, what pyright reveals of it, and what mypy does, without the modules that it names classes by.
REVEALED = [
    ("model.D", "int", "int"),
    ("model.pass_", "int", "int"),
    ("model.Linear.init", "(seed: int) -> Linear", "def (seed: int) -> Linear"),
    ("model.made(0).w", "Tensor", "Tensor"),
    ("model.made(0).seen", "Tensor", "Tensor"),
    ("model.Digit(img=t, label=t).label", "Tensor", "Tensor"),
    ("model.Digit(img=t, label=t)", "Digit", "Digit"),
    (
        "model.forward",
        "(m: Linear, x: Tensor, mode: Mode) -> Tensor",
        "def (m: Linear, x: Tensor, mode: Mode) -> Tensor",
    ),
    (
        "model.scaled",
        "(x: Tensor, by: float = 2, add: int = 1, on: bool = True, eps: Tensor | float = 0.00001) -> Tensor",
        "def (x: Tensor, by: float =, add: int =, on: bool =, eps: Tensor | float =) -> Tensor",
    ),
    ("model.halves", "(x: Tensor) -> Tensor", "def (x: Tensor) -> Tensor"),
    (
        "model.late",
        "(x: Tensor, lambda_: float = 1, y: Tensor = _ss_rt.MISSING) -> Tensor",
        "def (x: Tensor, lambda_: float =, y: Tensor =) -> Tensor",
    ),
    (
        "model.loss",
        "(m: Linear, batch: Digit, mode: Mode) -> Tensor",
        "def (m: Linear, batch: Digit, mode: Mode) -> Tensor",
    ),
    (
        "model.train_step",
        "(m: Linear, opt: AdamW, batch: Digit, mode: Mode) -> StepLogs",
        "def (m: Linear, opt: AdamW, batch: Digit, mode: Mode) -> StepLogs",
    ),
    (
        "model.optimizer",
        "(m: Linear, lr: Schedule | float = 0.001) -> AdamW",
        "def (m: Linear, lr: Schedule | float =) -> AdamW",
    ),
    ("model.descent", "(m: Linear) -> SGD", "def (m: Linear) -> SGD"),
    ("model.schedule", "(steps: int) -> Schedule", "def (steps: int) -> Schedule"),
    ("model.clipped", "(g: Grad, most: float) -> Grad", "def (g: Grad, most: float) -> Grad"),
    (
        "model.fit",
        "(m: Linear, opt: AdamW, train: Dataset | MapStyleDataset, sink: Any, mode: Mode) -> None",
        "def (m: Linear, opt: AdamW, train: Dataset | MapStyleDataset, sink: Any, mode: Mode)",
    ),
    (
        "model.table",
        "(ids: Tensor, *, V: int | None = None) -> Tensor",
        "def (ids: Tensor, *, V: int | None =) -> Tensor",
    ),
    ("model.StepLogs(loss=t).loss", "Any", "Any"),
    ("model.root", "(x: float) -> Any", "def (x: float) -> Any"),
    ("importing.forward(own, t)", "Tensor", "Tensor"),
    ("importing.forward(other, t)", "Tensor", "Tensor"),
    (
        "importing.seen",
        "(batch: Batch, m: Module) -> Logs",
        "def (batch: Batch, m: Module) -> Logs",
    ),
    (
        "importing.twice",
        "(m: Module, x: Tensor, times: int = 2) -> Tensor",
        "def (m: Module, x: Tensor, times: int =) -> Tensor",
    ),
    (
        "importing.each",
        "(m: Module, opt: SGD, train: Dataset | MapStyleDataset, one: Batch, grad: Grad) -> None",
        "def (m: Module, opt: SGD, train: Dataset | MapStyleDataset, one: Batch, grad: Grad)",
    ),
    ("importing.told", "(m: Module) -> Any", "def (m: Module) -> Any"),
]

RIGHT = """\
import torch
from torch.utils.data import TensorDataset
import model
from shapescript import Eval, Train
from model import *

t = torch.ones(4, 8)
m = Linear.init(0)
opt = optimizer(m, lr=schedule(10))
digits = Digit(img=t, label=t)
fit(m, opt, TensorDataset(t, t), None, Train(seed=1))
fit(m, opt, [{"img": t, "label": t}], None, Eval)
torch.save(m.state_dict(), "m.pt")
late(t, y=t, lambda_=0.5)
scaled(t, 2, on=False, eps=1.0).sum()
"""

# Calls that are wrong, with the rule of each checker.
WRONG = [
    ("model.forward(t, t, Eval)", "reportArgumentType", "arg-type"),
    ("model.forward(m, t)", "reportCallIssue", "call-arg"),
    ("model.scaled(t, by='2')", "reportArgumentType", "arg-type"),
    ("model.loss(m, t, Eval)", "reportArgumentType", "arg-type"),
    ("model.fit(m, model.descent(m), [], None, Eval)", "reportArgumentType", "arg-type"),
    ("model.fit(m, model.optimizer(m), 3, None, Eval)", "reportArgumentType", "arg-type"),
    ("model.Linear.init('0')", "reportArgumentType", "arg-type"),
    ("importing.twice(t, t)", "reportArgumentType", "arg-type"),
    ("model.StepLogs(loss=t).los", "reportAttributeAccessIssue", "attr-defined"),
    ("model.nothing", "reportAttributeAccessIssue", "attr-defined"),
    ("model.bessel", "reportAttributeAccessIssue", "attr-defined"),
    ("model.Images", "reportAttributeAccessIssue", "attr-defined"),
]

START = """\
import torch
import imported, importing, model
from shapescript import Eval
t = torch.ones(2)
m = model.made(0)
own, other = importing.Own.init(0), imported.Other.init(0)
"""


@pytest.fixture(scope="module", params=["pyright", "mypy"])
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Finding]:
    """What a type checker says about a module, and about programs that use it."""
    folder = tmp_path_factory.mktemp(request.param)
    write_both(folder, EVERY_KIND)
    write_both(folder, IMPORTED, "imported")
    write_both(folder, IMPORTING, "importing")
    for name, lines in (
        ("right", [RIGHT]),
        ("shown", [START, "from typing import reveal_type", *(f"reveal_type({e})" for e, _, _ in REVEALED)]),
        ("wrong", [START.rstrip(), *(call for call, _, _ in WRONG)]),
    ):
        (folder / f"{name}.py").write_text("\n".join([*lines, ""]), encoding="utf-8")
    check: Callable[..., list[Finding]] = getattr(checkers, request.param)
    return check(folder, "model.py", "imported.py", "importing.py", "right.py", "shown.py", "wrong.py")


def test_nothing_is_wrong_with_a_module_and_with_programs_that_use_it_rightly(found: list[Finding]) -> None:
    assert [f for f in found if f.file not in ("shown.py", "wrong.py")] == []


def test_types_are_what_they_are_in_the_program(found: list[Finding], request: pytest.FixtureRequest) -> None:
    is_mypy = "mypy" in request.node.callspec.id
    shown = revealed(f for f in found if f.file == "shown.py")
    plain = [_without_modules(text) if is_mypy else text for text in shown]
    expected = [mypy if is_mypy else pyright for _, pyright, mypy in REVEALED]
    assert plain == expected
    assert errors(f for f in found if f.file == "shown.py") == []


def test_wrong_calls_are_reported(found: list[Finding], request: pytest.FixtureRequest) -> None:
    is_mypy = "mypy" in request.node.callspec.id
    first = START.count("\n") + 1
    expected = [
        ("wrong.py", line, mypy if is_mypy else pyright)
        for line, (_, pyright, mypy) in enumerate(WRONG, first)
    ]
    wrong = [e for e in errors(found) if e[0] == "wrong.py"]
    # Expressions that do nothing are what the file is made of.
    assert [e for e in wrong if e[2] != "reportUnusedExpression"] == expected


def _without_modules(text: str) -> str:
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", text)
