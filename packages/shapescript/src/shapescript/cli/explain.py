"""`shapescript explain`."""

from __future__ import annotations

import sys

from shapescript.cli import output
from shapescript.cli.failures import CommandError
from shapescript_syntax import catalogue

_DESCRIPTION = """\
Explains a diagnostic: what the code means, a program that gives it, and how to mend that program.
Without a code, lists all of them.
"""

_EPILOG = """\
examples:
  shapescript explain E0408
  shapescript explain

exit codes:
  0  explained
  2  there is no such code
"""


def main(arguments: list[str]) -> int:
    """Runs the command and returns its exit code."""
    parser = output.parser("explain", _DESCRIPTION, _EPILOG)
    parser.add_argument("code", nargs="?", metavar="CODE", help="a diagnostic's code, such as E0408")
    output.add_color(parser)
    options = parser.parse_args(arguments)
    color = output.use_color(options.color, sys.stdout)
    if options.code is None:
        output.write(_listing(color))
        return 0
    entry = catalogue.load(options.code.upper())
    if entry is None:
        raise CommandError(_no_such(options.code.upper()))
    from shapescript.cli.markdown import to_terminal

    output.write(to_terminal(entry.markdown, color=color))
    return 0


def _listing(color: bool) -> str:
    """All codes with their titles, by area."""
    from shapescript_syntax.rendering.rows import paint

    out = []
    area = None
    for code in catalogue.codes():
        entry = catalogue.load(code)
        assert entry is not None
        if entry.area != area:
            out.append(("\n" if area else "") + paint(f"{code[1:3]}: {entry.area}", "bold", color))
            area = entry.area
        out.append(f"  {paint(code, entry.severity, color)}  {entry.title}")
    return "\n".join(out) + "\n"


def _no_such(code: str) -> str:
    from difflib import get_close_matches

    codes = catalogue.codes()
    near = get_close_matches(code, codes, 3, cutoff=0.6)
    # Codes are all alike to difflib: one that only has the wrong letter is what was meant.
    near = [c for c in codes if c[1:] == code[1:]] or near
    if not near:
        return f"no code `{code}`: `shapescript explain` lists all of them"
    listed = near[0] if len(near) == 1 else f"{', '.join(near[:-1])} or {near[-1]}"
    return f"no code `{code}`: did you mean {listed}?"
