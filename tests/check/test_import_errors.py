"""What is said about imports that can't be."""

from __future__ import annotations

import pytest

from tests.check.files import check, found


def test_a_missing_file_is_reported_once_whatever_is_used_of_it() -> None:
    main = """\
import visions

dim K = visions.K

fn f(m: visions.Mlp, x: visions.Rows) -> [n visions.K] = visions.forward(m, x) |> softmax(over=visions.K)

fn g() -> visions.Mlp = visions.Mlp.init(seed=0)

fn h(mut m: visions.Mlp, mut opt: SGD[visions.Mlp], digits: Dataset[visions.Digit], sink: LogSink):
    for batch in digits |> batches(4):
        l, g = value_and_grad(visions.loss, m, batch)
        update(mut m, mut opt, g)
        sink.write(visions.StepLogs(loss=l))

fn i(x: [n] Index[visions.C]) -> [n visions.C] Prob over visions.C = visions.table(x) as Prob over visions.C
"""
    assert found(check({"main.ss": main})) == ["1:8 E2301 there is no file `visions.ss`"]


def test_a_broken_file_is_reported_once_with_its_errors() -> None:
    broken = "fn f(x: [n]) -> [n] = y\n\nfn g(x: [n]) -> [n] = z\n"
    program = check({"main.ss": "import broken\n\nfn f(x: [n]) -> [n] = broken.g(x)\n", "broken.ss": broken})
    assert found(program) == ["1:8 E2303 `broken.ss` has 2 errors"]
    assert program.diagnostics[0].notes == (
        "broken.ss:1:23: error[E0301]: nothing named `y` is in scope",
        "broken.ss:3:23: error[E0301]: nothing named `z` is in scope",
    )


def test_an_error_further_away_is_shown_too() -> None:
    folder = {"main.ss": "import a\n", "a.ss": "import b\n", "b.ss": "fn f(x: [n]) -> [n] = y\n"}
    program = check(folder)
    assert found(program) == ["1:8 E2303 what `a.ss` imports has an error"]
    assert program.diagnostics[0].notes == ("b.ss:1:23: error[E0301]: nothing named `y` is in scope",)


def test_an_error_that_several_imports_lead_to_is_told_once() -> None:
    folder = {
        "main.ss": "import a\nimport b\nimport c\nimport c as again\n",
        "a.ss": "import c\nimport d\n",
        "b.ss": "import a\n\nfn g(x: [n]) -> [n] = q\n",
        "c.ss": "fn f(x: [n]) -> [n] = y\n",
        "d.ss": "fn f(x: [n]) -> [n] = z\n",
    }
    program = check(folder)
    assert found(program) == [
        "1:8 E2303 what `a.ss` imports has 2 errors",
        "2:8 E2303 `b.ss` has an error",
    ]
    assert [d.notes for d in program.diagnostics] == [
        (
            "c.ss:1:23: error[E0301]: nothing named `y` is in scope",
            "d.ss:1:23: error[E0301]: nothing named `z` is in scope",
        ),
        ("b.ss:3:23: error[E0301]: nothing named `q` is in scope",),
    ]


def test_five_errors_are_told_and_the_others_counted() -> None:
    broken = "\n".join(f"fn f{i}(x: [n]) -> [n] = y{i}" for i in range(7))
    program = check({"main.ss": "import a\n", "a.ss": broken + "\n"})
    assert found(program) == ["1:8 E2303 `a.ss` has 7 errors"]
    assert len(program.diagnostics[0].notes) == 6
    assert program.diagnostics[0].notes[-1] == "and 2 more"


def test_warnings_of_an_imported_file_are_left_to_its_own_check() -> None:
    warned = "fn f(x: [n] NonNeg) -> [n] = log(x)\n"
    assert [line.split()[1] for line in found(check({"main.ss": warned}))] == ["W0501"]
    assert found(check({"main.ss": "import a\n", "a.ss": warned})) == []


CIRCLES = [["a"], ["a", "b"], ["a", "b", "c"]]


@pytest.mark.parametrize("circle", CIRCLES, ids=["one", "two", "three"])
def test_each_file_of_a_circle_says_so(circle: list[str]) -> None:
    following = dict(zip(circle, [*circle[1:], circle[0]], strict=True))
    folder = {f"{name}.ss": f"import {other}\n" for name, other in following.items()}
    for name, other in following.items():
        program = check(folder, f"{name}.ss")
        if len(circle) == 1:
            assert found(program) == ["1:8 E2302 this file imports itself"]
            continue
        assert found(program) == [f"1:8 E2302 `{other}.ss` imports this file back"]
        start = circle.index(name)
        way = [*circle[start:], *circle[:start], name]
        assert program.diagnostics[0].notes == (
            "the files import each other: " + " -> ".join(f"{each}.ss" for each in way),
        )
    program = check({**folder, "main.ss": f"import {circle[0]}\n"})
    assert found(program) == [f"1:8 E2303 `{circle[0]}.ss` has an error"]
    assert "E2302" in program.diagnostics[0].notes[0]


def test_files_that_share_an_import_are_no_circle() -> None:
    folder = {
        "main.ss": "import left\nimport right\n\nfn f(x: [n]) -> [n] = right.f(left.f(x))\n",
        "left.ss": "import base\n\nfn f(x: [n]) -> [n] = x |> base.twice\n",
        "right.ss": "import base\n\nfn f(x: [n]) -> [n] = x |> base.twice\n",
        "base.ss": "fn twice(x: Real) -> Real = x * 2\n",
    }
    assert found(check(folder)) == []


# --- devices -----------------------------------------------------------------------------------------------


def test_a_program_has_the_devices_of_one_of_its_files() -> None:
    user = "import leaf\n\nfn g(x: [n]) -> [n] = leaf.f(x)\n"
    leaf = "devices cpu\n\nfn f(x: [n]) -> [n] = x\n"
    assert found(check({"main.ss": user, "leaf.ss": leaf})) == []
    assert found(check({"main.ss": f"devices cpu\n\n{user}", "leaf.ss": leaf})) == []


def test_imported_files_declare_no_other_devices() -> None:
    leaf = "devices cuda[0]\n\nfn f(x: [n]) -> [n] = x\n"
    main = "devices cpu\n\nimport leaf\n"
    refused = "3:8 E2306 `leaf.ss` is for `devices cuda[0]`, and this file for `cpu`"
    assert found(check({"main.ss": main, "leaf.ss": leaf})) == [refused]
    between = {"main.ss": "devices cpu\n\nimport between\n", "between.ss": "import leaf\n", "leaf.ss": leaf}
    assert found(check(between)) == [refused]
    two = {"main.ss": "import other\nimport leaf\n", "other.ss": "devices cpu\n", "leaf.ss": leaf}
    assert found(check(two)) == ["2:8 E2306 `leaf.ss` is for `devices cuda[0]`, and `other.ss` for `cpu`"]


def test_a_program_on_several_devices_imports_nothing() -> None:
    main = "devices cuda[0 1]\n\nimport leaf\n"
    program = check({"main.ss": main, "leaf.ss": "fn f(x: [n]) -> [n] = x\n"})
    assert "3:8 E2306 a program on several devices can't import other .ss files" in found(program)


def test_an_exported_function_calls_no_other_file_not_even_through_one_of_its_own() -> None:
    main = """\
import rows

fn inner(x: [n]) -> [n] = rows.halved(x)

fn looping(x: [n], k: int) -> [n] = looping(x, k) + inner(x)

export fn direct(x: [n]) -> [n] = 1.0 + rows.halved(x)

export fn through(x: [n]) -> [n]:
    if n > 2:
        return looping(x, 1)
    return x

export fn own(x: [n]) -> [n] = x * 0.5
"""
    rows = "fn halved(x: [n]) -> [n] = x * 0.5\n"
    assert found(check({"main.ss": main, "rows.ss": rows})) == [
        "7:41 E2306 `direct` is exported, and this calls `rows.halved`, which another file declares",
        "11:16 E2306 `through` is exported, and this leads to `rows.halved`, which another file declares",
    ]


def test_files_in_a_row_are_followed_only_so_far() -> None:
    texts = {f"f{i}.ss": f"import f{i + 1}\n\ndim D{i} = f{i + 1}.D{i + 1}\n" for i in range(1000)}
    program = check({"main.ss": "import f0\n", **texts})
    (told,) = program.diagnostics
    assert told.code == "E2303"
    assert "200 files import each other in a row" in told.notes[0]
    short = {f"f{i}.ss": f"import f{i + 1}\n\ndim D{i} = f{i + 1}.D{i + 1}\n" for i in range(150)}
    assert found(check({"main.ss": "import f0\n", **short, "f150.ss": "dim D150 = 3\n"})) == []
