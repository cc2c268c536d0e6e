"""Results kept with the inputs they were computed from.

Checking is made of functions whose result depends on what they read and on nothing else. `Memo` runs one with a
reader that writes down every input it asks for, absent ones included, and on the next request gives back the
kept result if all of those inputs are still equal. This is what makes an edit inside one function redo one
function, for the command line and the language server alike.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Set
from typing import Generic, TypeVar

Value = TypeVar("Value")

Reader = Callable[[Hashable], object]


class Memo(Generic[Value]):
    """Kept results of one kind of computation, by key.

    Only the latest result of a key is kept. `computed` lists the keys that were computed since it was last
    cleared, in order, so that tests can say exactly what an edit costs.
    """

    __slots__ = ("_entries", "computed")

    def __init__(self) -> None:
        self._entries: dict[Hashable, tuple[dict[Hashable, object], Value, frozenset[Hashable]]] = {}
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
        self._entries[key] = (inputs, result, frozenset(inputs))
        self.computed.append(key)
        return result

    def peek(self, key: Hashable) -> Value | None:
        """The kept result of a key, whether or not it still stands; None if there is none."""
        entry = self._entries.get(key)
        return entry[1] if entry is not None else None

    def touched(self, changed: set[Hashable]) -> set[Hashable]:
        """The kept keys that read any of these inputs, and so may no longer stand."""
        return {key for key, (_, _, names) in self._entries.items() if not names.isdisjoint(changed)}

    def keep_only(self, keys: Set[Hashable]) -> None:
        """Forgets every key that is not in `keys`, such as those of deleted declarations."""
        for key in self._entries.keys() - keys:
            del self._entries[key]
