"""An edit redoes what it changes, and what reads that, and nothing else."""

from __future__ import annotations

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


def test_deleted_declarations_are_forgotten(session: Session) -> None:
    session.edit("fn aside(x: [n]) -> [n] = x * 2.0\n", "")
    assert session.edit("fn total", "fn aside(x: [n]) -> [n] = x * 2.0\n\nfn total") == (["aside"], ["aside"])
