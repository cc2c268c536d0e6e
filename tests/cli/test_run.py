"""`shapescript run` and `python -m shapescript`: programs, and how they fail."""

from __future__ import annotations

import multiprocessing
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.commands import python, shapescript
from tests.cli.programs import UNKNOWN

MODEL = """\
devices cpu

fn double(x: [n 4]) -> [n 4] = x * 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.ss").write_text(MODEL)
    return tmp_path


def program(folder: Path, text: str, name: str = "program.py") -> None:
    (folder / name).write_text(text)


def test_a_python_program_imports_ss_files_and_gets_its_arguments(folder: Path) -> None:
    program(
        folder,
        "import sys, torch, model\n"
        "print(sys.argv, __name__, __file__, sys.path[0])\n"
        "print(model.double(torch.ones(1, 4)).tolist())\n"
        "print(sys.modules['__main__'].sys is sys)\n",
    )
    (folder / "elsewhere").mkdir()
    path = str(Path("..") / "program.py")
    run = shapescript("run", "--", path, "-x", "--help", cwd=folder / "elsewhere")
    assert run.stdout.splitlines() == [
        f"['{path}', '-x', '--help'] __main__ {folder / 'program.py'} {folder}",
        "[[2.0, 2.0, 2.0, 2.0]]",
        "True",
    ], run.stderr
    assert run.returncode == 0


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
@pytest.mark.parametrize("is_module", [False, True])
def test_processes_that_a_program_starts_import_ss_files_too(
    folder: Path, method: str, is_module: bool
) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip("not on this system")
    program(
        folder,
        "import multiprocessing, sys, model, torch\n"
        "def doubled(x): return model.double(torch.full((1, 4), x)).sum().item()\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:\n"
        "        print(pool.map(doubled, [1.0, 2.0]))\n",
    )
    start = ["-m", "program"] if is_module else ["program.py"]
    result = shapescript("run", *start, method, cwd=folder)
    assert result.stdout == "[8.0, 16.0]\n", result.stderr


def test_the_exit_code_is_the_programs(folder: Path) -> None:
    program(folder, "import sys; print('out'); sys.exit(int(sys.argv[1]))")
    for code in (0, 7):
        result = shapescript("run", "program.py", str(code), cwd=folder)
        assert (result.returncode, result.stdout) == (code, "out\n")
    program(folder, "raise SystemExit('a message')")
    result = python("-m", "shapescript", "program.py", cwd=folder)
    assert (result.returncode, result.stderr) == (1, "a message\n")


def test_a_ss_file_is_imported_and_its_main_called(folder: Path) -> None:
    program(
        folder, "devices cpu\n\nimport python builtins\n\nfn main():\n    builtins.print(2)\n", "hello.ss"
    )
    run = python("-m", "shapescript", "hello.ss", cwd=folder)
    assert (run.returncode, run.stdout) == (0, "2\n"), run.stderr


def test_a_ss_file_without_a_main(folder: Path) -> None:
    result = shapescript("run", "model.ss", cwd=folder)
    assert (result.returncode, result.stderr) == (
        2,
        "shapescript: error: model.ss has no `fn main()` to call\n",
    )


def test_a_module(folder: Path) -> None:
    (folder / "package").mkdir()
    program(folder, "import sys; print(__name__, sys.argv[1:])", "package/tool.py")
    result = python("-m", "shapescript", "-m", "package.tool", "-v", cwd=folder)
    assert (result.returncode, result.stdout) == (0, "__main__ ['-v']\n"), result.stderr
    result = shapescript("run", "-m", "package.missing", cwd=folder)
    assert (result.returncode, result.stderr) == (2, "shapescript: error: no module named package.missing\n")


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ([], "no program to run, as in `shapescript run train.py`"),
        (["--fast", "x.py"], "`run` has no option `--fast`: `shapescript run --help` lists them"),
        (["missing.py"], "cannot read missing.py: no such file or directory"),
        (["."], "cannot read .: is a directory"),
        (["--python", "no-such-python", "program.py"], "no interpreter no-such-python"),
        (["--python"], "--python needs an interpreter, as in `--python .venv/bin/python`"),
        (["-m"], "-m needs a module, as in `shapescript run -m package.module`"),
    ],
)
def test_a_wrong_command_line(folder: Path, arguments: list[str], what: str) -> None:
    program(folder, "")
    result = shapescript("run", *arguments, cwd=folder)
    assert (result.returncode, result.stderr) == (2, f"shapescript: error: {what}\n")


def test_another_python(folder: Path) -> None:
    program(folder, "import sys, os; print(sys.orig_argv[1:], sys.argv); sys.exit(3)")
    link = folder / "other-python"
    link.write_text(f'#!/bin/sh\necho other; exec "{sys.executable}" "$@"\n')
    link.chmod(0o755)
    for arguments, env in (
        (["--python", str(link)], {}),
        ([f"--python={link}"], {}),
        ([], {"SHAPESCRIPT_PYTHON": str(link)}),
    ):
        result = shapescript("run", *arguments, "program.py", "a", cwd=folder, env=env)
        assert result.returncode == 3
        assert result.stdout == (
            "other\n['-m', 'shapescript', 'run', 'program.py', 'a'] ['program.py', 'a']\n"
        ), result.stderr
    assert shutil.which("other-python") is None


# --- errors --------------------------------------------------------------------------------------------------


def test_a_compile_error_is_shown_as_a_diagnostic_without_a_traceback(folder: Path) -> None:
    program(folder, UNKNOWN, "broken.ss")
    program(folder, "import broken\n")
    result = shapescript("run", "program.py", cwd=folder)
    assert result.returncode == 1
    assert result.stderr == shapescript("check", "broken.ss", cwd=folder).stdout.replace(
        "1 file checked, 1 error\n", ""
    )
    kept = shapescript("run", "program.py", cwd=folder, env={"SHAPESCRIPT_TRACEBACK": "1"})
    assert kept.returncode == 1
    assert kept.stderr.startswith(
        f'Traceback (most recent call last):\n  File "{folder / "program.py"}", line 1, in <module>\n'
    )
    assert f'  File "{folder / "broken.ss"}", line 1, in <module>\n' in kept.stderr
    assert "shapescript.ShapeScriptError: " in kept.stderr


def test_a_wrong_argument_is_shown_in_the_call_with_its_parameter(folder: Path) -> None:
    program(
        folder,
        "import torch, model\n\ndef go(size):\n    return model.double(torch.ones(3, size))\n\ngo(5)\n",
    )
    result = shapescript("run", "program.py", cwd=folder)
    assert result.returncode == 1
    lines = result.stderr.splitlines()
    assert lines[0].startswith("ShapeError: argument `x` of `double` should be ")
    assert lines[1:] == [
        " --> program.py:4:25",
        "  |",
        "4 |     return model.double(torch.ones(3, size))",
        "  |                         ^^^^^^^^^^^^^^^^^^^ given for `x`",
        "  |",
        " ::: model.ss:3:11",
        "  |",
        "3 | fn double(x: [n 4]) -> [n 4] = x * 2",
        "  |           -------- the parameter `x`",
        "  |",
        "  = note: called from program.py:6:1, in <module>",
    ]


def test_an_error_of_torch_is_shown_at_the_expression_that_it_came_from(folder: Path) -> None:
    program(folder, "devices cpu\n\nfn mixed(x: [n D], w: [D m]) -> [n m]:\n    return x @ w\n", "mixed.ss")
    program(folder, "import torch, mixed\nmixed.mixed(torch.ones(2, 3), torch.ones(3, 4).double())\n")
    result = shapescript("run", "program.py", cwd=folder)
    assert result.returncode == 1
    assert result.stderr.startswith("Traceback (most recent call last):\n")
    at = f'  File "{folder / "mixed.ss"}", line 4, in mixed\n    return x @ w\n           '
    assert at in result.stderr
    assert set(result.stderr.partition(at)[2].partition("\n")[0]) <= set("^~")
    assert result.stderr.splitlines()[-1].startswith("RuntimeError: ")


def test_other_exceptions_keep_their_traceback(folder: Path) -> None:
    program(folder, "def fail():\n    1 / 0\n\nfail()\n")
    result = shapescript("run", "program.py", cwd=folder)
    direct = python("program.py", cwd=folder)
    assert (result.returncode, result.stderr) == (direct.returncode, direct.stderr)


def test_a_program_that_is_no_python_fails_as_with_python(folder: Path) -> None:
    program(folder, "1 +\n")
    result = shapescript("run", "program.py", cwd=folder)
    direct = python("program.py", cwd=folder)
    assert result.returncode == direct.returncode
    assert result.stderr.splitlines()[1:] == direct.stderr.splitlines()[1:]


def test_an_interrupt_is_not_swallowed(folder: Path) -> None:
    program(folder, "raise KeyboardInterrupt\n")
    result = shapescript("run", "program.py", cwd=folder)
    assert result.returncode == python("program.py", cwd=folder).returncode
