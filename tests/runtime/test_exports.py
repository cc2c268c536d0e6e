"""What the runtime package offers: names that are loaded when they are first used."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import shapescript_runtime as rt

FOLDER = Path(rt.__file__).parent


def stub() -> dict[str, str]:
    """The modules that names are in, by what type checkers are told."""
    tree = ast.parse((FOLDER / "__init__.pyi").read_text(encoding="utf-8"))
    imports = [n for n in tree.body if isinstance(n, ast.ImportFrom)]
    return {alias.name: node.module or alias.name for node in imports for alias in node.names}


def test_type_checkers_are_told_of_the_same_names() -> None:
    homes = stub()
    assert sorted(homes) == sorted(rt.__all__)
    for name, module in homes.items():
        found = import_module(f"shapescript_runtime.{module}")
        assert getattr(rt, name) is (found if name == module else getattr(found, name))


def test_no_name_is_that_of_a_file_it_is_not() -> None:
    files = {path.stem for path in FOLDER.glob("*.py")}
    assert files & set(rt.__all__) == {"nn"}


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    assert not hasattr(rt, "no_such_name")
    assert "device" in dir(rt)


def test_what_is_not_used_is_not_loaded() -> None:
    script = (
        "import sys, shapescript_runtime as rt; assert 'torch' not in sys.modules; rt.devices('cpu');"
        "print(*(m for m in sys.modules if m.startswith('shapescript_runtime')))"
    )
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "shapescript_runtime.declared" in loaded
    assert "shapescript_runtime.datasets" not in loaded
