"""The build backend of packages with .ss files, as PEP 517 and PEP 660 describe one.

    [build-system]
    requires = ["shapescript>=0.1"]
    build-backend = "shapescript.build"

The wheel is hatchling's, with the options of `[tool.hatch.build]`, and what the .ss files become: typed Python modules,
compiled code that runs with shapescript-runtime alone, and the markers that say so. A file with errors fails the build,
and so do dependencies that no runtime which can run the code is among.
The sdist and editable installs are hatchling's own: an editable install compiles the files where they are.
"""

from __future__ import annotations

import os
from typing import Any

from hatchling import build as _hatchling
from hatchling.build import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

# hatchling leaves these out where pip would take the metadata from them and not from the wheel.
for _hook in ("prepare_metadata_for_build_editable", "prepare_metadata_for_build_wheel"):
    if hasattr(_hatchling, _hook):
        globals()[_hook] = getattr(_hatchling, _hook)
        __all__ += [_hook]


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Builds the wheel of the project in the current folder, and gives its file name.

    Arguments:
        wheel_directory: where it goes.
        config_settings: the front end's, for hatchling.
        metadata_directory: what `prepare_metadata_for_build_wheel` wrote, for hatchling.

    Raises:
        SystemExit: if .ss files have errors. Its text shows them; front ends print that and no traceback.
    """
    from shapescript.packaging.programs import BuildError
    from shapescript.packaging.wheels import add_programs

    name = _hatchling.build_wheel(wheel_directory, config_settings, metadata_directory)
    wheel = os.path.join(wheel_directory, name)
    try:
        add_programs(wheel, os.getcwd())
    except BuildError as error:
        os.unlink(wheel)
        raise SystemExit(str(error)) from None
    return name
