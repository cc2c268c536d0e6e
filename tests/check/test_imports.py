"""What a file sees of the files that it imports."""

from __future__ import annotations

import pytest

from tests.check.files import check, found
from tests.language.observed import observe

VISION = """\
dim D = 8
dim C = 3
dim Images = [b D]
domain Gain = [0, 2]

model Mlp:
    param w: [D C] = normal(std=0.1)

data Digit:
    img: [D]
    label: [] Index[C]

logs StepLogs:
    loss: [] mean

fn forward(m: Mlp, x: Images) -> [b C] Logit over C = x @ m.w

fn loss(m: Mlp, batch: [b] Digit) -> []:
    return cross_entropy(forward(m, batch.img), batch.label, over=C)

fn twice(x: Real) -> Real = x * 2

fn louder(x: Images, by: float = 2.0) = x * by

extern fn torch_relu(x: [n D]) -> [n D] NonNeg = "torch.relu"
"""


def problems(main: str, **others: str) -> list[str]:
    """What is wrong in a file that may import `vision` and, by their names, others."""
    return found(
        check({"main.ss": main, "vision.ss": VISION, **{f"{k}.ss": text for k, text in others.items()}})
    )


EVERYWHERE = {
    "a call": "fn f(m: vision.Mlp, x: [b vision.D]) -> [b vision.C] = vision.forward(m, x)",
    "a stage": "fn f(x: [b vision.D]) -> [b vision.D] = x |> vision.twice |> vision.louder(by=0.5)",
    "an extern function": "fn f(x: [n vision.D]) -> [n vision.D] NonNeg = vision.torch_relu(x)",
    "a model's type and its init": "fn f() -> vision.Mlp = vision.Mlp.init(seed=0)",
    "a field": "fn f(m: vision.Mlp) -> [vision.D vision.C] = m.w",
    "a shape alias": "fn f(x: vision.Images) -> vision.Images = x",
    "a domain": "fn f(x: [n]) -> [n] vision.Gain = sigmoid(x) * 2",
    "an assertion": "fn f(x: [n k]) -> [n vision.D] vision.Gain = x as [n vision.D] vision.Gain",
    "an index": "fn f(x: [n] Index[vision.C]) -> [n vision.C] = one_hot(x)",
    "an axis": "fn f(x: [n vision.C]) -> [n vision.C] Prob over vision.C = softmax(x, over=vision.C)",
    "a pattern": "fn f(x: [n vision.D]) -> [vision.D n] = x |> rearrange(n vision.D -> vision.D n)",
    "a group": "fn f(x: [n vision.D 2]) -> [n 2*vision.D] = x |> rearrange(n vision.D c -> n (c vision.D))",
    "arithmetic of dims": "dim K = vision.D * 2 + vision.C\n\nfn f(x: [n K]) -> [n 19] = x",
    "a computed size": "fn f(x: [n vision.D+1]) -> [n vision.D] = x[:, 1:]",
    "an alias of its own": "dim Rows = [n vision.D]\n\nfn f(x: Rows) -> Rows = x",
    "a number": "fn f(x: [n]) -> [n] = x / vision.D",
    "a chain": "fn f() -> [vision.D] i64 = vision.D |> map(i => i * 2)",
    "a loop": "fn f(x: [n]) -> [n]:\n    y = x\n    for i in 0..vision.C:\n        y = y * 2\n    return y",
    "a default": "fn f(x: [n], by: int = vision.C) -> [n] = x * by",
    "a field of its own model": "model Head:\n    param w: [vision.C 4] = normal(std=0.1)",
    "a field of its own record": "data Pair:\n    left: [] vision.Gain\n    right: [vision.D] vision.Gain",
    "a dataset, an optimizer and a record of logs": """\
fn train(mut m: vision.Mlp, mut opt: AdamW[vision.Mlp], digits: Dataset[vision.Digit], sink: LogSink):
    for batch in digits |> batches(4):
        sink.write(step(mut m, mut opt, batch))

fn step(mut m: vision.Mlp, mut opt: AdamW[vision.Mlp], batch: [b] vision.Digit) -> vision.StepLogs:
    l, g = value_and_grad(vision.loss, m, batch)
    update(mut m, mut opt, g)
    return vision.StepLogs(loss=l)
""",
    "a gradient": """\
fn f(m: vision.Mlp, batch: [b] vision.Digit) -> Grad[vision.Mlp]:
    l, g = value_and_grad(loss, m, batch)
    return g
""",
    "a checkpoint": """\
fn f() -> vision.Mlp:
    m, opt = load("c.pt", vision.Mlp, SGD[vision.Mlp])
    return m
""",
    "a function that its model's file declares": """\
fn f(m: vision.Mlp, x: [b vision.D]) -> [b vision.C] = forward(m, x)
""",
}


@pytest.mark.parametrize("main", EVERYWHERE.values(), ids=EVERYWHERE)
def test_a_qualified_name_stands_wherever_a_name_can(main: str) -> None:
    assert problems(f"import vision\n\n{main}\n") == []


def types(main: str, **others: str) -> list[str]:
    program = check({"main.ss": main, "vision.ss": VISION, **{f"{k}.ss": text for k, text in others.items()}})
    assert found(program) == []
    return [value.type for value in observe(program).values]


def test_types_of_another_file_are_shown_with_its_name() -> None:
    main = """\
import vision

fn f(x: [b 8], digits: [b] vision.Digit):
    m = vision.Mlp.init(seed=0)
    y = vision.forward(m, x)
    w = m.w
    label = digits.label
    louder = vision.louder(x)
    return
"""
    assert types(main) == [
        "vision.Mlp",
        "[b vision.C] Logit over vision.C",
        "[vision.D vision.C]",
        "[b] Index[vision.C]",
        "[b vision.D]",
    ]


WHOLE = """\
dim D = 8
dim C = 3

model Net:
    param w: [D C] = zeros

data Row:
    x: [D]

logs Log:
    loss: [] mean

fn trained(mut m: Net, mut opt: AdamW[Net], rows: Dataset[Row], sink: LogSink, epochs: int, mode: Mode, g: Grad[Net]):
    for batch in rows |> batches(4):
        sink.write(logged(m, batch))

fn logged(m: Net, batch: [b] Row, scale: float = 1.0) -> Log = Log(loss=mean(batch.x @ m.w) * scale)

fn grouped(x: [b (h D)], y: [n] Index[C], z: [n C] Prob over C) -> [b h D] = x |> rearrange(b (h D) -> b h D)
"""


def test_functions_with_parameters_of_every_kind_can_be_called() -> None:
    main = """\
import whole

fn f(mut m: whole.Net, mut o: AdamW[whole.Net], rows: Dataset[whole.Row], sink: LogSink, g: Grad[whole.Net]):
    whole.trained(mut m, mut o, rows, sink, 3, Eval, g)
    for batch in rows |> batches(8):
        sink.write(whole.logged(m, batch, scale=2.0))

fn g(x: [b 16], y: [n] Index[whole.C], z: [n whole.C] Prob over whole.C):
    h = whole.grouped(x, y, z)
    return
"""
    assert types(main, whole=WHOLE) == ["[b 2 whole.D]"]


def test_dims_of_two_files_are_two_dims_even_if_their_sizes_are_equal() -> None:
    mixed = "import vision\n\ndim C = 3\n\nfn f(x: [n C], y: [n vision.C]) -> [n C] = x + y\n"
    (only,) = problems(mixed)
    assert only.startswith("5:46 E0404 axis `C` meets axis `vision.C`")
    assert problems(mixed.replace("x + y", "x + (y as [n C])")) == []


def test_a_dim_of_another_file_is_no_name_here() -> None:
    assert problems("import vision\n\nfn f(x: [n vision.D]) -> [n] = sum(x, over=D)\n") == [
        "3:44 E0405 the tensor has no axis named `D`"
    ]


def test_a_file_with_two_names_is_one_file_and_goes_by_the_plain_one() -> None:
    main = "fn f(m: a.Mlp, x: [n a.D]):\n    y = vision.forward(m, x)\n    z = y |> softmax(over=a.C)\n    return\n"
    for imports in ("import vision\nimport vision as a\n", "import vision as a\nimport vision\n"):
        assert types(imports + main) == [
            "[n vision.C] Logit over vision.C",
            "[n vision.C] Prob over vision.C",
        ]


def test_an_import_binds_the_last_part_of_its_name_or_what_as_says() -> None:
    folder = {"main.ss": "", "models/mlp.ss": "dim Width = 4\n"}
    for line, name in (("import models.mlp", "mlp"), ("import models.mlp as m", "m")):
        folder["main.ss"] = f"{line}\n\nfn f(x: [n {name}.Width]) -> [n 4] = x\n"
        assert found(check(folder)) == []
    folder["main.ss"] = "import models.mlp\n\nfn f(x: [n models.mlp.Width]) -> [n 4] = x\n"
    assert [line.split()[1] for line in found(check(folder))] != []


def test_files_of_a_folder_find_each_other_before_those_at_the_top() -> None:
    folder = {
        "main.ss": "import models.mlp\n\nfn f(x: [n mlp.Width]) -> [n 4] = x\n",
        "models/mlp.ss": "import sizes\n\ndim Width = sizes.Base * 2\n",
        "models/sizes.ss": "dim Base = 2\n",
        "sizes.ss": "dim Base = 50\n",
    }
    assert found(check(folder)) == []


@pytest.mark.parametrize(
    "other",
    ["fn vision(x: [n]) -> [n] = x", "dim vision = 3", "import other as vision", "import vision"],
)
def test_an_import_declares_its_name(other: str) -> None:
    at = {"f": "3:4", "d": "3:5", "i": "3:17" if " as " in other else "3:8"}[other[0]]
    assert problems(f"import vision\n\n{other}\n", other="dim K = 2\n") == [
        f"{at} E0302 `vision` is declared twice"
    ]


def test_a_value_hides_a_file_but_not_in_types_and_shapes() -> None:
    hidden = """\
import vision

fn f(vision: vision.Mlp, x: [n 8]) -> [n vision.C]:
    y = x as [n vision.D]
    return y @ vision.w
"""
    assert problems(hidden) == []
    assert problems(hidden.replace("y @ vision.w", "vision.forward(vision, y)")) == [
        "5:19 E0901 model `vision.Mlp` has no field `forward`"
    ]


MISTAKES = {
    "a name that isn't there": (
        "fn f(x: [n vision.D]) -> [n] = vision.nothing(x)",
        "3:39 E2304 `vision` declares no `nothing`",
    ),
    "a type that isn't there": ("fn f(m: vision.Cnn) -> [] = 0.0", "3:16 E2304 `vision` declares no `Cnn`"),
    "a size that isn't there": ("fn f(x: [n vision.E]) -> [] = 0.0", "3:19 E2304 `vision` declares no `E`"),
    "a file as a value": (
        "fn f(x: [n]) -> [n] = vision",
        "3:23 E0303 `vision` is an imported file, and here a value is needed",
    ),
    "a file as a function": (
        "fn f(x: [n]) -> [n] = vision(x)",
        "3:23 E0303 `vision` is an imported file, and only functions can be called",
    ),
    "a file as a size": (
        "fn f(x: [vision]) -> [] = 0.0",
        "3:10 E0303 `vision` is an imported file, not a size",
    ),
    "a file as a type": (
        "fn f(x: vision) -> [] = 0.0",
        "3:9 E0303 `vision` is an imported file, not a domain",
    ),
    "a dim as a function": (
        "fn f(x: [n]) -> [n] = vision.D(x)",
        "3:23 E0303 `vision.D` is a dim, and only functions can be called",
    ),
    "a file as a member": (
        "fn f(x: [n]) -> [n] = x.vision",
        "3:25 E0303 a value of type [n] has no member `vision`",
    ),
    "a wrong shape": (
        "fn f(m: vision.Mlp, x: [b 5]) -> [b 3] = vision.forward(m, x)",
        "3:60 E0401 `vision.forward` can't take [b 5] as `x`, which is [b vision.D]",
    ),
    "another model": (
        "model Mlp:\n    param w: [8 3] = zeros\n\nfn f(m: Mlp, x: [b 8]) -> [b 3] = vision.forward(m, x)",
        "6:50 E0904 `m` of `vision.forward` is Mlp, and vision.Mlp is expected",
    ),
    "a range that is too large": (
        "fn f(x: [n] vision.Gain) -> [n] vision.Gain = vision.twice(x)",
        "3:47 E0501 the returned value is [0, 4], and vision.Gain is expected",
    ),
}


@pytest.mark.parametrize(("main", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_found_where_they_are(main: str, expected: str) -> None:
    assert problems(f"import vision\n\n{main}\n") == [expected]


INDIRECT = {
    "models.ss": """\
dim W = 4
dim Rows = [n W]
domain Small = [0, 1]

model Scale:
    param by: [W] = ones

fn apply(m: Scale, x: Rows) -> Rows = x * m.by

fn thrice(x: Real) -> Real = x * 3
""",
    "making.ss": """\
import models

dim V = models.W * 3

fn made() -> models.Scale = models.Scale.init(seed=0)

fn small(x: models.Rows) -> [n models.W] models.Small = sigmoid(x)

fn raised(x: models.Rows) = x |> models.thrice
""",
}


def test_what_a_file_gets_from_its_own_imports_keeps_its_meaning() -> None:
    main = """\
import making

fn f(x: [n 4], v: [n making.V]):
    m = making.made()
    y = apply(m, x)
    small = making.small(x) |> sqrt
    raised = making.raised(small)
    w = v as [n 12]
    return
"""
    program = check({**INDIRECT, "main.ss": main})
    assert found(program) == []
    assert [value.type for value in observe(program).values] == [
        "making.models.Scale",
        "[n making.models.W]",
        "[n making.models.W] Unit",
        "[n making.models.W]",
        "[n 12]",
    ]


def test_a_file_that_is_imported_directly_too_goes_by_its_own_name() -> None:
    main = """\
import making
import models as m

fn f(x: [n m.W]):
    scale = making.made()
    y = m.apply(scale, making.raised(x))
    return
"""
    program = check({**INDIRECT, "main.ss": main})
    assert found(program) == []
    assert [value.type for value in observe(program).values] == ["m.Scale", "[n m.W]"]


def test_imports_of_an_imported_file_are_not_among_its_names() -> None:
    main = "import making\n\nfn f(x: [n 4]) -> [n 4] = x |> making.models.thrice\n"
    assert found(check({**INDIRECT, "main.ss": main})) == ["3:39 E2304 `making` declares no `models`"]


@pytest.mark.parametrize(
    "line",
    [
        "fn f(m: making.models.Net) -> [] = 0.0",
        "fn f(x: [n making.models.D]) -> [] = 0.0",
        "fn f(x: [n]) -> [] = sum(rearrange(x, n -> making.models.D n))",
        "fn f(x: [n] Prob over making.models.D) -> [] = sum(x)",
    ],
)
def test_a_name_of_a_file_s_import_is_one_mistake_in_a_type(line: str) -> None:
    (problem,) = check({**INDIRECT, "main.ss": f"import making\n\n{line}\n"}).diagnostics
    assert (problem.code, problem.message) == ("E0201", "a name here has one dot at most")


def test_a_name_of_a_file_s_import_says_to_import_it() -> None:
    main = "import making\n\nfn f(x: [n]) -> [] = making.models.made(x)\n"
    (problem,) = check({**INDIRECT, "main.ss": main}).diagnostics
    assert problem.help == "`making` only imports it: import it in this file too"
