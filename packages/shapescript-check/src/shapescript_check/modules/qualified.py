"""The chunks of a file with the names of other files in one piece, kept from check to check."""

from __future__ import annotations

from shapescript_check.declarations.reporting import Reporter
from shapescript_check.modules.qualifying import Qualifier
from shapescript_check.modules.scope import Imports
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.parsing.files import ParsedChunk, ParsedFile, Placed
from shapescript_syntax.suggestions import closest

Made = tuple[ParsedChunk, tuple[Diagnostic, ...]]
Qualified = dict[ParsedChunk, tuple[tuple[object, ...], Made]]
"""For each chunk as it is parsed, the one that is checked, with what decided it, and what is wrong in it."""


def qualified(
    file: ParsedFile, imports: Imports, kept: Qualified
) -> tuple[ParsedFile, list[tuple[int, Diagnostic]]]:
    """The file as it is checked, and E2304 for names that no other file declares, with their chunks' starts.

    Arguments:
        file: the file as it is parsed.
        imports: its imports.
        kept: the chunks of the check before, which become those of this one.
    """
    decides = imports.signature()
    used: Qualified = {}
    placed: list[Placed] = []
    found: list[tuple[int, Diagnostic]] = []
    for start, chunk in file.placed:
        before = kept.get(chunk)
        if before is None or before[0] != decides:
            before = (decides, _made(chunk, imports))
        used[chunk] = before
        made, diagnostics = before[1]
        placed.append(Placed(start, made))
        found += [(start, d) for d in diagnostics]
    kept.clear()
    kept.update(used)
    return ParsedFile(file.source, tuple(placed)), found


def _made(chunk: ParsedChunk, imports: Imports) -> Made:
    report = Reporter()

    def dotted(alias: str, name: tree.Name) -> str | None:
        prefix = imports.prefix(alias)
        if prefix is None:
            return None
        program = imports.programs.get(prefix)
        if program is not None and name.text not in program.offered:
            near = closest(name.text, program.offered)
            report(
                "E2304",
                name.span,
                f"`{alias}` declares no `{name.text}`",
                help=f"did you mean `{alias}.{near}`?" if near else None,
            )
        return f"{prefix}.{name.text}"

    items = tuple(Qualifier(dotted).item(item) for item in chunk.items)
    if all(a is b for a, b in zip(items, chunk.items, strict=True)):
        return chunk, tuple(report.diagnostics)
    return ParsedChunk(chunk.text, items, chunk.diagnostics, chunk.comments), tuple(report.diagnostics)
