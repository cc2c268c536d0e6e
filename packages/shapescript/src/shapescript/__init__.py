"""ShapeScript in Python: the import hook, the compiler as a function, and the errors of compiled code.

    import shapescript

    shapescript.install()            # from here on, `import model` finds model.ss
    shapescript.devices("cpu")       # where the program runs, unless a .ss file says so

Importing this package loads neither torch nor the compiler; each name below is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = [
    "DeviceError",
    "DomainError",
    "ShapeError",
    "ShapeScriptError",
    "compile",
    "devices",
    "install",
    "uninstall",
]

if TYPE_CHECKING:
    from shapescript.compiling import compile
    from shapescript.errors import ShapeScriptError
    from shapescript.importing import install, uninstall
    from shapescript_runtime import DeviceError, DomainError, ShapeError, devices

_HOMES = {
    "DeviceError": "shapescript_runtime",
    "DomainError": "shapescript_runtime",
    "ShapeError": "shapescript_runtime",
    "ShapeScriptError": "shapescript.errors",
    "compile": "shapescript.compiling",
    "devices": "shapescript_runtime",
    "install": "shapescript.importing",
    "uninstall": "shapescript.importing",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
