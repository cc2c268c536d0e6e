"""Words of other languages and misspelt keywords at the start of a line, and what they are here."""

from __future__ import annotations

from typing import Final

from shapescript_syntax.diagnostics import Fix
from shapescript_syntax.parsing.cursor import Cursor
from shapescript_syntax.spans import Span
from shapescript_syntax.suggestions import closest
from shapescript_syntax.tokens import FLOAT, IDENT, INT, LAYOUT, NEWLINE, STRING
from shapescript_syntax.tree import Name

_STATEMENT_WORDS: Final = ("return", "for", "if", "else")
_OPERANDS: Final = frozenset({IDENT, INT, FLOAT, STRING, "true", "false", "inf"})

_STATEMENTS: Final = {
    "while": ("there is no `while`", "a loop counts: `for i in 0..n:`"),
    "break": ("there is no `break`", "a loop runs to its end, or `return` leaves the function"),
    "continue": ("there is no `continue`", "put what the other iterations do in an `if`"),
    "elif": ("there is no `elif`", "nest an `if` in an `else` block"),
    "pass": ("there is no `pass`", "a block needs a statement that does something"),
    "let": ("there is no `let`", "a name is bound by `x = e`"),
    "var": ("there is no `var`", "a name is bound by `x = e`"),
    "const": ("there is no `const`", "a constant size is `dim Width = 512`, at the left edge of the file"),
    "def": ("there is no `def`", "functions are declared by `fn`, at the left edge of the file"),
    "class": ("there is no `class`", "what has parameters is a `model`, at the left edge of the file"),
    "from": ("there is no `from`", "`import models.mlp`, at the left edge of the file, binds `mlp`"),
    "with": ("there is no `with`", "gradients are computed by `value_and_grad`, wherever it is called"),
    "try": ("there is no `try`", "an error ends the program, or Python code that calls it handles it"),
    "except": ("there is no `except`", "an error ends the program, or Python code that calls it handles it"),
    "finally": (
        "there is no `finally`",
        "an error ends the program, or Python code that calls it handles it",
    ),
    "yield": ("there is no `yield`", "values come one by one from a pipe, as in `x |> map(v => v * 2.0)`"),
    "nonlocal": ("there is no `nonlocal`", "a function changes only its `mut` parameters"),
    "raise": ("there is no `raise`", "`x as T` checks what must hold"),
    "assert": ("there is no `assert`", "`x as T` checks what must hold"),
    "del": ("there is no `del`", "a value goes when nothing uses it"),
    "global": ("there is no `global`", "a function changes only its `mut` parameters"),
}
_DECLARATIONS: Final = {
    **dict.fromkeys(("def", "func", "function", "fun", "proc", "define"), "fn"),
    **dict.fromkeys(("const", "let", "size"), "dim"),
}
_CLASSES: Final = frozenset({"class", "struct", "module"})
_DECLARATION_WORDS: Final = (
    "dim",
    "domain",
    "fn",
    "extern",
    "import",
    "model",
    "data",
    "logs",
    "devices",
    "export",
)


def keyword_meant(c: Cursor) -> str:
    """The keyword that a statement's first name is a misspelling of, which is reported; or nothing.

    Only where the line makes no sense otherwise, since any name may be a function's: two operands stand side
    by side, as in `retrun x`.
    """
    following = c.kinds[c.i + 1]
    if following not in _OPERANDS:
        return ""
    word = c.token_text()
    meant = closest(word, _STATEMENT_WORDS) or ""
    if meant == "else" or (meant == "for" and "in" not in c.kinds[c.i : c.i + 4]):
        return ""
    if meant:
        _report_misspelling(c, word, meant, "E0201", "a statement")
    return meant


def explain_foreign_statement(c: Cursor) -> bool:
    """Fails if a statement starts with a word that starts one in Python and means nothing here."""
    word = c.token_text()
    if word not in _STATEMENTS:
        return False
    following = c.kinds[c.i + 1]
    alone = word in ("break", "continue", "pass") and following is NEWLINE
    header = following == ":" or following in _OPERANDS or following == "!"
    if (
        not alone
        and not header
        and not (following == "(" and word in ("while", "with") and _ends_in_colon(c))
    ):
        return False
    message, help = _STATEMENTS[word]
    c.fail(message, label="expected a statement", help=help)
    return True


def _ends_in_colon(c: Cursor) -> bool:
    i = c.i
    while c.kinds[i] not in LAYOUT:
        i += 1
    return c.kinds[i - 1] == ":"


def declaration_meant(c: Cursor) -> str:
    """The declaration that a top-level line is a misspelling of, which is reported (E0207); or nothing."""
    if c.kinds[c.i + 1] is not IDENT and c.kinds[c.i + 1] != "fn":
        return ""
    word = c.token_text()
    if word in _CLASSES or word in _DECLARATION_WORDS:
        return ""
    meant = _DECLARATIONS.get(word) or closest(word, _DECLARATION_WORDS) or ""
    if meant:
        _report_misspelling(c, word, meant, "E0207", "a declaration")
    return meant


def reject_top_level(c: Cursor) -> Name | None:
    """Fails because a top-level line is no declaration (E0207). The name that it would bind, if any."""
    span = c.rest_of_line()
    word = c.token_text()
    bound = Name(c.span(), c.identifier()) if c.kind is IDENT and c.kinds[c.i + 1] in ("=", ",") else None
    if word == "from":
        help = "`import models.mlp` binds `mlp`, whose names are written `mlp.name`"
    elif bound and c.kinds[c.i + 1] == "=" and c.kinds[c.i + 2] in (INT, "["):
        what = "size" if c.kinds[c.i + 2] is INT else "shape"
        help = f"for a constant {what}, write `dim {c.text_of(span)}`"
    elif c.kinds[c.i + 1] is IDENT and c.kinds[c.i + 2] in ("(", ":", "=") and word not in _CLASSES:
        bound = Name(Span(c.starts[c.i + 1], c.ends[c.i + 1]), c.text[c.starts[c.i + 1] : c.ends[c.i + 1]])
        help = "a declaration starts with a word such as `dim`, `fn` or `model`"
    elif word in _CLASSES and c.kinds[c.i + 1] is IDENT:
        bound = Name(Span(c.starts[c.i + 1], c.ends[c.i + 1]), c.text[c.starts[c.i + 1] : c.ends[c.i + 1]])
        help = "what is trained is declared by `model`, and functions take it as their first parameter"
    elif word == "export":
        help = "only a function can be exported: `export fn name(…)`"
    else:
        help = "statements belong in a function; a file holds declarations such as `dim`, `fn` and `model`"
    c.fail(
        f"expected a declaration, found {c.found()}",
        span,
        "not a declaration",
        code="E0207",
        help=help,
    )
    return bound


def _report_misspelling(c: Cursor, word: str, meant: str, code: str, what: str) -> None:
    span = c.span()
    c.report(
        code,
        f"expected {what}, found `{word}`",
        span,
        f"did you mean `{meant}`?",
        help=f"write `{meant}`",
        fixes=(Fix(f"write `{meant}`", ((span, meant),)),),
    )
