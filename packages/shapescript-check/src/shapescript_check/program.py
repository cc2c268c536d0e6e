"""A checked file, as those see it who make something of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from shapescript_check.bodies.functions import Checked
from shapescript_check.checking.check import Check
from shapescript_check.checking.telling import diagnostics
from shapescript_check.declarations.interfaces import Interface
from shapescript_check.declarations.module import ModuleScope
from shapescript_check.modules.scope import Imports
from shapescript_check.typed.tree import Body
from shapescript_check.types.values import ValueType
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Diagnostic, has_errors
from shapescript_syntax.parsing.files import ParsedFile
from shapescript_syntax.spans import Source

if TYPE_CHECKING:
    from shapescript_check.modules.generics import Instance


class Program:
    """A checked file. Spans of `diagnostics` are counted from the start of the file.

    Attributes:
        source: the file's path and text.
        file: its tree, in which a name of another file is one name, such as `attention.Mlp`.
        scope: its declarations.
        imports: the files that it imports.
        diagnostics: all that there is to say about it, in order.
        interfaces: its declarations' interfaces, by name.
        bodies: its functions' bodies, by key.
        instances: the instances of generic functions that it calls, whose bodies are `body_of` their keys.
    """

    def __init__(self, check: Check) -> None:
        self.check = check
        self.source: Source = check.file.source
        self.file: ParsedFile = check.file
        self.scope: ModuleScope = check.scope
        self.imports: Imports = check.imports
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics(check))
        self.interfaces: dict[str, Interface] = check.interfaces()
        self.bodies: dict[str, Checked] = check.bodies()
        self.instances: tuple[Instance, ...] = tuple(check.instances.reached())

    @cached_property
    def offered(self) -> Mapping[str, object]:
        """The names that files which import this one may use."""
        return {
            name: None
            for name, declared in self.scope.declared.items()
            if not isinstance(declared.item, tree.Import | tree.ImportPython | tree.ErrorItem)
        }

    @property
    def has_errors(self) -> bool:
        """Whether code can't be generated."""
        return has_errors(self.diagnostics)

    def lookup(self, name: str) -> Interface | None:
        """The interface of a name or key: of this file, of another one, of an instance, or of the prelude."""
        return self.check.interface(name)

    def returns(self, name: str) -> ValueType | None:
        """The result's type of a function without a return type."""
        return self.check.inferred(name)

    def body_of(self, name: str) -> Body | None:
        """The body of a function, to follow what it does; None for one that calls itself."""
        return self.check.interpreted(name)
