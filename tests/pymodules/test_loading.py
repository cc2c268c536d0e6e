"""A generated module as Python runs it: in processes of their own, as programs import it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import python
from tests.pymodules.programs import EVERY_KIND, IMPORTED, IMPORTING, write_both

SCALE = """\
devices cpu

dim D = 2

## Twice as much.
fn scale(x: [n D]) -> [n D] = x * 2.0
"""


def printed(program: str, folder: Path, *options: str) -> str:
    """What a Python program that must succeed prints."""
    result = python(*options, "-c", program, cwd=folder)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_importing_it_gives_the_compiled_file(tmp_path: Path) -> None:
    write_both(tmp_path, SCALE, "scaling")
    program = (
        "import torch; from scaling import D, scale; print(D, scale(torch.ones(1, 2)).tolist())\n"
        "import scaling; print(sorted(n for n in vars(scaling) if not n.startswith('_')))\n"
        "print(scale.__doc__); print(scale.__code__.co_filename == scaling.__file__[:-2] + 'ss')"
    )
    assert printed(program, tmp_path).splitlines() == [
        "2 [[2.0, 2.0]]",
        "['D', 'scale', 'torch']",
        "Twice as much.",
        "",
        "fn scale(x: [n D]) -> [n D]",
        "True",
    ]


def test_every_kind_of_declaration_is_in_place(tmp_path: Path) -> None:
    write_both(tmp_path, EVERY_KIND)
    program = """
import model, torch
from shapescript import Eval, rt
m = model.Linear.init(0)
digits = [{"img": torch.ones(8), "label": torch.tensor(1)}] * 8
opt = model.optimizer(m)
class Sink:
    def write(self, record): print(sorted(record))
model.fit(m, opt, digits, Sink(), Eval)
batch = model.Digit(img=torch.ones(2, 8), label=torch.tensor([0, 1]))
print(type(model.train_step(m, opt, batch, Eval)).__mro__[1] is rt.Logs, isinstance(batch, rt.Batch))
print(model.pass_, getattr(model, "pass"), model.table(torch.tensor([1]), V=2).tolist(), model.root(4.0))
"""
    assert printed(program, tmp_path).splitlines() == [
        "['loss']",
        "['loss']",
        "True True",
        "3 3 [[0.0, 1.0]] 2.0",
    ]


def test_nothing_is_left_of_declarations_that_the_file_has_no_more(tmp_path: Path) -> None:
    write_both(tmp_path, SCALE, "scaling")
    (tmp_path / "scaling.ss").write_text(SCALE.replace("scale", "twice"), encoding="utf-8")
    program = "import scaling; print(hasattr(scaling, 'twice'), hasattr(scaling, 'scale'))"
    assert printed(program, tmp_path) == "True False\n"


def test_the_compiled_file_is_kept_and_the_compiler_not_loaded_again(tmp_path: Path) -> None:
    write_both(tmp_path, SCALE, "scaling")
    program = "import sys, scaling; print('shapescript_check.checking' in sys.modules)"
    assert [printed(program, tmp_path) for _ in range(2)] == ["True\n", "False\n"]


def test_it_and_the_hook_share_what_is_kept(tmp_path: Path) -> None:
    write_both(tmp_path, SCALE, "scaling")
    hooked = "import shapescript; shapescript.install(); import scaling; print(scaling.__file__[-3:])"
    assert printed(hooked, tmp_path) == ".ss\n"
    program = "import sys, scaling; print('shapescript_check.checking' in sys.modules, scaling.__file__[-3:])"
    assert printed(program, tmp_path) == "False .py\n"


@pytest.mark.parametrize(("modes", "refused"), [("", True), ('checks="off"', False)])
def test_checks_are_those_that_install_was_given(tmp_path: Path, modes: str, refused: bool) -> None:
    write_both(tmp_path, SCALE, "scaling")
    program = f"""
import shapescript, torch
shapescript.install({modes}); shapescript.uninstall()
import scaling
try:
    scaling.scale(torch.ones(1, 3))
    print("taken")
except shapescript.ShapeError:
    print("refused")
"""
    assert printed(program, tmp_path) == ("refused\n" if refused else "taken\n")


def test_a_file_with_errors_is_raised_from_its_first_one(tmp_path: Path) -> None:
    write_both(tmp_path, SCALE, "scaling")
    (tmp_path / "scaling.ss").write_text(SCALE.replace("x * 2.0", "y * z"), encoding="utf-8")
    result = python("-c", "import scaling", cwd=tmp_path)
    assert result.returncode == 1
    place = f'  File "{tmp_path / "scaling.ss"}", line 6, in <module>\n'
    line = "    fn scale(x: [n D]) -> [n D] = y * z\n                                  ^\n"
    assert f"{place}{line}shapescript.ShapeScriptError: " in result.stderr
    assert result.stderr.count("error[E0301]") == 2


def test_tracebacks_show_the_lines_of_the_file(tmp_path: Path) -> None:
    write_both(tmp_path, SCALE, "scaling")
    program = "import scaling, torch\nscaling.scale(torch.ones(1, 3))"
    result = python("-c", program, cwd=tmp_path)
    assert f'File "{tmp_path / "scaling.ss"}", line 6, in scale' in result.stderr
    assert "got shape (1, 3): axis 2 is 3, not D = 2" in result.stderr


def test_without_the_file_it_says_what_is_missing(tmp_path: Path) -> None:
    write_both(tmp_path, SCALE, "scaling")
    (tmp_path / "scaling.ss").unlink()
    result = python("-c", "import scaling", cwd=tmp_path)
    last = result.stderr.splitlines()[-1]
    assert last.startswith("ImportError: ")
    assert last.endswith("scaling.py only declares what scaling.ss defines, and that isn't beside it")


def test_a_module_of_a_package_is_imported_by_its_dotted_name(tmp_path: Path) -> None:
    folder = tmp_path / "nets"
    folder.mkdir()
    (folder / "__init__.py").touch()
    write_both(folder, EVERY_KIND)
    program = (
        "import pickle; from nets.model import Linear; m = pickle.loads(pickle.dumps(Linear.init(0)))\n"
        "print(type(m) is Linear, Linear.__module__)"
    )
    assert printed(program, tmp_path) == "True nets.model\n"


def test_it_can_be_loaded_again_after_an_edit(tmp_path: Path) -> None:
    write_both(tmp_path, SCALE, "scaling")
    program = """
import importlib, pathlib, scaling, torch
file = pathlib.Path("scaling.ss")
file.write_text(file.read_text().replace("2.0", "3.0"))
importlib.reload(scaling)
print(scaling.scale(torch.ones(1, 2)).tolist())
"""
    assert printed(program, tmp_path) == "[[3.0, 3.0]]\n"


@pytest.mark.parametrize("first", ["importing", "imported"])
@pytest.mark.parametrize("hook", ["", "import shapescript; shapescript.install()"], ids=["no hook", "hook"])
def test_files_that_import_each_other_are_one_module_each(tmp_path: Path, first: str, hook: str) -> None:
    write_both(tmp_path, IMPORTED, "imported")
    write_both(tmp_path, IMPORTING, "importing")
    program = f"""
{hook}
import torch, {first}
import imported, importing
x = torch.ones(1, 8)
other, own = imported.Other.init(0), importing.Own.init(0)
print(importing.imported is imported, imported.__file__[-3:])
print(importing.forward(other, x).sum().item(), importing.forward(own, x).sum().item())
print(importing.use(own, x).sum().item(), importing.twice(own, x).sum().item())
print(type(importing.seen(imported.Image(img=x), other)) is imported.Seen)
"""
    kind = ".ss" if hook else ".py"
    assert printed(program, tmp_path).splitlines() == [f"True {kind}", "0.0 0.0", "0.0 0.0", "True"]


def test_a_module_of_a_file_that_imports_one_without_a_module(tmp_path: Path) -> None:
    (tmp_path / "imported.ss").write_text(IMPORTED, encoding="utf-8")
    write_both(tmp_path, IMPORTING, "importing")
    program = "import importing, sys; print(importing.imported is sys.modules['imported'])"
    assert printed(program, tmp_path) == "True\n"
