"""Standalone modules: every part of the runtime can be moved into one, and nothing there gets in the way."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import pytest
import torch

import shapescript_runtime
from shapescript.standalone import embed
from shapescript.standalone.scoping import GlobalNames


def standalone(text: str) -> tuple[str, dict[str, Any]]:
    """The text of a standalone module, and what it defines when it is run."""
    module = embed(ast.parse("import torch\nimport shapescript_runtime as _ss_rt\n" + text))
    source = ast.unparse(module)
    variables: dict[str, Any] = {"__name__": "alone"}
    exec(compile(source, "alone.py", "exec", dont_inherit=True), variables)
    return source, variables


def exported() -> Iterator[tuple[str, Any]]:
    """Every part of the runtime that compiled code may use, by what follows `_ss_rt.` there."""
    for name in shapescript_runtime.__all__:
        part = getattr(shapescript_runtime, name)
        if not isinstance(part, ModuleType):
            yield name, part
            continue
        for inner, value in vars(part).items():
            if getattr(value, "__module__", None) == part.__name__ and not inner.startswith("_"):
                yield f"{name}.{inner}", value


@pytest.mark.parametrize(("name", "original"), [pytest.param(n, o, id=n) for n, o in exported()])
def test_every_part_of_the_runtime_can_stand_alone(name: str, original: Any) -> None:
    source, variables = standalone(f"part = _ss_rt.{name}")
    # A string may still say where a part is from: a dataset loads by itself where its module is another.
    assert not re.search(r"\bimport shapescript_runtime|\bfrom shapescript_runtime|_ss_rt\.", source)
    part = variables["part"]
    assert part.__doc__ == original.__doc__
    if isinstance(original, (type, FunctionType)):
        assert part.__module__ == "alone"
    nodes = list(ast.walk(ast.parse(source)))
    known = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    known |= {n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    known |= {n.name for n in nodes if isinstance(n, ast.ExceptHandler) and n.name is not None}
    known |= {
        (a.asname or a.name).partition(".")[0]
        for n in nodes
        if isinstance(n, (ast.Import, ast.ImportFrom))
        for a in n.names
    }
    known |= {n.arg for n in nodes if isinstance(n, ast.arg)} | set(variables) | set(dir(builtins))
    assert {n.id for n in nodes if isinstance(n, ast.Name)} <= known


def test_only_what_is_used_comes_along() -> None:
    source, _ = standalone("part = _ss_rt.causal")
    assert "refuse_arguments" not in source
    assert len(source.splitlines()) < 20


def test_the_parts_work_as_in_the_runtime() -> None:
    _, variables = standalone("declare, device, causal = _ss_rt.declare, _ss_rt.device, _ss_rt.causal")
    variables["declare"]("cpu", "here")
    assert variables["device"]() == torch.device("cpu")
    with pytest.raises(RuntimeError, match="here"):
        variables["declare"]("mps", "there")
    assert variables["causal"](2, 3, torch.device("cpu")).tolist() == [[1, 0, 0], [1, 1, 0]]


def test_names_of_the_program_are_its_own() -> None:
    text = """
def got(x): return "mine"
def device(): return "mine"
def ShapeError(x): return "mine"
def _ss_rt_wording(x): return "mine"
def check(x):
    _ss_device = _ss_rt.device
    return _ss_rt.check_shape(x, (2,), "[2]", "model.ss:1:1")
_ss_rt.declare("cpu", "here")
"""
    _, variables = standalone(text)
    assert {variables[name](*args) for name, args in (("got", (1,)), ("ShapeError", (1,)))} == {"mine"}
    assert variables["check"](torch.ones(2)).tolist() == [1, 1]
    with pytest.raises(ValueError, match=r"model\.ss:1:1: .*\[2\]"):
        variables["check"](torch.ones(3))


def test_the_modules_docstring_and_imports_come_first() -> None:
    module = embed(
        ast.parse('"""Doc."""\nimport math\nimport shapescript_runtime as _ss_rt\nx = _ss_rt.causal\n')
    )
    first = ast.unparse(module).splitlines()
    assert first[:3] == ['"""Doc."""', "from __future__ import annotations", "import math"]


def test_a_part_that_there_is_not_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="has no nonsense"):
        standalone("_ss_rt.nonsense()")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(a, b=a): return a + b", "def F(a, b=A):\n    return a + b"),
        ("def f():\n  a = 1\n  return a", "def F():\n    a = 1\n    return a"),
        ("def f():\n  global a\n  a = 1", "def F():\n    global A\n    A = 1"),
        ("def f(): return [a for a in b]", "def F():\n    return [a for a in B]"),
        ("def f(): return lambda a: a + b", "def F():\n    return lambda a: a + B"),
        (
            "class c(a):\n  a: b = 1\n  def m(self): return a",
            "class C(A):\n    a: B = 1\n\n    def m(self):\n        return A",
        ),
        ("def f():\n  from .x import a\n  return a", "def F():\n    pass\n    return A"),
        ("def f():\n  import a\n  return a.b", "def F():\n    import a\n    return a.b"),
        (
            "def f():\n  try: pass\n  except b as a: return a",
            "def F():\n    try:\n        pass\n    except B as a:\n        return a",
        ),
        (
            "def f():\n  def a(): return a\n  return a",
            "def F():\n\n    def a():\n        return a\n    return a",
        ),
        ("a = {b: a for b, *c in d if c}", "A = {b: A for b, *c in D if c}"),
    ],
)
def test_global_names_are_told_from_local_ones(before: str, after: str) -> None:
    assert ast.unparse(GlobalNames(str.upper).visit(ast.parse(before))) == after
