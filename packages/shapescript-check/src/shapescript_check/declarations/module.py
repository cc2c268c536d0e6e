"""The module scope of a file: its names, and what can be said about declarations without looking into bodies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from shapescript_check.declarations.dims import Dims, alias_cycles
from shapescript_check.declarations.domains import domain_interface
from shapescript_check.declarations.interfaces import (
    AliasInterface,
    Broken,
    DataInterface,
    FileInterface,
    FnInterface,
    GenericInterface,
    Interface,
    LogsInterface,
    ModelInterface,
    PythonModule,
    Unsupported,
)
from shapescript_check.declarations.records import record_interface
from shapescript_check.declarations.reporting import Reporter
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Diagnostic, Label
from shapescript_syntax.parsing.files import ParsedChunk, ParsedFile
from shapescript_syntax.records import node

if TYPE_CHECKING:
    from shapescript_check.modules.scope import Imports

_NO_DECLARATION = (
    tree.ErrorItem,
    # What a notebook's cell may hold beside declarations.
    *(tree.Return, tree.Bind, tree.SetField, tree.For, tree.If, tree.ExprStmt, tree.ErrorStmt),
)
_FUNCTION = (tree.Fn, tree.ExternFn)


@node
class Declared:
    """A declaration and the chunk it is in."""

    item: tree.Item
    chunk: ParsedChunk
    start: int


class ModuleScope:
    """The declarations of a file by name. Functions have their interface worked out on demand, elsewhere.

    `diagnostics` are each with the start of the chunk that their spans are relative to. Overloaded functions are in
    `functions` by their keys, and generic ones, which are checked for each call, aren't.
    """

    __slots__ = (
        "again",
        "declared",
        "devices",
        "devices_start",
        "diagnostics",
        "functions",
        "imports",
        "simple",
    )

    def __init__(self, imports: Imports) -> None:
        self.imports = imports
        self.again: dict[str, list[Declared]] = {}
        """The functions of names that functions have already."""
        self.declared: dict[str, Declared] = {}
        self.simple: dict[str, Interface] = {}
        self.functions: dict[str, Declared] = {}
        self.devices: tree.Devices | None = None
        self.devices_start = 0
        """Where the chunk of the devices line starts."""
        self.diagnostics: list[tuple[int, Diagnostic]] = []

    def type_name(self, name: str) -> Interface | None:
        """What a name in a field's type means: records may name each other, and only by mistake."""
        if name in self.simple:
            return self.simple[name]
        if "." in name:
            return self.imports.interface(name)
        declared = self.declared.get(name)
        return _BY_NAME[type(declared.item)](name) if declared is not None else None

    def add(self, start: int, reporter: Reporter) -> None:
        self.diagnostics += [(start, d) for d in reporter.diagnostics]


_BY_NAME: dict[type, Callable[[str], Interface]] = {
    tree.Model: lambda name: ModelInterface(name, ()),
    tree.Data: lambda name: DataInterface(name, ()),
    tree.Logs: lambda name: LogsInterface(name, ()),
    tree.Fn: lambda name: FnInterface(name, (), None),
    tree.ExternFn: lambda name: FnInterface(name, (), None),
}


def module_scope(file: ParsedFile, imports: Imports) -> ModuleScope:
    """Collects the declarations of a file and works out all but its functions."""
    scope = ModuleScope(imports)
    first_item: tree.Item | None = None
    modules: dict[str, list[str]] = {}
    broken: list[str] = []
    for placed in file.placed:
        for item in placed.chunk.items:
            if isinstance(item, tree.ErrorItem) and item.name is not None:
                broken.append(item.name.text)
            if isinstance(item, _NO_DECLARATION):
                continue
            declared = Declared(item, placed.chunk, placed.start)
            if isinstance(item, _FUNCTION):
                _declare(scope, item.name, declared)
            elif isinstance(item, tree.Devices):
                _devices(scope, item, declared, first_item)
            elif isinstance(item, tree.ImportPython):
                modules.setdefault(item.parts[0].text, []).append(".".join(p.text for p in item.parts))
                _declare(scope, item.parts[0], declared, again=item.parts[0].text in scope.simple)
                scope.simple[item.parts[0].text] = PythonModule(
                    item.parts[0].text, tuple(modules[item.parts[0].text])
                )
            else:
                _declare(scope, _name_of(item), declared)
            first_item = first_item or item
    scope.simple.update({name: Broken(name) for name in broken if name not in scope.declared})
    _work_out(scope)
    return scope


def _name_of(item: tree.Item) -> tree.Name:
    if isinstance(item, tree.Import):
        return item.alias or item.parts[-1]
    assert not isinstance(item, (tree.Devices, tree.ErrorItem, tree.ImportPython))
    return item.name


def _declare(scope: ModuleScope, name: tree.Name, declared: Declared, again: bool = False) -> None:
    text = name.text
    if isinstance(declared.item, _FUNCTION) and text in scope.functions:
        scope.again.setdefault(text, []).append(declared)
        return
    if text.startswith("_ss_"):
        report = Reporter()
        report("E0303", name.span, "names that start with `_ss_` are the compiler's own")
        scope.add(declared.start, report)
    if text in scope.declared:
        _declared_twice(scope, name, declared)
        return
    scope.declared[text] = declared
    if isinstance(declared.item, _FUNCTION):
        scope.functions[text] = declared


def _declared_twice(scope: ModuleScope, name: tree.Name, declared: Declared) -> None:
    if isinstance(scope.declared[name.text].item, tree.ImportPython) and isinstance(
        declared.item, tree.ImportPython
    ):
        return  # two modules of one package
    report = Reporter()
    report(
        "E0302",
        name.span,
        f"`{name.text}` is declared twice",
        label="declared again here",
        labels=(Label(None, "first declared here", name.text),),
        help="rename one of them",
    )
    scope.add(declared.start, report)


def _devices(scope: ModuleScope, item: tree.Devices, declared: Declared, first: tree.Item | None) -> None:
    report = Reporter()
    if scope.devices is not None:
        first_line = scope.devices.span.shifted(scope.devices_start - declared.start)
        report(
            "E1003",
            item.span,
            "a file declares its devices once",
            labels=(Label(first_line, "first declared here"),),
            help="remove one of the two lines",
        )
    elif first is not None:
        report(
            "E1004",
            item.span,
            "`devices` comes before every declaration",
            help="move this line to the top of the file",
        )
    if scope.devices is None:
        from shapescript_check.declarations.devices import check_devices

        scope.devices, scope.devices_start = item, declared.start
        check_devices(item, report)
    scope.add(declared.start, report)


def _work_out(scope: ModuleScope) -> None:
    dims: dict[str, tree.Dim] = {}
    aliases: dict[str, AliasInterface] = {}
    named = [(name, declared) for name, declared in scope.declared.items() if name not in scope.functions]
    for name, declared in named:
        item = declared.item
        if isinstance(item, tree.Dim):
            dims[name] = item
        elif isinstance(item, tree.Alias):
            text = declared.chunk.text[item.shape.span.start : item.shape.span.end]
            aliases[name] = AliasInterface(name, text, item.shape)
        elif isinstance(item, tree.Domain):
            report = Reporter()
            scope.simple[name] = domain_interface(item, report)
            scope.add(declared.start, report)
        elif isinstance(item, tree.Import):
            broken = name in scope.imports.broken
            scope.simple[name] = Broken(name) if broken else FileInterface(name)
    _alias_cycles(scope, aliases)
    scope.simple.update(aliases)
    others = scope.simple | dict.fromkeys(scope.functions, Unsupported("", "a function"))
    resolver = Dims(dims, lambda n: scope.imports.interface(n) if "." in n else others.get(n))
    scope.simple.update(resolver.resolve())
    for name, report in resolver.reports.items():
        scope.add(scope.declared[name].start, report)
    for name, declared in named:
        if isinstance(declared.item, (tree.Model, tree.Data, tree.Logs)):
            report = Reporter()
            scope.simple[name] = record_interface(declared.item, scope.type_name, report)
            scope.add(declared.start, report)
    _functions_of_types(scope)


def _functions_of_types(scope: ModuleScope) -> None:
    """Sorts out overloaded and generic functions."""
    from shapescript_check.declarations.type_variables import check_variables, may_be_generic, type_variables

    def declares(name: str) -> bool:
        return name in scope.declared

    def is_generic(item: tree.Item) -> bool:
        return isinstance(item, tree.Fn) and bool(type_variables(item, declares))

    if scope.again:
        _overloads(scope, is_generic)
    for name, declared in list(scope.functions.items()):
        item = declared.item
        if not isinstance(item, tree.Fn) or not may_be_generic(item):
            continue
        report = Reporter()
        good = check_variables(item, declares, report)
        scope.add(declared.start, report)
        if not good:
            del scope.functions[name]
            scope.simple[name] = Broken(name)
        elif variables := type_variables(item, declares):
            del scope.functions[name]
            scope.simple[name] = GenericInterface(name, variables, declared.chunk.text, item)


def _overloads(scope: ModuleScope, is_generic: Callable[[tree.Item], bool]) -> None:
    from shapescript_check.declarations.overloads import overloads

    for name, others in scope.again.items():
        group = [scope.functions[name], *others]
        found, versions, reports = overloads(name, group, scope.type_name, is_generic)
        if found is None:
            for other in others:
                assert isinstance(other.item, tree.Fn | tree.ExternFn)
                _declared_twice(scope, other.item.name, other)
            continue
        for start, report in reports:
            scope.add(start, report)
        del scope.functions[name]
        scope.functions.update(versions)
        scope.simple[name] = found
    scope.functions = dict(sorted(scope.functions.items(), key=lambda item: item[1].start))


def _alias_cycles(scope: ModuleScope, aliases: dict[str, AliasInterface]) -> None:
    for name, path in list(alias_cycles(aliases)):
        item = scope.declared[name].item
        assert isinstance(item, tree.Alias)
        report = Reporter()
        report(
            "E2201",
            item.name.span,
            f"shape alias `{name}` contains itself",
            notes=(" -> ".join(path),) if len(path) > 2 else (),
            help="write the axes out in one of them",
        )
        scope.add(scope.declared[name].start, report)
        scope.simple[name] = Broken(name)
    for name in [n for n, i in scope.simple.items() if isinstance(i, Broken)]:
        aliases.pop(name, None)
