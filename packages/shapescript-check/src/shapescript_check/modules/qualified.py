"""The chunks of a file with the names of other files in one piece, kept from check to check."""

from __future__ import annotations

from shapescript_check.declarations.reporting import Reporter
from shapescript_check.modules.qualifying import Qualifier
from shapescript_check.modules.scope import Imports
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.parsing.files import ParsedChunk, ParsedFile, Placed
from shapescript_syntax.suggestions import closest

Answer = tuple[str | None, str | None]
"""What a qualified name is: the one name for it, None if no file is meant, and then, for what that file doesn't
declare, what to do about it, which may be empty."""
Asked = dict[tuple[str, str], Answer]
Made = tuple[ParsedChunk, tuple[Diagnostic, ...]]
Qualified = dict[ParsedChunk, tuple[Asked, Made]]
"""For each chunk as it is parsed, the one that is checked, with what is wrong in it and the names that it asked for."""


def qualified(
    file: ParsedFile, imports: Imports, kept: Qualified
) -> tuple[ParsedFile, list[tuple[int, Diagnostic]]]:
    """The file as it is checked, and E2304 for names that no other file declares, with their chunks' starts.

    Arguments:
        file: the file as it is parsed.
        imports: its imports.
        kept: the chunks of the check before, which become those of this one.
    """
    used: Qualified = {}
    placed: list[Placed] = []
    found: list[tuple[int, Diagnostic]] = []
    for start, chunk in file.placed:
        before = kept.get(chunk)
        if before is None or any(_answer(imports, *name) != it for name, it in before[0].items()):
            before = _made(chunk, imports)
        used[chunk] = before
        made, diagnostics = before[1]
        placed.append(Placed(start, made))
        found += [(start, d) for d in diagnostics]
    kept.clear()
    kept.update(used)
    return ParsedFile(file.source, tuple(placed)), found


def _answer(imports: Imports, alias: str, name: str) -> Answer:
    prefix = imports.prefix(alias)
    if prefix is None:
        return None, None
    program = imports.programs.get(prefix)
    if program is None or name in program.offered:
        return f"{prefix}.{name}", None
    if any(file.alias == name for file in program.imports.files):
        return f"{prefix}.{name}", f"`{alias}` only imports it: import it in this file too"
    near = closest(name, program.offered)
    return f"{prefix}.{name}", f"did you mean `{alias}.{near}`?" if near else ""


def _made(chunk: ParsedChunk, imports: Imports) -> tuple[Asked, Made]:
    report = Reporter()
    asked: Asked = {}

    def dotted(alias: str, name: tree.Name) -> str | None:
        answer = asked[alias, name.text] = _answer(imports, alias, name.text)
        if answer[1] is not None:
            report(
                "E2304",
                name.span,
                f"`{alias}` declares no `{name.text}`",
                help=answer[1] or None,
            )
        return answer[0]

    items = tuple(Qualifier(dotted).item(item) for item in chunk.items)
    if all(a is b for a, b in zip(items, chunk.items, strict=True)):
        return asked, (chunk, tuple(report.diagnostics))
    made = ParsedChunk(chunk.text, items, chunk.diagnostics, chunk.comments)
    return asked, (made, tuple(report.diagnostics))
