"""What holds of every operation, from the operation itself: what is said about it, its example, and its axis flows."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

import shapescript
from shapescript_check import operations
from shapescript_check.operations.flows import Kept
from shapescript_check.operations.forms.causal import OPERATION as CAUSAL
from shapescript_check.operations.forms.conversion import CONVERSIONS, TO_DTYPE
from shapescript_check.operations.forms.indexing import OPERATION as INDEXING
from shapescript_check.operations.operation import Operation
from shapescript_check.program import Program
from shapescript_check.typed.tree import Apply
from tests.property.flowing import wrong_changes, wrong_shapes
from tests.property.isolating import Isolated
from tests.property.nodes import applications
from tests.property.programs import write
from tests.property.running import check, fault

_OPERATORS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
_LOGIC = ("logical_and", "logical_or", "logical_not")


def _all() -> list[Operation]:
    named = [operations.lookup(name) for name in sorted(operations.names())]
    hidden = [operations.operator(name) for name in (*_OPERATORS, *_LOGIC)]
    return [o for o in (*named, *hidden, INDEXING, CAUSAL, *CONVERSIONS.values(), TO_DTYPE) if o is not None]


OPERATIONS = _all()
pytestmark = pytest.mark.filterwarnings("ignore:.*degrees of freedom")
each_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=[o.name for o in OPERATIONS])


@cache
def example(operation: Operation) -> Program:
    return check(operation.example)


def _applied(operation: Operation, program: Program) -> list[tuple[str, Apply]]:
    return [(name, node) for name, node in applications(program) if node.operation is operation]


@each_operation
def test_it_says_what_it_is(operation: Operation) -> None:
    assert operation.name
    assert operation.signature
    assert operation.doc.endswith(".")
    assert operation.doc[0].isupper() or not operation.doc[0].isalpha() or operation.doc.startswith("x ")
    assert operation.example.endswith("\n")


@each_operation
def test_its_example_uses_it_and_has_nothing_wrong(operation: Operation) -> None:
    program = example(operation)
    assert program.diagnostics == ()
    assert _applied(operation, program) or f"{operation.name}(" in operation.example
    shapescript.compile(operation.example, devices="cpu")


@each_operation
def test_its_example_computes_what_its_types_say(
    operation: Operation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # for what an example saves
    program = example(operation)
    for name in program.bodies:
        for seed in range(4):
            found = fault(operation.example, name, seed, program=program)
            assert found is None, f"{name}: {found}"


@each_operation
def test_its_flows_lead_somewhere(operation: Operation) -> None:
    for _, node in _applied(operation, example(operation)):
        assert not list(wrong_shapes(node))


@each_operation
def test_its_flows_are_what_changes(operation: Operation) -> None:
    program = example(operation)
    for name, node in _applied(operation, program):
        for seed in range(6):
            isolated = Isolated(program, name, node, random.Random(seed))
            if isolated.possible:
                assert not list(wrong_changes(isolated))


def test_flows_agree_in_random_programs() -> None:
    kept = 0
    for seed in range(300):
        written = write(seed)
        program = check(written.text)
        for name, node in applications(program):
            wrong = list(wrong_shapes(node))
            isolated = Isolated(program, name, node, random.Random(seed))
            if not wrong and isolated.possible:
                kept += sum(isinstance(f, Kept) for o in node.operation.flows(node) for a in o for f in a)
                wrong += wrong_changes(isolated)
            assert not wrong, f"{node.operation.name} in program {seed}: {wrong}"
    assert kept > 1000


@pytest.mark.parametrize(
    ("expression", "operation"),
    [("cumsum(x, over=n)", "cumsum"), ("sort(x, over=n)", "sort")],
)
def test_wrong_flows_are_noticed(expression: str, operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = check(f"fn main(x: [n m]) -> [n m] = {expression}\n")
    found = operations.lookup(operation)
    assert found is not None
    monkeypatch.setattr(found, "flows", lambda node: (((Kept(0),), (Kept(1),)),))
    ((name, node),) = applications(program)
    wrong: list[str] = []
    for seed in range(8):
        isolated = Isolated(program, name, node, random.Random(seed))
        assert isolated.possible
        wrong += wrong_changes(isolated)
    assert any("axis 1" in w for w in wrong)
    assert not any("axis 2" in w for w in wrong)
