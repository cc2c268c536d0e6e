"""The standard library as files that are found, imported and copied."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import shapescript
from shapescript import std
from shapescript_check import Checker
from shapescript_syntax.formatting import format_source
from shapescript_syntax.parsing.files import parse_file
from shapescript_syntax.spans import Source

SCREEN = 60  # lines


def test_a_module_is_found_by_its_name() -> None:
    assert std.names() == ("fit", "layers", "metrics")
    for name in std.names():
        assert std.path(name).name == f"{name}.ss"
        assert std.path(name).is_file()
    assert shapescript.std is std


@pytest.mark.parametrize("name", ["optim", "", "fit.ss", "../std/fit", "__init__"])
def test_an_unknown_name_says_which_there_are(name: str) -> None:
    with pytest.raises(std.NoSuchModuleError) as caught:
        std.path(name)
    assert str(caught.value) == f"the standard library has no module `{name}`: it has fit, layers, metrics"
    assert (caught.value.name, caught.value.names) == (name, std.names())


def test_the_import_hook_finds_its_modules(tmp_path: Path) -> None:
    code = """
import shapescript
shapescript.install()
shapescript.devices("cpu")
from shapescript.std import layers
import shapescript.std.metrics as metrics
import torch
q = torch.ones(1, 2, 3, 4)
print(layers.attention(q, q, q).sum().item(), metrics.accuracy(torch.eye(3), torch.arange(3)).item())
print(layers.__file__ == str(shapescript.std.path("layers")))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["24.0", "1.0", "True"], done.stderr


def test_looking_for_a_module_compiles_nothing() -> None:
    code = "import sys; from shapescript import std; std.path('fit'); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("name", std.names())
class TestEachFile:
    def test_it_is_laid_out(self, name: str) -> None:
        text = std.path(name).read_text(encoding="utf-8")
        assert format_source(text) == text

    def test_every_declaration_says_what_it_is_for(self, name: str) -> None:
        source = Source(name, std.path(name).read_text(encoding="utf-8"))
        declared = [item for placed in parse_file(source).placed for item in placed.chunk.items]
        assert declared
        assert [item.name.text for item in declared if not item.doc] == []

    def test_a_function_fits_on_a_screen(self, name: str) -> None:
        lines = std.path(name).read_text(encoding="utf-8").splitlines()
        starts = [at for at, line in enumerate(lines) if line.startswith("fn ")]
        longest = max(after - at for at, after in zip(starts, [*starts[1:], len(lines)], strict=True))
        assert longest <= SCREEN

    def test_it_checks_without_warnings_or_hints(self, name: str) -> None:
        path = std.path(name)
        program = Checker().check(str(path), path.read_text(encoding="utf-8"), hints=True)
        assert [f"{d.code}: {d.message}" for d in program.diagnostics] == []
