"""Python modules beside .ss files: what one does when it is imported.

What is in such a module is the business of `shapescript_check.pymodules`; `files` writes them.
"""

from __future__ import annotations

import os
from typing import Any

from shapescript import importing
from shapescript.importing.loader import Loader


def load(namespace: dict[str, Any], file: str) -> None:
    """Puts what a compiled .ss file defines in place of the declarations of its Python module.

    It is the last line of `model.py` that calls this, and compiles the `model.ss` beside it as the import hook would:
    with the same cache, with the modes that `install` was given if it was called, and with the .ss file's lines.

    Arguments:
        namespace: the module's globals.
        file: the module's file.

    Raises:
        ShapeScriptError: from the line of its first error, if the .ss file has errors.
        ImportError: if there is no such file.
    """
    from shapescript_runtime.installed import forget_declarations, refuse_archive

    name = namespace["__name__"]
    path = os.path.splitext(os.path.abspath(file))[0] + ".ss"
    refuse_archive(name, file, path)
    try:
        code = Loader(name, path, importing.modes()).compiled(name)
    except FileNotFoundError as error:
        missing = f"{file} only declares what {os.path.basename(path)} defines, and that isn't beside it"
        raise ImportError(missing, name=name, path=path) from error
    forget_declarations(namespace)
    exec(code, namespace)
