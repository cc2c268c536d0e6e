"""Matrix products and einsum."""

from __future__ import annotations

from tests.property.programs.chooser import Chooser, Chosen
from tests.property.programs.elements import names_in, shape_words
from tests.property.programs.forms import form

_DTYPES = ("", "", "", "", "f64", "bf16", "f16")


def _operands(c: Chooser) -> tuple[Chosen, Chosen] | None:
    x = c.tensor(least=1, floats=True) if c.chance(0.8) else c.parameter(["n", "m"], c.one("i64", "i32"))
    words = shape_words(c.draft, x[1].axes or ()) if x is not None else None
    if x is None or words is None or x[1].dtype is None or not words:
        return None
    batch = [w for w in words[:-2] if c.chance(0.7)] if len(words) > 2 and c.chance(0.6) else []
    if batch != words[:-2] and len(names_in(batch)) < len(batch):
        batch = []
    drawn = c.rng.random()
    if drawn < 0.2:
        shape = [words[-1]]
    else:
        shape = [
            *(c.rng.sample(batch, len(batch))),
            words[-1],
            c.one("k", "t", "2", *(c.draft.dims or ["m"])),
        ]
    dtype = x[1].dtype.name
    y = c.parameter(shape, c.one(dtype, dtype, f"NonNeg {dtype}") if x[1].dtype.is_float else dtype)
    return None if y is None else (x, y)


@form("matmul", "operator @")
def _product(c: Chooser, name: str) -> str | None:
    pair = _operands(c)
    if pair is None:
        return None
    x, y = pair
    if name == "operator @":
        return f"{x[0]} @ {y[0]}"
    half = x[1].dtype is not None and x[1].dtype.name in ("f16", "bf16")
    out = ", out=f32" if half and c.chance(0.6) else ""
    return c.one(f"matmul({x[0]}, {y[0]}{out})", f"{x[0]} |> matmul({y[0]}{out})")


@form("einsum")
def _einsum(c: Chooser) -> str | None:
    letters = {
        n: str(s) for n, s in c.draft.axes.items() if n in {g.name for g in c.draft.interface.generics}
    }
    names = [*letters, *c.draft.dims][:5]
    if len(names) < 2:
        names = ["b", "n", "m"]
    dtype = c.rng.choice(_DTYPES)
    sides = [
        c.rng.sample(names, c.rng.randint(0, min(3, len(names))))
        for _ in range(c.rng.choice((1, 2, 2, 2, 3)))
    ]
    operands = [c.parameter(side, dtype) for side in sides]
    found = [o[0] for o in operands if o is not None]
    if len(found) != len(sides):
        return None
    used = sorted({n for side in sides for n in side})
    output = c.rng.sample(used, c.rng.randint(0, len(used)))
    inputs = ", ".join(" ".join(side) for side in sides)
    return f"einsum({', '.join(found)}: {inputs} -> {' '.join(output)})"
