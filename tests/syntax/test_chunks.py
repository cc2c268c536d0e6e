"""Where files are cut, and what an edit of one piece costs."""

from __future__ import annotations

import pytest

from shapescript_syntax.chunks import cut
from shapescript_syntax.parsing.files import ParsedChunk, parse_file
from shapescript_syntax.spans import Source
from tests.syntax.walking import PROGRAMS


def pieces(text: str) -> list[str]:
    return [chunk.text for chunk in cut(text)]


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_the_pieces_are_the_file(name: str) -> None:
    chunks = cut(PROGRAMS[name])
    assert "".join(chunk.text for chunk in chunks) == PROGRAMS[name]
    assert all(PROGRAMS[name].startswith(chunk.text, chunk.start) for chunk in chunks)


def test_every_declaration_at_the_left_edge_starts_a_piece() -> None:
    starts = [
        "dim D = 3\n",
        "domain P = [0, 1]\n",
        "fn f() = 3\n",
        'extern fn g(x: Real) -> Real = "a.b"\n',
        "import a\n",
        "model M:\n    param w: [] = zeros\n",
        "data R:\n    x: []\n",
        "logs L:\n    x: [] mean\n",
        "devices cuda[0]\n",
        "export fn e() = 3\n",
    ]
    assert pieces("".join(starts)) == starts


@pytest.mark.parametrize(
    "line",
    [
        "model = 3",
        "data.x",
        "logs(3)",
        "devices = 3",
        "export = 3",
        "dims = 3",
        "fnord",
        "model as T",
        "x = 3",
    ],
)
def test_other_lines_belong_to_the_piece_before(line: str) -> None:
    text = f"dim D = 3\n{line}\n"
    assert pieces(text) == [text]


def test_comments_directly_above_a_declaration_go_with_it() -> None:
    assert pieces("# about the file\n\n# one\n## two\ndim D = 3\n# three\n\ndim E = 4\n") == [
        "# about the file\n\n",
        "# one\n## two\ndim D = 3\n# three\n\n",
        "dim E = 4\n",
    ]
    assert pieces("fn f():\n    x\n    # about x\ndim D = 3\n") == [
        "fn f():\n    x\n    # about x\n",
        "dim D = 3\n",
    ]
    assert pieces("fn f():\n    x\n    ## about D\ndim D = 3\n") == [
        "fn f():\n    x\n",
        "    ## about D\ndim D = 3\n",
    ]


def test_an_open_bracket_ends_where_a_declaration_starts() -> None:
    assert pieces("fn f() = g(\ndim D = 3\n") == ["fn f() = g(\n", "dim D = 3\n"]


def test_a_byte_order_mark_and_foreign_line_ends_change_nothing() -> None:
    assert pieces("\ufeffdim D = 3\r\n# c\r\ndim E = 4\r\n") == [
        "\ufeffdim D = 3\r\n",
        "# c\r\ndim E = 4\r\n",
    ]
    assert pieces("") == []


def chunks(text: str, cache: dict[str, ParsedChunk]) -> list[ParsedChunk]:
    return [chunk for _, chunk in parse_file(Source("a.ss", text), cache).placed]


def test_only_pieces_that_changed_are_parsed_again() -> None:
    cache: dict[str, ParsedChunk] = {}
    before = chunks("dim A = 1\ndim B = 2\n\nfn f() = A\n", cache)
    moved = chunks("# a comment\n\ndim A = 1\ndim B = 2\n\nfn f() = A\n", cache)
    assert [a is b for a, b in zip(before, moved[1:], strict=True)] == [True, True, True]
    edited = chunks("dim A = 1\ndim B = 3\n\nfn f() = A\n", cache)
    assert [a is b for a, b in zip(before, edited, strict=True)] == [True, False, True]


def test_the_cache_keeps_nothing_of_versions_before_the_last() -> None:
    cache: dict[str, ParsedChunk] = {}
    chunks("dim A = 1\ndim B = 2\n", cache)
    chunks("dim A = 1\n", cache)
    assert list(cache) == ["dim A = 1\n"]


def test_equal_pieces_are_parsed_once() -> None:
    first, second = chunks("dim A = 1\ndim A = 1\n", {})
    assert first is second


def test_diagnostics_of_a_file_are_counted_from_its_start() -> None:
    source = Source("a.ss", "dim A = 1\n\ndim B = $\ndim C = )\n")
    found = parse_file(source).diagnostics()
    assert [source.position(d.span.start) for d in found] == [(3, 9), (4, 9)]


def test_cells_hold_statements_and_files_do_not() -> None:
    text = "devices = 3\nx = f(3)\nfor i in 0..3:\n    print(i)\ndim D = 3\nmodel = 3\n"
    cell = parse_file(Source("cell", text), cell=True)
    assert cell.diagnostics() == []
    kinds = [type(item).__name__ for _, chunk in cell.placed for item in chunk.items]
    assert kinds == ["Bind", "Bind", "For", "Dim", "Bind"]
    assert [d.code for d in parse_file(Source("a.ss", text)).diagnostics()] == ["E0207"] * 4
    assert [
        d.code for d in parse_file(Source("cell", "for i in 0..3:\n    return i\n"), cell=True).diagnostics()
    ] == ["E0201"]
