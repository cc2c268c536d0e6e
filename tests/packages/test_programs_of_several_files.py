"""Programs of several .ss files, from the command line and from Python."""

from __future__ import annotations

import importlib
import os
import sys
import textwrap
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import shapescript
from tests.cli.commands import python
from tests.cli.commands import shapescript as command

TRAINING = """\
## One step on any model with a loss.
fn descend(mut m: M, mut opt: SGD[M], batch: [b] E, mode: Mode) -> []:
    l, g = value_and_grad(loss, m, batch, mode)
    update(mut m, mut opt, g)
    return l

fn fit(mut m: M, examples: Dataset[E], sink: LogSink, epochs: int, mode: Mode):
    opt = sgd(m, lr=0.1)
    for epoch in 0..epochs:
        for batch in examples |> shuffle(seed=epoch) |> batches(8):
            l = descend(mut m, mut opt, batch, mode)
            sink.write(report(m, l))

## A batch of four rows.
fn four(m: M, x: [n k]) -> [4 k]:
    doubled = x * 2
    return doubled as [4 k]

fn uncalled(m: M) -> M = m
"""

NET = """\
dim D = 6
dim C = 3

model Net:
    param w: [D C] = normal(std=0.1)

model Deep:
    param w: [D D] = normal(std=0.1)
    param v: [D C] = normal(std=0.1)

data Example:
    x: [D]
    y: [] Index[C]

logs Log:
    loss: [] mean

fn forward(m: Net, x: [b D], mode: Mode) -> [b C] = x |> dropout(0.5, mode) |> matmul(m.w)

fn forward(m: Deep, x: [b D], mode: Mode) -> [b C] = x @ m.w |> dropout(0.5, mode) |> matmul(m.v)

fn loss(m: Net, batch: [b] Example, mode: Mode) -> []:
    return cross_entropy(forward(m, batch.x, mode), batch.y, over=C)

fn loss(m: Deep, batch: [b] Example, mode: Mode) -> []:
    return cross_entropy(forward(m, batch.x, mode), batch.y, over=C)

fn report(m: Net, l: []) -> Log = Log(loss=l)

fn report(m: Deep, l: []) -> Log = Log(loss=l)
"""

MAIN = """\
devices cpu

import net
import training

fn train_net(mut m: net.Net, examples: Dataset[net.Example], sink: LogSink, mode: Mode):
    training.fit(mut m, examples, sink, 2, mode)

fn train_deep(mut m: net.Deep, examples: Dataset[net.Example], sink: LogSink, mode: Mode):
    training.fit(mut m, examples, sink, 2, mode)

fn four(m: net.Net, x: [n net.D]) -> [4 net.D] = training.four(m, x)

fn fresh() -> net.Net = net.Net.init(seed=0)

fn predictions(m: net.Net, x: [b net.D]) -> [b net.C] = forward(m, x, Eval) |> softmax(over=net.C)
"""

FILES = {"main.ss": MAIN, "net.ss": NET, "training.ss": TRAINING}


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, fresh: None) -> Iterator[Path]:
    """The folder of the program, first on sys.path, with the import hook installed."""
    workers = shapescript.loader_workers(0)
    shapescript.install()
    yield tmp_path
    shapescript.loader_workers(workers)


@pytest.fixture
def main(folder: Path) -> ModuleType:
    pytest.importorskip("torch")
    write(folder, FILES)
    return importlib.import_module("main")


class Sink:
    def __init__(self) -> None:
        self.losses: list[float] = []

    def write(self, record: dict[str, float]) -> None:
        self.losses.append(record["loss"])

    def flush(self) -> None:
        pass


def examples() -> Any:
    import torch

    x = torch.rand(32, 6, generator=torch.Generator().manual_seed(0))
    return torch.utils.data.TensorDataset(x, torch.arange(32) % 3)


# --- from Python -------------------------------------------------------------------------------------------


def test_each_file_is_one_module_whose_classes_are_everybody_s(main: ModuleType) -> None:
    import net
    import training

    assert (main.net, main.training) == (net, training)
    assert type(main.fresh()) is net.Net
    assert net.D == 6
    assert not hasattr(main, "D")
    assert main.predictions(net.Net.init(seed=1), examples()[:][0]).shape == (32, 3)


def test_a_generic_function_of_another_file_trains_as_one_that_is_written_out(
    main: ModuleType, folder: Path
) -> None:
    import torch

    written = TRAINING.replace("m: M,", "m: Net,").replace("[M]", "[Net]").replace("] E", "] Example")
    written = written.replace("[E]", "[Example]").replace("fn four", "fn fours").partition("## A batch")[0]
    write(folder, {"whole.ss": f"devices cpu\n\n{NET}\n{written}"})
    whole = importlib.import_module("whole")
    one, other, sink, other_sink = main.fresh(), whole.Net.init(seed=0), Sink(), Sink()
    mode = shapescript.Train(seed=5)
    main.training.fit(one, examples(), sink, 2, mode)
    whole.fit(other, examples(), other_sink, 2, mode)
    assert sink.losses == other_sink.losses
    assert len(sink.losses) == 8
    assert torch.equal(one.w, other.w)
    assert not torch.equal(one.w, main.fresh().w)


def test_instances_for_several_models_stay_apart(main: ModuleType) -> None:
    sink, mode = Sink(), shapescript.Train(seed=0)
    main.train_net(main.fresh(), examples(), sink, mode)
    main.train_deep(main.net.Deep.init(seed=0), examples(), sink, mode)
    assert len(sink.losses) == 16
    assert sink.losses[:8] != sink.losses[8:]
    # By the class of a model among its arguments.
    main.training.fit(main.net.Deep.init(seed=0), examples(), sink, 1, mode)
    assert len(sink.losses) == 20


def test_an_overloaded_function_of_another_file_goes_by_its_argument_s_class(main: ModuleType) -> None:
    x = examples()[:][0]
    for model in (main.net.Net.init(seed=0), main.net.Deep.init(seed=0)):
        assert main.net.forward(model, x, shapescript.Eval).shape == (32, 3)
        assert main.net.forward(m=model, x=x, mode=shapescript.Eval).shape == (32, 3)
    with pytest.raises(TypeError, match="forward takes a model first, Net or Deep, and was given Tensor"):
        main.net.forward(x, x, shapescript.Eval)


def test_a_generic_function_that_nothing_calls_says_so(main: ModuleType) -> None:
    with pytest.raises(TypeError, match="uncalled is generic, and no ShapeScript code"):
        main.training.uncalled(main.fresh())
    with pytest.raises(TypeError, match="four has versions for Net, and was given none of them"):
        main.training.four(main.net.Deep.init(seed=0), examples()[:4][0])


def test_names_with_underscores_do_not_meet_those_with_dots(folder: Path) -> None:
    other = (
        "model Net:\n    param w: [] = ones\n\nfn run(m: M) -> [] = tell(m)\n\nfn tell(m: Net) -> [] = m.w\n"
    )
    text = """\
        devices cpu

        import a

        model a_Net:
            param w: [] = full(2.0)

        fn tell(m: a_Net) -> [] = m.w * 10.0

        fn tell(m: a.Net) -> [] = m.w * 100.0

        fn a_run(m: M) -> [] = a.run(m) + 1.0

        fn of_here(m: a_Net) -> [] = a_run(m)

        fn of_there(m: a.Net) -> [] = a_run(m)

        fn told(m: a.Net) -> [] = tell(m)
        """
    write(folder, {"a.ss": other, "main.ss": textwrap.dedent(text)})
    main = importlib.import_module("main")
    here, there = main.a_Net.init(seed=0), main.a.Net.init(seed=0)
    assert [main.of_here(here).item(), main.of_there(there).item(), main.told(there).item()] == [21, 2, 100]
    assert main.tell.__module__ == "main"
    assert main.tell.__doc__ == "fn tell(m: a_Net) -> []\n\nfn tell(m: a.Net) -> []"


def test_python_modules_of_any_name_are_called(folder: Path) -> None:
    """Their names in compiled code are no others', among them those of the runtime and of imported files."""
    modules = ["rt", "device", "dims", "mod_a", "pack_inner", "pack.inner"]
    write(
        folder,
        {
            "a.ss": "fn same(x: [n]) -> [n] = x\n",
            **{f"{m.replace('.', '/')}.py": f"def f(x): return x + {i}\n" for i, m in enumerate(modules)},
            "main.ss": "devices cpu\n\nimport a\n\n"
            + "".join(f'extern fn f{i}(x: [n]) -> [n] = "{m}.f"\n' for i, m in enumerate(modules))
            + f"\nfn all(x: [n]) -> [n] = {' + '.join(f'f{i}(a.same(x))' for i in range(len(modules)))}\n",
        },
    )
    import torch

    assert importlib.import_module("main").all(torch.zeros(1)).item() == sum(range(len(modules)))


def test_what_fails_in_an_instance_is_shown_in_the_generic_function_s_file(
    main: ModuleType, folder: Path
) -> None:
    assert main.four(main.fresh(), examples()[:4][0]).shape == (4, 6)
    with pytest.raises(shapescript.ShapeError) as caught:
        main.four(main.fresh(), examples()[:5][0])
    frames = traceback.extract_tb(caught.value.__traceback__)
    shown = [(Path(f.filename).name, f.lineno, f.line) for f in frames if f.filename.endswith(".ss")]
    assert shown == [
        ("main.ss", 12, "fn four(m: net.Net, x: [n net.D]) -> [4 net.D] = training.four(m, x)"),
        ("training.ss", 17, "return doubled as [4 k]"),
    ]
    assert str(caught.value).startswith(f"{folder / 'training.ss'}:17:12: ")


def test_errors_of_an_imported_file_are_raised_by_the_import(folder: Path) -> None:
    write(folder, {**FILES, "net.ss": NET.replace("@ m.w |>", "@ m.q |>")})
    with pytest.raises(shapescript.ShapeScriptError) as caught:
        importlib.import_module("main")
    (only,) = caught.value.diagnostics
    assert only.code == "E2303"
    assert "net.ss:20:60: error[E0901]: model `Deep` has no field `q`" in only.notes[0]


def test_files_in_packages_and_folders(folder: Path) -> None:
    torch = pytest.importorskip("torch")
    write(
        folder,
        {
            "pkg/__init__.py": "",
            "pkg/main.ss": "devices cpu\n\nimport parts.scale as s\n\nfn f(x: [n]) -> [n] = x |> s.scaled\n",
            "pkg/parts/scale.ss": "import base\n\nfn scaled(x: Real) -> Real = base.twice(x)\n",
            "pkg/parts/base.ss": "fn twice(x: Real) -> Real = x * 2\n",
            "base.ss": "fn twice(x: Real) -> Real = x * 50\n",
        },
    )
    main = importlib.import_module("pkg.main")
    assert main.f(torch.ones(1)).item() == 2
    assert main.s is sys.modules["pkg.parts.scale"]


VALUES = """\
devices cpu

import making
import parts
import parts as p

dim Twice = 2 * parts.W

fn dim_value() -> int = parts.W * 10 + p.Half

fn chained() -> [parts.W] i64 = parts.W |> map(i => i * 2)

fn looped(x: [n]) -> [n]:
    y = x
    for i in 0..parts.Half:
        y = y * 2
    return y

fn halves(x: [n Twice]) -> [2 n parts.W] = x |> rearrange(n (h parts.W) -> h n parts.W)

fn curved(x: [n parts.W]) -> [n parts.W] = x |> parts.curve |> parts.raised(by=0.5) |> p.magnitude

fn placed(x: [n k]) -> [n parts.W] parts.Level = x as [n parts.W] parts.Level

fn scaled(x: [n parts.W]) -> [n parts.W] = apply(parts.Scale.init(seed=0), x)

fn made_elsewhere(x: [n parts.W]) -> [n parts.W] = apply(making.made(), x) + making.made().by

fn saved(m: parts.Scale) -> parts.Scale:
    save("scale.pt", m)
    return load("scale.pt", parts.Scale)
"""

PARTS = """\
dim W = 4
dim Half = W / 2
domain Level = [0, 2]

model Scale:
    param by: [W] = full(3.0)

fn apply(m: Scale, x: [n W]) -> [n W] = x * m.by

fn curve(x: Real) -> Real = x * 2 + 1

fn raised(x: [n W], by: float = 1.0) -> [n W] = x + by

extern fn magnitude(x: [n W]) -> [n W] NonNeg = "torch.abs"
"""


def test_what_other_files_declare_is_there_when_it_runs(folder: Path) -> None:
    torch = pytest.importorskip("torch")
    making = "import parts\n\nfn made() -> parts.Scale = parts.Scale.init(seed=0)\n"
    write(folder, {"values.ss": VALUES, "parts.ss": PARTS, "making.ss": making})
    values = importlib.import_module("values")
    ones = torch.ones(1, 4)
    assert values.dim_value() == 42
    assert values.chained().tolist() == [0, 2, 4, 6]
    assert values.looped(torch.ones(1)).tolist() == [4]
    assert values.halves(torch.arange(8.0)[None]).tolist() == [[[0, 1, 2, 3]], [[4, 5, 6, 7]]]
    assert values.curved(-ones).tolist() == [[0.5] * 4]
    assert values.placed(ones).tolist() == ones.tolist()
    assert values.scaled(ones).tolist() == [[3] * 4]
    assert values.made_elsewhere(ones).tolist() == [[6] * 4]
    scale = values.parts.Scale.init(seed=0)
    assert type(values.saved(scale)) is type(scale)
    with pytest.raises(shapescript.DomainError, match=r"should be \[n parts\.W\] parts\.Level; value 3\.0"):
        values.placed(3 * ones)
    with pytest.raises(shapescript.ShapeError, match=r"axis 2 is 3, not parts\.W = 4"):
        values.scaled(torch.ones(1, 3))


# --- from the command line ---------------------------------------------------------------------------------


def test_check_looks_beside_the_file_and_then_on_the_python_path(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "src/main.ss": "import leaf\nimport far\n\nfn f(x: [n]) -> [n] = x |> leaf.h |> far.h\n",
            "src/leaf.ss": "fn h(x: Real) -> Real = x * 2\n",
            "lib/far.ss": "fn h(x: Real) -> Real = x * 3\n",
            "lib/leaf.ss": "not a program\n",
        },
    )
    result = command("check", "src/main.ss", cwd=tmp_path)
    assert "error[E2301]: there is no file `far.ss`\n --> src/main.ss:2:8" in result.stdout
    result = command("check", "src/main.ss", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path / "lib")})
    assert (result.returncode, result.stdout) == (0, "1 file checked, no problems\n")


def test_a_misspelt_import_says_what_it_may_have_meant(tmp_path: Path) -> None:
    write(tmp_path, {"models/mlp.ss": "dim D = 2\n", "scaling.ss": "dim E = 2\n"})
    write(tmp_path, {"main.ss": "import models.mpl\nimport sclaing\nimport mian\nimport nothing.near\n"})
    result = command("check", "main.ss", cwd=tmp_path)
    assert result.stdout.count("error[E2301]") == 4
    helps = [line.strip() for line in result.stdout.splitlines() if "help:" in line]
    assert helps == ["= help: did you mean `import models.mlp`?", "= help: did you mean `import scaling`?"]


@pytest.mark.parametrize(
    ("line", "help"),
    [
        ("import torch", "`torch` is a Python module: `import python torch`"),
        ("import numpy.linalg as np", "is a Python module: `import python numpy.linalg`, without `as np`"),
        ("import helpers", "`helpers` is a Python module: `import python helpers`"),
        ("import python", "name the Python module, as in `import python torch`"),
        ("import layers.ss", "leave the ending out: `import layers`"),
        ("import shapescript.std.layer", "did you mean `import shapescript.std.layers`?"),
    ],
)
def test_an_import_of_what_is_no_file_says_how_to_write_it(tmp_path: Path, line: str, help: str) -> None:
    write(tmp_path, {"main.ss": f"{line}\n", "layers.ss": "dim D = 3\n", "helpers.py": ""})
    result = command("check", "main.ss", cwd=tmp_path)
    assert result.stdout.count("error[") == result.stdout.count("error[E2301]") == 1
    assert help in result.stdout


def test_a_file_on_the_python_path_is_spelled_as_on_the_disk(tmp_path: Path) -> None:
    write(tmp_path, {"main.ss": "import Leaf\n", "leaf.ss": "dim A = 1\n"})
    result = command("check", "main.ss", cwd=tmp_path)
    assert "error[E2301]: there is no file `Leaf.ss`" in result.stdout


def test_several_files_of_a_program_are_checked_at_once(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "net.ss": NET.replace("x @ m.w |>", "x @ m.q |>")})
    result = command("check", "main.ss", "net.ss", "training.ss", cwd=tmp_path)
    assert result.stdout.count("\nerror[") == 1
    assert "error[E2303]: `net.ss` has an error\n --> main.ss:3:8" in result.stdout
    assert "error[E0901]: model `Deep` has no field `q`\n  --> net.ss:20:60" in result.stdout
    assert result.stdout.endswith("3 files checked, 2 errors\n")


def test_an_imported_file_that_is_no_text(tmp_path: Path) -> None:
    write(tmp_path, {"main.ss": "import leaf\n"})
    (tmp_path / "leaf.ss").write_bytes(b"# caf\xe9\n")
    result = command("check", "main.ss", cwd=tmp_path)
    assert result.returncode == 1
    assert "error[E2303]: `leaf.ss` can't be read" in result.stdout
    assert "UTF-8" in result.stdout


def test_a_program_from_stdin_imports_from_the_working_folder(tmp_path: Path) -> None:
    write(tmp_path, {"leaf.ss": "fn h(x: Real) -> Real = x * 2\n"})
    text = "import leaf\n\nfn f(x: [n]) -> [n] = x |> leaf.h\n"
    result = command("check", "-", cwd=tmp_path, stdin=text)
    assert (result.returncode, result.stdout) == (0, "1 file checked, no problems\n")


@pytest.mark.slow
def test_what_is_built_imports_what_is_beside_it(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    write(tmp_path, FILES)
    for name in ("main", "net", "training"):
        result = command("build", f"{name}.ss", "-o", f"{name}.py", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        os.remove(tmp_path / f"{name}.ss")
    program = "import main, net, torch; print(main.predictions(main.fresh(), torch.zeros(2, 6)).shape, main.net is net)"
    result = python("-c", program, cwd=tmp_path)
    assert (result.stdout, result.stderr) == ("torch.Size([2, 3]) True\n", "")


@pytest.mark.slow
def test_run_runs_a_main_that_imports(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    write(
        tmp_path,
        {
            "start.ss": "devices cpu\n\nimport net\n\nfn main() -> []:\n"
            "    m = net.Net.init(seed=0)\n    return sum(zeros_like(m.w)) + net.C\n",
            "net.ss": NET,
        },
    )
    result = command("run", "start.ss", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
