"""The LaTeX that math in comments may use: commands without their backslash, and what each one draws."""

from __future__ import annotations

from typing import Final, TypeAlias

ORDINARY: Final = "ordinary"
BINARY: Final = "binary"
RELATION: Final = "relation"
PUNCTUATION: Final = "punctuation"
OPENING: Final = "opening"
CLOSING: Final = "closing"

GREEK: Final = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ϵ",
    "varepsilon": "ε",
    "zeta": "ζ",
    "eta": "η",
    "theta": "θ",
    "vartheta": "ϑ",
    "iota": "ι",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "xi": "ξ",
    "pi": "π",
    "varpi": "ϖ",
    "rho": "ρ",
    "varrho": "ϱ",
    "sigma": "σ",
    "varsigma": "ς",
    "tau": "τ",
    "upsilon": "υ",
    "phi": "ϕ",
    "varphi": "φ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Xi": "Ξ",
    "Pi": "Π",
    "Sigma": "Σ",
    "Upsilon": "Υ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
}
_RELATIONS: Final = {
    "le": "≤",
    "ge": "≥",
    "ne": "≠",
    "approx": "≈",
    "equiv": "≡",
    "sim": "∼",
    "propto": "∝",
    "in": "∈",
    "notin": "∉",
    "subset": "⊂",
    "to": "→",
    "mapsto": "↦",
    "Rightarrow": "⇒",
}
_BINARY: Final = {
    "cup": "∪",
    "cap": "∩",
    "times": "×",
    "cdot": "⋅",
    "odot": "⊙",
    "oplus": "⊕",
    "otimes": "⊗",
    "pm": "±",
    "circ": "∘",
}
_ORDINARY: Final = {
    "infty": "∞",
    "partial": "∂",
    "nabla": "∇",
    "forall": "∀",
    "exists": "∃",
    "dots": "…",
    "cdots": "⋯",
    # Characters that LaTeX gives a meaning, as themselves.
    "$": "$",
    "%": "%",
    "&": "&",
    "#": "#",
    "_": "_",
}
_OPENING: Final = {"{": "{", "langle": "⟨", "lfloor": "⌊", "lceil": "⌈", "lvert": "|", "lVert": "‖"}
_CLOSING: Final = {"}": "}", "rangle": "⟩", "rfloor": "⌋", "rceil": "⌉", "rvert": "|", "rVert": "‖"}


Glyph: TypeAlias = tuple[str, str]
"""A character to draw, and how it is spaced: one of this module's constants."""

SYMBOLS: Final[dict[str, Glyph]] = {
    name: (text, kind)
    for group, kind in (
        (GREEK, ORDINARY),
        (_ORDINARY, ORDINARY),
        ({"|": "‖"}, ORDINARY),
        (_RELATIONS, RELATION),
        (_BINARY, BINARY),
        (_OPENING, OPENING),
        (_CLOSING, CLOSING),
    )
    for name, text in group.items()
}
"""Commands that draw one character."""

_KINDS: Final = {
    **dict.fromkeys("+-*", BINARY),
    **dict.fromkeys("=<>:", RELATION),
    **dict.fromkeys(",;", PUNCTUATION),
    **dict.fromkeys("([", OPENING),
    **dict.fromkeys(")]", CLOSING),
    **{
        text: kind
        for name, (text, kind) in SYMBOLS.items()
        if name not in ("lvert", "rvert", "lVert", "rVert")
    },
}
_DRAWN_AS: Final = {"-": "−", "*": "∗"}


def glyph(character: str) -> Glyph:
    """What a character that is no command draws."""
    return _DRAWN_AS.get(character, character), _KINDS.get(character, ORDINARY)


LARGE_OPERATORS: Final = {"sum": "∑", "prod": "∏", "int": "∫"}
_ELEMENTARY: Final = ["log", "ln", "exp", "sin", "cos", "tan", "tanh"]
_EXTREMES: Final = ["max", "min", "lim", "arg", "argmax", "argmin", "softmax"]
_ALGEBRA: Final = ["det", "dim", "ker", "Pr"]
FUNCTIONS: Final = frozenset([*_ELEMENTARY, *_EXTREMES, *_ALGEBRA])
"""Named functions, which are drawn upright."""
LIMITS: Final = frozenset(["sum", "prod", "max", "min", "lim", "argmax", "argmin", "det", "Pr"])
"""Operators whose scripts stand above and below them in displayed math."""

ACCENTS: Final = {
    "hat": "\u0302",
    "bar": "\u0304",
    "tilde": "\u0303",
    "vec": "\u20d7",
    "dot": "\u0307",
    "overline": "\u0305",
    "underline": "\u0332",
}
"""Marks over or under something, as combining characters."""
STYLES: Final = frozenset(["mathbb", "mathbf", "mathit", "mathrm", "mathcal"])
SPACES: Final = {",": 3, ":": 4, ";": 5, "!": -3, "quad": 18, "qquad": 36}
"""Widths in eighteenths of an em."""

DELIMITERS: Final = {
    **{character: character for character in "()[]|"},
    ".": "",
    **{f"\\{name}": text for name, text in (*_OPENING.items(), *_CLOSING.items(), ("|", "‖"))},
}
r"""What may follow `\left` and `\right`, and what it draws."""
ENVIRONMENTS: Final = {
    "matrix": ("", ""),
    "pmatrix": ("(", ")"),
    "bmatrix": ("[", "]"),
    "vmatrix": ("|", "|"),
    "cases": ("{", ""),
    "aligned": ("", ""),
}
"""Environments and what encloses them."""

COMMANDS: Final = frozenset(
    [
        *SYMBOLS,
        *LARGE_OPERATORS,
        *FUNCTIONS,
        *ACCENTS,
        *STYLES,
        *SPACES,
        *["frac", "dfrac", "sqrt", "text", "operatorname", "left", "right", "begin", "end", "\\"],
    ]
)
"""Every command there is."""
