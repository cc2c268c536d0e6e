"""`as` and `to`."""

from __future__ import annotations

from shapescript_check.types.domains import Discrete, IndexOf, Range, Semantic, is_mask
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import TensorType
from tests.property.programs.chooser import Chooser
from tests.property.programs.elements import names_of
from tests.property.programs.forms import form


@form("as shape")
def _shape(c: Chooser) -> str | None:
    """A claim about sizes: the ones there are, or new names for unknown ones."""
    x = c.tensor(least=1)
    if x is None:
        return None
    words = []
    for axis in x[1].axes or ():
        known = axis.name if axis.name in c.draft.axes or axis.name in c.draft.dims else None
        size = str(axis.size).replace(" ", "")
        words.append(
            c.one(known or f"?{c.draft.fresh('u')}", f"?{c.draft.fresh('u')}", size.replace("?", "?"))
        )
    return f"{x[0]} as [{' '.join(w for w in words if not ('?' in w and not w.startswith('?')))}]"


@form("as domain", elementwise=True)
def _domain(c: Chooser) -> str | None:
    x = c.value()
    if x is None:
        return None
    claims = ["NonNeg", "Unit", "Signed", "Pos", "Real", *(d.name for d in c.draft.domains)]
    if x[1].dtype is not None and x[1].dtype.is_int:
        claims = [f"Index[{n}]" for n in (*c.draft.axes, *c.draft.dims)] + ["NonNeg"]
    names = names_of(x[1].axes or ())
    claims += [f"{c.one('Prob', 'LogProb', 'Logit')} over {n}" for n in names if c.chance(0.4)]
    claims += ["Binary", "Additive"] if c.chance(0.3) else []
    source = x[0]
    if c.chance(0.6):
        # A claim that holds, which the checker can't see.
        source, claims = c.rng.choice(
            [
                (f"(sin({x[0]}) * cos({x[0]}))", ["Signed"]),
                (f"square({x[0]} - {x[0]})", ["NonNeg"]),
                (f"where({x[0]} > 0, {x[0]}, -{x[0]})", ["NonNeg"]),
                (f"({x[0]} - floor({x[0]}))", ["Unit"]),
            ]
        )
    return f"{source} as {c.rng.choice(claims)}"


@form("as type")
def _whole(c: Chooser) -> str | None:
    """A claim about shape and values at once, in the type's own words."""
    x = c.existing(lambda k: k.axes is not None)
    return None if x is None or "?" in str(x[1]) else f"{x[0]} as {x[1]}"


@form("python value")
def _from_python(c: Chooser) -> str | None:
    """A value that comes from Python, and is given a type."""
    words = [c.axis_size() for _ in range(c.rng.randint(1, 2))]
    sizes = ", ".join(words)
    return c.one(
        f"torch.zeros({sizes}) as [{' '.join(words)}] {c.one('Unit', 'Signed', '', 'NonNeg')}".strip(),
        f"torch.ones({sizes}) as [{' '.join(words)}] {c.one('Pos', 'Binary', '')}".strip(),
    )


@form("to dtype", elementwise=True)
def _dtype(c: Chooser) -> str | None:
    x = c.value() if c.chance(0.85) else c.existing(lambda k: True)
    if x is None:
        return None
    dtype = c.one("f32", "f64", "f16", "bf16", "i64", "i32", "u8", "i8", "i16", "f32", "bf16")
    return c.one(f"{x[0]} to {dtype}", f"{x[0]} |> to {dtype}")


@form("to Prob", "to LogProb")
def _probabilities(c: Chooser, name: str) -> str | None:
    x = c.existing(lambda k: _convertible(k, name.split()[1])) or c.tensor(least=1, floats=True, named=True)
    if x is None:
        return None
    kind = x[1]
    if isinstance(kind.domain, Semantic) and kind.domain.kind != "Logit" and kind.axes is not None:
        over = kind.axes[kind.domain.over].name
    else:
        names = names_of(kind.axes or ())
        over = c.rng.choice(names) if names else None
    return (
        None
        if over is None
        else f"{x[0]} to {name.split()[1]} over {over} {c.one('', '', 'f64', 'bf16')}".strip()
    )


def _convertible(kind: TensorType, target: str) -> bool:
    if not kind.axes or is_mask(kind.domain) or isinstance(kind.domain, IndexOf | Discrete):
        return False
    return not (isinstance(kind.domain, Semantic) and kind.domain.kind == target)


@form("to Unit", "to Signed", "to Binary", "to Additive", "to one-hot")
def _row(c: Chooser, name: str) -> str | None:
    """The other rows of the table."""
    element = {
        "to Unit": c.one("Signed", "u8", "Signed bf16"),
        "to Signed": c.one("Unit", "Unit f64"),
        "to Binary": "Mask",
        "to Additive": "bool",
    }.get(name)
    size = c.rng.choice(sorted(c.draft.dims) or ["n"])
    words = [c.one("b", "n", "t") for _ in range(c.rng.randint(0, 2))]
    x = c.parameter(words, element or f"Index[{size}]")
    if x is None:
        return None
    target = f"[{' '.join([*words, size])}] Binary" if element is None else name.split()[1]
    return f"{x[0]} to {target} {c.one('', '', 'f64', 'f16')}".strip()


@form("to the other range", elementwise=True)
def _between_ranges(c: Chooser) -> str | None:
    """Unit to Signed or back, of a value that is known to be in one of them."""

    def within(kind: TensorType) -> bool:
        return isinstance(kind.domain, Range) and Interval.SIGNED.contains(kind.domain.interval)

    x = c.existing(within)
    if x is None:
        return None
    unit = Interval.UNIT.contains(x[1].domain.interval)
    return f"{x[0]} to {'Signed' if unit else 'Unit'} {c.one('', '', 'f64', 'bf16')}".strip()
