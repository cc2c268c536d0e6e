"""Reductions, and operations along an axis."""

from __future__ import annotations

from shapescript_check.types.domains import Semantic
from shapescript_check.types.dtypes import DType
from shapescript_check.types.values import TensorType
from tests.property.programs.chooser import Chooser
from tests.property.programs.forms import form


@form("sum", "prod", "mean", "std", "var", "norm", "logsumexp", "max", "min")
def _reduced(c: Chooser, name: str) -> str | None:
    x = c.tensor(
        least=1, numbers=name not in ("sum", "prod"), named=True, floats=name == "norm" and c.chance(0.8)
    )
    over = c.over(x[1].axes or ()) if x is not None else None
    if x is None or over is None:
        return None
    if c.chance(0.2):
        return f"{name}({x[0]})"
    return f"{x[0]} |> {name}(over={over[0]})" if c.chance(0.2) else f"{name}({x[0]}, over={over[0]})"


@form("any", "all")
def _of_masks(c: Chooser, name: str) -> str | None:
    x = c.tensor(least=1, numbers=True, named=True)
    mask = c.mask(x[1].axes or ()) if x is not None else None
    kind = c.draft.type_of(mask) if mask is not None else None
    if not isinstance(kind, TensorType) or kind.axes is None:
        return None
    over = c.over(kind.axes)
    return f"{name}({mask})" if over is None or c.chance(0.25) else f"{name}({mask}, over={over[0]})"


@form("argmax", "argmin", "cumsum", "cumprod", "sort", "argsort", "flip")
def _along(c: Chooser, name: str) -> str | None:
    masks = name in ("cumsum", "cumprod", "flip")
    x = c.tensor(least=1, numbers=not masks or c.chance(0.7), named=True)
    over = c.over(x[1].axes or ()) if x is not None else None
    return None if x is None or over is None else f"{name}({x[0]}, over={over[0]})"


@form("roll")
def _rolled(c: Chooser) -> str | None:
    x = c.tensor(least=1, named=True)
    over = c.over(x[1].axes or ()) if x is not None else None
    by = c.one("1", "2", "-1", "0") if c.chance(0.6) else c.host("int")
    return None if x is None or over is None else f"roll({x[0]}, {by}, over={over[0]})"


@form("softmax", "log_softmax")
def _normalized(c: Chooser, name: str) -> str | None:
    def logits(kind: TensorType) -> bool:
        return bool(kind.axes) and not kind.is_mask and not _is_prob(kind)

    x = c.existing(logits) if c.chance(0.7) else c.tensor(least=1, numbers=True, named=True)
    over = c.over(x[1].axes or ()) if x is not None else None
    return None if x is None or over is None else f"{name}({x[0]}, over={over[0]})"


def _is_prob(kind: TensorType) -> bool:
    return isinstance(kind.domain, Semantic) and kind.domain.kind == "Prob"


@form("topk", statement=True)
def _largest(c: Chooser) -> str | None:
    x = c.tensor(least=1, numbers=True, named=True)
    over = c.over(x[1].axes or ()) if x is not None else None
    if x is None or over is None:
        return None
    size = (x[1].axes or ())[over[1]].size.as_int()
    k = c.host("int") if c.chance(0.2) else str(c.rng.randint(0, size if size is not None else 1))
    return f"{c.draft.fresh('v')}, {c.draft.fresh('v')} = topk({x[0]}, {k}, over={over[0]})"


@form("tril", "triu")
def _triangle(c: Chooser, name: str) -> str | None:
    x = c.tensor(least=2)
    if x is None:
        return None
    return c.one(f"{name}({x[0]})", f"{name}({x[0]}, {c.one('1', '-1', '2')})", f"{name}({x[0]}, offset=-1)")


@form("cross_entropy")
def _loss(c: Chooser) -> str | None:
    words = [c.one("b", "n"), *([c.one("t", "c")] if c.chance(0.4) else [])]
    classes = c.rng.choice(sorted(c.draft.dims) or ["m"])
    z_words = [*words]
    z_words.insert(c.rng.randint(0, len(words)), classes)
    z = c.parameter(z_words, f"{c.one('', f'Logit over {classes}')} {c.one('', '', 'f64', 'bf16')}".strip())
    if c.chance(0.5):
        y = c.parameter(words if c.chance(0.6) else words[::-1], c.one(f"Index[{classes}]", "u8"))
    else:
        y = c.parameter(z_words if c.chance(0.6) else z_words[::-1], f"Prob over {classes}")
    if z is None or y is None:
        return None
    more = c.one("", "", ", per_example=true", ", per_example=false")
    # Clamped, as numbers that are no classes are the caller's mistake.
    target = f"clamp({y[0]}, 0, 0)" if y[1].dtype is DType.U8 else y[0]
    return f"cross_entropy({z[0]}, {target}, over={classes}{more})"


@form("mse_loss")
def _squared_loss(c: Chooser) -> str | None:
    x = c.tensor(numbers=True)
    if x is None:
        return None
    y = c.like(x[1].axes or (), c.one("", "f64", "i64", "Unit"), shuffled=c.chance(0.3))
    return None if y is None else f"mse_loss({x[0]}, {y[0]})"
