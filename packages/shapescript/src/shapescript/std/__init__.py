"""The standard library: .ss files, for programs to import or to copy.

    import shapescript.std.layers as layers        # in a .ss file
    from shapescript.std import layers             # in Python, after shapescript.install()

Importing this package compiles nothing. Its files say no device, so they run where the program does.
"""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent


class NoSuchModuleError(LookupError):
    """The standard library has no module of that name. `name` is the name, and `names` are those there are."""

    def __init__(self, name: str, names: tuple[str, ...]) -> None:
        super().__init__(f"the standard library has no module `{name}`: it has {', '.join(names)}")
        self.name = name
        self.names = names


def names() -> tuple[str, ...]:
    """The names of the standard library's modules, in alphabetical order."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.ss")))


def path(name: str) -> Path:
    """The path of a module's .ss file: `path("fit")` is that of fit.ss.

    Raises:
        NoSuchModuleError: if there is no such module.
    """
    found = names()
    if name not in found:
        raise NoSuchModuleError(name, found)
    return _FOLDER / f"{name}.ss"
