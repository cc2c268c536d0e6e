"""An edit redoes what it changes, and what reads that, and nothing else."""

from __future__ import annotations

import random

import pytest

from shapescript_check import Checker

PROGRAM = """\
dim Width = 8

## Doubles.
fn twice(x: Real) -> Real = x + x

fn widen(rows: [n Width]) -> [n Width]:
    return rows |> twice

fn total(rows: [n Width]) = sum(widen(rows), over=n)

fn report(rows: [n Width]) -> [Width] = total(rows)

fn aside(x: [n]) -> [n] = x * 2.0
"""


class Session:
    """A file in an editor: each `edit` is checked with what is kept from before."""

    def __init__(self, text: str) -> None:
        self.checker = Checker()
        self.text = text
        self.check()

    def check(self) -> tuple[list[str], list[str]]:
        """The signatures and the bodies that were worked out, by name."""
        signatures, bodies = self.checker.kept("a.ss").signatures, self.checker.kept("a.ss").bodies
        signatures.computed.clear()
        bodies.computed.clear()
        self.program = self.checker.check("a.ss", self.text)
        assert [str(d) for d in self.program.diagnostics] == [
            str(d) for d in Checker().check("a.ss", self.text).diagnostics
        ]
        return [str(k) for k in signatures.computed], [str(k) for k in bodies.computed]

    def edit(self, old: str, new: str) -> tuple[list[str], list[str]]:
        assert old in self.text
        self.text = self.text.replace(old, new, 1)
        return self.check()


@pytest.fixture
def session() -> Session:
    return Session(PROGRAM)


def test_nothing_changed_computes_nothing(session: Session) -> None:
    assert session.check() == ([], [])


def test_a_line_in_one_body_rechecks_that_body(session: Session) -> None:
    assert session.edit("return rows |> twice", "return rows |> twice |> twice") == (["widen"], ["widen"])


def test_text_above_moves_everything_and_rechecks_nothing(session: Session) -> None:
    assert session.edit("dim Width = 8\n", "# A note.\n\n\ndim Width = 8\n") == ([], [])


def test_a_signature_rechecks_its_callers(session: Session) -> None:
    signatures, bodies = session.edit("(rows: [n Width]) -> [n Width]:", "(rows: [m Width]) -> [m Width]:")
    assert signatures == ["widen"]
    assert bodies == ["widen", "total"]


def test_an_elementwise_body_rechecks_the_calls_whose_range_it_decides(session: Session) -> None:
    _, bodies = session.edit("= x + x", "= x * 3.0")
    assert bodies == ["twice", "widen"]


def test_an_inferred_result_rechecks_who_reads_it(session: Session) -> None:
    _, bodies = session.edit("sum(widen(rows), over=n)", "mean(widen(rows), over=n)")
    assert bodies == ["total"]
    _, bodies = session.edit("mean(widen(rows), over=n)", "widen(rows)")
    assert bodies == ["total", "report"]


def test_a_dim_rechecks_what_reads_it(session: Session) -> None:
    signatures, bodies = session.edit("dim Width = 8", "dim Width = 9")
    assert signatures == ["widen", "total", "report"]
    assert bodies == ["widen", "total", "report"]


def test_a_name_that_appears_is_noticed_where_it_was_missing(session: Session) -> None:
    session.edit("fn aside(x: [n]) -> [n] = x * 2.0", "fn aside(x: [n]) -> [n] = thrice(x)")
    assert [d.code for d in session.program.diagnostics] == ["E0301"]
    _, bodies = session.edit("## Doubles.", "fn thrice(x: Real) -> Real = x * 3.0\n\n## Doubles.")
    assert "aside" in bodies
    assert session.program.diagnostics == ()


def test_a_diagnostic_moves_with_its_declaration(session: Session) -> None:
    session.edit("x * 2.0", "x * y")
    (before,) = session.program.diagnostics
    assert session.edit("dim Width", "\n\n\ndim Width") == ([], [])
    (after,) = session.program.diagnostics
    assert after.span == before.span.shifted(3)


def test_bodies_stay_in_the_order_of_the_file(session: Session) -> None:
    session.edit("return rows |> twice", "return rows |> twice |> twice")
    assert list(session.program.bodies) == ["twice", "widen", "total", "report", "aside"]


def test_overloads_stay_in_the_order_of_the_file() -> None:
    text = """\
model A:
    param w: [] = ones

model B:
    param w: [] = ones

fn apply(m: A) -> [] = m.w

fn between(m: A) -> [] = apply(m)

fn apply(m: B) -> [] = m.w
"""
    assert list(Session(text).program.bodies) == ["apply@A", "between", "apply@B"]


def test_deleted_declarations_are_forgotten(session: Session) -> None:
    session.edit("fn aside(x: [n]) -> [n] = x * 2.0\n", "")
    assert session.edit("fn total", "fn aside(x: [n]) -> [n] = x * 2.0\n\nfn total") == (["aside"], ["aside"])


DEVICES = """\
devices cuda[0 1]

dim Width = 4

data Row:
    x: [Width]

fn loss(batch: [b] Row) -> [] = sum(lengths(batch.x), over=b)

fn lengths(x: [n Width]) -> [n] = x |> map(row => norm(row), over=n)

fn aside(x: [n]) -> [n] = x * 2.0
"""


def summarized(session: Session) -> list[object]:
    """The functions whose bodies were gone through for the plan for several devices, since the last call."""
    computed = session.checker.kept("a.ss").summaries.computed
    found = [*computed]
    computed.clear()
    return found


def test_the_plan_for_several_devices_looks_again_only_at_bodies_that_changed() -> None:
    session = Session(DEVICES)
    assert summarized(session) == ["loss", "lengths", "aside"]
    assert [d.code for d in session.program.diagnostics] == ["E2404"]
    session.edit("dim Width", "# A note.\n\ndim Width")
    assert summarized(session) == []
    session.edit("sum(lengths(batch.x), over=b)", "sum(batch.x)")
    assert summarized(session) == ["loss"]
    assert [d.code for d in session.program.diagnostics] == ["E3501"]
    session.edit("x * 2.0", "x * 3.0")
    assert summarized(session) == ["aside"]
    session.edit("sum(batch.x)", "mean(lengths(batch.x))")
    assert summarized(session) == ["loss"]
    assert [d.code for d in session.program.diagnostics] == ["E2404"]
    session.edit("cuda[0 1]", "cuda[0]")
    assert session.program.diagnostics == ()


MEANINGS = (
    (
        "Width",
        "dim Width = 4",
        "dim Width = 2 * Depth",
        "domain Width = [0, 1]",
        "fn Width(x: Real) -> Real = x * 2",
    ),
    (
        "Depth",
        "dim Depth = 2",
        "dim Depth = 2.5",
        "dim Depth = Width",
        "shape Depth = [n 2]",
        "fn Depth(x: [n]) -> [n] = x",
    ),
    (
        "Part",
        "domain Part = [0, 0.5]",
        "domain Part = [0, 1]",
        "dim Part = 3",
        "model Part:\n    param w: [Width] = zeros",
    ),
    (
        "once",
        "fn once(x: Real) -> Real = x",
        "fn once(x: Real) -> Real = once(x)",
        "fn once(x: [n Width]) = x * 2",
        "dim once = 2",
    ),
    (
        "twice",
        "fn twice(x: Real) -> Real = once(once(x))",
        "fn twice(x: [n Width]) = once(x)",
        "fn twice(x: [n]) = twice(x)",
    ),
    (
        "use",
        "fn use(x: [n Width] Part) -> [n Width] = x |> once |> twice",
        "fn use(x: [n 2*Width]) = twice(x) + Depth",
    ),
    (
        "loop",
        "fn loop(x: [n Width]):\n    y = x\n    for i in 0..n:\n        y = once(y)\n    return y",
        'extern fn loop(x: [n]) -> [n] = "torch.sin"',
    ),
    ("hint", "fn hint(x: [b (h Width)]) -> [b h*Width] = x", "# $\\frac$\nfn hint(x: [b Depth*h]) = relu(x)"),
)
"""Names, and what each may be declared as."""


@pytest.mark.parametrize("seed", range(8))
def test_what_is_kept_never_shows(seed: int) -> None:
    """Whatever names come to mean, a check with what is kept says what one without would say, hints included."""
    rng = random.Random(seed)
    declared = {name: rng.choice(meanings) for name, *meanings in MEANINGS}
    checker = Checker()
    for _ in range(40):
        name, *meanings = rng.choice(MEANINGS)
        declared[name] = rng.choice([*meanings, ""])
        text = "\n\n".join(rng.sample(list(declared.values()), len(declared)))
        kept = checker.check("a.ss", text, hints=True).diagnostics
        assert kept == Checker().check("a.ss", text, hints=True).diagnostics, text
