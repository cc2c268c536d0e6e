"""What to write instead of LaTeX that math in comments doesn't have."""

from __future__ import annotations

from typing import Final

from shapescript_syntax.math.symbols import COMMANDS, ENVIRONMENTS
from shapescript_syntax.suggestions import closest

_SAME: Final = {
    " ": "\\,",
    ">": "\\:",
    "leq": "\\le",
    "leqslant": "\\le",
    "geq": "\\ge",
    "geqslant": "\\ge",
    "neq": "\\ne",
    "rightarrow": "\\to",
    "longrightarrow": "\\to",
    "longmapsto": "\\mapsto",
    "implies": "\\Rightarrow",
    "Longrightarrow": "\\Rightarrow",
    "ldots": "\\dots",
    "dotsc": "\\dots",
    "dotsb": "\\cdots",
    "tfrac": "\\frac",
    "cfrac": "\\dfrac",
    "widehat": "\\hat",
    "widetilde": "\\tilde",
    "overrightarrow": "\\vec",
    "boldsymbol": "\\mathbf",
    "bm": "\\mathbf",
    "bf": "\\mathbf",
    "rm": "\\mathrm",
    "mathsf": "\\mathrm",
    "mathscr": "\\mathcal",
    "mathfrak": "\\mathcal",
    "mbox": "\\text",
    "hbox": "\\text",
    "textrm": "\\text",
    "textit": "\\text",
    "textbf": "\\text",
    "thinspace": "\\,",
    "Vert": "\\|",
    "vert": "|",
    "mid": "|",
    "lbrace": "\\{",
    "rbrace": "\\}",
    "lbrack": "[",
    "rbrack": "]",
    "lt": "<",
    "gt": ">",
    "prime": "'",
    "ast": "*",
    "omicron": "o",
    # Capitals that look like Latin ones.
    **dict(
        zip(
            [
                "Alpha",
                "Beta",
                "Epsilon",
                "Zeta",
                "Eta",
                "Iota",
                "Kappa",
                "Mu",
                "Nu",
                "Omicron",
                "Rho",
                "Tau",
                "Chi",
            ],
            "ABEZHIKMNOPTX",
            strict=True,
        )
    ),
}
"""Other names for what there is."""

_ELEMENTARY: Final = ["sinh", "cosh", "coth", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "lg", "erf"]
_EXTREMES: Final = [
    "sup",
    "inf",
    "limsup",
    "liminf",
    "gcd",
    "deg",
    "hom",
    "tr",
    "diag",
    "rank",
    "sign",
    "sgn",
]
_LEARNING: Final = ["relu", "sigmoid", "Var", "KL"]
_FUNCTIONS: Final = frozenset([*_ELEMENTARY, *_EXTREMES, *_LEARNING])
"""Functions without a command, for which there is `operatorname`."""

_CHARACTERS: Final = {
    "subseteq": "⊆",
    "supset": "⊃",
    "supseteq": "⊇",
    "subsetneq": "⊊",
    "ni": "∋",
    "emptyset": "∅",
    "varnothing": "∅",
    "setminus": "∖",
    "land": "∧",
    "wedge": "∧",
    "lor": "∨",
    "vee": "∨",
    "neg": "¬",
    "lnot": "¬",
    "nexists": "∄",
    "leftarrow": "←",
    "gets": "←",
    "Leftarrow": "⇐",
    "leftrightarrow": "↔",
    "Leftrightarrow": "⇔",
    "iff": "⇔",
    "uparrow": "↑",
    "downarrow": "↓",
    "hookrightarrow": "↪",
    "leadsto": "⇝",
    "ll": "≪",
    "gg": "≫",
    "simeq": "≃",
    "cong": "≅",
    "prec": "≺",
    "succ": "≻",
    "perp": "⊥",
    "bot": "⊥",
    "top": "⊤",
    "parallel": "∥",
    "models": "⊨",
    "vdash": "⊢",
    "triangleq": "≜",
    "mp": "∓",
    "div": "÷",
    "star": "⋆",
    "bullet": "∙",
    "ominus": "⊖",
    "oslash": "⊘",
    "ell": "ℓ",
    "hbar": "ℏ",
    "Re": "ℜ",
    "Im": "ℑ",
    "aleph": "ℵ",
    "vdots": "⋮",
    "ddots": "⋱",
    "therefore": "∴",
    "because": "∵",
    "angle": "∠",
    "dagger": "†",
    "oint": "∮",
    "iint": "∬",
    "coprod": "∐",
    "bigcup": "⋃",
    "bigcap": "⋂",
    "square": "□",
    "checkmark": "✓",
}
"""Symbols without a command, which can be written as themselves."""

_ENVIRONMENTS: Final = {
    "align": "aligned",
    "align*": "aligned",
    "alignat": "aligned",
    "split": "aligned",
    "gather": "aligned",
    "gathered": "aligned",
    "equation": "aligned",
    "eqnarray": "aligned",
    "array": "matrix",
    "smallmatrix": "matrix",
    "Bmatrix": "bmatrix",
    "Vmatrix": "vmatrix",
    "dcases": "cases",
    "rcases": "cases",
}


def command_like(name: str) -> tuple[str | None, str | None]:
    """What to write instead of an unknown command, if that is known, and a help that says so."""
    meant = _SAME.get(name)
    if meant is None and name in _FUNCTIONS:
        meant = f"\\operatorname{{{name}}}"
    if meant is not None:
        return meant, f"write `{meant}`"
    character = _CHARACTERS.get(name)
    if character is not None:
        return character, f"write the character itself, `{character}`"
    near = closest(name, filter(str.isalpha, COMMANDS)) if name.isalpha() else None
    if near is None:
        return None, None
    # `\timesx` is more likely two things than one misspelt.
    meant = f"\\{near} {name[len(near) :]}" if name.startswith(near) else f"\\{near}"
    return meant, f"did you mean `{meant}`?"


def environment_like(name: str) -> str | None:
    """The environment that an unknown one was probably meant to be."""
    return _ENVIRONMENTS.get(name) or closest(name, ENVIRONMENTS)
