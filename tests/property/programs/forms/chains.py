"""Iterator chains, and recurrences along an axis."""

from __future__ import annotations

from shapescript_check.types.axes import Axes
from shapescript_check.types.values import TensorType
from tests.property.programs.chooser import Chooser
from tests.property.programs.elements import names_of, shape_words
from tests.property.programs.forms import form


def _iterated(c: Chooser) -> tuple[str, TensorType, str, Axes] | None:
    """A tensor, the name of the axis to go along, and the axes of each element."""
    x = c.tensor(least=1, numbers=True, named=True)
    over = c.over(x[1].axes or ()) if x is not None else None
    if x is None or over is None:
        return None
    axes = x[1].axes or ()
    return x[0], x[1], over[0], (*axes[: over[1]], *axes[over[1] + 1 :])


def _of_element(c: Chooser, axes: Axes, names: list[str]) -> str:
    """Something computed from elements, whose names are given."""
    e, other = c.rng.choice(names), c.rng.choice(names)
    options = [f"{e} * 2.0", f"{e} + {other}", f"relu({e}) - {other}", f"sum({e})", f"maximum({e}, {other})"]
    options += [
        f"where({e} > 0, {other}, {e})",
        f"exp(-abs({e}))",
        f"{e} to f32",
        f"clamp({e}, 0, 1) * {other}",
    ]
    for name in names_of(axes):
        options += [f"softmax({e}, over={name})", f"sum({e}, over={name})", f"cumsum({e}, over={name})"]
        options += [f"mean({e}, over={name})", f"argmax({e}, over={name})", f"flip({e}, over={name})"]
    if len(axes) == 2:
        options += [f"rearrange({e}, q r -> r q)", f"{e}[0]"]
    return c.rng.choice(options)


@form("map over an axis")
def _mapped(c: Chooser) -> str | None:
    found = _iterated(c)
    if found is None:
        return None
    x, _, over, axes = found
    if c.chance(0.3):
        stage = c.one("relu", "gelu", "clamp(0.0, 1.0)", "sub(1.0, _)", "to f32", "sum", "abs")
        return f"{x} |> map({stage}, over={over})"
    e = c.draft.fresh("e")
    return f"{x} |> map({e} => {_of_element(c, axes, [e])}, over={over})"


@form("map over a size")
def _counted(c: Chooser) -> str | None:
    i = c.draft.fresh("i")
    size = c.axis_size()
    x = c.existing(lambda k: bool(k.axes) and not k.is_mask)
    options = [f"{i} * 2", f"{i} to f32", f"{i} == 0", f"square({i}) + 1"]
    if x is not None:
        first = (x[1].axes or ())[0].name
        options += [f"{x[0]} * {i}", f"sum({x[0]}) + {i}"]
        if first is not None and (first in c.draft.axes or first in c.draft.dims):
            size = first
            options += [
                f"{x[0]}[{i}]",
                f"{x[0]}[{i}] * {i}",
                f"sum({x[0]}[{i}])",
                f"relu({x[0]}[{i}]) + 1",
            ] * 2
    return f"{c.one(size, size, f'0..{size}')} |> map({i} => {c.rng.choice(options)})"


@form("map over two")
def _nested(c: Chooser) -> str | None:
    i, j = c.draft.fresh("i"), c.draft.fresh("j")
    inner = c.one(f"{i} + {j}", f"({i} to f32) * {j}", f"{i} >= {j}", f"{i} - {j}")
    return f"{c.axis_size()} |> map({i} => {c.axis_size()} |> map({j} => {inner}))"


@form("filter")
def _filtered(c: Chooser) -> str | None:
    found = _iterated(c)
    if found is None:
        return None
    x, _, over, _ = found
    e = c.draft.fresh("e")
    text = f"{x} |> filter({e} => sum({e}) {c.one('>', '<', '!=')} 0, over={over})"
    return c.one(text, f"{text} |> map(relu)", f"{text} |> sum")


@form("zip")
def _zipped(c: Chooser) -> str | None:
    found = _iterated(c)
    words = shape_words(c.draft, found[1].axes or ()) if found is not None else None
    if found is None or words is None:
        return None
    x, _, over, axes = found
    other = c.parameter(words, c.one("", "NonNeg", "i64", "bf16")) if c.chance(0.6) else None
    a, b = c.draft.fresh("e"), c.draft.fresh("e")
    body = _of_element(c, axes, [a, b])
    return f"{x} |> zip({other[0] if other is not None else x}, over={over}) |> map(({a}, {b}) => {body})"


@form("enumerate")
def _enumerated(c: Chooser) -> str | None:
    found = _iterated(c)
    if found is None:
        return None
    x, _, over, axes = found
    i, e = c.draft.fresh("i"), c.draft.fresh("e")
    body = c.one(f"{e} * {i}", f"where({i} == 0, {e}, {e} * 0)", _of_element(c, axes, [e]), f"{e} + {i}")
    return f"{x} |> enumerate(over={over}) |> map(({i}, {e}) => {body})"


@form("linear_scan")
def _recurrence(c: Chooser) -> str | None:
    b = c.tensor(least=1, floats=True, named=True)
    over = c.over(b[1].axes or ()) if b is not None else None
    if b is None or over is None or b[1].dtype is None:
        return None
    a = c.like(b[1].axes or (), f"{c.one('', 'Unit', 'Signed')} {b[1].dtype.name}", subset=c.chance(0.5))
    factor = a[0] if a is not None and c.chance(0.8) else c.float()
    return f"linear_scan({factor}, {b[0]}, over={over[0]}{c.one('', '', ', reverse=true')})"


@form("matrix_scan")
def _recurrence_of_matrices(c: Chooser) -> str | None:
    dtype = c.one("", "", "f64")
    t, n, m = c.one("t", "b"), c.one("2", "D", "h"), c.one("m", "2", "1")
    lead = ["c"] if c.chance(0.3) else []
    a = c.parameter([*lead, t, n, n], dtype)
    b = c.parameter([*lead, t, n, m], dtype)
    if a is None or b is None:
        return None
    more = c.one("", "", ", reverse=true", ", projective=true")
    return f"matrix_scan({a[0]}, {b[0]}, over={t}{more})"


@form("table_scan")
def _automaton(c: Chooser) -> str | None:
    states, symbols = c.one("2", "D", "K"), c.one("2", "3", "H")
    table = c.parameter([states, symbols], f"Index[{states}]")
    read = c.parameter([c.one("b", "t"), "n"][c.rng.randint(0, 1) :], f"Index[{symbols}]")
    return None if table is None or read is None else f"table_scan({table[0]}, {read[0]}, over=n)"


@form("gradient")
def _slope(c: Chooser) -> str | None:
    x = c.existing(lambda k: k.dtype is not None and k.dtype.is_float and k.axes is not None)
    if x is None:
        return None
    y = c.one(f"sum(square({x[0]}))", f"mean(tanh({x[0]}))", f"sum(exp(-square({x[0]})) * {x[0]})")
    return f"gradient({y}, {x[0]})"


@form("normal", "uniform", "dropout")
def _drawn(c: Chooser, name: str) -> str | None:
    mode = next((n for n, t in c.draft.parameters if t.endswith(": Mode")), None) or c.draft.add_parameter(
        "Mode"
    )
    if mode is None:
        return None
    if name == "dropout":
        x = c.tensor(floats=True)
        return None if x is None else f"dropout({x[0]}, {c.one('0.5', '0.0', '0.9')}, {mode})"
    shape = f"[{' '.join(c.axis_size() for _ in range(c.rng.randint(0, 2)))}]"
    more = c.one("", "", ", salt=3") + c.one("", {"normal": ", std=2.0", "uniform": ", high=0.5"}[name])
    return f"{name}({shape}, {mode}{more})"
