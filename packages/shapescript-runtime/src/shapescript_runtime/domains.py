"""Value checks: whether a tensor's values are in the domain of its type.

Every check takes the type as written, where it was written, and, for an argument, the parameter and its
function; without those two it speaks of an `as`. Each returns the value it was given, so that it can stand
in an expression, and raises ShapeError for what isn't a tensor or a number, and DomainError for the first
value, in row-major order, that is outside the domain.

What counts as inside, where the language leaves it open, is what a PyTorch user expects:

* NaN is in no domain but Real and Logit, which have no check. An infinity is inside a range whose end on
  that side is infinite: NonNeg takes inf, Unit doesn't.
* A range's end is compared as the tensor's own dtype stores it, so bf16 clamped to 0.1 is at most 0.1.
* A tensor without elements is in every domain that its dtype can hold.
* On a CUDA device the values aren't waited for: a failure is a device-side assertion, later. It is one too
  wherever there are no values yet, as when torch.export traces, and the program then carries the check.
* What torch.compile compiles checks as part of its graph, with the same errors.
* The elements of a torch.vmap are checked together. Positions begin with the element's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

import torch

from .errors import DomainError, ShapeError
from .reading import has_values, unwrapped
from .wording import got, number, place


class Claim(NamedTuple):
    """What a check holds values against, in the words of its error."""

    text: str
    where: str
    argument: str | None
    function: str | None

    def sentence(self) -> str:
        if self.argument is None:
            return f"the value asserted with `as` should be {self.text}"
        of = "" if self.function is None else f" of `{self.function}`"
        return f"argument `{self.argument}`{of} should be {self.text}"


def check_range(
    x: Any,
    lo: float,
    hi: float,
    lo_open: bool,
    hi_open: bool,
    text: str,
    where: str,
    argument: str | None = None,
    function: str | None = None,
) -> Any:
    """Checks that every value is between two ends, each open or closed; an infinite end is no end."""
    claim = Claim(text, where, argument, function)
    _make("range", _values(x, claim), claim, (lo, hi), (lo_open, hi_open))
    return x


def check_prob(
    x: Any,
    dim: int,
    log: bool,
    text: str,
    where: str,
    argument: str | None = None,
    function: str | None = None,
) -> Any:
    """Checks probabilities along an axis: in [0, 1], and a sum of 1 to within the epsilon's square root.

    Arguments:
        dim: the axis's position, counted from the end and so negative, as an axis in front may belong to a
            torch.vmap.
        log: whether the values are logarithms of probabilities: each at most 0, and their exponentials sum
            to 1.
    """
    claim = Claim(text, where, argument, function)
    _make("prob", _values(x, claim), claim, flags=(log,), size=dim)
    return x


def check_binary(
    x: Any, text: str, where: str, argument: str | None = None, function: str | None = None
) -> Any:
    """Checks that every value is 0 or 1."""
    claim = Claim(text, where, argument, function)
    _make("binary", _values(x, claim), claim)
    return x


def check_additive(
    x: Any, text: str, where: str, argument: str | None = None, function: str | None = None
) -> Any:
    """Checks that every value is 0 or -inf, what is added to scores to mask them."""
    claim = Claim(text, where, argument, function)
    _make("additive", _values(x, claim), claim)
    return x


def check_index(
    x: Any, size: int | None, text: str, where: str, argument: str | None = None, function: str | None = None
) -> Any:
    """Checks that every value is a whole number of an integer dtype, at least 0 and, if it is known, below a size."""
    claim = Claim(text, where, argument, function)
    values = _values(x, claim)
    if values.is_floating_point() or values.is_complex() or values.dtype == torch.bool:
        _refuse(f"it is stored as {_dtype(values)}, not as integers", _dtype(values), claim)
    _make("index", values, claim, size=size)
    return x


def check_mask(
    x: Any, text: str, where: str, argument: str | None = None, function: str | None = None
) -> Any:
    """Checks that a mask is stored as bool, where numbers would mean something else to torch."""
    claim = Claim(text, where, argument, function)
    values = _values(x, claim)
    if values.dtype != torch.bool:
        _refuse(f"it is stored as {_dtype(values)}, not as bool", _dtype(values), claim)
    return x


def _values(x: Any, claim: Claim) -> torch.Tensor:
    """The tensor to look at: what is behind x's wrappers, or a host number as a tensor without axes."""
    if isinstance(x, torch.Tensor):
        return unwrapped(x)
    if isinstance(x, (bool, int, float)):
        return torch.tensor(x, dtype=torch.float64 if isinstance(x, float) else None)
    what = got(x)
    raise ShapeError(
        f"{claim.sentence()}, got {what}",
        location=claim.where,
        argument=claim.argument,
        expected=claim.text,
        got=what,
    )


def _make(
    kind: str,
    values: torch.Tensor,
    claim: Claim,
    ends: Sequence[float] = (),
    flags: Sequence[bool] = (),
    size: int | None = None,
) -> None:
    """Makes a check, or puts it into the graph that torch.compile is tracing, which makes it later."""
    if torch.compiler.is_compiling() and not torch.compiler.is_exporting():
        # Few programs are compiled, and registering an operation takes some milliseconds.
        from .compiled_checks import record

        record(values, kind, ends, flags, size, claim)
    else:
        make_now(kind, values, claim, ends, flags, size)


def make_now(
    kind: str,
    values: torch.Tensor,
    claim: Claim,
    ends: Sequence[float],
    flags: Sequence[bool],
    size: int | None,
) -> None:
    """Makes the check of a kind: `range` with two ends, open or not, `prob` of logarithms or not along an axis,
    `index` below a size, `binary` or `additive`."""
    if kind == "range":
        (lo, hi), (lo_open, hi_open) = ends, flags
        _check_range(values, lo, hi, lo_open, hi_open, claim)
    elif kind == "prob":
        assert size is not None
        _check_prob(values, size, flags[0], claim)
    elif kind == "index":
        _check_range(values, 0, math.inf if size is None else size, False, True, claim)
    elif kind == "binary":
        _require(values, (values == 0) | (values == 1), _neither(values, "0 nor 1"), claim)
    else:
        good = values == 0
        if values.is_floating_point():
            good = good | values.isneginf()
        _require(values, good, _neither(values, "0 nor -inf"), claim)


def _check_prob(values: torch.Tensor, dim: int, log: bool, claim: Claim) -> None:
    _check_range(values, -math.inf if log else 0.0, 0.0 if log else 1.0, False, False, claim)
    if values.numel() == 0:
        return
    if values.is_floating_point():
        # Half precision is summed in single precision: what is checked is the values, not torch's sum.
        wide = values.to(torch.promote_types(values.dtype, torch.float32))
        tolerance = math.sqrt(torch.finfo(values.dtype).eps)
    else:
        wide, tolerance = values.to(torch.float64), 0.0
    totals = (wide.exp() if log else wide).sum(dim)

    def problem(position: list[int]) -> str:
        row = [str(index) for index in position]
        row.insert(len(row) + 1 + dim, ":")
        total = number(totals[tuple(position)].item(), totals.dtype)
        what = "the exponentials of the values" if log else "the values"
        return f"{what} at [{', '.join(row)}] sum to {total}, not 1"

    _require(totals, (totals - 1).abs() <= tolerance, problem, claim)


def _check_range(
    values: torch.Tensor, lo: float, hi: float, lo_open: bool, hi_open: bool, claim: Claim
) -> None:
    if values.numel() == 0:
        return
    if values.is_floating_point():
        low, high = _stored(lo, values.dtype), _stored(hi, values.dtype)
        # An end that is too large for the dtype leaves room for every finite value, and no other.
        if low == -math.inf != lo:
            low, lo_open = torch.finfo(values.dtype).min, False
        if high == math.inf != hi:
            high, hi_open = torch.finfo(values.dtype).max, False
    else:
        # Whole numbers are above an end, open or not, if they are at least the next whole number.
        low = lo if math.isinf(lo) else math.floor(lo) + 1 if lo_open else math.ceil(lo)
        high = hi if math.isinf(hi) else math.ceil(hi) - 1 if hi_open else math.floor(hi)
        lo_open = hi_open = False
    if not values.is_cuda and has_values(values):
        # One pass, which makes no tensor of x's size. A NaN makes both NaN, and fails both comparisons.
        least, greatest = torch.aminmax(values)
        if _above(least.item(), low, lo_open) and _below(greatest.item(), high, hi_open):
            return
    compared = values if values.is_floating_point() else values.to(torch.int64)
    good = compared == compared
    if not math.isinf(low):
        good = good & (compared > low if lo_open else compared >= low)
    if not math.isinf(high):
        good = good & (compared < high if hi_open else compared <= high)

    def problem(position: list[int]) -> str:
        value = values[tuple(position)].item()
        if math.isnan(value):
            return f"the value{place(position)} is NaN"
        if not _above(value, low, lo_open):
            how = "isn't above" if lo_open else "is below"
            end = low
        else:
            how = "isn't below" if hi_open else "is above"
            end = high
        bound = number(end, values.dtype).removesuffix(".0")
        return f"value {number(value, values.dtype)}{place(position)} {how} {bound}"

    _require(values, good, problem, claim)


def _above(value: float, end: float, is_open: bool) -> bool:
    return (end == -math.inf and value == value) or (value > end if is_open else value >= end)


def _below(value: float, end: float, is_open: bool) -> bool:
    return (end == math.inf and value == value) or (value < end if is_open else value <= end)


def _stored(end: float, dtype: torch.dtype) -> float:
    """An end of a range, as a dtype stores it."""
    if end in (0.0, 1.0, -1.0) or math.isinf(end):
        return end  # the same in all of them
    return torch.tensor(end, dtype=dtype).item()


def _neither(values: torch.Tensor, what: str) -> Callable[[list[int]], str]:
    def problem(position: list[int]) -> str:
        value = values[tuple(position)].item()
        return f"value {number(value, values.dtype)}{place(position)} is neither {what}"

    return problem


def _dtype(values: torch.Tensor) -> str:
    return str(values.dtype).removeprefix("torch.")


def _require(
    values: torch.Tensor, good: torch.Tensor, problem: Callable[[list[int]], str], claim: Claim
) -> None:
    """Raises for the first false element of `good`, in the words that `problem` has for its position."""
    if values.is_meta:
        return  # there are no values, and never will be
    if values.is_cuda or not has_values(values):
        torch._assert_async(good.all(), f"{claim.where}: {claim.sentence()}")
        return
    if good.all():
        return
    flat = int(good.reshape(-1).to(torch.uint8).argmin())
    position = (
        [int(index) for index in torch.unravel_index(torch.tensor(flat), good.shape)] if good.dim() else []
    )
    words = problem(position)
    _refuse(words, words, claim)


def _refuse(problem: str, what: str, claim: Claim) -> NoReturn:
    raise DomainError(
        f"{claim.sentence()}; {problem}",
        location=claim.where,
        argument=claim.argument,
        expected=claim.text,
        got=what,
    )
