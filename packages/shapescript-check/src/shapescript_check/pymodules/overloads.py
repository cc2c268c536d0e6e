"""Overloads of a function that Python's types can tell apart.

Type checkers reject an overload that can never be picked, and two that both fit some call and give different results.
Overloads of which that would be said are declared as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shapescript_check.pymodules.declarations import Parameter, Signature
from shapescript_check.pymodules.types import PythonType, Vocabulary
from shapescript_syntax.records import replaced


def told_apart(signatures: Sequence[Signature], words: Vocabulary) -> tuple[Signature, ...]:
    """Signatures that type checkers accept as overloads, each standing for one or more of `signatures`.

    What is narrower comes first, since a type checker takes the first that fits.
    """
    groups = [[signature] for signature in signatures]
    while (pair := _confused(groups, words)) is not None:
        first, second = pair
        groups[first] += groups.pop(second)
    found: list[Signature] = []
    for signature in (_one(group, words) for group in groups):
        at = next((i for i, other in enumerate(found) if _accepts(other, signature, words)), len(found))
        found.insert(at, signature)
    return tuple(found)


def _confused(groups: list[list[Signature]], words: Vocabulary) -> tuple[int, int] | None:
    ones = [_one(group, words) for group in groups]
    for first, one in enumerate(ones):
        for second in range(first + 1, len(ones)):
            if _are_confused(one, ones[second], words):
                return first, second
    return None


def _are_confused(one: Signature, other: Signature, words: Vocabulary) -> bool:
    if not _overlap(one, other, words):
        return False
    if _accepts(one, other, words) and _accepts(other, one, words):
        return True
    return one.returns != other.returns


def _required(signature: Signature) -> int:
    return sum(p.default is None for p in signature.parameters)


def _overlap(one: Signature, other: Signature, words: Vocabulary) -> bool:
    """Whether some arguments, given by position, fit both."""
    if _takes_anything(one) or _takes_anything(other):
        return True
    fewest = max(_required(one), _required(other))
    if fewest > min(len(one.parameters), len(other.parameters)):
        return False
    pairs = zip(one.parameters[:fewest], other.parameters[:fewest], strict=True)
    return not any(words.disjoint(p.type, q.type) for p, q in pairs)


def _accepts(wide: Signature, narrow: Signature, words: Vocabulary) -> bool:
    """Whether all arguments by position that fit `narrow` fit `wide`."""
    if _takes_anything(wide):
        return True
    if _takes_anything(narrow) or _required(wide) > _required(narrow):
        return False
    if len(wide.parameters) < len(narrow.parameters):
        return False
    pairs = zip(wide.parameters, narrow.parameters, strict=False)
    return all(words.covers(p.type, q.type) for p, q in pairs)


def _one(group: list[Signature], words: Vocabulary) -> Signature:
    """A signature for all calls of the group's."""
    first = group[0]
    if len(group) == 1:
        return first
    documentation = tuple(d for signature in group for d in signature.documentation)
    returns = _union(signature.returns for signature in group)
    made = replaced(first, returns=returns, documentation=documentation)
    if len({(tuple(p.default for p in s.parameters), s.keywords) for s in group}) == 1:
        parameters = tuple(
            replaced(same[0], type=_union(p.type for p in same))
            for same in zip(*(s.parameters for s in group), strict=True)
        )
        names = {tuple(p.name for p in s.parameters) for s in group}
        return replaced(made, parameters=parameters, positional=len(names) > 1)
    anything = (words.typing("Any"),)
    parameters = (Parameter("*arguments", anything), Parameter("**named", anything))
    return replaced(made, parameters=parameters, keywords=(), positional=False)


def _union(types: Iterable[PythonType]) -> PythonType:
    return tuple(dict.fromkeys(alternative for kind in types for alternative in kind))


def _takes_anything(signature: Signature) -> bool:
    return bool(signature.parameters) and signature.parameters[0].name.startswith("*")
