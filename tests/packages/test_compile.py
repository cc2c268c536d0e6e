"""`shapescript.compile`: modules from text."""

from __future__ import annotations

import linecache
import sys
import traceback
from types import ModuleType

import pytest

import shapescript

SCALE = "devices cpu\n\nfn scale(x: [n]) -> [n] = x * {factor}\n"


def test_compile_gives_a_module_with_the_functions() -> None:
    torch = pytest.importorskip("torch")
    module = shapescript.compile(SCALE.format(factor=5), "five.ss")
    assert isinstance(module, ModuleType)
    assert (module.__name__, module.__file__) == ("five", "five.ss")
    assert "five" not in sys.modules
    assert module.scale(torch.ones(2)).tolist() == [5.0, 5.0]


def test_compile_takes_devices_and_modes() -> None:
    source = "fn scale(x: [n]) -> [n] = x * 2\n"
    assert shapescript.compile(source, devices="cpu", checks="off", value_checks="off").scale
    with pytest.raises(shapescript.ShapeScriptError) as caught:
        shapescript.compile("devices cpu\n" + source, devices="cuda[0]")
    assert [d.code for d in caught.value.diagnostics] == ["E1006"]
    with pytest.raises(ValueError, match="tpu"):
        shapescript.compile(source, devices="tpu")
    with pytest.raises(ValueError, match="checks"):
        shapescript.compile(source, checks="never")


def test_compile_raises_every_error_at_its_line() -> None:
    with pytest.raises(shapescript.ShapeScriptError) as caught:
        shapescript.compile("fn f(x: [n]) -> [n] = a\nfn g(x: [n]) -> [n] = b\n")
    assert len(caught.value.diagnostics) == 2
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.lineno, last.name) == (1, "<module>")


def test_tracebacks_show_the_lines_of_compiled_text() -> None:
    torch = pytest.importorskip("torch")
    first = shapescript.compile(SCALE.format(factor=1))
    second = shapescript.compile("\n" + SCALE.format(factor=2))
    for module, line in ((first, 3), (second, 4)):
        with pytest.raises(shapescript.ShapeError) as caught:
            module.scale(torch.ones(2, 2))
        frames = [
            f for f in traceback.extract_tb(caught.value.__traceback__) if f.filename == module.__file__
        ]
        assert frames[-1].lineno == line
        assert frames[-1].line == linecache.getline(module.__file__, line).strip() != ""
