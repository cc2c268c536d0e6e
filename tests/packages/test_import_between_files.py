"""Which module an import between .ss files gives, as compiled code asks for it."""

from __future__ import annotations

import importlib
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

import shapescript
from tests.cli.commands import environment
from tests.packages.programs import SCALE, write
from tests.packages.running import run

pytestmark = pytest.mark.usefixtures("fresh")

# What the compiler writes at the top of a module whose file says `import scale`.
IMPORTING = "import shapescript_runtime as _ss_rt\n_ss_mod_{tail} = _ss_rt.import_ss(__name__, __file__, '{dotted}')\n"


def importing(dotted: str) -> str:
    return IMPORTING.format(dotted=dotted, tail=dotted.rpartition(".")[2])


def built(folder: Path, name: str) -> None:
    """Puts the Python of name.ss beside it."""
    command = [sys.executable, "-m", "shapescript", "build", f"{name}.ss", "-o", f"{name}.py"]
    subprocess.run(command, cwd=folder, env=environment(), check=True)


@pytest.mark.parametrize("hook", ["import shapescript; shapescript.install()", ""], ids=["hook", "no hook"])
@pytest.mark.parametrize("first", ["main", "scale"])
def test_a_file_is_one_module_whoever_imports_it_first(tmp_path: Path, hook: str, first: str) -> None:
    write(tmp_path, {"scale.ss": SCALE.format(factor=2), "main.py": importing("scale")})
    built(tmp_path, "scale")
    program = (
        f"{hook}\nimport {first}\nimport main, scale\nprint(main._ss_mod_scale is scale, scale.__name__)"
    )
    assert run(program) == "True scale"


def test_a_file_that_only_the_compiler_can_load_needs_no_hook(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"scale.ss": SCALE.format(factor=2), "main.py": importing("scale"), "other.py": importing("scale")},
    )
    program = (
        "import sys, main, other; print(main._ss_mod_scale is other._ss_mod_scale is sys.modules['scale'])"
    )
    assert run(program) == "True"


def test_a_file_next_to_one_of_a_package_is_a_module_of_that_package(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "pkg/__init__.py": "",
            "pkg/main.py": importing("parts.scale"),
            "pkg/parts/scale.ss": SCALE.format(factor=2),
            # Not this one, though it is first on sys.path.
            "parts/scale.ss": SCALE.format(factor=3),
        },
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
        {
            "pkg/__init__.py": "",
            "pkg/main.py": importing("pkg.scale"),
            "pkg/scale.ss": SCALE.format(factor=2),
            # A module of an earlier folder that has nothing to do with .ss files hides none.
            "first/pkg2/scale.py": "",
        },
    )
    assert run("import pkg.main; print(pkg.main._ss_mod_scale.__name__)") == "pkg.scale"
    write(
        tmp_path,
        {"first/scale.py": "", "second/scale.ss": SCALE.format(factor=2), "main.py": importing("scale")},
    )
    program = """
        import sys; sys.path[1:1] = ["first", "second"]
        import main
        print(main._ss_mod_scale.__file__)
    """
    assert run(program) == str(tmp_path / "second" / "scale.ss")


def test_files_of_one_name_in_two_folders_stay_apart(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "one/scale.ss": SCALE.format(factor=1),
            "one/main.py": importing("scale"),
            "two/scale.ss": SCALE.format(factor=2),
            "two/main.py": importing("scale"),
        },
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
    write(
        tmp_path,
        {"scale.ss": SCALE.format(factor=2), "scale.py": "scale = None", "main.py": importing("scale")},
    )
    program = "import scale, main, torch; print(scale.scale, main._ss_mod_scale.scale(torch.ones(1)).item())"
    assert run(program) == "None 2.0"


def test_what_was_built_needs_no_compiler(tmp_path: Path, no_compiler: None) -> None:
    write(tmp_path, {"scale.ss": SCALE.format(factor=2), "main.py": importing("scale")})
    built(tmp_path, "scale")
    (tmp_path / "scale.ss").unlink()
    assert run("import main; print(main._ss_mod_scale.__file__)") == str(tmp_path / "scale.py")


def test_threads_that_import_at_once_get_one_module(tmp_path: Path) -> None:
    write(tmp_path, {"sub/scale.ss": SCALE.format(factor=2)})
    program = """
        from concurrent.futures import ThreadPoolExecutor
        import shapescript_runtime as rt
        with ThreadPoolExecutor(8) as pool:
            modules = set(pool.map(lambda _: rt.import_ss("main", "sub/main.ss", "scale"), range(8)))
        print(len(modules), [hasattr(m, "scale") for m in modules])
    """
    assert run(program) == "1 [True]"


def test_a_file_that_is_not_there_is_a_module_that_is_not_found(tmp_path: Path) -> None:
    write(tmp_path, {"main.py": importing("parts.scale")})
    with pytest.raises(ModuleNotFoundError, match=r"no file parts/scale\.ss next to "):
        run("import main")


def test_what_fails_when_a_file_is_imported_is_shown_at_the_imports(tmp_path: Path) -> None:
    shapescript.install()
    (tmp_path / "inner.ss").write_text(
        "import python os\nimport python gone_away.far\n\nfn f(x: [n]) -> [n] = x\n"
    )
    (tmp_path / "middle.ss").write_text("fn g(x: [n]) -> [n] = inner.f(x)\n\nimport inner\n")
    (tmp_path / "outer.ss").write_text('import middle as m\n\nextern fn e(x: [n]) -> [n] = "os.e"\n')
    with pytest.raises(ModuleNotFoundError, match="gone_away") as raised:
        importlib.import_module("outer")
    frames = traceback.extract_tb(raised.tb)
    shown = [(Path(f.filename).name, f.lineno, f.line) for f in frames if f.filename.endswith(".ss")]
    assert shown == [
        ("outer.ss", 1, "import middle as m"),
        ("middle.ss", 3, "import inner"),
        ("inner.ss", 2, "import python gone_away.far"),
    ]
    # Between two files there is only the call that imports.
    names = [Path(frame.filename).name for frame in frames]
    assert names[names.index("outer.ss") :] == [
        "outer.ss",
        "modules.py",
        "middle.ss",
        "modules.py",
        "inner.ss",
    ]


def test_a_file_that_nothing_can_compile_says_what_to_do(tmp_path: Path, no_compiler: None) -> None:
    write(tmp_path, {"scale.ss": SCALE.format(factor=2), "main.py": importing("scale")})
    with pytest.raises(ImportError, match=r"scale\.ss isn't compiled and there is no compiler"):
        run("import main")


def test_a_file_that_fails_can_be_imported_once_it_is_repaired(tmp_path: Path) -> None:
    write(tmp_path, {"sub/scale.ss": "fn scale(x: [n]) -> [n] = y\n"})
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
