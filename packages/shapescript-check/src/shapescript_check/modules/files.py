"""Files that a program imports, as the checker asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.records import node

if TYPE_CHECKING:
    from shapescript_check.program import Program


@node
class Found:
    """A .ss file that an import means.

    `identity` is equal for two that are the same file. `path` is what tracebacks name, and `shown` what diagnostics do.
    `problem` is why the bytes are no text.
    """

    identity: str
    path: str
    shown: str
    text: str
    problem: Diagnostic | None = None


@node
class TooNew:
    """A .ss file that is there, of a package that a newer compiler built: E2901, in these words."""

    message: str
    label: str
    help: str


class Importer(Protocol):
    """Finds the files that are imported. One importer answers the same question the same way each time.

    It may have `identity(path)`, which is equal for paths of one file; `offered(importing)`, the modules that an import
    may have meant; `is_python(module, importing)`, whether there is a Python module of a dotted name; and `searched`,
    a sentence that says where it looks.
    """

    def find(self, module: str, importing: str) -> Found | TooNew | None:
        """The file of a dotted name that the file at the path `importing` imports; None if there is none."""


@node
class ImportedFile:
    """An `import` of a file: the name that it binds, the module as it is written, and what was found."""

    alias: str
    module: str
    program: Program
    found: Found
