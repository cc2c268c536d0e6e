"""Puts edited programs through the whole compiler: nothing may raise, hang, or point outside the text.

    python -m tests.property.fuzz --edits 100000 [--seed N] [--keep-going]

Each edit has a seed, counted up from `--seed`, so that a run which was broken off can go on from where it was.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

from shapescript_check import Checker
from shapescript_check.codegen import Options, generate
from shapescript_check.program import Program
from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.dump import dump
from shapescript_syntax.formatting import format_source, rearranged
from shapescript_syntax.parsing.files import ParsedFile, parse_file
from shapescript_syntax.rendering import render
from shapescript_syntax.spans import Source, Span
from tests.language import specifications
from tests.property.edits import edited
from tests.property.programs import write

T = TypeVar("T")

SECONDS = 2.0
"""A stage that takes longer than this hangs."""

EXAMPLES = Path(__file__).parents[2] / "examples"


@cache
def originals() -> tuple[str, ...]:
    """The programs that are edited: the examples, those of the language's specification, and some random ones."""
    examples = [path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.rglob("*.ss"))]
    specified = [p.text for chapter in specifications.chapters() for p in specifications.programs(chapter)]
    drawn = [write(seed).text for seed in range(100)]
    return (*examples * max(1, len(specified) // (8 * len(examples))), *specified, *drawn)


def edit(seed: int) -> str:
    """The edited program of a seed."""
    rng = random.Random(f"edit {seed}")
    return edited(rng.choice(originals()), rng)


class Fault(Exception):
    """What an edited program does wrong."""


def hold(text: str) -> None:
    """Puts a text through every stage.

    Raises:
        Fault: a stage raised, hung, or pointed outside the text.
    """
    source = Source("edited.ss", text)
    parsed = _timed("parsing", lambda: parse_file(source))
    program = _timed("checking", lambda: Checker().check("edited.ss", text, hints=True))
    for diagnostic in program.diagnostics:
        _inside(diagnostic, len(text))
    _timed("rendering", lambda: render("text", [(program.source, list(program.diagnostics))]))
    if not program.has_errors:
        _timed("generating code", lambda: _compiled(program))
    if not any(d.is_error for d in parsed.diagnostics()):
        _timed("formatting", lambda: _formatted(parsed, text))


def _timed(stage: str, work: Callable[[], T]) -> T:
    """What a stage gives. It may take `SECONDS` of the processor's time."""

    def hangs(*_: object) -> None:
        raise Fault(f"{stage} takes more than {SECONDS} s")

    before = signal.signal(signal.SIGPROF, hangs)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return work()
    except Fault:
        raise
    except Exception as error:
        raise Fault(f"{stage} raises:\n{traceback.format_exc()}") from error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _inside(diagnostic: Diagnostic, length: int) -> None:
    spans: list[Span] = [diagnostic.span, *(label.span for label in diagnostic.labels)]
    spans += [span for fix in diagnostic.fixes for span, _ in fix.edits]
    for span in spans:
        if not 0 <= span.start <= span.end <= length:
            raise Fault(f"{diagnostic.code} has the span {span} in a text of {length} characters")


def _compiled(program: Program) -> None:
    compile(generate(program, Options(devices="cpu")), "edited.ss", "exec", dont_inherit=True)


def _formatted(parsed: ParsedFile, text: str) -> None:
    once = rearranged(parsed)
    again = parse_file(Source("edited.ss", once))
    if _trees(again) != _trees(parsed):
        raise Fault(f"the formatter gives another program:\n{once}")
    if format_source(once) != once:
        raise Fault(f"the formatter isn't done after one time:\n{once}")


def _trees(parsed: ParsedFile) -> list[str]:
    return [dump(item) for _, chunk in parsed.placed for item in chunk.items]


def smaller(text: str, found: Fault) -> str:
    """The text with as few lines as may be that still has a fault with the same first line."""
    lines = text.splitlines(keepends=True)
    first = str(found).splitlines()[0]
    for _ in range(3):
        for at in range(len(lines) - 1, -1, -1):
            try:
                hold("".join(lines[:at] + lines[at + 1 :]))
            except Fault as again:
                if str(again).splitlines()[0] == first:
                    del lines[at]
    return "".join(lines)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Edited programs through the whole compiler.")
    parser.add_argument("--edits", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0, help="the first edit's seed")
    parser.add_argument("--keep-going", action="store_true", help="go on after a fault")
    options = parser.parse_args(arguments)
    wrong, started = 0, time.monotonic()
    for done, seed in enumerate(range(options.seed, options.seed + options.edits), 1):
        text = edit(seed)
        try:
            hold(text)
        except Fault as found:
            wrong += 1
            small = smaller(text, found)
            print(f"seed {seed}: {found}\n\n{small}\n{small!r}\n{'-' * 80}", flush=True)
            if not options.keep_going:
                return 1
        if done % 1000 == 0 or done == options.edits:
            rate = done / (time.monotonic() - started)
            print(
                f"{done} edits, {wrong} wrong, {rate:.0f} a second; next: --seed {seed + 1}", file=sys.stderr
            )
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
