"""Results kept with the inputs they were computed from.

Checking is made of functions whose result depends on what they read and on nothing else. `Memo` runs one with a
reader that writes down every input it asks for, absent ones included, and on the next request gives back the
kept result if all of those inputs are still equal. This is what makes an edit inside one function redo one
function, for the command line and the language server alike.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Set
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

Reader = Callable[[Hashable], object]


class Memo(Generic[Value]):
    """Kept results of one kind of computation, by key.

    Only the latest result of a key is kept. `computed` lists the keys that were computed since it was last
    cleared, in order, so that tests can say exactly what an edit costs.
    """

    __slots__ = ("_entries", "_readers", "computed")

    def __init__(self) -> None:
        self._entries: dict[Hashable, tuple[dict[Hashable, object], Value]] = {}
        self._readers: dict[Hashable, set[Hashable]] = {}
        """The keys whose results read an input."""
        self.computed: list[Hashable] = []

    def get(self, key: Hashable, read: Reader, compute: Callable[[Reader], Value]) -> Value:
        """The result of `compute`, from before if nothing that it read has changed.

        `read` gives the current value of an input. `compute` is called with a reader that does the same and
        remembers; it may read nothing that matters by any other way.
        """
        entry = self._entries.get(key)
        if entry is not None:
            for name, value in entry[0].items():
                current = read(name)
                if current is not value and current != value:
                    break
            else:
                return entry[1]
        inputs: dict[Hashable, object] = {}

        def recording(name: Hashable) -> object:
            if name not in inputs:
                inputs[name] = read(name)
            return inputs[name]

        result = compute(recording)
        self._forget(key)
        self._entries[key] = (inputs, result)
        for name in inputs:
            self._readers.setdefault(name, set()).add(key)
        self.computed.append(key)
        return result

    def touched(self, changed: Set[Hashable]) -> set[Hashable]:
        """The kept keys that read any of these inputs, and so may no longer stand."""
        readers = self._readers
        return set().union(*(readers[name] for name in changed if name in readers))

    def standing(self, keys: Iterable[Key], touched: Set[Hashable]) -> dict[Key, Value]:
        """The kept results of those keys that aren't among the touched ones."""
        entries = self._entries
        return {key: entries[key][1] for key in keys if key in entries and key not in touched}

    def keep_only(self, keys: Set[Hashable]) -> None:
        """Forgets every key that is not in `keys`, such as those of deleted declarations."""
        for key in self._entries.keys() - keys:
            self._forget(key)

    def _forget(self, key: Hashable) -> None:
        entry = self._entries.pop(key, None)
        for name in entry[0] if entry is not None else ():
            self._readers[name].discard(key)
