"""Random edits of a program: tokens and bytes deleted, doubled, swapped and put in."""

from __future__ import annotations

import random
import re

from shapescript_syntax.reading import decode

_TOKENS = re.compile(r"\n +|\w+|\?\w+|\|>|=>|->|\.\.\.?|[=!<>]=|##?[^\n]*|\"[^\"\n]*\"|\s+|.", re.DOTALL)
_INSERTED = (
    *(
        "(",
        ")",
        "[",
        "]",
        "[b n D]",
        ",",
        ":",
        "=",
        "->",
        "|>",
        "=>",
        "..",
        "...",
        ".",
        "@",
        "_",
        "?k",
        "16gh",
        "1e5",
    ),
    *(
        "0",
        "1",
        "2.5",
        "18446744073709551616",
        '"text"',
        "#",
        "##",
        "# $x$",
        "\n",
        "\n    ",
        "\n        ",
        "\t",
        " ",
    ),
    *(
        "fn",
        "dim",
        "domain",
        "extern",
        "return",
        "import",
        "as",
        "to",
        "and",
        "or",
        "inf",
        "true",
        "for",
        "in",
        "if",
    ),
    *(
        "else",
        "over",
        "python",
        "devices",
        "model",
        "param",
        "mut",
        "export",
        "data",
        "logs",
        "fn f(x: [n]) -> [n] = x",
    ),
    *(
        "Prob over D",
        "Index[V]",
        "Mask",
        "bf16",
        "over=D",
        "!",
        "-",
        "+",
        "*",
        "/",
        "==",
        "<",
        "softmax",
        "causal[n m]",
    ),
)
_LONG = (
    *(
        "(" * 300,
        "[" * 300,
        ")" * 50,
        "-" * 400,
        "!" * 400,
        "abs(" * 200,
        " + x" * 1500,
        " |> relu" * 600,
        "x[" * 200,
    ),
    *(
        " as [n]" * 300,
        "\n" * 2000,
        " " * 3000,
        "9" * 400,
        "a" * 5000,
        "(n " * 200,
        "n*" * 500,
        ", x" * 1000,
        "?k " * 300,
    ),
    *(
        "\n    if true:" * 5,
        "$" * 301,
        "{" * 300,
        '"' * 99,
        "\\frac{" * 200,
        "[2 3]" * 200,
        "n+" * 400,
        "x: [n], " * 400,
    ),
    "".join(f"\n{' ' * 4 * (i + 1)}if true:" for i in range(120)),
)
"""What is unusual for its length or depth."""
_BYTES = (
    b"\x00",
    b"\xff",
    b"\xc3",
    b"\xe2\x80\xa8",
    b"\r",
    b"\x0c",
    b"\xf0\x9f\x98\x80",
    b"\xef\xbb\xbf",
    b"\\",
    b"$",
)


def edited(text: str, rng: random.Random) -> str:
    """The text after one to four edits."""
    if rng.random() < 0.03:
        at = rng.randrange(len(text) + 1)
        return text[:at] + rng.choice(_LONG) + text[at:]
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        text = _of_bytes(text, rng) if rng.random() < 0.25 else _of_tokens(text, rng)
    return text


def _of_tokens(text: str, rng: random.Random) -> str:
    tokens = _TOKENS.findall(text)
    if not tokens:
        return rng.choice(_INSERTED)
    at = rng.randrange(len(tokens))
    other = rng.randrange(len(tokens))
    match rng.randrange(6):
        case 0:
            del tokens[at : at + rng.choice((1, 1, 1, 3, 10))]
        case 1:
            tokens[at:at] = tokens[at : at + rng.choice((1, 1, 5, 20))]
        case 2:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        case 3:
            tokens[at] = tokens[other]
        case 4:
            tokens[at] = rng.choice(_INSERTED)
        case _:
            tokens.insert(at, rng.choice(_INSERTED))
    return "".join(tokens)


def _of_bytes(text: str, rng: random.Random) -> str:
    data = bytearray(text.encode())
    at = rng.randrange(len(data) + 1)
    match rng.randrange(4):
        case 0:
            del data[at : at + rng.choice((1, 1, 4, 40))]
        case 1:
            data[at:at] = data[at : at + rng.choice((1, 8))]
        case 2 if at < len(data):
            data[at] = rng.randrange(256)
        case _:
            data[at:at] = rng.choice(_BYTES)
    return decode(bytes(data))[0]
