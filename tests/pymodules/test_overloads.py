"""Overloaded functions in generated modules: one place for the name, with every way to call it that Python's types
can tell apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from shapescript_check.pymodules.declarations import Documentation, Function, Parameter, Signature, Writer
from shapescript_check.pymodules.overloads import told_apart
from shapescript_check.pymodules.types import Vocabulary
from shapescript_check.types.entities import LogsType, ModelType, RecordType
from shapescript_check.types.values import HostType, ResultsType, TensorType, ValueType
from tests.pymodules import checkers
from tests.pymodules.checkers import errors, revealed
from tests.pymodules.programs import generated

TENSOR = TensorType(())
FLOAT = HostType("float")
MODELS = "model A:\n    param w: [] = zeros\n\nmodel B:\n    param w: [] = zeros\n"


def words() -> Vocabulary:
    """The words of a file that declares the models A and B."""
    found = Vocabulary(["A", "B", "w"])
    found.classes |= {"A": "_ss_torch.nn.Module", "B": "_ss_torch.nn.Module"}
    return found


def way(returns: ValueType, *defaults: str, **parameters: ValueType) -> Signature:
    """A signature; the parameters named in `defaults` may be left out."""
    kinds = ", ".join(f"{name}: {kind}" for name, kind in parameters.items())
    found = [Parameter(n, words().of(k), "1.0" if n in defaults else None) for n, k in parameters.items()]
    return Signature(tuple(found), words().of(returns), (Documentation(f"fn f({kinds}) -> {returns}"),))


def heads(*signatures: Signature) -> list[str]:
    """The first line of each overload, or of the one function."""
    lines = Writer(words()).declaration(Function("f", told_apart(signatures, words())))
    return [line.strip() for line in lines if line.lstrip().startswith("def ")]


def test_one_declaration_has_every_way_to_call_the_function() -> None:
    ways = [way(TENSOR, m=ModelType("A"), x=TENSOR), way(FLOAT, m=ModelType("B"), x=TENSOR)]
    lines = list(Writer(words()).declaration(Function("f", told_apart(ways, words()))))
    assert (
        "\n".join(lines)
        == '''\
class _ss_overloads_f(_ss_typing.Protocol):
    @_ss_typing.overload
    def __call__(self, m: "A", x: _ss_torch.Tensor) -> _ss_torch.Tensor:
        """
        ```shapescript
        fn f(m: A, x: []) -> []
        ```
        """
        ...

    @_ss_typing.overload
    def __call__(self, m: "B", x: _ss_torch.Tensor) -> float:
        """
        ```shapescript
        fn f(m: B, x: []) -> float
        ```
        """
        ...


f: _ss_overloads_f
"""
```shapescript
fn f(m: A, x: []) -> []
```

```shapescript
fn f(m: B, x: []) -> float
```
"""'''
    )


def test_overloads_for_models_of_other_files_are_declared_once_with_every_signature() -> None:
    ways = [way(TENSOR, m=ModelType("nets.A"), x=TENSOR), way(FLOAT, m=ModelType("nets.B"), x=TENSOR)]
    (one,) = told_apart(ways, words())
    assert heads(*ways) == ["def f(m: _ss_torch.nn.Module, x: _ss_torch.Tensor) -> _ss_torch.Tensor | float:"]
    assert [d.declaration for d in one.documentation] == [
        "fn f(m: nets.A, x: []) -> []",
        "fn f(m: nets.B, x: []) -> float",
    ]


def test_records_of_other_files_are_those_of_the_runtime() -> None:
    assert heads(way(LogsType("nets.Step"), batch=RecordType("nets.Digit", ()))) == [
        'def f(batch: "_ss_rt.Batch") -> "_ss_rt.Logs":'
    ]


def test_what_is_narrower_comes_first() -> None:
    ways = [way(TENSOR, m=ModelType("nets.A")), way(TENSOR, m=ModelType("A"))]
    expected = [
        'def __call__(self, m: "A") -> _ss_torch.Tensor:',
        "def __call__(self, m: _ss_torch.nn.Module) -> _ss_torch.Tensor:",
    ]
    assert heads(*ways) == heads(*reversed(ways)) == expected


def test_overloads_that_overlap_with_other_results_are_declared_once() -> None:
    ways = [way(TENSOR, m=ModelType("nets.A")), way(FLOAT, m=ModelType("A"))]
    assert heads(*ways) == ['def f(m: "_ss_torch.nn.Module | A") -> _ss_torch.Tensor | float:']


def test_names_that_differ_can_not_be_given() -> None:
    ways = [way(TENSOR, m=ModelType("nets.A"), x=TENSOR), way(TENSOR, m=ModelType("nets.B"), ids=TENSOR)]
    assert heads(*ways) == ["def f(m: _ss_torch.nn.Module, x: _ss_torch.Tensor, /) -> _ss_torch.Tensor:"]


def test_numbers_of_parameters_tell_apart_unless_they_can_be_left_out() -> None:
    short = way(TENSOR, m=ModelType("A"))
    assert len(heads(short, way(FLOAT, m=ModelType("A"), x=TENSOR))) == 2
    assert heads(short, way(FLOAT, "x", m=ModelType("A"), x=FLOAT)) == [
        "def f(*arguments: _ss_typing.Any, **named: _ss_typing.Any) -> _ss_torch.Tensor | float:"
    ]


def test_a_parameter_may_be_called_self() -> None:
    ways = [way(TENSOR, self=ModelType("A")), way(TENSOR, self=ModelType("B"))]
    assert heads(*ways)[0] == 'def __call__(_ss_self, self: "A") -> _ss_torch.Tensor:'


def test_several_results_are_a_tuple() -> None:
    assert words().of(ResultsType((TENSOR, ModelType("A")))) == ("tuple[_ss_torch.Tensor, A]",)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pyright", "mypy"])
def test_type_checkers_take_them_and_pick_the_right_one(tmp_path: Path, name: str) -> None:
    pytest.importorskip(name)
    functions = {
        "apart": [way(TENSOR, m=ModelType("A"), x=TENSOR), way(FLOAT, m=ModelType("B"), x=TENSOR)],
        "once": [way(TENSOR, m=ModelType("nets.A"), x=TENSOR), way(FLOAT, m=ModelType("nets.B"), y=TENSOR)],
        "narrow": [way(TENSOR, m=ModelType("nets.A")), way(TENSOR, m=ModelType("A"))],
        "count": [way(TENSOR, m=ModelType("A")), way(FLOAT, m=ModelType("A"), x=TENSOR)],
        "left_out": [way(TENSOR, m=ModelType("A")), way(FLOAT, "x", m=ModelType("A"), x=FLOAT)],
        "optional": [way(TENSOR, "x", m=ModelType("A"), x=FLOAT), way(TENSOR, m=ModelType("A"), y=TENSOR)],
        "this": [way(TENSOR, self=ModelType("A")), way(FLOAT, self=ModelType("B"))],
        "numbers": [way(FLOAT, m=ModelType("A"), x=FLOAT), way(TENSOR, m=ModelType("A"), x=HostType("int"))],
    }
    writer = Writer(words())
    declared = [
        "\n".join(writer.declaration(Function(f, told_apart(ways, words())))) for f, ways in functions.items()
    ]
    (tmp_path / "model.py").write_text("\n\n\n".join([generated(MODELS), *declared, ""]), encoding="utf-8")
    program = """\
import torch
from model import A, B, apart, count, narrow
from typing import reveal_type
a, b, t = A.init(0), B.init(0), torch.ones(2)
reveal_type(apart(a, t))
reveal_type(apart(b, x=t))
reveal_type(narrow(torch.nn.Linear(1, 1)))
reveal_type(count(a))
reveal_type(count(a, t))
apart(t, t)
"""
    (tmp_path / "use.py").write_text(program, encoding="utf-8")
    check: Callable[..., list[checkers.Finding]] = getattr(checkers, name)
    found = check(tmp_path, "model.py", "use.py")
    assert {(file, line) for file, line, _ in errors(found)} == {("use.py", 10)}
    shown = [text.rpartition(".")[2] for text in revealed(f for f in found if f.file == "use.py")]
    assert shown == ["Tensor", "float", "Tensor", "Tensor", "float"]
