"""The import hook: which files it finds, and what an import of a broken file looks like."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pickle
import sys
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import shapescript
from tests.cli.commands import python

SCALE = "devices cpu\n\nfn scale(x: [n]) -> [n] = x * {factor}\n"

PROGRAM = """
import shapescript, torch
shapescript.install()
from scale import scale
print(scale(torch.ones(3)).tolist())
"""


@pytest.fixture
def scale(tmp_path: Path) -> Path:
    file = tmp_path / "scale.ss"
    file.write_text(SCALE.format(factor=2))
    return file


@pytest.fixture
def hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The hook, installed in this process with `tmp_path` first on the path; its modules are forgotten."""
    monkeypatch.syspath_prepend(tmp_path)
    before = dict(sys.modules)
    shapescript.install()
    try:
        yield tmp_path
    finally:
        shapescript.uninstall()
        for name in set(sys.modules) - set(before):
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
                del sys.modules[name]


def test_a_program_imports_a_file_after_install_and_again_after_an_edit(scale: Path) -> None:
    for factor in (2, 3):
        scale.write_text(SCALE.format(factor=factor))
        result = python("-c", PROGRAM, cwd=scale.parent)
        assert result.stdout == f"{[float(factor)] * 3}\n", result.stderr


def test_importing_shapescript_loads_neither_torch_nor_the_compiler(tmp_path: Path) -> None:
    program = "import sys, shapescript; shapescript.install(); print(*sys.modules)"
    loaded = set(python("-c", program, cwd=tmp_path).stdout.split())
    assert (
        loaded & {"torch", "numpy", "shapescript_check", "shapescript_runtime", "shapescript_syntax"} == set()
    )


def test_the_module_knows_where_it_came_from(hook: Path, scale: Path) -> None:
    module = importlib.import_module("scale")
    assert module.__file__ == str(scale)
    assert module.__spec__ is not None
    assert module.__spec__.origin == str(scale)
    assert module.__loader__.get_source("scale") == scale.read_text()  # type: ignore[union-attr]
    assert module.scale.__code__.co_filename == str(scale)


def test_files_are_found_in_packages_by_dotted_names(hook: Path) -> None:
    (hook / "regular").mkdir()
    (hook / "regular" / "__init__.py").touch()
    (hook / "regular" / "one.ss").write_text(SCALE.format(factor=1))
    (hook / "namespace" / "inner").mkdir(parents=True)
    (hook / "namespace" / "inner" / "two.ss").write_text(SCALE.format(factor=2))
    assert importlib.import_module("regular.one").__name__ == "regular.one"
    assert importlib.import_module("namespace.inner.two").__package__ == "namespace.inner"


def test_a_ss_file_comes_before_a_python_file_of_the_same_folder(hook: Path, scale: Path) -> None:
    (hook / "scale.py").write_text("scale = None")
    assert importlib.import_module("scale").scale is not None


def test_folders_count_in_the_order_of_the_path(hook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("first", "second"):
        (hook / folder).mkdir()
        monkeypatch.syspath_prepend(hook / folder)
    # "second" is now before "first".
    (hook / "first" / "mine.ss").write_text(SCALE.format(factor=2))
    (hook / "second" / "mine.py").write_text("here = 'second'")
    assert importlib.import_module("mine").here == "second"


def test_a_namespace_package_of_an_earlier_folder_does_not_hide_a_file(
    hook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (hook / "later").mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path, str(hook / "later")])
    (hook / "nested").mkdir()
    (hook / "later" / "nested.ss").write_text(SCALE.format(factor=2))
    assert importlib.import_module("nested").__file__ == str(hook / "later" / "nested.ss")


def test_the_standard_library_is_not_hidden(hook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p != str(hook)] + [str(hook)])
    for name in ("sys", "this", "zipapp"):
        (hook / f"{name}.ss").write_text("nonsense")
    monkeypatch.delitem(sys.modules, "zipapp", raising=False)
    assert importlib.import_module("zipapp").__file__ != str(hook / "zipapp.ss")
    assert importlib.util.find_spec("this") is not None


def test_uninstall_leaves_ss_files_to_nobody(hook: Path, scale: Path) -> None:
    shapescript.uninstall()
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("scale")


def test_installing_twice_is_installing_once_with_the_modes_of_the_last_time(hook: Path) -> None:
    shapescript.install(checks="off")
    shapescript.install(checks="debug")
    ours = [finder for finder in sys.meta_path if type(finder).__module__.startswith("shapescript.")]
    assert [finder.modes.checks for finder in ours] == ["debug"]  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="value_checks is 'always', 'debug' or 'off', not 'sometimes'"):
        shapescript.install(value_checks="sometimes")


def test_threads_that_import_at_once_all_get_the_module(hook: Path) -> None:
    names = [f"module{number}" for number in range(12)]
    for number, name in enumerate(names):
        (hook / f"{name}.ss").write_text(SCALE.format(factor=number))
    with ThreadPoolExecutor(8) as pool:
        modules = list(pool.map(importlib.import_module, names * 2))
    assert [module.__name__ for module in modules] == names * 2


BROKEN = """\
devices cpu

fn f(x: [n]) -> [n]:
    y = x * 2
    return y + größe

fn g(x: [n]) -> [n] = nothing
"""


def test_an_import_of_a_broken_file_fails_at_its_first_error(hook: Path) -> None:
    (hook / "broken.ss").write_text(BROKEN, encoding="utf-8")
    with pytest.raises(shapescript.ShapeScriptError) as caught:
        importlib.import_module("broken")
    error = caught.value
    assert not isinstance(error, (ImportError, SyntaxError)), "an `except ImportError` doesn't hide it"
    assert [d.code for d in error.diagnostics] == ["E0301", "E0301"]
    assert str(error).startswith(f"{hook / 'broken.ss'} has 2 errors\n\nerror[E0301]: ")
    assert str(error).count("error[E0301]") == 2

    last = traceback.extract_tb(error.__traceback__)[-1]
    assert (last.filename, last.lineno, last.name) == (str(hook / "broken.ss"), 5, "<module>")
    assert last.line == "return y + größe"
    assert (last.colno, last.end_colno) == (15, 22), "in bytes, as Python counts"
    shown = "".join(traceback.format_exception(error))
    assert '", line 5, in <module>\n    return y + größe\n               ^^^^^\n' in shown
    assert os.path.dirname(shapescript.__file__) not in shown, (
        "how modules are loaded isn't the reader's business"
    )


def test_a_file_that_is_no_text_fails_at_the_first_bad_byte(hook: Path) -> None:
    (hook / "binary.ss").write_bytes(b"dim D = 4\n# \xff\n")
    with pytest.raises(shapescript.ShapeScriptError) as caught:
        importlib.import_module("binary")
    assert [d.code for d in caught.value.diagnostics] == ["E0101"]
    assert traceback.extract_tb(caught.value.__traceback__)[-1].lineno == 2


def test_a_broken_file_can_be_imported_once_it_is_mended(hook: Path) -> None:
    file = hook / "scale.ss"
    file.write_text("fn scale(x: [n]) -> [n] = y\n")
    with pytest.raises(shapescript.ShapeScriptError):
        importlib.import_module("scale")
    assert not list((hook / "__pycache__").glob("*.ssc"))
    file.write_text(SCALE.format(factor=2))
    assert importlib.import_module("scale").scale


def test_the_error_can_be_sent_to_another_process() -> None:
    with pytest.raises(shapescript.ShapeScriptError) as caught:
        shapescript.compile("fn f(x: [n]) -> [n] = y\n", "f.ss")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
