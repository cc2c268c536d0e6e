"""Checking whole files: the entry point of this package."""

from __future__ import annotations

from collections.abc import Hashable

from shapescript_check.bodies.functions import Checked, check_function
from shapescript_check.declarations.interfaces import Broken, FnInterface, Interface
from shapescript_check.declarations.module import Declared, ModuleScope, module_scope
from shapescript_check.declarations.parts import part_span
from shapescript_check.declarations.recursion import undeclared_cycles
from shapescript_check.declarations.reporting import Reporter
from shapescript_check.declarations.signatures import fn_interface
from shapescript_check.declarations.stubs import stub
from shapescript_check.hints import Hints, chunk_hints
from shapescript_check.typed.tree import Body
from shapescript_check.types.values import ERROR, ValueType
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Diagnostic, has_errors
from shapescript_syntax.memo import Memo
from shapescript_syntax.parsing.files import ParsedChunk, ParsedFile, parse_file
from shapescript_syntax.records import node
from shapescript_syntax.spans import Source, Span

Signature = tuple[FnInterface, tuple[Diagnostic, ...]]


@node
class Program:
    """A checked file. Spans of `diagnostics` are counted from the start of the file."""

    source: Source
    file: ParsedFile
    scope: ModuleScope
    diagnostics: tuple[Diagnostic, ...]
    interfaces: dict[str, Interface]
    bodies: dict[str, Checked]

    @property
    def has_errors(self) -> bool:
        """Whether code can't be generated."""
        return has_errors(self.diagnostics)


class Checker:
    """Checks files, and keeps what it found so that an edit costs what it changes.

    `signatures.computed` and `bodies.computed` list what was worked out, for tests.
    """

    def __init__(self) -> None:
        self._chunks: dict[str, dict[str, ParsedChunk]] = {}
        self._signatures: dict[str, Memo[Signature]] = {}
        self._bodies: dict[str, Memo[Checked]] = {}
        self._hints: dict[str, Memo[Hints]] = {}

    def signatures(self, path: str) -> Memo[Signature]:
        """The kept signatures of a file."""
        return self._signatures.setdefault(path, Memo())

    def bodies(self, path: str) -> Memo[Checked]:
        """The kept bodies of a file."""
        return self._bodies.setdefault(path, Memo())

    def hints(self, path: str) -> Memo[Hints]:
        """The kept hints of a file."""
        return self._hints.setdefault(path, Memo())

    def check(self, path: str, text: str, *, hints: bool = False) -> Program:
        """Checks a file's text. Never raises for what the text says.

        Arguments:
            path: the file's path, as diagnostics name it.
            text: its text.
            hints: whether to look also for what is only worth a hint, which people want and programs don't.
        """
        source = Source(path, text)
        file = parse_file(source, self._chunks.setdefault(path, {}))
        kept = self.hints(path) if hints else None
        return _Check(file, self.signatures(path), self.bodies(path), kept).run()

    def forget(self, path: str) -> None:
        """Drops what is kept about a file."""
        for kept in (self._chunks, self._signatures, self._bodies, self._hints):
            kept.pop(path, None)


class _Check:
    """One check of one file."""

    def __init__(
        self,
        file: ParsedFile,
        signatures: Memo[Signature],
        bodies: Memo[Checked],
        hints: Memo[Hints] | None,
    ) -> None:
        self.file = file
        self.scope = module_scope(file)
        self.signatures = signatures
        self.bodies = bodies
        self.hints = hints
        self.names = frozenset(self.scope.declared)
        self.cycles = undeclared_cycles(self.scope.functions)
        self._interfaces: dict[str, Interface | None] = {}
        self._checked: dict[str, Checked] = {}
        self._open: set[str] = set()

    def run(self) -> Program:
        interfaces = {name: self.interface(name) for name in self.scope.declared}
        for name, declared in self.scope.functions.items():
            if isinstance(declared.item, tree.Fn):
                self.body(name)
        self.signatures.keep_only(set(self.scope.functions))
        self.bodies.keep_only(set(self.scope.functions))
        if self.hints is not None:
            self.hints.keep_only({placed.chunk for placed in self.file.placed})
        return Program(
            self.file.source,
            self.file,
            self.scope,
            tuple(self.diagnostics()),
            {n: i for n, i in interfaces.items() if i is not None},
            self._checked,
        )

    # --- what bodies read ---

    def read(self, key: Hashable) -> object:
        """The current value of an input of a kept result."""
        assert isinstance(key, tuple)
        kind, name = key
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
                return self.scope.simple.get(name)
            case "names":
                return self.names
            case "text":
                return self.scope.functions[name].chunk
        raise AssertionError(key)

    def interface(self, name: str) -> Interface | None:
        """The interface of a declaration of the file, or of a stub of the prelude."""
        if name in self._interfaces:
            return self._interfaces[name]
        found: Interface | None
        if name in self.scope.functions:
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
        return self.interface(name) if name in self.scope.declared else None

    def signature(self, name: str) -> Signature:
        declared = self.scope.functions[name]

        def compute(read: object) -> Signature:
            assert callable(read)
            read(("text", name))
            report = Reporter()
            assert isinstance(declared.item, tree.Fn | tree.ExternFn)
            interface = fn_interface(declared.item, lambda n: read(("in_types", n)), report)
            return interface, tuple(report.diagnostics)

        return self.signatures.get(name, self.read, compute)

    def inferred(self, name: str) -> ValueType | None:
        """The result's type of a function that doesn't declare it; None in a cycle of such functions."""
        if name in self.cycles:
            return None
        if name in self._open:
            return ERROR
        return self.body(name).body.returns

    def interpreted(self, name: str) -> Body | None:
        """A body to work out the range of a call from; None while it is being checked itself."""
        if name in self._open or name not in self.scope.functions:
            return None
        return self.body(name).body

    def body(self, name: str) -> Checked:
        """The checked body of a function."""
        if name in self._checked:
            return self._checked[name]
        declared = self.scope.functions[name]
        interface = self.interface(name)
        self._open.add(name)

        def compute(read: object) -> Checked:
            assert callable(read)
            read(("text", name))
            read(("interface", name))
            assert isinstance(declared.item, tree.Fn) and isinstance(interface, FnInterface)
            return check_function(declared.item, interface, declared.chunk.text, read)

        checked = self.bodies.get(name, self.read, compute)
        self._open.discard(name)
        self._checked[name] = checked
        return checked

    # --- diagnostics ---

    def diagnostics(self) -> list[Diagnostic]:
        """Everything that is wrong, in the order of the file."""
        found: list[Diagnostic] = []
        for placed in self.file.placed:
            found += [d.located(placed.start, self.place_of) for d in placed.chunk.diagnostics]
            if self.hints is not None:
                hints = chunk_hints(placed.chunk, self.read, self.hints)
                found += [d.located(placed.start, self.place_of) for d in hints]
        found += [d.located(start, self.place_of) for start, d in self.scope.diagnostics]
        for name, declared in self.scope.functions.items():
            mine = list(self.signature(name)[1])
            if name in self._checked:
                mine += self._checked[name].diagnostics
            found += [d.located(declared.start, self.place_of) for d in mine]
        found.sort(key=lambda d: (d.span, d.code))
        return found

    def place_of(self, declaration: str, part: str) -> Span | None:
        """Where a part of a declaration is in the file."""
        declared: Declared | None = self.scope.declared.get(declaration)
        if declared is None:
            return None
        span = part_span(declared.item, part)
        return span.shifted(declared.start) if span is not None else None
