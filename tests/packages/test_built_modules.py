"""Modules of built packages: when the code that was built runs, and when the file is compiled to the same code."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import traceback
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import pytest
import torch

import shapescript
import shapescript_runtime
from shapescript import build
from shapescript.compiling import compile_source
from shapescript.modes import DEFAULT
from shapescript.packaging.newer import newer_compiler
from shapescript_runtime import built
from tests.cli.commands import environment
from tests.packages.programs import PROJECT, SCALE, write
from tests.packages.projects import ROOT

pytestmark = pytest.mark.usefixtures("fresh")

USE = "import scale\n\nfn use(x: [n]) -> [n]:\n    y = scale.scale(x)\n    return y\n"


def install(folder: Path, files: dict[str, str]) -> Path:
    """The folder of a package `extra` of .ss files, as its wheel is unpacked in `folder`, which is on the path."""
    project = folder / "project"
    write(project, {"pyproject.toml": PROJECT, **{f"src/extra/{name}": text for name, text in files.items()}})
    before = os.getcwd()
    os.chdir(project)
    try:
        wheel = build.build_wheel(str(folder))
    finally:
        os.chdir(before)
    with zipfile.ZipFile(folder / wheel) as archive:
        archive.extractall(folder)
    importlib.invalidate_caches()
    return folder / "extra"


@pytest.fixture
def extra(tmp_path: Path) -> Path:
    """An installed package with a file that imports another one."""
    return install(tmp_path, {"scale.ss": SCALE.format(factor=2), "use.ss": USE})


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The files that the compiler compiles, in order."""
    paths: list[str] = []

    def compile_source_here(text: str, path: str, *arguments: object, **options: object) -> object:
        paths.append(os.path.basename(path))
        return compile_source(text, path, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("shapescript.compiling.compile_source", compile_source_here)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return paths


def used(value: float = 1.0) -> float:
    """What the package's file `use` makes of a number."""
    return float(importlib.import_module("extra.use").use(torch.tensor([value]))[0])


def test_code_that_is_current_is_not_compiled_again(extra: Path, compiled: list[str]) -> None:
    assert used() == 2
    assert compiled == []


def test_a_file_that_was_changed_is_compiled_and_so_is_what_imports_it(
    extra: Path, compiled: list[str]
) -> None:
    (extra / "scale.ss").write_text(SCALE.format(factor=3))
    assert used() == 3
    assert sorted(compiled) == ["scale.ss", "use.ss"]


def test_code_of_another_compiler_is_compiled_again(
    extra: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shapescript.__version__", "0.1.99")
    assert used() == 2
    assert sorted(compiled) == ["scale.ss", "use.ss"]


def test_other_check_modes_are_compiled(extra: Path, compiled: list[str]) -> None:
    shapescript.install(checks="off")
    shapescript.uninstall()
    try:
        assert used() == 2
        assert sorted(compiled) == ["scale.ss", "use.ss"]
    finally:
        shapescript.install()


def test_without_the_compiler_what_was_built_runs(extra: Path, no_compiler: None) -> None:
    assert used() == 2
    module = importlib.import_module("extra.use")
    assert module._ss_mod_scale is importlib.import_module("extra.scale")
    assert module.__file__ == str(extra / "use.py")
    assert not hasattr(module, "_ss_typing"), "the declarations are gone"


def test_without_the_compiler_a_file_behind_a_hand_written_module_is_found(
    tmp_path: Path, no_compiler: None
) -> None:
    install(
        tmp_path,
        {
            "scale.ss": SCALE.format(factor=2),
            "scale.py": "mine = True\n",
            "use.ss": USE,
        },
    )
    assert used() == 2
    assert importlib.import_module("extra.scale").mine


def test_without_the_compiler_the_standard_library_is_the_packages_own(
    tmp_path: Path, no_compiler: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "import shapescript.std.fit as std\n\nfn logged(x: []) -> std.StepLogs = std.StepLogs(loss=x, grad_norm=x)\n"
    package = install(tmp_path, {"a.ss": text, "deep/b.ss": text})
    std = os.path.join("shapescript", "std")
    for name in [n for n in sys.modules if n.startswith("shapescript.std")]:
        monkeypatch.delitem(sys.modules, name)
    # As if the compiler's folder weren't on the path.
    monkeypatch.setattr(sys, "path", [p for p in sys.path if not os.path.isdir(os.path.join(p, std))])
    monkeypatch.setitem(sys.modules, "shapescript", None)
    first = importlib.import_module("extra.a")
    second = importlib.import_module("extra.deep.b")
    assert first.std is second.std
    assert first.std.__name__ == "shapescript.std.fit"
    assert first.std.__file__ == str(package / "_shapescript" / std / "fit.ss")


def test_an_older_runtime_than_the_packages_is_named(
    extra: Path, no_compiler: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = shapescript_runtime.__version__
    monkeypatch.setattr(shapescript_runtime, "__version__", "0.0.9")
    with pytest.raises(
        shapescript_runtime.OutdatedRuntimeError,
        match=rf"extra\.use was built for shapescript-runtime {wanted}, and 0\.0\.9 is installed: `pip install",
    ) as raised:
        used()
    assert isinstance(raised.value, ImportError)
    assert raised.value.name == "extra.use"


def newer(package: Path, version: str) -> None:
    (package / "shapescript-build.toml").write_text(f'compiler = "{version}"\n')
    for file in package.glob("_shapescript/*.py"):
        text = file.read_text().replace(
            f'"compiler": "{shapescript.__version__}"', f'"compiler": "{version}"'
        )
        file.write_text(text)


def test_the_hook_leaves_the_typed_modules_of_built_packages_alone(extra: Path) -> None:
    module = extra / "scale.py"
    before = module.read_bytes()
    os.utime(module, (0, 0))  # older than the .ss file, as pip may leave it
    shapescript.install()
    assert used() == 2
    assert module.read_bytes() == before


@pytest.mark.parametrize("hook", [True, False], ids=["hook", "no hook"])
def test_an_older_compiler_than_the_packages_is_e2901(extra: Path, hook: bool) -> None:
    newer(extra, "99.1.5")
    if hook:
        shapescript.install()
    with pytest.raises(shapescript.ShapeScriptError) as raised:
        used()
    (problem,) = raised.value.diagnostics
    assert problem.code == "E2901"
    assert f"`use.ss` was built by ShapeScript 99.1.5, and this is {shapescript.__version__}" in str(
        raised.value
    )
    assert "pip install --upgrade 'shapescript>=99.1'" in str(raised.value)
    # It is raised from the file, as its other errors are.
    assert traceback.extract_tb(raised.value.__traceback__)[-1].filename == str(extra / "use.ss")


def test_a_patch_release_is_no_newer_language(extra: Path) -> None:
    newer(extra, f"{shapescript.__version__.rpartition('.')[0]}.99")
    assert used() == 2
    assert newer_compiler(str(extra)) is None
    newer(extra, "99.0.0b1")
    assert newer_compiler(str(extra)) == "99.0.0b1"
    (extra / "shapescript-build.toml").write_text("compiler = 3")
    assert newer_compiler(str(extra)) is None
    assert newer_compiler(str(extra.parent)) is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: text.replace("# built: {", "# built: "),
        lambda text: text.replace('"root"', '"rooot"'),
        lambda text: text.partition("# positions")[0],
        lambda text: text[:-20] + "\n",
    ],
    ids=["empty", "half", "header", "key", "no positions", "positions"],
)
def test_damaged_code_is_an_import_error_that_names_the_file(
    extra: Path, no_compiler: None, damage: object
) -> None:
    file = extra / "_shapescript" / "use.py"
    file.write_text(damage(file.read_text()))  # type: ignore[operator]
    with pytest.raises(ImportError, match=r"use\.(py|ss) is damaged: install its package again"):
        used()


@pytest.mark.parametrize("hook", [True, False])
def test_a_zip_archive_says_that_it_must_be_unpacked(
    tmp_path: Path, hook: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "built"
    folder.mkdir()
    install(folder, {"__init__.py": "", "scale.ss": SCALE.format(factor=2)})
    (wheel,) = folder.glob("*.whl")
    monkeypatch.syspath_prepend(str(wheel))
    if hook:
        shapescript.install()
    with pytest.raises(ImportError, match=r"extra\.scale is in an archive, .*: .* install it with pip"):
        importlib.import_module("extra.scale")


def test_byte_code_is_kept_and_is_that_of_the_file_as_it_is(
    extra: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    source = str(extra / "use.ss")
    found = built.read_built(source)
    assert found is not None
    first = built.built_code(found, source)
    (kept,) = (extra / "_shapescript" / "__pycache__").iterdir()
    whole = kept.read_bytes()
    assert built.built_code(found, source) == first
    for damaged in (b"", whole[:50], whole[:-1] + bytes([whole[-1] ^ 1]), b"\0" * len(whole)):
        kept.write_bytes(damaged)
        assert built.built_code(found, source) == first
        assert kept.read_bytes() == whole
    # Of a copy it would name the files of the original.
    copy = shutil.copytree(extra.parent, extra.parent / "copy", ignore=shutil.ignore_patterns("copy"))
    other = str(copy / "extra" / "use.ss")
    assert built.built_code(found, other).co_filename == other


def all_of(code: CodeType) -> object:
    """All that there is to a code object: instructions, places, names and constants, of the functions in it too."""
    constants = [all_of(c) if isinstance(c, CodeType) else (type(c), c) for c in code.co_consts]
    return code.co_code, list(code.co_positions()), code.co_filename, code.co_name, code.co_names, constants


EXAMPLES = {path.name: path.read_text() for path in sorted((ROOT / "examples").glob("*.ss"))}


def test_what_was_built_is_what_would_be_compiled(tmp_path: Path) -> None:
    package = install(tmp_path, {**EXAMPLES, "scale.ss": SCALE.format(factor=2), "use.ss": USE})
    for name in (*EXAMPLES, "use.ss"):
        source = str(package / name)
        found = built.read_built(source)
        assert found is not None
        fresh = compile_source((package / name).read_text(), source, DEFAULT)
        assert isinstance(fresh, CodeType)
        assert all_of(built.built_code(found, source)) == all_of(fresh), name


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_every_python_reads_the_same_places(extra: Path, version: str) -> None:
    python = shutil.which(f"python{version}")
    source = str(extra / "use.ss")
    script = (
        "from shapescript_runtime import built\n"
        "def all_of(c): return c.co_name, c.co_filename, c.co_firstlineno, [all_of(i) for i in inner(c)]\n"
        "def inner(c): return [i for i in c.co_consts if type(i) is type(c)]\n"
        f"print(all_of(built.built_code(built.read_built({source!r}), {source!r})))"
    )
    env = environment(PYTHONPATH=os.path.dirname(os.path.dirname(shapescript_runtime.__file__)))
    if (
        python is None
        or subprocess.run([python, "-c", ""], env=env, check=False, capture_output=True).returncode
    ):
        pytest.skip(f"no Python {version}")
    own, other = (
        subprocess.run([program, "-c", script], env=env, capture_output=True, text=True, check=True).stdout
        for program in (sys.executable, python)
    )
    assert own == other
