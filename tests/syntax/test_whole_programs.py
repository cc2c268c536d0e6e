"""Programs that use the whole grammar, whole and in pieces."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from shapescript_syntax import tree
from shapescript_syntax.chunks import cut
from shapescript_syntax.dump import dump
from shapescript_syntax.layout import tokenize
from tests.syntax.walking import PROGRAMS, check_everything, check_tokens, items, nodes

NAMES = sorted(PROGRAMS)


@pytest.mark.parametrize("name", NAMES)
def test_a_right_program_has_nothing_reported(name: str) -> None:
    assert check_everything(PROGRAMS[name]).diagnostics() == []
    for chunk in cut(PROGRAMS[name]):
        check_tokens(chunk.text)


def test_the_programs_use_every_node_of_the_tree() -> None:
    used = {type(node).__name__ for text in PROGRAMS.values() for item in items(text) for node in nodes(item)}
    every = {name for name in vars(tree) if hasattr(getattr(tree, name), "__record_fields__")}
    assert sorted(every - used) == ["ErrorExpr", "ErrorItem", "ErrorStmt"]


@pytest.mark.parametrize("name", NAMES)
def test_a_program_that_ends_anywhere_is_parsed(name: str) -> None:
    for _, text in cut(PROGRAMS[name]):
        tokens = tokenize(text)
        for end in sorted({*tokens.starts, *tokens.ends}):
            check_everything(text[:end])
            check_tokens(text[:end])


@pytest.mark.parametrize("name", NAMES)
def test_a_program_without_any_one_token_is_parsed(name: str) -> None:
    for _, text in cut(PROGRAMS[name]):
        tokens = tokenize(text)
        for start, end in zip(tokens.starts, tokens.ends, strict=True):
            if start < end:
                check_everything(text[:start] + text[end:])


@pytest.mark.parametrize("name", NAMES)
def test_what_spaces_there_are_changes_no_tree(name: str) -> None:
    text = PROGRAMS[name]
    trees = [dump(item) for item in items(text)]
    assert [dump(item) for item in items(text.replace("\n", "\r\n"))] == trees
    assert [dump(item) for item in items("\ufeff" + text)] == trees
    assert [dump(item) for item in items(text.rstrip())] == trees
    assert [dump(item) for item in items("\n# a comment\n\n" + text)] == trees


def test_nodes_are_frozen_where_the_tests_ask_for_it() -> None:
    program = (
        "from shapescript_syntax.parsing.files import parse_chunk\n"
        f"dim = parse_chunk({PROGRAMS['chains']!r}).items[0]\n"
        "try:\n"
        "    dim.doc = 'changed'\n"
        "except AttributeError:\n"
        "    print('frozen')\n"
    )
    environment = {**os.environ, "SHAPESCRIPT_FREEZE": "1"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.stdout == "frozen\n", done.stderr
