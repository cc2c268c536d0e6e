"""Whether what a package requires is what its compiled code needs: a runtime as new as the one it was built for.

A build backend may not add to the dependencies that pyproject.toml lists, so they are compared with it.
"""

from __future__ import annotations

from email.parser import HeaderParser
from typing import TYPE_CHECKING

import shapescript_runtime
from shapescript import __version__

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

_RUNTIME = "shapescript-runtime"
_COMPILER = "shapescript"  # which requires the runtime itself


def refused(metadata: str) -> str | None:
    """Why no runtime that a wheel's dependencies admit can run its code; None if one can.

    Arguments:
        metadata: the text of the wheel's METADATA.
    """
    versions = {_RUNTIME: shapescript_runtime.__version__, _COMPILER: __version__}
    for name, specifier in _required(metadata):
        if name in versions and not specifier.contains(versions[name], prereleases=True):
            return (
                f"the wheel is built by {_COMPILER} {__version__}, for {_RUNTIME} {shapescript_runtime.__version__} or "
                f"newer, and the dependencies say `{name}{specifier}`: change them, or what `requires` asks for"
            )
    return None


def doubtful(metadata: str) -> str | None:
    """What is missing in a wheel's dependencies for pip to install a runtime that is new enough; None if nothing is."""
    from packaging.version import Version

    needed = shapescript_runtime.__version__
    required = _required(metadata)
    advice = f"write `{_RUNTIME}>={needed}` there"
    if not any(name in (_RUNTIME, _COMPILER) for name, _ in required):
        return f"the wheel's code needs {_RUNTIME}, which isn't among the dependencies: {advice}"
    for name, specifier in required:
        lowest = [
            Version(s.version) for s in specifier if s.operator in (">=", "==", "~=") and "*" not in s.version
        ]
        if name == _RUNTIME and not any(version >= Version(needed) for version in lowest):
            return f"the wheel's code needs {_RUNTIME} {needed}, and the dependencies take an older one: {advice}"
    return None


def _required(metadata: str) -> list[tuple[str, SpecifierSet]]:
    """The distributions that are required without extras, by their normalized names, each with its versions."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    lines = HeaderParser().parsestr(metadata).get_all("Requires-Dist") or []
    found = [Requirement(str(line)) for line in lines]
    return [
        (canonicalize_name(r.name), r.specifier)
        for r in found
        if r.marker is None or r.marker.evaluate({"extra": ""})
    ]
