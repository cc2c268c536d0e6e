"""A package of somebody's own, from `shapescript new` to where it runs: built and installed by pip.

One environment has everything, as its author's has; the other has the package, shapescript-runtime and PyTorch.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import environment, shapescript
from tests.packages.environments import Environment, run
from tests.packages.projects import PROJECTS
from tests.pymodules import checkers

pytestmark = pytest.mark.slow

# A second file, which imports the first one and the standard library.
TRAINING = """\
import model
import shapescript.std.fit as std

data Example:
    x: [model.Features]
    y: []

## A plane through the origin.
model Plane:
    param w: [model.Features] = zeros

fn loss(m: Plane, batch: [b] Example, mode: Mode) -> []:
    return mse_loss(batch.x @ m.w, batch.y)

fn train(mut m: Plane, train: Dataset[Example], sink: LogSink):
    std.fit(mut m, train, sink, 2, 16, 0.1, Train(seed=0))

fn predict_far(m: model.Net, x: [b n]) -> [b]:
    return model.predict(m, x as [b model.Features])
"""

# Trains both models, and fails in each way that there is; prints all of it.
PROGRAM = """\
import json, sys, traceback
{hook}
import torch
import shapescript_runtime as rt
rt.devices("cpu")
from shapes_extra import model, training

x = torch.randn(64, model.Features, generator=torch.Generator().manual_seed(0))
y = x.sum(dim=1)
net = model.Net.init(seed=0)
state = model.optimizer(net)
losses = [model.step(net, state, x, y).item() for _ in range(20)]

class Rows(torch.utils.data.Dataset):
    def __len__(self): return len(x)
    def __getitem__(self, i): return {{"x": x[i], "y": y[i]}}

class Sink:
    def write(self, record): losses.append(float(record["loss"]))
    def flush(self): pass

class Broken(Sink):
    def write(self, record): raise ValueError("full")

plane = training.Plane.init(seed=0)
rt.show_progress(False)
rt.loader_workers(0)
training.train(plane, Rows(), Sink())

def failure(call):
    try:
        call()
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [f for f in frames if f.filename.endswith(".ss")]
        places = [[f.filename, f.lineno, f.colno, f.end_colno, f.name, f.line] for f in ours]
        return [type(error).__name__, str(error), places]

wrong = [
    failure(lambda: model.predict(net, torch.zeros(3, 7))),
    failure(lambda: training.predict_far(net, torch.zeros(3, 5))),
    failure(lambda: model.loss(net, x, "y")),
    failure(lambda: model.step(net, state, x.to("meta"), y)),
    failure(lambda: training.train(plane, Rows(), None)),
    failure(lambda: training.train(plane, Rows(), Broken())),
]
compiler = sorted(m for m in sys.modules if m.startswith(("shapescript_check", "shapescript_syntax")))
print(json.dumps({{"losses": losses, "plane": plane.w.tolist(), "wrong": wrong, "compiler": compiler,
    "one class": training.model.Net is model.Net, "module": model.Net.__module__}}))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `shapescript new shapes-extra` makes, and a file that imports others."""
    folder = tmp_path_factory.mktemp("packages")
    made = shapescript("new", "shapes-extra", cwd=folder)
    assert made.returncode == 0, made.stderr
    (folder / "shapes-extra" / "src" / "shapes_extra" / "training.ss").write_text(TRAINING)
    return folder / "shapes-extra"


def pip_wheel(project: Path, into: Path) -> Path:
    """The wheel of a project, built by pip with the compiler that runs the tests."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    run([*pip, "--wheel-dir", into, project], project)
    (wheel,) = into.glob("shapes_extra-*.whl")
    return wheel


@pytest.fixture(scope="module")
def links(package: Path, wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package's wheel and the six wheels of the project."""
    folder = tmp_path_factory.mktemp("links")
    pip_wheel(package, folder)
    for wheel in wheels.values():
        shutil.copy(wheel, folder)
    return folder


@pytest.fixture(scope="module")
def everything(links: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The package's author: the package, and all that it names for working on it."""
    made = Environment.created(tmp_path_factory.mktemp("everything"))
    made.borrow_torch()
    made.install_with_dependencies("shapes-extra[dev]", wheels=links)
    return made


@pytest.fixture(scope="module")
def production(links: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The package, and what pip installs with it. Of the project, only the runtime's wheel can be found."""
    wheels = tmp_path_factory.mktemp("production-links")
    for wheel in (*links.glob("shapes_extra-*"), *links.glob("shapescript_runtime-*")):
        shutil.copy(wheel, wheels)
    made = Environment.created(tmp_path_factory.mktemp("production"))
    made.borrow_torch()
    made.install_with_dependencies("shapes-extra", wheels=wheels)
    return made


def outcome(where: Environment, folder: Path, hook: str = "", **variables: str) -> dict[str, Any]:
    """What PROGRAM says in an environment, with the folder of its packages out of all paths.

    The standard library is in the package where the compiler isn't installed.
    """
    command = [where.python, "-c", PROGRAM.format(hook=hook)]
    env = environment(**variables)
    result = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return json.loads(
        result.stdout.replace(str(where.packages), "SITE").replace("/shapes_extra/_shapescript/", "/")
    )


@pytest.fixture(scope="module")
def carried(production: Environment, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What PROGRAM says without the compiler."""
    return outcome(production, tmp_path_factory.mktemp("carried"))


def test_the_package_runs_the_same_with_the_compiler_and_without(
    everything: Environment, production: Environment, carried: dict[str, Any], tmp_path: Path
) -> None:
    missing = "from importlib.util import find_spec as f; print([n for n in {} if f(n)])"
    ours = [project.import_name for project in PROJECTS.values()]
    assert run([production.python, "-c", missing.format(ours)], tmp_path).strip() == "['shapescript_runtime']"

    assert carried["compiler"] == []
    assert carried["losses"][19] < carried["losses"][0] / 2
    kinds = ["ShapeError", "ShapeError", "ShapeError", "DeviceError", "KindError", "ValueError"]
    assert [error[0] for error in carried["wrong"]] == kinds
    # Every failure is said to be in a .ss file, and at the words that are wrong.
    assert all(error[1].startswith("SITE/shapes_extra/") for error in carried["wrong"][:2])
    file, _, start, end, name, text = carried["wrong"][1][2][0]
    assert (file, name) == ("SITE/shapes_extra/training.ss", "predict_far")
    assert text == "return model.predict(m, x as [b model.Features])"
    assert ("    " + text)[start:end] == "x as [b model.Features]"
    # The standard library, which isn't installed here, came with the package.
    file, _, _, _, _, text = carried["wrong"][5][2][-1]
    assert file == "SITE/shapescript/std/fit.ss"
    assert text == "sink.write(train_step(mut m, mut opt, batch, mode))"
    assert carried["one class"] is True
    assert carried["module"] == "shapes_extra.model"

    # Where the compiler is, what was built is as good; with the import hook, everything is compiled.
    alone = "import sys, shapes_extra.model; print('shapescript_check' in sys.modules)"
    assert run([everything.python, "-c", alone], tmp_path).strip() == "False"
    for hook in ("", "import shapescript; shapescript.install()"):
        compiled = outcome(everything, tmp_path, hook)
        assert compiled.pop("compiler")
        assert {**compiled, "compiler": []} == carried


def test_a_site_packages_that_cannot_be_written_works(
    production: Environment, carried: dict[str, Any], tmp_path: Path
) -> None:
    package = production.packages / "shapes_extra"
    for kept in list(package.rglob("__pycache__")):
        shutil.rmtree(kept)
        # A file where the folder would be keeps even root from making it, as a read-only file system does.
        kept.touch()
    try:
        assert outcome(production, tmp_path, SHAPESCRIPT_CACHE_DIR=str(tmp_path / "cache")) == carried
    finally:
        for kept in package.rglob("__pycache__"):
            kept.unlink()


@pytest.mark.parametrize("checker", ["pyright", "mypy"])
def test_type_checkers_see_the_types_of_the_package(
    everything: Environment, tmp_path: Path, checker: str
) -> None:
    program = tmp_path / "program" / "program.py"
    program.parent.mkdir()
    program.write_text(
        "import torch\n"
        "from shapes_extra.model import Features, Net, predict\n"
        "reveal_type(predict(Net.init(seed=0), torch.zeros(2, Features)))\n"
        "predict(Net.init(seed=0), 'text')\n"
        "predict(Net.init(seed='0'), torch.zeros(2, 4))\n"
    )
    found = getattr(checkers, checker)(program.parent, program.name, interpreter=everything.python)
    assert [(line, rule) for _, line, rule in checkers.errors(found)] == [
        (4, {"pyright": "reportArgumentType", "mypy": "arg-type"}[checker]),
        (5, {"pyright": "reportArgumentType", "mypy": "arg-type"}[checker]),
    ]
    assert [name.rpartition(".")[2] for name in checkers.revealed(found)] == ["Tensor"]


def test_the_wheel_passes_the_checks_of_package_indexes(links: Path, tmp_path: Path) -> None:
    (wheel,) = links.glob("shapes_extra-*.whl")
    assert "PASSED" in run([sys.executable, "-m", "twine", "check", "--strict", wheel], tmp_path)
    assert f"{wheel}: OK" in run([sys.executable, "-m", "check_wheel_contents", wheel], tmp_path)


def test_the_sdist_builds_the_same_wheel_again(package: Path, links: Path, tmp_path: Path) -> None:
    code = f"import shapescript.build as b; print(b.build_sdist({str(tmp_path)!r}))"
    (name,) = run([sys.executable, "-c", code], package).split()
    assert run([sys.executable, "-m", "twine", "check", "--strict", tmp_path / name], tmp_path)
    (first,) = links.glob("shapes_extra-*.whl")
    again = tmp_path / "again"
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    run([*pip, "--wheel-dir", again, tmp_path / name], tmp_path)
    with zipfile.ZipFile(first) as one, zipfile.ZipFile(again / first.name) as other:
        assert {n: one.read(n) for n in one.namelist()} == {n: other.read(n) for n in other.namelist()}


@pytest.fixture
def editable(package: Path, tmp_path: Path) -> Path:
    """A folder with an editable install of the package, for the search path; the copy of the sources is in it."""
    source = tmp_path / "source"
    shutil.copytree(package, source)
    target = tmp_path / "target"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    run([*command, "--no-index", "--target", target, "--editable", source], tmp_path)
    return tmp_path


def test_an_editable_install_compiles_the_sources_where_they_are(editable: Path) -> None:
    program = (
        f"import site; site.addsitedir({str(editable / 'target')!r})\n"
        "import shapescript; shapescript.install()\n"
        "from shapes_extra import model, training\n"
        "print(model.__file__, model.Hidden)"
    )
    source = editable / "source" / "src" / "shapes_extra" / "model.ss"
    for hidden in (16, 8):
        source.write_text(source.read_text().replace("dim Hidden = 16", f"dim Hidden = {hidden}"))
        printed = run([sys.executable, "-c", program], editable).split()
        assert printed == [str(source), str(hidden)]


def test_the_new_packages_own_tests_pass_from_its_sources(package: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    result = subprocess.run(
        command, cwd=package, env=environment(), capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "2 passed" in result.stdout
    assert os.path.isdir(package / "tests")
