"""What checking a project costs, counted in functions: each once, and after an edit only those that read it."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.programs.project import project
from shapescript_check import Checker
from shapescript_check.declarations.keys import is_instance
from tests.check.files import check

FILES = 14


@pytest.fixture
def texts() -> dict[str, str]:
    return project(FILES)


def computed(checker: Checker, texts: dict[str, str]) -> dict[str, list[str]]:
    """The bodies that were checked since this was asked last, by file."""
    found = {}
    for path in texts:
        bodies = checker.kept(path).bodies.computed
        found[path] = [str(key) for key in bodies]
        bodies.clear()
    return {path: names for path, names in found.items() if names}


def test_each_body_is_checked_once_however_many_ways_lead_to_it(texts: dict[str, str]) -> None:
    checker = Checker()
    assert check(texts, checker=checker).diagnostics == ()
    bodies = computed(checker, texts)
    for path, names in bodies.items():
        assert max(Counter(names).values()) == 1, path
    functions = sum(text.count("\nfn ") + text.startswith("fn ") for text in texts.values())
    generic = 2
    layers = FILES - 4
    written = sum(not is_instance(name) for names in bodies.values() for name in names)
    assert written == functions - generic
    # Each layer trains its own model, with an instance of either generic function.
    assert sum(is_instance(name) for names in bodies.values() for name in names) == generic * layers


def test_the_work_grows_with_the_project_and_no_faster() -> None:
    counts = []
    for files in (8, 16, 24):
        texts = project(files)
        checker = Checker()
        check(texts, checker=checker)
        counts.append(sum(map(len, computed(checker, texts).values())))
    assert counts[2] - counts[1] == counts[1] - counts[0]


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("curves.ss", "* share\n", "* share * 2\n", {"curves.ss": {"kept"}}),
        ("layer0.ss", "sqrt(mean(", "sqrt(2 * mean(", {"layer0.ss": {"normalized"}}),
        ("sizes.ss", "first - mean", "first + mean", {"sizes.ss": {"scores"}}),
    ],
    ids=["of all", "at the bottom", "under every loss"],
)
def test_an_edit_of_a_body_checks_that_body_and_what_differentiates_it(
    texts: dict[str, str], path: str, old: str, new: str, expected: dict[str, set[str]]
) -> None:
    checker = Checker()
    check(texts, checker=checker)
    computed(checker, texts)
    assert texts[path].count(old) == 1
    texts[path] = texts[path].replace(old, new)
    assert check(texts, checker=checker).diagnostics == ()
    found = computed(checker, texts)
    plain = {p: {n for n in names if not is_instance(n)} for p, names in found.items()}
    assert {p: names for p, names in plain.items() if names} == expected
    # The losses that call it are followed by the instances that take their gradients.
    instances = {name for names in found.values() for name in names if is_instance(name)}
    assert all(name.startswith("training.descend[") for name in instances)
    assert len(instances) <= FILES - 4
    check(texts, checker=checker)
    assert computed(checker, texts) == {}


def test_an_edit_of_a_curve_checks_the_calls_whose_range_it_decides(texts: dict[str, str]) -> None:
    checker = Checker()
    check(texts, checker=checker)
    computed(checker, texts)
    texts["curves.ss"] = texts["curves.ss"].replace("= tanh(x)", "= tanh(2 * x)")
    check(texts, checker=checker)
    found = computed(checker, texts)
    assert found.pop("curves.ss") == ["squeezed"]
    assert {name for names in found.values() for name in names} == {"looped"}


def test_an_edit_of_a_generic_function_checks_its_instances(texts: dict[str, str]) -> None:
    checker = Checker()
    check(texts, checker=checker)
    computed(checker, texts)
    texts["training.ss"] = texts["training.ss"].replace("clip_norm(1.0)", "clip_norm(2.0)")
    check(texts, checker=checker)
    names = [name for names in computed(checker, texts).values() for name in names]
    assert len(names) <= 2 * (FILES - 4)
    assert all(is_instance(name) for name in names)
