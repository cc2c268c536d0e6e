"""What can be wrong with the form of a formula (H0602)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shapescript_syntax.diagnostics import Diagnostic, Label
from shapescript_syntax.records import node
from shapescript_syntax.spans import Span


@node
class Opened:
    r"""Something that has to be closed: `{`, `[`, `$`, `\left` or `\begin`, which has a `name`."""

    token: str
    span: Span
    name: str


class Malformed(Exception):
    """A formula that can't be read. `diagnostic` says why, and `span` where."""

    def __init__(
        self,
        span: Span,
        message: str,
        label: str = "",
        help: str | None = None,
        labels: tuple[Label, ...] = (),
    ) -> None:
        super().__init__(message)
        self.span = span
        self.diagnostic = Diagnostic("H0602", message, span, label, labels, help=help)


_OPENER: Final = {"}": "{", "\\right": "\\left", "\\end": "\\begin", "$": "$"}
_STRAY: Final = {
    "}": ("this `}` closes nothing", "for a brace to be drawn, write `\\}`"),
    "\\right": (
        "this `\\right` has no `\\left`",
        "write `\\left.` where it should start, or leave `\\right` out",
    ),
    "\\end": (
        "this `\\end` has no `\\begin`",
        "begin the environment, as in `\\begin{matrix} … \\end{matrix}`",
    ),
    "$": ("a `$` inside displayed math", "for a dollar to be drawn, write `\\$`"),
    "&": ("this `&` is in no environment", "for an ampersand to be drawn, write `\\&`"),
    "\\\\": (
        "this `\\\\` is in no environment",
        "for several lines, write `\\begin{aligned} a \\\\ b \\end{aligned}`",
    ),
}


def misplaced(opened: Sequence[Opened], token: str, span: Span) -> Malformed:
    """The current token can't be here: either it is stray, or what was opened last should be closed before it."""
    opener = _OPENER.get(token, "\\begin")
    if opened and (not token or any(o.token == opener for o in opened)):
        return unclosed(opened[-1])
    message, help_ = _STRAY[token]
    return Malformed(span, message, help=help_)


def unclosed(opened: Opened) -> Malformed:
    """Something is never closed."""
    if opened.token == "\\left":
        help_ = "close it as in `\\left( x \\right)`; `\\right.` draws nothing"
        return Malformed(opened.span, "this `\\left` has no `\\right`", help=help_)
    if opened.token == "\\begin":
        end = f"\\end{{{opened.name}}}"
        return Malformed(
            opened.span, f"this environment has no `{end}`", "begun here", f"end it with `{end}`"
        )
    return Malformed(opened.span, f"this `{opened.token}` is never closed", "opened here")


def wrong_end(opened: Sequence[Opened], ended: str, span: Span) -> Malformed:
    """An environment is ended by another one's name."""
    if any(o.token == "\\begin" and o.name == ended for o in opened):
        return unclosed(opened[-1])
    begun = opened[-1]
    return Malformed(
        span,
        f"`\\end{{{ended}}}` can't end `\\begin{{{begun.name}}}`",
        labels=(Label(begun.span, "this is what has to end"),),
        help=f"write `\\end{{{begun.name}}}`",
    )


_USAGE: Final = {
    "\\frac": "\\frac{a}{b}",
    "\\dfrac": "\\dfrac{a}{b}",
    "^": "x^2` or `x^{n+1}",
    "_": "x_i` or `x_{i+1}",
}


def missing_argument(command: str, span: Span, what: str) -> Malformed:
    """A command is followed by nothing that it could apply to."""
    usage = _USAGE.get(command, f"{command}{{x}}")
    return Malformed(span, f"this `{command}` has no {what}", help=f"write it as in `{usage}`")


def missing_delimiter(command: str, span: Span) -> Malformed:
    r"""No delimiter follows `\left` or `\right`."""
    help_ = "one of `( ) [ ] \\{ \\} | \\| .` or `\\langle` and its like has to follow"
    return Malformed(span, f"this `{command}` has no delimiter", help=help_)


def missing_name(command: str, span: Span) -> Malformed:
    r"""No name in braces follows `\begin` or `\end`."""
    return Malformed(
        span,
        f"this `{command}` has no environment's name",
        help=f"write it as in `{command}{{matrix}}`",
    )


def second_script(kind: str, span: Span, first: Span) -> Malformed:
    """Two superscripts, or two subscripts, on one base."""
    what = "superscript" if kind == "^" else "subscript"
    return Malformed(
        span,
        f"a second {what} on the same base",
        labels=(Label(first, "the first"),),
        help=f"say with braces which belongs where, as in `{{x{kind}a}}{kind}b` or `x{kind}{{a{kind}b}}`",
    )


def nested_too_deeply(span: Span, limit: int) -> Malformed:
    """A limit that no formula for people comes near."""
    return Malformed(span, f"this is nested too deeply: a formula may be {limit} levels deep")
