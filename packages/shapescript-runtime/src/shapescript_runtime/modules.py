"""Which module an `import` between .ss files means, for compiled code.

A .ss file is one module object, whoever imports it and however: compiled when it is imported, by the compiler's
import hook, or from a module that was generated beside it. Its name in `sys.modules` is the one that Python's own
`import` would give it, so that models and records are the same classes everywhere.
"""

from __future__ import annotations

import os
import sys
import threading
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from types import ModuleType, TracebackType
from typing import Any

from .built import file_of
from .finding import is_generated, located
from .installed import BuiltLoader, compiler, uncompiled

_RUNTIME = "_ss_rt"  # what compiled code calls the runtime; no other module has the name
# One for each module, as Python has for its own: files don't import each other in circles, so nobody waits for ever.
_locks: dict[str, threading.RLock] = {}


def import_ss(name: str, file: str, dotted: str) -> ModuleType:
    """The module of another .ss file, for compiled code that imports it.

    The file is looked for next to the importing one, then in the folders of `sys.path`. Next to a file of a package,
    it is a module of that package.

    Arguments:
        name: the importing module's `__name__`.
        file: the importing module's `__file__`.
        dotted: the other file as the `import` says it: `layers.attention` is `layers/attention.ss`.

    Raises:
        ModuleNotFoundError: if there is no such file.
        ImportError: if there is one, but neither its compiled Python nor a compiler.
    """
    found = located(file, dotted)
    if found is None:
        place = os.path.join(*dotted.split(".")) + ".ss"
        raise ModuleNotFoundError(
            f"no file {place} next to {file} or in the folders of sys.path", name=dotted
        )
    package = name.rpartition(".")[0] if found.is_beside else ""
    try:
        return _module(f"{package}.{dotted}" if package else dotted, found.stem)
    except BaseException as error:
        # As with Python's own imports, a traceback shows the files and not how they are loaded.
        raise error.with_traceback(_from_the_file_on(error.__traceback__))  # noqa: B904 (it is the same one)


def _from_the_file_on(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames that lead to the imported file, if it was reached."""
    file = trace
    while file is not None and _loads(file.tb_frame.f_code.co_filename):
        file = file.tb_next
    return file or trace


def _loads(file: str) -> bool:
    ours = (_loads.__code__.co_filename, import_module.__code__.co_filename)
    return file in ours or file.startswith("<frozen importlib")


def _module(name: str, stem: str) -> ModuleType:
    """The module of a program at `stem`, which is called `name` unless that is another module's name."""
    with _lock_of(name):
        spec = _findable(name)
        if spec is not None and _is_from(spec.origin, vars(sys.modules.get(name, spec)), stem):
            # The usual case. Python waits here for a thread that is importing the same module.
            return import_module(name)
        if spec is None and name not in sys.modules:
            return _loaded(name, stem)
    # The name is taken, as it is for a hand-written .py beside the .ss file, or when programs of two folders have
    # one name. Each still gets its own file.
    own = _own_name(name, stem)
    with _lock_of(own):
        return sys.modules[own] if own in sys.modules else _loaded(own, stem)


def _lock_of(name: str) -> threading.RLock:
    return _locks.setdefault(name, threading.RLock())


def _findable(name: str) -> ModuleSpec | None:
    """What Python would import under a name, or has imported."""
    try:
        return find_spec(name)
    except (ImportError, ValueError):
        # No such package, or a module that was made by hand and says nothing about itself.
        module = sys.modules.get(name)
        return None if module is None else ModuleSpec(name, None, origin=vars(module).get("__file__"))


def _is_from(origin: str | None, variables: dict[str, Any], stem: str) -> bool:
    """Whether a module of the file `origin` is the program at `stem`."""
    if origin is None:
        return False
    base, ending = os.path.splitext(os.path.realpath(origin))
    if base != os.path.realpath(stem):
        return False
    return ending == ".ss" or _RUNTIME in variables or is_generated(origin)


def _own_name(name: str, stem: str) -> str:
    from hashlib import blake2b

    digest = blake2b(os.fsencode(os.path.realpath(stem)), digest_size=6).hexdigest()
    return f"_ss_{digest}_{name.replace('.', '_')}"


def _loaded(name: str, stem: str) -> ModuleType:
    """Loads a program that Python's import doesn't find under `name`."""
    spec = _spec(name, stem)
    module = module_from_spec(spec)
    assert spec.loader is not None
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    parent, _, tail = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], tail, module)
    return sys.modules.get(name, module)


def _spec(name: str, stem: str) -> ModuleSpec:
    """How to load the program at `stem`: by the compiler if there is one, else from what was generated."""
    source = f"{stem}.ss"
    hook = compiler() if os.path.isfile(source) else None
    spec: ModuleSpec | None = None
    if hook is not None:
        spec = hook.spec_of_file(name, source)
    elif is_generated(f"{stem}.py"):
        spec = spec_from_file_location(name, f"{stem}.py")
    elif os.path.isfile(file_of(source)):
        spec = spec_from_file_location(name, source, loader=BuiltLoader(name, source))
    if spec is None:
        raise uncompiled(name, source)
    return spec
