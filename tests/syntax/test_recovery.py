"""After a mistake the rest of the file is understood, and nothing that follows from the mistake is reported."""

from __future__ import annotations

import pytest

from shapescript_syntax.tree import Bind, Call, ErrorExpr, ErrorItem, ErrorStmt, Fn, If, Model, Pipe, Return
from tests.syntax.walking import PROGRAMS, codes, items, nodes

BROKEN_LINES = [
    "y = = 3",
    "y = f(x, 1 + ]",
    "y = (x",
    "y = [1, 2",
    "y = x +",
    'y = "text',
    "y = x $ 2",
    "if x = 3:\n        z = 4",
    "while x:\n        z = 4\n        if z:\n            z = 5",
    "for i, j in x:\n        z = i",
    "elif x:\n        z = 4",
    "else:\n        z = 4",
    "fn g(x):\n        return x",
    "retrun x",
    "y: [n] = x",
    "x += 1",
    "y = x |> f + 1",
    "y = 0..3",
    "y = v => v",
    "y = a < b < c",
    "y = b n -> n b",
    "y = f(_)",
    "y = 16gh",
    "y = [e for e in x]",
    "y = x ** 2",
    "y = 99999999999999999999",
]


@pytest.mark.parametrize("line", BROKEN_LINES)
def test_a_broken_line_is_one_mistake_and_its_neighbours_are_read(line: str) -> None:
    text = (
        "dim A = 3\n"
        f"fn f(x: [n]) -> [n]:\n    before = x\n    {line}\n    after = x\n    return x\n"
        "fn last() -> int = 3\n"
    )
    assert len(codes(text)) == 1
    _, fn, last = items(text)
    assert isinstance(fn, Fn)
    assert isinstance(last, Fn)
    assert isinstance(fn.body, tuple)
    bound = [name.text for statement in fn.body if isinstance(statement, Bind) for name in statement.names]
    assert bound[0] == "before"
    assert bound[-1] == "after"
    assert isinstance(fn.body[-1], Return)


BROKEN_DECLARATIONS = [
    "fn g(x: [n] -> [n]:\n    return x",
    "fn g(x: [n]) -> [n]\n    return x",
    "fn g(: [n]) -> [n]:\n    return x",
    "fn g x:\n    return x",
    "fn g(x: [n]) -> [n] = (x",
    "def g(x: [n]) -> [n]:\n    return x",
    "dim = 4",
    "dim B = [n",
    "domain Q = 0, 1",
    "model M\n    param w: [] = zeros",
    "model:\n    param w: [] = zeros",
    "data R:\n    x",
    "logs L:\n    x = 3",
    "extern g(x: Real) -> Real",
    "import a b",
    "export model M:\n    param w: [] = zeros",
    "x = 3",
    "for i in 0..3:\n    print(i)",
    "  dim B = 3",
    "devices cuda:0",
]


@pytest.mark.parametrize("declaration", BROKEN_DECLARATIONS)
def test_a_broken_declaration_is_one_mistake_and_its_neighbours_are_read(declaration: str) -> None:
    text = f"dim A = 3\n{declaration}\nfn last() -> int = 3\n"
    assert len(codes(text)) == 1
    found = items(text)
    assert type(found[0]).__name__ == "Dim"
    assert isinstance(found[-1], Fn)
    assert len(found) >= 3


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("fn g(3) = x", "g"),
        ("dim D 3", "D"),
        ("domain P = 0", "P"),
        ("extern fn e(x: Real) -> Real", "e"),
        ("import a.b, c", "b"),
        ("import python torch.nn as nn", "torch"),
        ("rate = 3", "rate"),
        ("class Mlp:\n    x", "Mlp"),
        ("print(3)", None),
    ],
)
def test_a_declaration_that_is_no_use_still_says_what_it_would_have_declared(text: str, name: str) -> None:
    (item,) = items(text)
    assert isinstance(item, ErrorItem)
    assert (item.name.text if item.name else None) == name


def test_what_can_be_read_of_a_line_is_in_the_tree() -> None:
    (fn,) = items("fn f(x: [n]):\n    y = g(x, a +, z)\n    return x |> f(3 |> relu\n")
    assert isinstance(fn, Fn)
    calls = [node for node in nodes(fn) if isinstance(node, Call)]
    assert sorted(len(call.arguments) for call in calls) == [1, 3]
    assert [type(node) for node in nodes(fn) if isinstance(node, Pipe)] == [Pipe, Pipe]


def test_misspelt_keywords_are_taken_for_what_they_mean() -> None:
    (fn,) = items("def f(x: [n]) -> [n]:\n    retrun x\n")
    assert isinstance(fn, Fn)
    assert isinstance(fn.body, tuple)
    assert isinstance(fn.body[0], Return)
    (fn,) = items("fn f(x: [n]):\n    if x:\n        y\n    elif z:\n        w\n    else:\n        v\n")
    assert isinstance(fn, Fn)
    assert isinstance(fn.body, tuple)
    (branch,) = fn.body
    assert isinstance(branch, If)
    assert branch.orelse is not None
    assert isinstance(branch.orelse[0], If)
    assert branch.orelse[0].orelse is not None


def test_missing_blocks_hold_an_error_rather_than_nothing() -> None:
    for text in ("fn f():\n", "fn f()\n", "fn f() -> [n] int\n"):
        (fn,) = items(text)
        assert isinstance(fn, Fn)
        assert isinstance(fn.body, tuple)
        assert [type(statement) for statement in fn.body] == [ErrorStmt]
    (model,) = items("model M:\n    w: [n]\n")
    assert isinstance(model, Model)
    assert [(field.kind, type(field.initializer)) for field in model.fields] == [("param", ErrorExpr)]


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_deleting_any_one_bracket_costs_one_declaration(name: str) -> None:
    text = PROGRAMS[name]
    whole = [type(item) for item in items(text)]
    for i, char in enumerate(text):
        if char not in "()[]" or "#" in text[text.rfind("\n", 0, i) + 1 : i]:
            continue
        broken = text[:i] + text[i + 1 :]
        assert codes(broken)
        kinds = [type(item) for item in items(broken)]
        different = [k for k in range(min(len(kinds), len(whole))) if kinds[k] is not whole[k]]
        assert len(kinds) >= len(whole) - 1
        assert len(different) <= 1 or len(kinds) != len(whole)
