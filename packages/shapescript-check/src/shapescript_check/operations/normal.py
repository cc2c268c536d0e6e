"""`normal([b D], mode)`."""

from __future__ import annotations

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.draws import Draw
from shapescript_check.types.domains import REAL, Domain, Range


class Normal(Draw):
    """Draws from a normal distribution."""

    name = "normal"
    signature = (
        "fn normal(shape: Shape, mode: Mode, mean: float = 0.0, std: float = 1.0, salt: int = 0) -> [...]"
    )
    doc = (
        "Numbers drawn from a normal distribution, in f32, by the seed of Train(seed=s) or Sample(seed=s) and the path "
        "of calls to this one. Another `salt`, an int or a [] of integers, draws others. With Eval it is a ValueError."
    )
    example = """\
## A sample of a Gaussian, through which gradients reach its mean and its spread.
fn sampled(mean: [b z], log_std: [b z], mode: Mode) -> [b z]:
    return mean + exp(log_std) * normal([b z], mode)
"""
    options = (("mean", 0.0), ("std", 1.0))

    def check_numbers(self, call: OperationCall) -> None:
        if self.interval(call, "std").hi < 0:
            call.refuse("E0406", call.value("std").span, "`std` of `normal` is at least 0")

    def drawn(self, call: OperationCall) -> Domain:
        spread = self.interval(call, "std")
        # Without a spread, what is drawn is the mean.
        return Range(self.interval(call, "mean")) if spread.lo == spread.hi == 0 else REAL


OPERATION = Normal()
