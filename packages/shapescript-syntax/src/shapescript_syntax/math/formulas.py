"""From math as written to what is to be shown: a tree, or the hints that say why there is none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from shapescript_syntax.diagnostics import Diagnostic, Fix
from shapescript_syntax.math.finding import Math
from shapescript_syntax.math.malformed import Malformed
from shapescript_syntax.math.parser import ENVIRONMENT_NAME, parse
from shapescript_syntax.math.symbols import COMMANDS, ENVIRONMENTS
from shapescript_syntax.math.tree import Row
from shapescript_syntax.records import value
from shapescript_syntax.spans import Span

_COMMAND: Final = re.compile(r"\\([A-Za-z]+|[\s\S])")


@value
class Formula:
    """What `math` says. `tree` is None if there are hints: the formula is then shown as written."""

    math: Math
    tree: Row | None
    hints: tuple[Diagnostic, ...]


def read_math(math: Math) -> Formula:
    """Reads a formula. Never raises: what is wrong with it is in its hints (H0601, H0602)."""
    hints = list(_unknown(math))
    try:
        tree = parse(math.latex, math.start)
    except Malformed as error:
        # What an unknown command does to the text after it, nobody can know.
        if not hints or error.span < hints[0].span:
            hints.insert(0, error.diagnostic)
    return Formula(math, None if hints else tree, tuple(hints))


def _unknown(math: Math) -> Iterator[Diagnostic]:
    """The commands and environments outside the subset."""
    for match in _COMMAND.finditer(math.latex):
        name = match[1]
        if name not in COMMANDS:
            start, end = match.span()
            yield _unknown_command(name, Span(math.start + start, math.start + end))
        elif name == "begin":
            environment = ENVIRONMENT_NAME.match(math.latex, match.end())
            if environment is not None and environment[1].strip() not in ENVIRONMENTS:
                start, end = environment.span(1)
                yield _unknown_environment(environment[1], Span(math.start + start, math.start + end))


def _unknown_command(name: str, span: Span) -> Diagnostic:
    from shapescript_syntax.math.alternatives import command_like

    meant, help_ = command_like(name)
    shown = f"\\{name}" if name.isprintable() else "\\"
    return _report(f"math in comments has no command `{shown}`", span, meant, help_)


def _unknown_environment(name: str, span: Span) -> Diagnostic:
    from shapescript_syntax.math.alternatives import environment_like

    meant = environment_like(name.strip())
    message = f"math in comments has no environment `{name.strip()}`"
    return _report(message, span, meant, f"did you mean `{meant}`?" if meant else None)


def _report(message: str, span: Span, meant: str | None, help_: str | None) -> Diagnostic:
    fixes = (Fix(f"write `{meant}`", ((span, meant),)),) if meant else ()
    return Diagnostic("H0601", message, span, "not in the subset of LaTeX", help=help_, fixes=fixes)
