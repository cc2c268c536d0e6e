"""The import hook: with it, `import model` finds `model.ss` and compiles it."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec

from shapescript.importing.finder import Finder, spec_of
from shapescript.modes import DEFAULT, CheckModes

_finder: Finder | None = None


def install(checks: str = "always", value_checks: str = "debug") -> None:
    """Lets Python import .ss files: `name.ss` where `name.py` would be, and before it in the same folder.

    Compiled code is kept in `__pycache__`. Calling it again changes the modes for what is imported later.

    Arguments:
        checks: when compiled functions check shapes, devices and models: "always", "debug" (not under
            `python -O`) or "off".
        value_checks: when they check values against domains; the same words.

    Raises:
        ValueError: if a mode isn't one of the three words.
    """
    global _finder
    given = CheckModes(checks, value_checks).validated()
    if _finder is None:
        _finder = Finder(given)
    _finder.modes = given
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def modes() -> CheckModes:
    """When modules that are compiled from now on check what they are given, as `install` was told last."""
    return DEFAULT if _finder is None else _finder.modes


def is_installed() -> bool:
    """Whether Python imports .ss files by itself."""
    return _finder is not None and _finder in sys.meta_path


def uninstall() -> None:
    """Takes the hook out again. Modules that were imported stay."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


def spec_of_file(name: str, file: str) -> ModuleSpec:
    """How the hook loads a .ss file as the module `name`, whether it is installed or not.

    `file` is an absolute path. The modes are those last given to `install`. The runtime calls this for imports
    between .ss files that Python's own import doesn't find.
    """
    return spec_of(name, file, modes())


def version() -> str:
    """The compiler's version, which the runtime compares with that of a package's compiled code."""
    from shapescript import __version__

    return __version__
