"""Overloaded and generic functions in programs of several files: which function a call means, and for which types."""

from __future__ import annotations

import pytest

from tests.check.files import check, found
from tests.language.observed import observe

MODELS = """\
dim Width = 4

model Scale:
    param by: [Width] = ones

model Shift:
    param by: [Width] = ones

data Example:
    x: [Width]

fn forward(m: Scale, x: [n Width]) -> [n Width] = x * m.by

fn forward(m: Shift, x: [n Width]) -> [n Width] = x + m.by

fn loss(m: Scale, batch: [b] Example) -> [] = mean(square(forward(m, batch.x)))

fn own(m: Scale, x: [n Width]) -> [n] = sum(x * m.by, over=Width)
"""


def types(main: str, **others: str) -> list[str]:
    """The types of what a program that may import `models` and others binds and returns."""
    program = check(texts(main, others))
    assert found(program) == []
    return [value.type for value in observe(program).values]


def problems(main: str, **others: str) -> list[str]:
    return found(check(texts(main, others)))


def texts(main: str, others: dict[str, str]) -> dict[str, str]:
    return {"main.ss": main, "models.ss": MODELS, **{f"{name}.ss": text for name, text in others.items()}}


# --- overloads ---------------------------------------------------------------------------------------------


def test_a_call_finds_the_function_beside_its_model() -> None:
    main = """\
import models

fn f(a: models.Scale, b: models.Shift, x: [n 4]):
    y = forward(a, x)
    z = y |> models.own(a, _)
    w = b |> forward(x)
    v = own(a, y)
    return
"""
    assert types(main) == ["[n models.Width]", "[n]", "[n models.Width]", "[n]"]


def test_one_of_the_calling_file_comes_first() -> None:
    main = """\
import models

fn forward(m: models.Scale, x: [n 4]) -> [] = sum(x) * sum(m.by)

fn f(a: models.Scale, b: models.Shift, x: [n 4]):
    y = forward(a, x)
    z = forward(b, x)
    w = models.forward(a, x)
    return
"""
    assert types(main)[1:] == ["[]", "[n models.Width]", "[n models.Width]"]


def test_files_may_have_overloads_for_models_of_others() -> None:
    main = """\
import models

model Own:
    param by: [4] = ones

fn apply(m: models.Scale, x: [n 4]) -> [n 4] = x

fn apply(m: Own, x: [n 4]) -> [4 n] = transposed(x)

fn transposed(x: [n k]) -> [k n] = x |> rearrange(n k -> k n)

fn f(a: models.Scale, b: Own, c: models.Shift, x: [n 4]):
    y = apply(a, x)
    z = apply(b, x)
    return
"""
    assert types(main)[-2:] == ["[n 4]", "[4 n]"]
    assert problems(main.replace("z = apply(b, x)", "z = apply(c, x)")) == [
        "14:15 E2308 no `apply` takes models.Shift first"
    ]
    (first, _) = problems(main.replace("m: Own, x: [n 4]", "m: models.Scale, y: [n 4]"))
    assert first.startswith("8:4 E2307 there is another `apply` that takes `models.Scale` first")


def test_nothing_is_found_beside_what_is_no_model() -> None:
    main = "import models\n\nfn f(x: [n 4]) -> [n 4] = forward(x, x)\n"
    assert problems(main) == ["3:27 E0301 nothing named `forward` is in scope"]
    main = "import models\n\nfn f(m: models.Scale, x: [n 4]) -> [n 4] = backward(m, x)\n"
    assert problems(main) == ["3:44 E0301 nothing named `backward` is in scope"]


def test_a_function_beside_an_indirectly_imported_model_is_found() -> None:
    making = "import models\n\nfn made() -> models.Shift = models.Shift.init(seed=0)\n"
    main = "import making\n\nfn f(x: [n 4]):\n    return forward(making.made(), x)\n"
    assert types(main, making=making) == ["[n making.models.Width]"]


# --- generic functions -------------------------------------------------------------------------------------

TRAINING = """\
dim Steps = 7

fn twice(m: M, x: [n 4]) = forward(m, forward(m, x))

fn gradient(m: M, batch: [b] E) -> Grad[M]:
    l, g = value_and_grad(loss, m, batch)
    return g

fn fit(mut m: M, examples: Dataset[E], rate: float = 0.1):
    opt = sgd(m, lr=rate)
    for batch in examples |> batches(8):
        update(mut m, mut opt, gradient(m, batch))

fn copied(m: M) -> M = m

fn steps(m: M) -> [Steps] i64 = Steps |> map(i => i * 2)

fn run(m: M) -> [] = helped(m)

fn helped(m: M) -> [] = 0.0

fn scaled(m: M, x: [n]) -> [n] = x |> half

fn half(x: Real) -> Real = x / 2
"""


def test_a_generic_function_finds_what_the_model_s_file_declares() -> None:
    main = """\
import models
import training

fn f(mut a: models.Scale, b: models.Shift, x: [n 4], batch: [k] models.Example, d: Dataset[models.Example]):
    y = training.twice(a, x)
    z = b |> training.twice(x)
    g = training.gradient(a, batch)
    c = training.copied(b)
    s = training.steps(a)
    training.fit(mut a, d)
    training.fit(mut a, d, rate=0.5)
    return
"""
    assert types(main, training=TRAINING) == [
        "[n models.Width]",
        "[n models.Width]",
        "Grad[models.Scale]",
        "models.Shift",
        "[training.Steps] i64",
    ]


def test_its_own_functions_come_before_those_of_the_model_s_file() -> None:
    models = MODELS + "\nfn helped(m: Scale) -> [Width] = m.by\n\nfn half(x: Real) -> Real = x * 9\n"
    main = """\
import models
import training

fn f(a: models.Scale, x: [n]):
    y = training.run(a)
    z = training.scaled(a, x)
    w = helped(a)
    return
"""
    program = check({**texts(main, {"training": TRAINING}), "models.ss": models})
    assert found(program) == []
    assert [value.type for value in observe(program).values] == ["[]", "[n]", "[models.Width]"]


def test_a_file_s_own_models_serve_another_s_generic_functions() -> None:
    main = """\
import training

model Own:
    param by: [4] = ones

data Row:
    x: [4]

fn forward(m: Own, x: [n 4]) -> [n 4] = x * m.by

fn loss(m: Own, batch: [b] Row) -> [] = mean(forward(m, batch.x))

fn f(m: Own, x: [n 4], batch: [b] Row):
    y = training.twice(m, x)
    g = training.gradient(m, batch)
    return
"""
    assert types(main, training=TRAINING)[-2:] == ["[n 4]", "Grad[Own]"]
    # Versions for other models besides change nothing.
    more = "\nmodel More:\n    param by: [4] = ones\n\nfn forward(m: More, x: [n 4]) -> [n] = x @ m.by\n"
    assert types(main + more, training=TRAINING)[-3:] == ["[n 4]", "Grad[Own]", "[n]"]


def test_generic_functions_of_one_file_call_those_of_another() -> None:
    outer = """\
import training

fn four_times(m: M, x: [n 4]) -> [n 4] = training.twice(m, training.twice(m, x))

fn fit_twice(mut m: M, examples: Dataset[E]):
    training.fit(mut m, examples)
    training.fit(mut m, examples, rate=0.01)

fn both(a: M, b: N, x: [n 4]) -> [n 4] = four_times(a, four_times(b, x))
"""
    main = """\
import models
import outer

model Own:
    param by: [4] = ones

fn forward(m: Own, x: [n 4]) -> [n 4] = x * m.by

fn f(mut a: models.Scale, b: Own, x: [n 4], d: Dataset[models.Example]) -> [n 4]:
    outer.fit_twice(mut a, d)
    return outer.both(a, b, x) + outer.four_times(b, x)
"""
    program = check(texts(main, {"training": TRAINING, "outer": outer}))
    assert found(program) == []
    assert {instance.key for instance in program.instances} == {
        "outer.fit_twice[models.Scale,models.Example]",
        "outer.training.fit[models.Scale,models.Example]",
        "outer.training.gradient[models.Scale,models.Example]",
        "outer.both[models.Scale,Own]",
        "outer.four_times[models.Scale]",
        "outer.four_times[Own]",
        "outer.training.twice[models.Scale]",
        "outer.training.twice[Own]",
    }


def test_a_type_that_only_a_third_file_can_name_is_a_type_all_the_same() -> None:
    making = "import models\n\nfn made() -> models.Shift = models.Shift.init(seed=0)\n"
    main = """\
import making
import training

fn f(x: [n 4]):
    y = training.twice(making.made(), x)
    c = training.copied(making.made())
    return
"""
    assert types(main, making=making, training=TRAINING) == [
        "[n making.models.Width]",
        "making.models.Shift",
    ]


def test_a_file_with_two_names_has_one_instance_of_each() -> None:
    main = """\
import models
import models as m
import training as t
import training

fn f(a: models.Scale, x: [n 4]) -> [n 4] = training.twice(a, x)

fn g(a: m.Scale, x: [n 4]) -> [n 4] = t.twice(a, x)
"""
    program = check(texts(main, {"training": TRAINING}))
    assert found(program) == []
    assert [instance.key for instance in program.instances] == ["training.twice[models.Scale]"]


MISSING = {
    "beside the model": (
        "fn f(m: models.Shift, batch: [b] models.Example) -> Grad[models.Shift] = training.gradient(m, batch)",
        "E2311 `gradient` with M = models.Shift, E = models.Example needs a function `loss` "
        "that takes `models.Shift` first",
        "`gradient` uses it at training.ss:6:27",
    ),
    "through another generic function": (
        "fn f(mut m: models.Shift, d: Dataset[models.Example]):\n    training.fit(mut m, d)",
        "E2311 `fit` with M = models.Shift, E = models.Example needs a function `loss` "
        "that takes `models.Shift` first",
        "`gradient` uses it at training.ss:6:27, called by `fit`",
    ),
    "for a model of this file": (
        "model Own:\n    param by: [4] = ones\n\nfn f(m: Own, x: [n 4]) -> [n 4] = training.twice(m, x)",
        "E2311 `twice` with M = Own needs a function `forward` that takes `Own` first",
        "`twice` uses it at training.ss:3:28",
    ),
    "that has other parameters": (
        "model Own:\n    param by: [4] = ones\n\nfn forward(m: Own) -> [4] = m.by\n\n"
        "fn f(m: Own, x: [n 4]) -> [n 4] = training.twice(m, x)",
        "E2312 `twice` with M = Own doesn't check",
        "training.ss:3:39: error[E0406]: `forward` takes 1 argument, and this is one more",
    ),
}


@pytest.mark.parametrize(("main", "message", "note"), MISSING.values(), ids=MISSING)
def test_what_a_generic_function_misses_is_told_at_its_call(main: str, message: str, note: str) -> None:
    program = check(texts(f"import models\nimport training\n\n{main}\n", {"training": TRAINING}))
    (only,) = program.diagnostics
    assert f"{only.code} {only.message}" == message
    assert only.notes == (note,)


def test_arguments_that_do_not_agree() -> None:
    generic = "fn same(a: M, b: M) -> M = a\n"
    main = """\
import generic
import models

fn f(a: models.Scale, b: models.Shift) -> models.Scale = generic.same(a, b)
"""
    assert problems(main, generic=generic) == [
        "4:74 E2310 M of `same` is `models.Scale` by one argument and `models.Shift` by this one"
    ]


def test_a_generic_function_is_checked_only_for_what_it_is_called_with() -> None:
    generic = "fn wrong(m: M) -> [3] = m.nothing + also_nothing(m)\n\nfn right(m: M) -> M = m\n"
    main = "import generic\nimport models\n\nfn f(m: models.Scale) -> models.Scale = generic.right(m)\n"
    assert problems(main, generic=generic) == []
    assert problems(main.replace("generic.right", "generic.wrong"), generic=generic) == [
        "4:41 E2312 `wrong` with M = models.Scale doesn't check"
    ]


def test_a_warning_in_an_instance_is_nobody_s() -> None:
    generic = "fn logged(m: M, x: [n] NonNeg) -> [n] = log(x)\n"
    main = "import generic\nimport models\n\nfn f(m: models.Scale, x: [n] NonNeg) -> [n] = generic.logged(m, x)\n"
    assert problems(main, generic=generic) == []


def test_sixteen_levels_count_across_files() -> None:
    half = "\n".join(f"fn a{i}(m: M) -> M = a{i + 1}(m)" for i in range(8)) + "\nfn a8(m: M) -> M = m\n"
    rest = "import half\n\n" + "\n".join(f"fn b{i}(m: M) -> M = b{i + 1}(m)" for i in range(8))
    rest += "\nfn b8(m: M) -> M = half.a0(m)\n"
    main = "import rest\nimport models\n\nfn f(m: models.Scale) -> models.Scale = rest.{}(m)\n"
    assert problems(main.format("b2"), half=half, rest=rest) == []
    (only,) = problems(main.format("b1"), half=half, rest=rest)
    assert only.startswith("4:41 E2313 `b1` with M = models.Scale leads to more than 16 levels")


OWN_VERSIONS = """\
model Base:
    param by: [4] = ones

model Second:
    param by: [4] = ones

fn forward(m: Base, x: [n 4]) -> [n 4] = x * m.by

fn apply(m: Base, x: [n 4]) -> [n 4] = x * m.by

fn apply(m: Second, x: [n 4]) -> [n 4] = x * m.by

fn shown(x: Real) -> Real = x * 2

fn twice(m: M, x: [n 4]) = forward(m, forward(m, x))

fn applied(m: M, x: [n 4]) = apply(m, x)

fn display(m: M) = shown(m)
"""

OWN_MODEL = """\
model Own:
    param by: [4] = ones

fn forward(m: Own, x: [n 4]) -> [n] = x @ m.by

fn apply(m: Own, x: [n 4]) -> [4 n] = x |> rearrange(n d -> d n)

fn shown(m: Own) -> [4] = m.by
"""


@pytest.mark.parametrize("where", ["main", "another"])
def test_a_model_s_own_functions_are_found_beside_those_of_the_generic_function_s_file(where: str) -> None:
    uses = """\
fn f(m: Own, x: [n 4]):
    y = versions.applied(m, x)
    z = versions.display(m)
    return
"""
    if where == "main":
        main, others = f"import versions\n\n{OWN_MODEL}\n{uses}", {"versions": OWN_VERSIONS}
    else:
        main = "import versions\nimport own\n\n" + uses.replace("Own", "own.Own")
        others = {"versions": OWN_VERSIONS, "own": OWN_MODEL}
    assert types(main, **others)[-2:] == ["[4 n]", "[4]"]
    wrong = main.replace("versions.display(m)", "versions.twice(m, x)")
    (only,) = problems(wrong, **others)
    assert "E2312 `twice` with M =" in only


def test_a_function_of_the_calling_file_that_takes_no_model_hides_none() -> None:
    main = """\
import own

fn shown(x: Real) -> Real = x * 2

fn f(m: own.Own, x: [n]):
    y = shown(m)
    z = shown(x)
    return
"""
    assert types(main, own=OWN_MODEL)[-2:] == ["[4]", "[n]"]
