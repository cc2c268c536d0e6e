"""Writes whole programs."""

from __future__ import annotations

import random
from typing import NamedTuple

from shapescript_check.sizes import SymbolKind
from shapescript_check.types.domains import IndexOf, Range, Semantic
from shapescript_check.types.dtypes import DType
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import HostType, TensorType, ValueType
from tests.property.programs.chooser import Chooser
from tests.property.programs.draft import Counts, Draft, tensors
from tests.property.programs.elements import (
    FLOATS,
    names_in,
    random_element,
    random_shape,
    shape_words,
    type_text,
)
from tests.property.programs.forms import load

DIMS = ("D = 3", "H = 2", "K = 4", "E = 1")
DOMAINS = (
    "Temp = [0.05, 10]",
    "Half = (0, 0.5]",
    "Below = [-inf, -0.25)",
    "Odd = [-0.3, 0.7]",
    "Far = (2, 1e6)",
    "Least = [1.5, inf)",
)
ALIASES = ("Pair = [b 2]", "Image = [n (h 2) 2w]", "Line = [t]", "Both = [Pair Line]", "Cell = [Pair]")
EXTERNS = (
    'extern fn shifted(input: [...], shifts: Size[S], dims: Axis[q]) -> [...] = "torch.roll"',
    'extern fn turned(input: [...], dims: Axes[q]) -> [...] = "torch.flip"',
    'extern fn wave(x: Real) -> Signed = "torch.sin"',
    'extern fn length(x: Real, y: Real) -> NonNeg = "torch.hypot"',
    'extern fn joined(input: [... q], other: [... q]) -> [... q] = "torch.maximum"',
    'extern fn taken(input: [... q], k: Size[S] = 1) -> [... q] = "torch.Tensor.narrow_copy"',
)[:5]


class Written(NamedTuple):
    """A program, by the seed that gives it."""

    seed: int
    text: str
    main: str


def write(seed: int, counts: Counts | None = None) -> Written:
    """The program of a seed. The same seed gives the same program."""
    rng = random.Random(f"program {seed}")
    counts = counts if counts is not None else Counts()
    lines = ["import python torch\n"]
    lines += [f"dim {d}\n" for d in DIMS if rng.random() < 0.8]
    if any(line.startswith("dim D") for line in lines) and rng.random() < 0.4:
        lines.append(f"dim W = {rng.choice(('2*D', 'D+1', 'D*D', 'D'))}\n")
    lines += [f"domain {d}\n" for d in rng.sample(DOMAINS, rng.randint(1, 3))]
    lines += [f"dim {a}\n" for a in rng.sample(ALIASES, rng.randint(0, 2))]
    lines += [f"{e}\n" for e in rng.sample(EXTERNS, rng.randint(0, 3))]
    for number in range(rng.choice((0, 0, 1, 1, 2))):
        elementwise = rng.random() < 0.5
        name = f"{'act' if elementwise else 'part'}{number}"
        text = _function(name, "".join(lines), rng, counts, elementwise, rng.randint(1, 4))
        if text is not None:
            lines.append(text)
    main = _function("main", "".join(lines), rng, counts, False, rng.randint(3, 9))
    lines.append(main or "fn main(x: [n]) -> [n] = x\n")
    return Written(seed, "".join(lines), "main")


def _function(
    name: str, before: str, rng: random.Random, counts: Counts, elementwise: bool, statements: int
) -> str | None:
    draft = Draft(name, before, rng, counts, elementwise=elementwise)
    for _ in range(rng.randint(1, 2)):
        words = None if elementwise else random_shape(draft, rng, rng.choice((0, 1, 1, 2)), 3)
        if words is not None and draft.aliases and rng.random() < 0.3:
            words.insert(rng.randint(0, len(words)), rng.choice(draft.aliases))
        element = (
            _elementwise_element(draft, rng)
            if elementwise
            else random_element(draft, rng, _names(draft, words or []))
        )
        draft.add_parameter(type_text(words, element))
    if not draft.parameters:
        draft.add_parameter("Real" if elementwise else "[n]")
    if elementwise and rng.random() < 0.3:
        draft.add_parameter("", rng.choice(("1.5", "2", "0.0", "-0.25")))
    for _ in range(statements):
        add_statement(draft)
    return _finished(draft)


def _names(draft: Draft, words: list[str]) -> list[str]:
    return [w for w in names_in(words) if w not in draft.aliases]


def _elementwise_element(draft: Draft, rng: random.Random) -> str:
    domain = rng.choice(("Real", "Real", "Unit", "Signed", "NonNeg", "Pos", *(d.name for d in draft.domains)))
    return f"{domain} {rng.choice(FLOATS)}".strip() if rng.random() < 0.3 else domain


def add_statement(draft: Draft, *, blocks: bool = True, tries: int = 4) -> bool:
    """Adds one statement of some form; False where nothing that was tried fits."""
    forms = [
        f for f in load().values() if (f.elementwise or not draft.elementwise) and (blocks or not f.statement)
    ]
    for _ in range(tries):
        form = draft.rng.choice(forms)
        text = form.write(Chooser(draft))
        if text is None:
            continue
        statement = text if form.statement else f"{draft.fresh('v')} = {text}"
        if draft.attempt(statement, form.name):
            return True
    return False


def _finished(draft: Draft) -> str | None:
    """The function with a return of one of its values, whose type is declared where it can be written."""
    rng = draft.rng
    found: list[tuple[str, ValueType]] = list(tensors(draft))
    if not draft.elementwise:
        found += [(n, k) for n, k in draft.values.items() if isinstance(k, HostType)]
    name, kind = found[max(rng.randrange(len(found)), rng.randrange(len(found)))]
    if isinstance(kind, TensorType) and not kind.is_mask and rng.random() < 0.15:
        # A way out before the end, with a range of its own.
        ways = ["relu({0})", "-{0}", "{0} + {0}"]
        if kind.dtype is None or kind.dtype.is_float:
            ways += ["{0} * 0.5", "clamp({0}, 0.0, 1.0)"]
        early = rng.choice(ways).format(name)
        draft.attempt(f"if 2 > {rng.choice('13')}:\n    return {early}", "early return")
        kind = kind.with_domain(Range(Interval.REAL))
    if not draft.attempt(f"return {name}", "return"):
        return None
    returns = written_type(draft, kind) if rng.random() < 0.7 else None
    return draft.text(returns)


def written_type(draft: Draft, kind: ValueType) -> str | None:
    """A type as a return type has it; None where there is no way to write it."""
    if isinstance(kind, HostType):
        return kind.kind
    if not isinstance(kind, TensorType):
        return None
    if draft.elementwise:
        element = _domain_text(draft, kind, [])
        return element or "Real" if element is not None and kind.dtype is None else None
    words = _result_words(draft, kind)
    domain = _domain_text(draft, kind, words or [])
    if words is None or domain is None:
        return None
    dtype = kind.dtype.name if kind.dtype is not None else ""
    return f"{type_text(words, domain)} {dtype if dtype != 'f32' else ''}".strip()


def _result_words(draft: Draft, kind: TensorType) -> list[str] | None:
    words: list[str] = []
    for i, axis in enumerate(kind.axes or ()):
        symbols = axis.size.symbols()
        if any(s.kind is SymbolKind.UNKNOWN for s in symbols):
            if (
                axis.size.symbols() != frozenset(symbols)
                or len(axis.size.terms) != 1
                or not str(axis.size).startswith("?")
            ):
                return None
            words.append(
                f"?r{i}"
                if len({str(a.size) for a in kind.axes or ()}) == len(kind.axes or ())
                else str(axis.size)
            )
            continue
        one = shape_words(draft, (axis,))
        if one is None:
            return None
        words += one
    return words


def _domain_text(draft: Draft, kind: TensorType, words: list[str]) -> str | None:
    domain = kind.domain
    if isinstance(domain, Semantic):
        at = domain.over
        name = words[at] if at < len(words) else ""
        if not name.isidentifier() or words.count(name) > 1:
            return None
        return f"{domain.kind} over {name}"
    if isinstance(domain, IndexOf):
        unknown = any(s.kind is SymbolKind.UNKNOWN for s in domain.size.symbols())
        return None if unknown else f"Index[{str(domain.size).replace(' ', '')}]"
    if not isinstance(domain, Range):
        return domain.kind
    if kind.dtype is not None and not kind.dtype.is_float:
        return "" if domain.interval == Interval.REAL or kind.dtype is not DType.BOOL else None
    names = {"Real": Interval.REAL, "NonNeg": Interval.NONNEG, "Pos": Interval.POS, "Unit": Interval.UNIT}
    names |= {"Signed": Interval.SIGNED, **{d.name: d.interval for d in draft.domains}}
    fitting = [n for n, interval in names.items() if interval.contains(domain.interval)]
    fitting = [n for n in fitting if n != "Real"] or fitting
    return "" if not fitting or fitting == ["Real"] else draft.rng.choice(fitting)
