"""Programs that nobody writes by hand: they get an answer, whatever their size and depth."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from shapescript_syntax.dump import dump
from shapescript_syntax.parsing.files import parse_file
from shapescript_syntax.spans import Source

MANY = 10_000
DEEP = {
    "brackets": "fn f() = " + "(" * MANY + "x" + ")" * MANY,
    "brackets without an end": "fn f() = " + "(" * MANY,
    "closing brackets": "fn f() = " + ")" * MANY,
    "lines with a bracket": "fn f():\n" + "    (\n" * MANY,
    "calls": "fn f() = " + "g(" * MANY + "x" + ")" * MANY,
    "lists": "fn f() = " + "[" * MANY + "x" + "]" * MANY,
    "minus signs": "fn f() = " + "-" * MANY + "x",
    "stages": "fn f() = x" + " |> g" * MANY,
    "stages on lines": "fn f() = x" + "\n    |> g(1)" * MANY,
    "terms": "fn f() = x" + " + x" * 2 * MANY,
    "powers": "fn f() = x" + " ** x" * MANY,
    "casts": "fn f() = x" + " as f32" * MANY,
    "attributes": "fn f() = x" + ".a" * MANY,
    "indices": "fn f() = x" + "[0]" * MANY,
    "lambdas": "fn f() = x |> map(" + "v => " * MANY + "v)",
    "chains": "fn f() = x" + " |> map(v => v" * MANY + ")" * MANY,
    "groups": "fn f(x: [" + "(" * MANY + "n" + ")" * MANY + "]) = x",
    "sizes": "fn f(x: [2*" + "(" * MANY + "n" + ")" * MANY + "]) = x",
    "terms of a size": "fn f(x: [n" + "+n" * MANY + "]) = x",
    "terms of a dim": "dim D = 1" + " + 1" * MANY,
    "patterns": "fn f(x) = rearrange(x, " + "(" * MANY + "n" + ")" * MANY + " -> n)",
    "else ifs": "fn f():\n    if x:\n        y\n" + "    else if x:\n        y\n" * MANY,
    "ifs": "fn f():\n" + "".join(" " * i + "if x:\n" for i in range(1, 2000)) + " " * 2000 + "return\n",
    "elses": "fn f():\n"
    + "".join(" " * i + "if x:\n" + " " * (i + 1) + "y\n" + " " * i + "else:\n" for i in range(1, 1000))
    + " " * 1000
    + "return\n",
    "loops": "fn f():\n"
    + "".join(" " * i + "for i in 0..2:\n" for i in range(1, 2000))
    + " " * 2000
    + "return\n",
    "steps to the right": "fn f():\n" + "".join(" " * i + "x\n" for i in range(1, 2000)),
}


@pytest.mark.parametrize("what", sorted(DEEP))
def test_depth_is_an_error_and_never_overflows(what: str) -> None:
    parsed = parse_file(Source("deep.ss", DEEP[what]))
    assert parsed.diagnostics()
    for _, chunk in parsed.placed:
        for item in chunk.items:
            assert dump(item)


def test_depth_that_people_write_is_fine() -> None:
    nested = "fn f(x: [n]) = " + "(" * 50 + "x" + ")" * 50
    summed = "fn f(x: [n]) = x" + " + x" * 90
    piped = "fn f(x: [n]) = x" + " |> relu" * 90
    blocks = "fn f(x: [n]):\n" + "".join("    " * i + "if x:\n" for i in range(1, 30)) + "    " * 30 + "y\n"
    loops = (
        "fn f(x: [n]):\n"
        + "".join("    " * i + f"for i{i} in 0..2:\n" for i in range(1, 15))
        + "    " * 15
        + "y\n"
    )
    body = "fn f(x: [n]):\n" + "    x = x + 1\n" * 5000
    for text in (nested, summed, piped, blocks, loops, body):
        assert parse_file(Source("fine.ss", text)).diagnostics() == []


def test_the_limits_hold_well_below_pythons_own() -> None:
    def parse_at_depth(depth: int, text: str) -> int:
        if depth:
            return parse_at_depth(depth - 1, text)
        return len(parse_file(Source("deep.ss", text)).diagnostics())

    room = sys.getrecursionlimit() * 2 // 5
    for what in (
        "brackets",
        "calls",
        "minus signs",
        "chains",
        "groups",
        "sizes",
        "patterns",
        "ifs",
        "elses",
        "loops",
    ):
        assert parse_at_depth(room, DEEP[what]) > 0, what


LONG = {
    "characters": "$" * 1_000_000,
    "spaces": "fn f() = x" + " " * 1_000_000,
    "blank lines": "\n" * 1_000_000,
    "comments": "#\n" * 100_000,
    "doc comments": "## x\n" * 30_000,
    "names": "fn f() = " + "a " * 200_000,
    "numbers": "fn f() = " + "1" * 1_000_000,
    "a string": 'fn f() = "' + "a" * 1_000_000 + '"',
    "escapes": 'fn f() = "' + "\\q" * 20_000 + '"',
    "quotes": "fn f() = " + "'" * 100_001,
    "letters": "fn f() = " + "é" * 1_000_000,
    "arrows": "fn f() = " + "→a" * 10_000,
    "arguments": "fn f() = g(" + "a, " * 30_000 + ")",
    "patterns": "fn f() = g(" + "rearrange(a, b c -> c b), " * 5_000 + ")",
    "colons": "fn f() = g(" + "a: " * 100_000 + " b -> c)",
    "null characters": "\0" * 1_000_000,
    "carriage returns": "\r" * 1_000_000,
    "tabs": "fn f():\n" + "\tx\n" * 20_000,
}


@pytest.mark.parametrize("what", sorted(LONG))
def test_long_text_is_read(what: str) -> None:
    text = LONG[what]
    parsed = parse_file(Source("long.ss", text))
    assert sum(len(chunk.text) for _, chunk in parsed.placed) == len(text)
    assert len(parsed.diagnostics()) <= 1000


GROWING: dict[str, Callable[[int], str]] = {
    "statements": lambda n: "fn f():\n" + "    x = g(a, b) + 1\n" * n,
    "declarations": lambda n: "## doc\nfn f(x: [n D]) -> [n 2*D] = x |> g(over=n)\n\n" * n,
    "arguments": lambda n: "fn f() = g(" + "a, b=(c), rearrange(a, b c -> c b), " * n + ")",
    "axes": lambda n: "fn f(x: [" + "n (a b) 2*m " * n + "]) = x",
    "mistakes": lambda n: "fn f():\n" + "    x = = 3\n" * n,
    "brackets without an end": lambda n: "fn f():\n" + "    x = (3\n" * n,
    "closing brackets": lambda n: "fn f() = x" + ")" * n,
    "stages": lambda n: "fn f() = x" + "\n    |> g(_, 1)" * n,
    "characters": lambda n: "fn f() = " + "$ x " * n,
    "doc comments": lambda n: "## x\n" * n,
}


@pytest.mark.parametrize("what", sorted(GROWING))
def test_reading_takes_time_in_proportion_to_the_text(what: str) -> None:
    """Counted in lines of Python that are run, which other programs on the machine change nothing about."""
    small, large = (_steps(GROWING[what](n)) for n in (50, 200))
    assert large < 4.3 * small


def _steps(text: str) -> int:
    count = 0

    def trace(frame: object, event: str, argument: object) -> object:
        nonlocal count
        count += 1
        return trace

    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        parse_file(Source("steps.ss", text))
    finally:
        sys.settrace(None)
    return count
