"""One check of one file, with what is kept from the one before.

What changed is found first: chunks and simple declarations by identity, then the interfaces that differ. Only what
read any of that is looked at again; see `shapescript_syntax.memo`.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property

from shapescript_check import operations
from shapescript_check.bodies.calls import STAGES
from shapescript_check.bodies.functions import Checked, check_function
from shapescript_check.checking.inputs import Inputs, changed_declarations, changed_interfaces
from shapescript_check.checking.instances import Instances
from shapescript_check.checking.kept import Kept, Signature
from shapescript_check.declarations.interfaces import (
    IN_TYPES,
    Broken,
    DomainInterface,
    FnInterface,
    Interface,
)
from shapescript_check.declarations.keys import is_foreign, is_instance, owner_of, within
from shapescript_check.declarations.module import Declared, module_scope
from shapescript_check.declarations.parts import part_span
from shapescript_check.declarations.recursion import elementwise_cycles, undeclared_cycles
from shapescript_check.declarations.reporting import Reporter
from shapescript_check.declarations.signatures import fn_interface
from shapescript_check.declarations.stubs import stub
from shapescript_check.modules.scope import NO_IMPORTS, Imports
from shapescript_check.typed.tree import Body
from shapescript_check.types.domains import is_built_in
from shapescript_check.types.values import ERROR, ValueType
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.parsing.files import ParsedFile
from shapescript_syntax.records import replaced
from shapescript_syntax.spans import Span

_WORDS = frozenset({"Train", "Sample", "Eval", "causal", *STAGES})
"""What can be called, or looks so, and is no operation."""


class Check:
    """One check of one file."""

    def __init__(
        self,
        file: ParsedFile,
        kept: Kept,
        imports: Imports = NO_IMPORTS,
        *,
        hints: bool,
        shown: str | None = None,
    ) -> None:
        self.kept = kept
        self.hints = hints
        self.shown = shown or file.source.path
        """The file, as diagnostics of others name it."""
        self.imports = imports
        self.reported: list[tuple[int, Diagnostic]] = []
        """What is wrong with imports, and with names of other files, with the starts of their chunks."""
        if imports:
            from shapescript_check.modules.qualified import qualified

            imports.take_over(kept.imports)
            file, self.reported = qualified(file, imports, kept.qualified)
        self.file = file
        self.scope = module_scope(file, imports)
        brought = dict(imports.offered()) if imports else {}
        self.names = frozenset((*self.scope.declared, *brought))
        in_types = (*self.scope.simple.items(), *brought.items())
        self.type_names = frozenset((n, type(i)) for n, i in in_types if isinstance(i, IN_TYPES))
        self.domains = tuple(
            i
            for i in self.scope.simple.values()
            if isinstance(i, DomainInterface) and not is_built_in(i.interval)
        )
        self.checked: dict[str, Checked] = {}
        self._interfaces: dict[str, Interface | None] = {}
        self.signatures: dict[str, Signature] = {}
        self.changed: set[Hashable] | None = None
        """The inputs that differ from those of the check before; None where there was none."""
        self._open: set[str] = set()
        self.instances = Instances(self, kept.instances)
        self._foreign: dict[Hashable, object] = {}
        """What was read of other files and of instances."""

    def run(self) -> None:
        """Works out every signature and body that does not stand from before."""
        functions = self.scope.functions
        with_body = {name: None for name, declared in functions.items() if isinstance(declared.item, tree.Fn)}
        before, now = self.kept.inputs, self._inputs()
        if before is not None:
            self.changed = changed_declarations(before, now) | self._changed_elsewhere(before)
            touched = self.kept.signatures.touched(self.changed)
            standing = self.kept.signatures.standing(functions, touched)
            self.signatures = standing | self.signatures  # instances that were looked at have asked for some
            self._interfaces.update((name, found[0]) for name, found in self.signatures.items())
        for name in (*self.scope.declared, *functions):  # overloads are functions by other keys
            if name not in self._interfaces:
                self.interface(name)
        if before is not None and self.changed is not None:
            self.changed |= changed_interfaces(before, now)
            stand = self.kept.bodies.standing(with_body, self._touched_bodies(self.changed))
            self.checked = stand | self.checked
        for name in with_body:
            if name not in self.checked:
                self.body(name)
        called = {instance.key for instance in self.instances.reached()}
        self.kept.signatures.keep_only(functions.keys() | called)
        self.kept.bodies.keep_only(with_body.keys() | called)
        for key in self.kept.instances.keys() - called:
            del self.kept.instances[key]
        self.kept.hints.keep_only({placed.chunk for placed in self.file.placed} if self.hints else set())
        self.kept.inputs = replaced(now, foreign=self._foreign)
        self.kept.imports = self.imports

    def interfaces(self) -> dict[str, Interface]:
        """The interfaces of the file's own declarations."""
        return {n: i for n in self.scope.declared if (i := self._interfaces[n]) is not None}

    def bodies(self) -> dict[str, Checked]:
        """The bodies, in the order of the file."""
        return {name: self.checked[name] for name in self.scope.functions if name in self.checked}

    # --- what an edit changes ---

    def _inputs(self) -> Inputs:
        whole = {"names": self.names, "type_names": self.type_names, "domains": self.domains}
        texts = {name: declared.chunk for name, declared in self.scope.functions.items()}
        return Inputs(whole, frozenset(self.scope.declared), texts, self.scope.simple, self._interfaces)

    def _changed_elsewhere(self, before: Inputs) -> set[Hashable]:
        """What differs of other files, and of instances, since it was read."""
        changed: set[Hashable] = set()
        for key, was in before.foreign.items():
            now = self.read(key)
            if now is not was and now != was:
                changed.add(key)
        return changed

    def _touched_bodies(self, changed: set[Hashable]) -> set[Hashable]:
        """The bodies to look at again: what read a changed input, and what read those, which it adds to them."""
        suspects: set[Hashable] = set()
        while True:
            found = self.kept.bodies.touched(changed)
            if found <= suspects:
                return suspects
            suspects |= found
            changed |= {(kind, name) for name in found for kind in ("returns", "body")}

    @cached_property
    def undeclared(self) -> frozenset[str]:
        """The functions whose result's type depends on itself."""
        return undeclared_cycles(self.scope.functions)

    def declares(self, name: str) -> bool:
        """Whether a name means something in this file: it is declared, in another file, or built in."""
        if "." in name or name in self.scope.declared or name in _WORDS:
            return True
        return operations.lookup(name) is not None or stub(name) is not None

    @cached_property
    def looping(self) -> frozenset[str]:
        """The functions without shapes that call themselves."""
        return elementwise_cycles(self.scope.functions)

    # --- what bodies read ---

    def read(self, key: Hashable) -> object:
        """The current value of an input of a kept result."""
        assert isinstance(key, tuple)
        kind, name = key
        if "." not in name and "[" not in name:
            return self._read(kind, name)
        if key not in self._foreign:
            self._foreign[key] = self._read(kind, name)
        return self._foreign[key]

    def _read(self, kind: str, name: str) -> object:
        match kind:
            case "interface":
                return self.interface(name)
            case "in_types":
                return self.in_types(name)
            case "returns":
                return self.inferred(name)
            case "body":
                return self.interpreted(name)
            case "simple":
                return self.interface(name) if is_foreign(name) else self.scope.simple.get(name)
            case "names":
                return self.names
            case "type_names":
                return self.type_names
            case "domains":
                return self.domains
            case "text":
                declared = self.declared(name)
                return declared.chunk if declared is not None else None
            case "problem":
                return None if name in self._open else self.instances.problem(name)
        raise AssertionError(kind)

    def declared(self, name: str) -> Declared | None:
        """The declaration of a function by its key, that of an instance with its types put in."""
        if is_instance(name):
            instance = self.instances.get(name)
            return instance.declared if instance is not None else None
        return self.scope.functions.get(name)

    def interface(self, name: str) -> Interface | None:
        """The interface of a declaration of the file, or of a stub of the prelude."""
        if name in self._interfaces:
            return self._interfaces[name]
        found: Interface | None
        if is_instance(name):
            found = self.signature(name)[0] if self.instances.get(name) is not None else None
        elif ":" in name:
            found = None
        elif is_foreign(name):
            found = self.imports.interface(name)
        elif name in self.scope.functions:
            found = self.signature(name)[0]
        elif name in self.scope.simple:
            found = self.scope.simple[name]
        elif name in self.scope.declared:
            found = Broken(name)
        else:
            found = stub(name)
        self._interfaces[name] = found
        return found

    def in_types(self, name: str) -> Interface | None:
        """What a name in a signature means. Of a function only that it is one, since its own signature may have
        the name of this one in it; a stub of the prelude leaves its name to axes."""
        if name in self.scope.functions:
            return FnInterface(name, (), None)
        declared = name in self.scope.declared or name in self.scope.simple or "." in name
        return self.interface(name) if declared else None

    def signature(self, name: str) -> Signature:
        """The signature of a function, and what is wrong in it."""
        if name in self.signatures:
            return self.signatures[name]
        declared = self.declared(name)
        assert declared is not None

        def compute(read: object) -> Signature:
            assert callable(read)
            read(("text", name))
            report = Reporter()
            assert isinstance(declared.item, tree.Fn | tree.ExternFn)
            interface = fn_interface(
                declared.item, lambda n: read(("in_types", n)), report, lambda: read(("type_names", ""))
            )
            if interface.name != name:
                interface = replaced(interface, identity=name)
            return interface, tuple(report.diagnostics)

        found = self.signatures[name] = self.kept.signatures.get(name, self.read, compute)
        return found

    def inferred(self, name: str) -> ValueType | None:
        """The result's type of a function that doesn't declare it; None in a cycle of such functions."""
        if is_instance(name):
            checked = self._instance_body(name)
            return checked.body.returns if checked is not None else None
        if is_foreign(name):
            return self.imports.returns(name)
        if name in self.undeclared or not self._is_written(name):
            return None
        if name in self._open:
            return ERROR
        return self.body(name).body.returns

    def interpreted(self, name: str) -> Body | None:
        """A body to work out the range of a call from; None for one that calls itself."""
        if is_instance(name):
            checked = self._instance_body(name)
            return checked.body if checked is not None else None
        if is_foreign(name):
            return self.imports.body(name)
        if name in self.looping or name in self._open or not self._is_written(name):
            return None
        return self.body(name).body

    def _is_written(self, name: str) -> bool:
        """Whether the file has a function of that name with a body, which files that read it need not know yet."""
        declared = self.scope.functions.get(name)
        return declared is not None and isinstance(declared.item, tree.Fn)

    def _instance_body(self, key: str) -> Checked | None:
        """The checked body of an instance; None for one that calls itself, and where its function is gone."""
        return None if key in self._open or self.instances.get(key) is None else self.body(key)

    def body(self, name: str) -> Checked:
        """The checked body of a function."""
        if name in self.checked:
            return self.checked[name]
        declared = self.declared(name)
        assert declared is not None
        interface = self.interface(name)
        self._open.add(name)

        def compute(read: object) -> Checked:
            assert callable(read)
            read(("text", name))
            read(("interface", name))
            assert isinstance(declared.item, tree.Fn) and isinstance(interface, FnInterface)
            return check_function(declared.item, interface, declared.chunk.text, read)

        checked = self.kept.bodies.get(name, self.read, compute)
        self._open.discard(name)
        self.checked[name] = checked
        return checked

    # --- places ---

    def place_of(self, declaration: str, part: str) -> Span | None:
        """Where a part of a declaration is in the file."""
        declared = self.scope.functions.get(declaration) or self.scope.declared.get(declaration)
        if declared is None:
            return None
        span = part_span(declared.item, part)
        return span.shifted(declared.start) if span is not None else None

    def shown_place(self, name: str, span: Span) -> str:
        """Where a span of a function, by its key, is: in this file, in another one or in an instance."""
        if is_instance(name):
            instance = self.instances.get(name)
            assert instance is not None
            return instance.place(span)
        owner = owner_of(name)
        check = self.imports.programs[owner].check if owner else self
        start = check.scope.functions[within(name)].start
        line, column = check.file.source.position(start + span.start)
        return f"{check.shown}:{line}:{column}"
