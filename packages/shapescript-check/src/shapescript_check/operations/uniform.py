"""`uniform([b D], mode)`."""

from __future__ import annotations

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.draws import Draw
from shapescript_check.types.domains import Domain, Range
from shapescript_syntax.diagnostics import Label


class Uniform(Draw):
    """Draws from an interval."""

    name = "uniform"
    signature = (
        "fn uniform(shape: Shape, mode: Mode, low: float = 0.0, high: float = 1.0, salt: int = 0) -> [...]"
    )
    doc = (
        "Numbers drawn evenly from `low` to `high`, f32, by the seed of Train(seed=s) or Sample(seed=s) and the path "
        "of calls to this one. Another `salt`, an int or a [] of integers, draws others. With Eval it is a ValueError."
    )
    example = """\
## One class for each row of probabilities, drawn by where a number between 0 and 1 falls among their running sums.
fn drawn(p: [b c] Prob over c, mode: Mode) -> [b] i64:
    below = cumsum(p, over=c) <= rearrange(uniform([b], mode), b -> b 1)
    return minimum(sum(below, over=c), c - 1)
"""
    options = (("low", 0.0), ("high", 1.0))

    def check_numbers(self, call: OperationCall) -> None:
        low, high = self.interval(call, "low"), self.interval(call, "high")
        if low.lo > high.hi:
            names = [n for n in ("high", "low") if call.has(n)]
            call.refuse(
                "E0406",
                call.value(names[0]).span,
                "no number is between these ends of `uniform`: the upper one is below the lower one",
                labels=(Label(call.value("low").span, "the lower end"),) if len(names) > 1 else (),
            )

    def drawn(self, call: OperationCall) -> Domain:
        ends = self.interval(call, "low").hull(self.interval(call, "high"))
        return Range(ends)


OPERATION = Uniform()
