"""ShapeScript in Python: the import hook, the compiler as a function, and the errors of compiled code.

    import shapescript

    shapescript.install()            # from here on, `import model` finds model.ss
    shapescript.devices("cpu")       # where the program runs, unless a .ss file says so

Training has names here too: the modes `Train`, `Sample` and `Eval`, `save` and `load`, `sinks`, and the types of
optimizer state that `load` takes. `std` is the standard library, and `rt` the runtime, whose functions compiled code
calls.

Importing this package loads neither torch nor the compiler; each name below is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = [
    "SGD",
    "AdamW",
    "DeviceError",
    "DomainError",
    "Eval",
    "KindError",
    "Mode",
    "Sample",
    "ShapeError",
    "ShapeScriptError",
    "Train",
    "compile",
    "devices",
    "install",
    "load",
    "loader_workers",
    "rt",
    "save",
    "show_progress",
    "sinks",
    "std",
    "uninstall",
]

if TYPE_CHECKING:
    import shapescript_runtime as rt
    from shapescript import std
    from shapescript.compiling import compile
    from shapescript.errors import ShapeScriptError
    from shapescript.importing import install, uninstall
    from shapescript_runtime import (
        SGD,
        AdamW,
        DeviceError,
        DomainError,
        Eval,
        KindError,
        Mode,
        Sample,
        ShapeError,
        Train,
        devices,
        load,
        loader_workers,
        save,
        show_progress,
        sinks,
    )

_HOMES = {
    "ShapeScriptError": "shapescript.errors",
    "compile": "shapescript.compiling",
    "install": "shapescript.importing",
    "uninstall": "shapescript.importing",
}
_MODULES = {"rt": "shapescript_runtime", "sinks": "shapescript_runtime.sinks", "std": "shapescript.std"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name in _MODULES:
        value: Any = import_module(_MODULES[name])
    else:
        value = getattr(import_module(_HOMES.get(name, "shapescript_runtime")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
