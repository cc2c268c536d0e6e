"""Checks the files that a file imports, each once, and before it."""

from __future__ import annotations

from collections.abc import Iterator

from shapescript_check.checking.check import Check
from shapescript_check.checking.kept import Kept
from shapescript_check.declarations.devices import devices_text
from shapescript_check.declarations.reporting import Reporter
from shapescript_check.modules.files import Found, ImportedFile, Importer, TooNew
from shapescript_check.modules.scope import Imports
from shapescript_check.program import Program
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.parsing.files import ParsedFile, parse_file
from shapescript_syntax.spans import Source, Span
from shapescript_syntax.suggestions import closest

Programs = dict[str, tuple[tuple[object, ...], Program]]
"""The files that were checked, by their identity, each with what decided the result."""

_MOST_NOTES = 5
_SEARCHED = "it is looked for beside this file, and then in the folders of the Python path"
_DEEPEST = 200
"""How many files may import each other in a row. Python itself gives up on fewer, when the program runs."""

Causes = dict[str, None]
"""What is wrong in imported files, a line for each error, in order."""


class Loader:
    """One check of a file with all that it imports."""

    def __init__(self, importer: Importer | None, kept: dict[str, Kept], programs: Programs) -> None:
        self.importer = importer
        self.kept = kept
        self.programs = programs
        self._done: dict[str, Program] = {}
        self._open: dict[str, str] = {}
        """The files that are being checked, from the first one on: their identities, and what they are shown as."""
        self._leads_back: dict[str, dict[str, tuple[str, ...]]] = {}
        """For a file that was checked, those that were open then and that it imports, with the files on the way."""
        self._broken: dict[str, tuple[int, Causes]] = {}
        """For a broken file, how many errors it has, and what is wrong in it and in what it imports."""

    def root(self, file: ParsedFile, *, hints: bool) -> Program:
        """The checked file that everything starts from."""
        imports, reports, _ = self._imports(file)
        return _checked(file, self.kept.setdefault(file.source.path, Kept()), imports, reports, hints)

    def _imported(self, found: Found) -> Program:
        done = self._done.get(found.identity)
        if done is not None:
            return done
        self._open[found.identity] = found.shown
        kept = self.kept.setdefault(found.path, Kept())
        file = parse_file(Source(found.path, found.text), kept.chunks)
        imports, reports, causes = self._imports(file)
        del self._open[found.identity]
        decides = (
            found.text,
            found.path,
            imports.broken,
            *(f.program for f in imports.files),
            *map(_text, reports),
        )
        before = self.programs.get(found.identity)
        if before is not None and before[0] == decides:
            program = before[1]
        else:
            program = _checked(file, kept, imports, reports, False, found.shown)
            self.programs[found.identity] = (decides, program)
        self._done[found.identity] = program
        if program.has_errors:
            own = dict.fromkeys(_lines(program, found.shown))
            self._broken[found.identity] = (len(own), own | causes)
        return program

    def _imports(self, file: ParsedFile) -> tuple[Imports, list[tuple[int, Diagnostic]], Causes]:
        """The imports of a file, what is wrong with them, and in the files that they lead to."""
        told: Causes = {}
        files: list[ImportedFile] = []
        broken: list[str] = []
        reports: list[tuple[int, Diagnostic]] = []
        own = [i for _, chunk in file.placed for i in chunk.items if isinstance(i, tree.Devices)]
        where = ("this file", own[0]) if own else None
        if not self._open:
            self._open[self._identity(file.source.path)] = file.source.path
        for start, chunk in file.placed:
            for item in chunk.items:
                if not isinstance(item, tree.Import):
                    continue
                report = Reporter()
                alias = (item.alias or item.parts[-1]).text
                loaded = self._load(item, alias, file.source.path, report, told)
                if loaded is not None and not _same_devices(where, loaded, item, report):
                    loaded = None
                if loaded is not None and where is None:
                    where = _devices_of(loaded)
                if loaded is None:
                    broken.append(alias)
                elif all(f.alias != alias for f in files):  # a second one is E0302
                    files.append(loaded)
                reports += [(start, d) for d in report.diagnostics]
        return Imports(tuple(files), tuple(broken)), reports, told

    def _identity(self, path: str) -> str:
        identity = getattr(self.importer, "identity", None)
        return identity(path) if identity is not None else path

    def _meant(self, module: str, importing: str, alias: tree.Name | None) -> str | None:
        """What an import of a file that isn't there may have been meant to be."""
        stem, _, ending = module.rpartition(".")
        if ending == "ss" and self.importer is not None and self.importer.find(stem, importing) is not None:
            return f"leave the ending out: `import {stem}`"
        offered = getattr(self.importer, "offered", None)
        near = closest(module, offered(importing)) if offered is not None else None
        if near:
            return f"did you mean `import {near}`?"
        if module == "python":
            return "name the Python module, as in `import python torch`"
        is_python = getattr(self.importer, "is_python", None)
        if is_python is None or not is_python(module, importing):
            return None
        without = f", without `as {alias.text}`" if alias is not None else ""
        return f"`{module}` is a Python module: `import python {module}`{without}"

    def _load(
        self, item: tree.Import, alias: str, importing: str, report: Reporter, told: Causes
    ) -> ImportedFile | None:
        module = ".".join(part.text for part in item.parts)
        span = _span(item)
        found = self.importer.find(module, importing) if self.importer is not None else None
        if found is None:
            report(
                "E2301",
                span,
                f"there is no file `{module.replace('.', '/')}.ss`",
                notes=(getattr(self.importer, "searched", _SEARCHED),),
                help=self._meant(module, importing, item.alias),
            )
            return None
        if isinstance(found, TooNew):
            report("E2901", span, found.message, label=found.label, help=found.help)
            return None
        if found.identity in self._open:
            self._refuse_cycle(found, (found.identity, ()), span, report)
            return None
        if found.problem is not None:
            report("E2303", span, f"`{found.shown}` can't be read", notes=(found.problem.message,))
            told[f"{found.shown}: {found.problem.message}"] = None
            return None
        if len(self._open) > _DEEPEST:
            message = f"{_DEEPEST} files import each other in a row, and that is as far as they are followed"
            report("E2303", span, message, help="import it in a file that is nearer to the first one")
            told[f"{found.shown}: {message}"] = None
            return None
        program = self._imported(found)
        for back, way in self._leads_back.get(found.identity, {}).items():
            if back in self._open:
                self._refuse_cycle(found, (back, (found.shown, *way)), span, report)
                return None
        if program.has_errors:
            _refuse_broken(found, *self._broken[found.identity], told, span, report)
            return None
        return ImportedFile(alias, module, program, found)

    def _refuse_cycle(
        self, found: Found, back: tuple[str, tuple[str, ...]], span: Span, report: Reporter
    ) -> None:
        """Reports E2302 for an import, from which other files lead back to one that is open."""
        identity, way = back
        *above, here = self._open
        self._leads_back.setdefault(here, {})[identity] = way
        if found.identity == here:
            report("E2302", span, "this file imports itself", help="leave the import out")
            return
        down = list(self._open.values())[(*above, here).index(identity) :]
        circle = [down[-1], *way, *down]
        report(
            "E2302",
            span,
            f"`{found.shown}` imports this file back",
            notes=(f"the files import each other: {' -> '.join(circle)}",),
            help="move what both need into a file that both import",
        )


def _span(item: tree.Import) -> Span:
    return Span(item.parts[0].span.start, item.parts[-1].span.end)


Where = tuple[str, tree.Devices] | None
"""The devices that a file runs on, and which file says so."""


def _devices_of(file: ImportedFile) -> Where:
    """What an imported file, or one that it imports itself, says about devices."""
    said = file.program.scope.devices
    if said is not None:
        return f"`{file.found.shown}`", said
    return next(filter(None, map(_devices_of, file.program.imports.files)), None)


def _same_devices(where: Where, file: ImportedFile, item: tree.Import, report: Reporter) -> bool:
    """Whether a file may run where the one that imports it does; reports E2306 if not."""
    if where is None:
        return True
    whose, mine = where
    if mine.numbers is not None and len(mine.numbers) > 1:
        report(
            "E2306",
            _span(item),
            "a program on several devices can't import other .ss files",
            notes=("the process of each device runs this file's code alone",),
            help="put what it imports into the file, or declare one device",
        )
        return False
    theirs = _devices_of(file)
    if theirs is None or devices_text(mine) == devices_text(theirs[1]):
        return True
    report(
        "E2306",
        _span(item),
        f"{theirs[0]} is for `devices {devices_text(theirs[1])}`, and {whose} for `{devices_text(mine)}`",
        help="declare devices in the file that a program starts from, and leave them out of the others",
    )
    return False


def _lines(program: Program, shown: str) -> Iterator[str]:
    """The errors of a file, but for those about the files that it imports."""
    for error in program.diagnostics:
        if error.is_error and error.code != "E2303":
            line, column = program.source.position(error.span.start)
            yield f"{shown}:{line}:{column}: error[{error.code}]: {error.message}"


def _refuse_broken(
    found: Found, own: int, causes: Causes, told: Causes, span: Span, report: Reporter
) -> None:
    """Reports E2303 for what no other import of the file has told."""
    new = [cause for cause in causes if cause not in told]
    told.update(dict.fromkeys(new))
    if not new:
        return
    number = own or len(new)
    count = "an error" if number == 1 else f"{number} errors"
    notes = new[:_MOST_NOTES]
    if len(new) > _MOST_NOTES:
        notes.append(f"and {len(new) - _MOST_NOTES} more")
    subject = f"`{found.shown}`" if own else f"what `{found.shown}` imports"
    report("E2303", span, f"{subject} has {count}", notes=notes)


def _text(report: tuple[int, Diagnostic]) -> tuple[int, str, str]:
    start, diagnostic = report
    return start, diagnostic.message, "\n".join(diagnostic.notes)


def _checked(
    file: ParsedFile,
    kept: Kept,
    imports: Imports,
    reports: list[tuple[int, Diagnostic]],
    hints: bool,
    shown: str | None = None,
) -> Program:
    check = Check(file, kept, imports, hints=hints, shown=shown)
    check.reported += reports
    check.run()
    return Program(check)
