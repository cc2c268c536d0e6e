"""LaTeX to a tree: a recursive descent parser that stops at the first mistake.

Commands that don't exist are read as symbols: `formulas` reports them, and has no use for the tree then.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from shapescript_syntax.math.cursor import Cursor
from shapescript_syntax.math.malformed import (
    misplaced,
    missing_argument,
    missing_delimiter,
    missing_name,
    nested_too_deeply,
    second_script,
    unclosed,
    wrong_end,
)
from shapescript_syntax.math.symbols import (
    ACCENTS,
    COMMANDS,
    DELIMITERS,
    FUNCTIONS,
    LARGE_OPERATORS,
    LIMITS,
    ORDINARY,
    SPACES,
    STYLES,
    SYMBOLS,
    glyph,
)
from shapescript_syntax.math.tree import (
    Accent,
    Fenced,
    Fraction,
    Grid,
    Node,
    Operator,
    Root,
    Row,
    Scripts,
    Space,
    Styled,
    Symbol,
    Text,
)
from shapescript_syntax.spans import Span

MAX_NESTING: Final = 40
"""How deep a formula may nest: each level takes several stack frames, here and in what draws it."""

ENVIRONMENT_NAME: Final = re.compile(r"\s*\{([^{}\\$]*)\}")
_IN_TEXT: Final = re.compile(r"\\(?:[A-Za-z]+\s*|[\s\S])|[{}$]")
_SPACES: Final = re.compile(r"\s+")
_SCRIPTS: Final = frozenset(["^", "_", "'"])


def parse(latex: str, start: int = 0) -> Row:
    """The tree of a formula whose first character is at `start`.

    Raises:
        Malformed: if it can't be read.
    """
    parser = _Parser(latex, start)
    row = parser.row()
    if parser.token:
        raise misplaced(parser.opened, parser.token, parser.span())
    return row


class _Parser(Cursor):
    """Reads the parts of a formula."""

    def __init__(self, latex: str, start: int) -> None:
        super().__init__(latex, start)
        self.nesting = 0

    # --- rows and scripts ---

    def row(self) -> Row:
        """Everything up to what closes it, which stays the current token."""
        begin = self.begin
        items = []
        while not self.at_end():
            items.append(self.scripted())
        return Row(self.span_from(begin), tuple(items))

    def scripted(self) -> Node:
        """An atom with its scripts, or scripts on nothing."""
        begin = self.begin
        base = None if self.token in _SCRIPTS else self.atom()
        if self.token not in _SCRIPTS:
            assert base is not None
            return base
        primes = 0
        scripts: dict[str, Node] = {}
        places: dict[str, Span] = {}
        while self.token in _SCRIPTS:
            script, span = self.token, self.span()
            kind = "_" if script == "_" else "^"
            if kind in places:
                raise second_script(kind, span, places[kind])
            places[kind] = span
            if script == "'":
                while self.token == "'":
                    primes += 1
                    self.advance()
                # Primes are superscripts, and one after them joins them.
                if self.token != "^":
                    continue
                script, span = "^", self.span()
            self.advance()
            what = "subscript" if kind == "_" else "superscript"
            scripts[kind] = self.argument(script, span, what)
        return Scripts(self.span_from(begin), base, primes, scripts.get("^"), scripts.get("_"))

    def argument(self, command: str, span: Span, what: str) -> Node:
        """What a command applies to: one atom."""
        if self.at_end() or self.token in _SCRIPTS:
            raise missing_argument(command, span, what)
        return self.atom()

    # --- atoms ---

    def atom(self) -> Node:
        """One symbol, group or command with its arguments."""
        token = self.token
        if self.nesting >= MAX_NESTING:
            raise nested_too_deeply(self.span(), MAX_NESTING)
        self.nesting += 1
        if token == "{":
            node: Node = self.group()
        elif token[0] == "\\" and len(token) > 1:
            node = self.command(token[1:])
        else:
            begin = self.begin
            self.advance()
            if token == "~":
                node = Space(self.span_from(begin), 6)
            else:
                node = Symbol(self.span_from(begin), *glyph(token))
        self.nesting -= 1
        return node

    def group(self) -> Row:
        begin = self.begin
        self.open("{", self.span())
        self.advance()
        row = self.row()
        self.close("}")
        self.advance()
        return Row(self.span_from(begin), row.items)

    def command(self, name: str) -> Node:
        structure = _STRUCTURES.get(name)
        if structure is not None:
            return structure(self)
        begin, span = self.begin, self.span()
        self.advance()
        if name in LARGE_OPERATORS:
            return Operator(span, LARGE_OPERATORS[name], True, name in LIMITS)
        if name in FUNCTIONS:
            return Operator(span, name, False, name in LIMITS)
        if name in SPACES:
            return Space(span, SPACES[name])
        if name in ACCENTS:
            body = self.argument(f"\\{name}", span, "argument")
            return Accent(self.span_from(begin), name, body)
        if name in STYLES:
            body = self.argument(f"\\{name}", span, "argument")
            return Styled(self.span_from(begin), name, body)
        known = SYMBOLS.get(name)
        return Symbol(span, *known) if known is not None else Symbol(span, f"\\{name}", ORDINARY)

    # --- commands with arguments ---

    def fraction(self) -> Fraction:
        begin, span, command = self.begin, self.span(), self.token
        self.advance()
        numerator = self.argument(command, span, "numerator")
        denominator = self.argument(command, span, "denominator")
        return Fraction(self.span_from(begin), numerator, denominator, command == "\\dfrac")

    def root(self) -> Root:
        begin, span = self.begin, self.span()
        self.advance()
        index = None
        if self.token == "[":
            self.open("[", self.span())
            self.advance()
            index = self.row()
            self.close("]")
            self.advance()
        radicand = self.argument("\\sqrt", span, "radicand")
        return Root(self.span_from(begin), index, radicand)

    def operator_name(self) -> Operator:
        begin, span = self.begin, self.span()
        self.advance()
        limits = self.token == "*"
        if limits:
            self.advance()
        body = self.argument("\\operatorname", span, "name")
        return Operator(self.span_from(begin), self.upright(body), False, limits)

    def upright(self, node: Node) -> str:
        """The name that a tree spells."""
        match node:
            case Row(items=items):
                return "".join(self.upright(item) for item in items)
            case Symbol(span=span, text=text):
                written = self.text[span.start - self.start : span.end - self.start]
                return text if written.startswith("\\") else written
            case Operator(text=text):
                return text
            case Space(width=width):
                return " " if width > 0 else ""
            case Text(parts=parts):
                return "".join(part if isinstance(part, str) else self.upright(part) for part in parts)
        return self.text[node.span.start - self.start : node.span.end - self.start]

    def words(self) -> Text:
        begin, span = self.begin, self.span()
        self.advance()
        if self.token == "{":
            parts = self.words_in_braces()
        elif self.at_end() or self.token in _SCRIPTS or self.token[0] == "\\":
            raise missing_argument("\\text", span, "text")
        else:
            parts = (self.token,)
            self.advance()
        return Text(self.span_from(begin), parts)

    def words_in_braces(self) -> tuple[str | Row, ...]:
        parts: list[str | Row] = []
        words: list[str] = []
        self.open("{", self.span())
        at, depth = self.end, 1
        while depth:
            mark = _IN_TEXT.search(self.text, at)
            if mark is None:
                raise unclosed(self.opened[-1])
            words.append(self.text[at : mark.start()])
            at = mark.end()
            if mark[0] == "$":
                parts += [_joined(words), self.formula_in_text(mark.start(), at)]
                words.clear()
                at = self.end
            elif mark[0] in "{}":
                depth += 1 if mark[0] == "{" else -1
            else:
                words.append(_in_words(mark[0]))
        self.opened.pop()
        self.go_on(at)
        parts.append(_joined(words))
        return tuple(part for part in parts if part)

    def formula_in_text(self, dollar: int, begin: int) -> Row:
        """A formula between dollars; afterwards its closing dollar is the current token."""
        self.open("$", Span(self.start + dollar, self.start + begin))
        self.go_on(begin)
        row = self.row()
        self.close("$")
        return row

    def fenced(self) -> Fenced:
        begin = self.begin
        opening = self.span()
        self.advance()
        left = self.delimiter("\\left", opening)
        self.open("\\left", opening)
        body = self.row()
        closing = self.span()
        self.close("\\right")
        self.advance()
        right = self.delimiter("\\right", closing)
        return Fenced(self.span_from(begin), left, right, body)

    def delimiter(self, command: str, span: Span) -> str:
        drawn = DELIMITERS.get(self.token)
        if drawn is None and self.token[:1] == "\\" and self.token[1:] not in COMMANDS:
            drawn = self.token
        if drawn is None:
            raise missing_delimiter(command, span)
        self.advance()
        return drawn

    def grid(self) -> Grid:
        begin = self.begin
        name = self.environment_name("\\begin")
        self.open("\\begin", self.span_from(begin), name)
        rows: list[tuple[Row, ...]] = []
        cells = [self.row()]
        while self.token in ("&", "\\\\"):
            if self.token == "\\\\":
                rows.append(tuple(cells))
                cells = []
            self.advance()
            cells.append(self.row())
        if self.token == "\\end":
            self.check_end(name)
        self.close("\\end")
        self.environment_name("\\end")
        if not rows or len(cells) > 1 or cells[0].items:
            rows.append(tuple(cells))
        return Grid(self.span_from(begin), name, tuple(rows))

    def check_end(self, name: str) -> None:
        match = ENVIRONMENT_NAME.match(self.text, self.end)
        if match is not None and match[1].strip() != name:
            ended = match[1].strip()
            span = Span(self.start + self.begin, self.start + match.end())
            raise wrong_end(self.opened, ended, span)

    def environment_name(self, command: str) -> str:
        """The name in braces after `\\begin` or `\\end`, the current token; goes past it."""
        match = ENVIRONMENT_NAME.match(self.text, self.end)
        if match is None:
            raise missing_name(command, self.span())
        self.go_on(match.end())
        return match[1].strip()


def _in_words(command: str) -> str:
    """What a command in `\\text` draws."""
    name = command[1:].strip()
    if name in SYMBOLS:
        return SYMBOLS[name][0]
    return " " if name in SPACES or not name or name == "\\" else command


def _joined(words: list[str]) -> str:
    return _SPACES.sub(" ", "".join(words))


_STRUCTURES: Final[dict[str, Callable[[_Parser], Node]]] = {
    "frac": _Parser.fraction,
    "dfrac": _Parser.fraction,
    "sqrt": _Parser.root,
    "text": _Parser.words,
    "operatorname": _Parser.operator_name,
    "left": _Parser.fenced,
    "begin": _Parser.grid,
}
