"""What checking costs: whole runs of `shapescript check`, an edit in an editor, and importing what hasn't changed.

    python benchmarks/checking.py [--pyrefly PATH]

Each line has the least of several tries. Budgets are held against processor time, which is what a run takes on a
machine with nothing else to do. Where Pyrefly is installed, with its stubs for torch, or at PATH in an environment
that has them, the check of a GPT is timed against Pyrefly's of the same model, in turns; both are first shown to find a
wrong shape in it.

Exits 1 if something is over its budget.
"""

from __future__ import annotations

import argparse
import gc
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

from measuring.processes import Command, Cost, Failed, in_turns, least, run, shapescript
from programs.large_file import large_file

import shapescript_check
from shapescript_check import Checker

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
EXAMPLES = HERE.parent / "examples"

IMPORT = """\
import sys, time, torch, shapescript
shapescript.install()
sys.path.insert(0, sys.argv[1])
wall, cpu = time.perf_counter(), time.process_time()
import attention
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


class Budgets:
    """Prints a line for each thing measured, and remembers whether all held."""

    def __init__(self) -> None:
        self.held = True
        print(f"{'':54}{'budget':>10}{'processor':>12}{'clock':>10}")

    def hold(self, what: str, budget: float | None, cost: Cost) -> None:
        """Reports a cost; `budget` is what it may be, in seconds, if there is a limit."""
        over = budget is not None and cost.cpu > budget
        self.held &= not over
        limit = "" if budget is None else _milliseconds(budget)
        numbers = f"{limit:>10}{_milliseconds(cost.cpu):>12}{_milliseconds(cost.wall):>10}"
        print(f"{what:54}{numbers}{'   over' if over else ''}", flush=True)


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def whole_checks(budgets: Budgets, folder: Path) -> None:
    """`shapescript check` of a long file, and of the examples."""
    large = folder / "large.ss"
    large.write_text(large_file(2400), encoding="utf-8")
    examples = sorted(EXAMPLES.glob("*.ss"))
    lines = sum(len(e.read_text(encoding="utf-8").splitlines()) for e in examples)
    costs = in_turns(
        {
            "large": [*shapescript(), "check", large],
            "examples": [*shapescript(), "check", *examples],
        },
        times=8,
    )
    budgets.hold("check of 2,400 lines, whole process", 1.0, costs["large"])
    what = f"check of {len(examples)} examples of {lines} lines, whole process"
    budgets.hold(what, 0.25, costs["examples"])


def edits(budgets: Budgets) -> None:
    """Checks after edits of one line in a long file, with what is kept from before."""
    rng = random.Random(0)
    lines = large_file(2400).splitlines()
    places = [i for i, line in enumerate(lines) if re.search(r"^    h = .*\d\.\d", line)]
    checker = Checker()
    checker.check("large.ss", "\n".join(lines), hints=True)
    # What an editor has kept for long isn't looked through for garbage again and again.
    gc.collect()
    gc.freeze()
    each: list[Cost] = []
    for place in rng.sample(places, 25):
        costs = []
        for _ in range(6):
            lines[place] = re.sub(r"\d\.\d+", f"{rng.uniform(0.1, 3):.4f}", lines[place], count=1)
            text = "\n".join(lines)
            wall, cpu = perf_counter(), process_time()
            checker.check("large.ss", text, hints=True)
            costs.append(Cost(perf_counter() - wall, process_time() - cpu))
        each.append(least(costs))
    budgets.hold("check after an edit of one line in them", 0.010, sorted(each)[len(each) // 2])
    budgets.hold("  (of 25 places, the one in the longest function)", None, max(each))


def imports(budgets: Budgets, folder: Path) -> None:
    """The first import of an unchanged file, in processes that have loaded torch."""
    shutil.copy(EXAMPLES / "attention.ss", folder)
    command = [sys.executable, "-c", IMPORT, str(folder)]
    run(command)
    costs = []
    for _ in range(6):
        printed = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()
        costs.append(Cost(*map(float, printed)))
    installed = "site-packages" in shapescript_check.__file__
    budgets.hold("import of an unchanged file, torch loaded", 0.005 if installed else None, least(costs))
    if not installed:
        print("  (of which most is a look at every file of a compiler that is a source tree)")


def against_pyrefly(budgets: Budgets, folder: Path, pyrefly: Path | None) -> None:
    """A GPT checked by both."""
    ours, theirs = folder / "gpt.ss", folder / "gpt.py"
    shutil.copy(PROGRAMS / "gpt.ss", ours)
    shutil.copy(PROGRAMS / "gpt_pyrefly.py.txt", theirs)
    (folder / "pyrefly.toml").write_text('python-version = "3.13"\n', encoding="utf-8")
    check: Command = [*shapescript(), "check", ours]
    if pyrefly is None:
        budgets.hold("check of a GPT, whole process", None, in_turns({"ours": check}, times=10)["ours"])
        print("  (Pyrefly isn't installed: pip install pyrefly pyrefly-torch-stubs, or see --help)")
        return
    python = pyrefly.parent / "python"
    their_check: Command = [pyrefly, "check", theirs, "--python-interpreter-path", python]
    _finds_a_wrong_shape(check, ours, "narrow: [L Dff D]", "narrow: [L 3*D D]")
    _finds_a_wrong_shape(their_check, theirs, "nn.Linear(4 * width, width)", "nn.Linear(3 * width, width)")
    costs = in_turns({"ours": check, "theirs": their_check}, times=10)
    budgets.hold("check of a GPT, whole process; Pyrefly's is the budget", costs["theirs"].cpu, costs["ours"])
    ratio = costs["theirs"].wall / costs["ours"].wall
    print(f"  (on the clock, Pyrefly takes {ratio:.2f} times as long, {_milliseconds(costs['theirs'].wall)})")


def _finds_a_wrong_shape(check: Command, file: Path, right: str, wrong: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert right in text
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    run(check, code=1)
    file.write_text(text, encoding="utf-8")
    run(check)


def find_pyrefly(given: str | None) -> Path | None:
    """The Pyrefly to compare with, if there is one that has its stubs for torch beside it."""
    found = given or shutil.which("pyrefly", path=str(Path(sys.executable).parent))
    if found is None:
        return None
    pyrefly = Path(found).absolute()
    try:
        run([pyrefly.parent / "python", "-c", "import shape_extensions"])
    except (Failed, OSError):
        return None
    return pyrefly


def main() -> int:
    parser = argparse.ArgumentParser(description="Times checking.")
    parser.add_argument("--pyrefly", metavar="PATH", help="a pyrefly in an environment of its own")
    options = parser.parse_args()
    budgets = Budgets()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole_checks(budgets, folder)
        edits(budgets)
        imports(budgets, folder)
        against_pyrefly(budgets, folder, find_pyrefly(options.pyrefly))
    return int(not budgets.held)


if __name__ == "__main__":
    sys.exit(main())
