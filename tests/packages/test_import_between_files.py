"""Which module an import between .ss files gives, as compiled code asks for it."""

from __future__ import annotations

import contextlib
import importlib
import io
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

import shapescript
from tests.cli.commands import environment

SCALE = "devices cpu\n\nfn scale(x: [n]) -> [n] = x * {factor}\n"
# What the compiler writes at the top of a module whose file says `import scale`.
IMPORTING = "import shapescript_runtime as _ss_rt\n_ss_mod_{tail} = _ss_rt.import_ss(__name__, __file__, '{dotted}')\n"


def write(folder: Path, **files: str) -> None:
    """Writes files; `pkg__scale_ss` is pkg/scale.ss."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_ss", ".ss").replace("_py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def importing(dotted: str) -> str:
    return IMPORTING.format(dotted=dotted, tail=dotted.rpartition(".")[2])


def built(folder: Path, name: str) -> None:
    """Puts the Python of name.ss beside it."""
    command = [sys.executable, "-m", "shapescript", "build", f"{name}.ss", "-o", f"{name}.py"]
    subprocess.run(command, cwd=folder, env=environment(), check=True)


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a process of its own that starts in `tmp_path`, but with torch loaded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    before = set(sys.modules)
    yield
    shapescript.uninstall()
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None) or tmp_path).startswith(str(tmp_path)):
            del sys.modules[name]


def run(program: str) -> str:
    """What a program prints."""
    importlib.invalidate_caches()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(textwrap.dedent(program), {"__name__": "program"})
    return printed.getvalue().strip()


@pytest.mark.parametrize("hook", ["import shapescript; shapescript.install()", ""], ids=["hook", "no hook"])
@pytest.mark.parametrize("first", ["main", "scale"])
def test_a_file_is_one_module_whoever_imports_it_first(tmp_path: Path, hook: str, first: str) -> None:
    write(tmp_path, scale_ss=SCALE.format(factor=2), main_py=importing("scale"))
    built(tmp_path, "scale")
    program = (
        f"{hook}\nimport {first}\nimport main, scale\nprint(main._ss_mod_scale is scale, scale.__name__)"
    )
    assert run(program) == "True scale"


def test_a_file_that_only_the_compiler_can_load_needs_no_hook(tmp_path: Path) -> None:
    write(tmp_path, scale_ss=SCALE.format(factor=2), main_py=importing("scale"), other_py=importing("scale"))
    program = (
        "import sys, main, other; print(main._ss_mod_scale is other._ss_mod_scale is sys.modules['scale'])"
    )
    assert run(program) == "True"


def test_a_file_next_to_one_of_a_package_is_a_module_of_that_package(tmp_path: Path) -> None:
    write(
        tmp_path,
        pkg____init___py="",
        pkg__main_py=importing("parts.scale"),
        pkg__parts__scale_ss=SCALE.format(factor=2),
        # Not this one, though it is first on sys.path.
        parts__scale_ss=SCALE.format(factor=3),
    )
    program = """
        import shapescript; shapescript.install()
        import pkg.main, pkg.parts.scale, torch
        print(pkg.main._ss_mod_scale is pkg.parts.scale, pkg.parts.scale.scale(torch.ones(1)).item())
    """
    assert run(program) == "True 2.0"


def test_a_file_that_is_not_next_to_it_is_found_on_the_path(tmp_path: Path) -> None:
    write(
        tmp_path,
        pkg____init___py="",
        pkg__main_py=importing("pkg.scale"),
        pkg__scale_ss=SCALE.format(factor=2),
        # A module of an earlier folder that has nothing to do with .ss files hides none.
        first__pkg2__scale_py="",
    )
    assert run("import pkg.main; print(pkg.main._ss_mod_scale.__name__)") == "pkg.scale"
    write(tmp_path, first__scale_py="", second__scale_ss=SCALE.format(factor=2), main_py=importing("scale"))
    program = """
        import sys; sys.path[1:1] = ["first", "second"]
        import main
        print(main._ss_mod_scale.__file__)
    """
    assert run(program) == str(tmp_path / "second" / "scale.ss")


def test_files_of_one_name_in_two_folders_stay_apart(tmp_path: Path) -> None:
    write(
        tmp_path,
        one__scale_ss=SCALE.format(factor=1),
        one__main_py=importing("scale"),
        two__scale_ss=SCALE.format(factor=2),
        two__main_py=importing("scale"),
    )
    program = """
        import torch, pickle
        from importlib.util import module_from_spec, spec_from_file_location
        def load(folder):
            spec = spec_from_file_location(f"{folder}_main", f"{folder}/main.py")
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
            return module._ss_mod_scale
        modules = [load(folder) for folder in ("one", "two", "one", "two")]
        print(*(module.scale(torch.ones(1)).item() for module in modules), modules[1] is modules[3])
        assert pickle.loads(pickle.dumps(modules[1].scale)) is modules[1].scale
    """
    assert run(program) == "1.0 2.0 1.0 2.0 True"


def test_a_hand_written_module_of_the_name_is_not_the_file(tmp_path: Path) -> None:
    write(tmp_path, scale_ss=SCALE.format(factor=2), scale_py="scale = None", main_py=importing("scale"))
    program = "import scale, main, torch; print(scale.scale, main._ss_mod_scale.scale(torch.ones(1)).item())"
    assert run(program) == "None 2.0"


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the compiler a package that isn't installed."""
    monkeypatch.setitem(sys.modules, "shapescript.importing", None)


def test_what_was_built_needs_no_compiler(tmp_path: Path, no_compiler: None) -> None:
    write(tmp_path, scale_ss=SCALE.format(factor=2), main_py=importing("scale"))
    built(tmp_path, "scale")
    (tmp_path / "scale.ss").unlink()
    assert run("import main; print(main._ss_mod_scale.__file__)") == str(tmp_path / "scale.py")


def test_threads_that_import_at_once_get_one_module(tmp_path: Path) -> None:
    write(tmp_path, sub__scale_ss=SCALE.format(factor=2))
    program = """
        from concurrent.futures import ThreadPoolExecutor
        import shapescript_runtime as rt
        with ThreadPoolExecutor(8) as pool:
            modules = set(pool.map(lambda _: rt.import_ss("main", "sub/main.ss", "scale"), range(8)))
        print(len(modules), [hasattr(m, "scale") for m in modules])
    """
    assert run(program) == "1 [True]"


def test_a_file_that_is_not_there_is_a_module_that_is_not_found(tmp_path: Path) -> None:
    write(tmp_path, main_py=importing("parts.scale"))
    with pytest.raises(ModuleNotFoundError, match=r"no file parts/scale\.ss next to "):
        run("import main")


def test_a_file_that_nothing_can_compile_says_what_to_do(tmp_path: Path, no_compiler: None) -> None:
    write(tmp_path, scale_ss=SCALE.format(factor=2), main_py=importing("scale"))
    with pytest.raises(ImportError, match=r"scale\.ss isn't compiled and there is no compiler"):
        run("import main")


def test_a_file_that_fails_can_be_imported_once_it_is_repaired(tmp_path: Path) -> None:
    write(tmp_path, sub__scale_ss="fn scale(x: [n]) -> [n] = y\n")
    program = """
        import shapescript, sys, shapescript_runtime as rt
        try:
            rt.import_ss("main", "sub/main.ss", "scale")
        except shapescript.ShapeScriptError as error:
            print(error.diagnostics[0].code, "scale" in sys.modules)
        open("sub/scale.ss", "w").write("devices cpu\\nfn scale(x: [n]) -> [n] = x\\n")
        print(hasattr(rt.import_ss("main", "sub/main.ss", "scale"), "scale"))
    """
    assert run(program) == "E0301 False\nTrue"
