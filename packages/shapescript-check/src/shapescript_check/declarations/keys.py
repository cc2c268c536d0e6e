"""How declarations are named beyond their own file.

A declaration of another file is named with the file in front, `attention.Mlp`, as it is written. A file that is reached
through another one's import has both in front, `training.attention.Mlp`, which nobody can write. Overloaded functions
have their model behind, `forward@Mlp`, and instances of generic functions their types, `fit[Mlp,vision.Digit]`.
"""

from __future__ import annotations

from collections.abc import Iterable


def joined(owner: str, name: str) -> str:
    """The name of a declaration of a file; the file that is being checked is the empty owner."""
    return f"{owner}.{name}" if owner else name


def owner_of(name: str) -> str:
    """The file that a name's declaration is in; empty for the one that is being checked."""
    end = len(name)
    for stop in "[@":
        found = name.find(stop, 0, end)
        end = found if found >= 0 else end
    return name[: max(name.rfind(".", 0, end), 0)]


def within(name: str) -> str:
    """A name as its own file says it, with what tells functions of one name apart."""
    owner = owner_of(name)
    return name[len(owner) + 1 :] if owner else name


def plain(name: str) -> str:
    """A name as it is declared: without the file, and without what tells functions of one name apart."""
    return within(name).partition("[")[0].partition("@")[0]


def shown(name: str) -> str:
    """A function's key as a program writes the function: with the file, without what tells functions apart."""
    return name.partition("[")[0].partition("@")[0]


def version_of(name: str, model: str) -> str:
    """The key of an overloaded function for a model."""
    return f"{name}@{model}"


def instance_of(name: str, types: Iterable[str]) -> str:
    """The key of a generic function's instance for types, which are in the order of its variables."""
    return f"{name}[{','.join(types)}]"


def is_instance(name: str) -> bool:
    """Whether a key is that of an instance."""
    return name.endswith("]")


def instance_parts(key: str) -> tuple[str, tuple[str, ...]]:
    """The generic function's name, and the types, of an instance."""
    name, _, types = key.partition("[")
    return name, tuple(types[:-1].split(","))


def is_foreign(name: str) -> bool:
    """Whether something is made of other files, or for a call: an imported declaration or an instance."""
    return ("." in name or "[" in name) and (is_instance(name) or bool(owner_of(name)))
