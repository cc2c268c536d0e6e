"""Elementwise operations, comparisons and logic."""

from __future__ import annotations

from tests.property.programs.chooser import Chooser
from tests.property.programs.forms import form


@form("neg", "abs", "square", "sign", "floor", "ceil", "round", "relu", "acos", "asin", elementwise=True)
def _one(c: Chooser, name: str) -> str | None:
    x = c.value()
    return None if x is None else _called(c, name, x[0])


def _called(c: Chooser, name: str, x: str, *more: str) -> str:
    """A call, or a stage of a pipe."""
    rest = ", ".join(more)
    if c.chance(0.2):
        return f"{x} |> {name}({rest})" if rest else f"{x} |> {name}"
    return f"{name}({', '.join([x, *more])})"


@form("leaky_relu", "elu", elementwise=True)
def _sloped(c: Chooser, name: str) -> str | None:
    x = c.value()
    if x is None:
        return None
    word = "slope" if name == "leaky_relu" else "alpha"
    more = c.one("", c.float(), f"{word}={c.float()}")
    return _called(c, name, x[0], *([more] if more else []))


@form("add", "sub", "mul", "div", "maximum", "minimum", "atan2", elementwise=True)
def _two(c: Chooser, name: str) -> str | None:
    x = c.value()
    y = c.beside(x[1]) if x is not None else None
    if x is None or y is None:
        return None
    if c.chance(0.15):
        return f"{x[0]} |> {name}({y}, _)"
    return _called(c, name, x[0], y) if c.chance(0.6) else f"{name}({y}, {x[0]})"


@form("operator +", "operator -", "operator *", "operator /", elementwise=True)
def _operator(c: Chooser, name: str) -> str | None:
    op = name.split()[1]
    x = c.value()
    y = c.beside(x[1]) if x is not None else None
    if x is None or y is None:
        return None
    y = f"({y})" if y.startswith("-") else y
    return c.one(f"{x[0]} {op} {y}", f"{y} {op} {x[0]}")


@form("operator neg", elementwise=True)
def _negated(c: Chooser) -> str | None:
    x = c.value()
    return None if x is None else f"-{x[0]}"


@form("pow", elementwise=True)
def _power(c: Chooser) -> str | None:
    x = c.value()
    if x is None:
        return None
    p = (
        c.beside(x[1])
        if c.chance(0.2)
        else c.one("2", "1", "0", "3", "0.5", "2.0", "1.5", "-1.0", "-2", "-0.5")
    )
    return f"pow({p}, {x[0]})" if c.chance(0.1) else f"pow({x[0]}, {p})"


@form("scale", elementwise=True)
def _scaled(c: Chooser) -> str | None:
    x = c.value()
    if x is None:
        return None
    by = (
        c.parameter([], c.one("", "Unit", "f64", "i32"))
        if c.chance(0.3) and not c.draft.elementwise
        else None
    )
    return _called(c, "scale", x[0], by[0] if by is not None else c.host("int", "float") or c.float())


@form("clamp", elementwise=True)
def _clamped(c: Chooser) -> str | None:
    x = c.value()
    if x is None:
        return None
    lo, hi = sorted((c.float(), c.float()), key=float)
    lo, hi = c.one(lo, lo, "-inf"), c.one(hi, hi, "inf")
    if x[1].dtype is not None and x[1].dtype.is_int and c.chance(0.7):
        lo, hi = c.one("0", "1", "-2"), c.one("2", "3", "5")
    return _called(c, "clamp", x[0], lo, hi)


@form("zeros_like", "ones_like", elementwise=True)
def _like(c: Chooser, name: str) -> str | None:
    x = c.value() if c.chance(0.8) else c.existing(lambda k: True)
    return None if x is None else f"{name}({x[0]})"


@form("where", elementwise=True)
def _chosen(c: Chooser) -> str | None:
    x = c.value() if c.chance(0.85) else c.existing(lambda k: k.is_mask)
    if x is None:
        return None
    y = c.beside(x[1])
    if x[1].is_mask:
        other = c.like(x[1].axes, "Mask") if x[1].axes is not None else None
        y = other[0] if other is not None else c.one("true", "false")
    mask = c.mask(x[1].axes or ())
    if mask is None or y is None:
        return None
    return c.one(f"where({mask}, {x[0]}, {y})", f"where({mask}, {y}, {x[0]})")


@form("where of distributions")
def _mixed(c: Chooser) -> str | None:
    """A choice between two distributions, whole ones or parts of them."""
    words = [c.one("b", "n", "t"), c.rng.choice(sorted(c.draft.dims) or ["m"])]
    kind = c.one("Prob", "LogProb", "Logit")
    x, y = (c.parameter(words, f"{kind} over {words[1]}") for _ in range(2))
    if x is None or y is None:
        return None
    mask = c.parameter(c.rng.choice((words, words[:1], [words[0], "1"], [words[1]])), "Mask")
    return None if mask is None else f"where({mask[0]}, {x[0]}, {y[0]})"


@form("masked_fill", elementwise=True)
def _filled(c: Chooser) -> str | None:
    x = c.value() if c.chance(0.9) else c.existing(lambda k: k.is_mask)
    mask = c.mask(x[1].axes or ()) if x is not None else None
    if x is None or mask is None:
        return None
    value = c.one("0", "1", "0.0", "-inf", "inf", "1.0", "-0.5", "2")
    if x[1].dtype is not None and x[1].dtype.is_int:
        value = c.one("0", "1", "2")
    if x[1].is_mask:
        value = c.one("true", "false")
    return _called(c, "masked_fill", x[0], mask, value)


@form("==", "!=", "<", "<=", ">", ">=", elementwise=True)
def _compared(c: Chooser, name: str) -> str | None:
    x = c.value()
    y = c.beside(x[1]) if x is not None else None
    if x is None or y is None:
        return None
    return c.one(f"{x[0]} {name} {y}", f"{y} {name} {x[0]}")


@form("and", "or", elementwise=True)
def _both(c: Chooser, name: str) -> str | None:
    x = c.value()
    masks = (c.mask(x[1].axes or ()), c.mask(x[1].axes or ())) if x is not None else (None, None)
    return None if None in masks else f"{masks[0]} {name} {masks[1]}"


@form("!", elementwise=True)
def _not(c: Chooser) -> str | None:
    x = c.value()
    mask = c.mask(x[1].axes or ()) if x is not None else None
    return None if mask is None else f"!{mask}"


@form("pipe", elementwise=True)
def _piped(c: Chooser) -> str | None:
    """Several stages on one line, or one for each line."""
    x = c.value()
    if x is None:
        return None
    stages = [
        "relu",
        "neg",
        "mul(0.5)",
        "add(1)",
        "sigmoid",
        "tanh",
        "clamp(-1.0, 1.0)",
        "sub(1.0, _)",
        "abs",
        "exp",
    ]
    return " |> ".join([x[0], *(c.rng.choice(stages) for _ in range(c.rng.randint(1, 3)))])
