"""Calls: of the program's functions, of its extern functions, and of the prelude's stubs."""

from __future__ import annotations

import re
from functools import cache

from shapescript_check.declarations.interfaces import (
    AnyNumber,
    AxisParameter,
    FnInterface,
    ParameterInterface,
    SizeParameter,
)
from shapescript_check.declarations.stubs import stub
from shapescript_check.prelude import stub_names
from shapescript_check.sizes import Size, Symbol
from shapescript_check.types.axes import REST, Axis
from shapescript_check.types.domains import Discrete, IndexOf, Range, Semantic
from shapescript_check.types.values import HostType, TensorType
from tests.property.programs.chooser import Chooser
from tests.property.programs.elements import FLOATS, axis_word
from tests.property.programs.forms import form

_LIMITED = ("padding", "output_padding")
"""What pooling and transposed convolutions take only in proportion to their other arguments."""


@form("call function", "call elementwise function", "call extern function")
def _declared(c: Chooser, name: str) -> str | None:
    wanted = {
        "call function": lambda f: f.path is None and not f.elementwise,
        "call elementwise function": lambda f: f.path is None and f.elementwise,
        "call extern function": lambda f: f.path is not None,
    }[name]
    found = [f for f in c.draft.callees if wanted(f) and f.name != c.draft.name]
    return call(c, c.rng.choice(found)) if found else None


@form("call stub", elementwise=True)
def _stub(c: Chooser) -> str | None:
    """A call of something in the prelude."""
    found = [s for s in stubs() if s.elementwise or not c.draft.elementwise]
    return call(c, c.rng.choice(found))


@cache
def stubs() -> tuple[FnInterface, ...]:
    """The prelude's functions."""
    found = [stub(name) for name in sorted(stub_names())]
    return tuple(s for s in found if s is not None)


def call(c: Chooser, fn: FnInterface) -> str | None:
    """A call of a function with arguments that fit."""
    if fn.elementwise:
        return _elementwise(c, fn)
    return _Call(c, fn).write()


def _elementwise(c: Chooser, fn: FnInterface) -> str | None:
    x = c.value()
    if x is None:
        return None
    arguments: list[str] = []
    for i, parameter in enumerate(fn.parameters):
        if parameter.has_default and c.chance(0.5):
            continue
        text: str | None
        if isinstance(parameter.type, TensorType):
            text = x[0] if i == 0 else c.beside(x[1])
            if isinstance(parameter.type.domain, Range) and c.chance(0.6):
                text = _into(parameter.type.domain, text or "0.5")
            if parameter.type.is_mask:
                text = c.mask(x[1].axes or ())
        else:
            text = _number(c, parameter)
        if text is None:
            return None
        arguments.append(f"{parameter.name}={text}" if parameter.has_default else text)
    if c.chance(0.25) and len(arguments) == 1:
        return f"{x[0]} |> {fn.name}"
    return f"{fn.name}({', '.join(arguments)})"


def _into(domain: Range, text: str) -> str:
    """An expression whose values are in a range."""
    lo, hi = domain.interval.lo, domain.interval.hi
    if (
        domain.interval.includes(0.0)
        and domain.interval.includes(1.0)
        and (lo, hi) != (float("-inf"), float("inf"))
    ):
        return f"sigmoid({text})" if "(" not in text else text
    return text


def _number(c: Chooser, parameter: ParameterInterface) -> str | None:
    kind = parameter.type
    if isinstance(kind, HostType | AnyNumber):
        if parameter.name in ("eps", "num_groups"):
            return None if not parameter.has_default else "1e-3"
        return (
            c.one("true", "false")
            if kind.kind == "bool"
            else c.host("int")
            if kind.kind == "int"
            else c.float()
        )
    return None


class _Call:
    """Writes the arguments of one call, size by size."""

    def __init__(self, c: Chooser, fn: FnInterface) -> None:
        self.c = c
        self.fn = fn
        self.sizes: dict[Symbol, str] = {}
        self.rest = [c.one("b", "n", "2", "t") for _ in range(c.rng.randint(0, 2))]
        self.dtype = c.rng.choice(FLOATS)
        for parameter in fn.parameters:
            if isinstance(parameter.type, SizeParameter):
                self.sizes[parameter.type.symbol] = c.one("1", "2")
        for symbol in fn.generics:
            self.sizes.setdefault(symbol, self._size(symbol))

    def _size(self, symbol: Symbol) -> str:
        rounded = bool(self.fn.rounded)
        if rounded and symbol.name in ("L", "H", "W", "T"):
            return self.c.one("4", "5", "6")
        if symbol.name == "K" or (rounded and symbol.name.startswith("k")):
            return self.c.one("1", "2", "3")
        if self.fn.prelude and symbol.name in ("C", "r", "F"):
            return self.c.one("2", "4")
        names = [s.name for s in self.c.draft.interface.generics]
        return self.c.rng.choice([*names, *names, *self.c.draft.dims, "b", "n", "2", "3"])

    def write(self) -> str | None:
        arguments: list[str] = []
        first: list[Axis] = []
        named = False
        for parameter in self.fn.parameters:
            limited = parameter.name in _LIMITED and ("pool" in self.fn.name or "transpose" in self.fn.name)
            if parameter.has_default and (limited or self.c.chance(0.55)):
                named = True
                continue
            text, axes = self.argument(parameter, first)
            if text is None:
                return None
            first = first or axes
            named = named or isinstance(parameter.type, AxisParameter) or self.c.chance(0.1)
            arguments.append(f"{parameter.name}={text}" if named else text)
        return f"{self.fn.name}({', '.join(arguments)})"

    def argument(self, parameter: ParameterInterface, first: list[Axis]) -> tuple[str | None, list[Axis]]:
        kind = parameter.type
        if isinstance(kind, TensorType):
            return self._tensor(kind)
        if isinstance(kind, SizeParameter):
            return self.sizes[kind.symbol], []
        if isinstance(kind, AxisParameter):
            return self._axis(kind, first), []
        return _number(self.c, parameter), []

    def _axis(self, kind: AxisParameter, first: list[Axis]) -> str | None:
        names = sorted({a.name for a in first if a.name is not None})
        if not names:
            return None
        name = self.c.rng.choice(names)
        self.sizes[kind.symbol] = name
        return name

    def _tensor(self, kind: TensorType) -> tuple[str | None, list[Axis]]:
        c = self.c
        words: list[str] = []
        for axis in kind.axes or ():
            if axis is REST:
                words += self.rest
            else:
                words.append(self._word(axis))
        dtype = self.dtype if self.fn.path is not None else kind.dtype.name if kind.dtype is not None else ""
        if self.fn.path is not None and kind.dtype is not None and not kind.dtype.is_float:
            dtype = kind.dtype.name
        if kind.is_mask:
            dtype = ""
        text = f"{self._domain(kind, words)} {dtype}".strip()
        made = c.parameter(words, text) if c.chance(0.8) else None
        if made is None:
            made = c.existing(
                lambda k: (
                    k.axes is not None
                    and [axis_word(c.draft, a) for a in k.axes] == words
                    and k.dtype is kind.dtype
                )
            ) or c.parameter(words, text)
        return (made[0], list(made[1].axes or ())) if made is not None else (None, [])

    def _domain(self, kind: TensorType, words: list[str]) -> str:
        domain = kind.domain
        if isinstance(domain, IndexOf):
            return f"Index[{self._size_text(domain.size)}]"
        if isinstance(domain, Discrete):
            return domain.kind
        if isinstance(domain, Semantic):
            word = words[domain.over]
            return f"{domain.kind} over {word}" if word.isidentifier() and domain.kind != "Logit" else ""
        return str(domain.name or "")

    def _word(self, axis: Axis) -> str:
        if axis.parts:
            return f"({' '.join(self._word(p) for p in axis.parts)})"
        return self._size_text(axis.size)

    def _size_text(self, size: Size) -> str:
        text = str(size).replace(" ", "")
        named = {s.name: self.sizes[s] for s in size.symbols() if s in self.sizes}
        for symbol in size.symbols():
            if symbol not in self.sizes and symbol.value is None:
                self.sizes[symbol] = named[symbol.name] = self._size(symbol)
        return re.sub(r"[A-Za-z_]\w*", lambda m: named.get(m[0], m[0]), text)
