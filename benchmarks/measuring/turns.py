"""Times calls against each other, call by call, in turns."""

from __future__ import annotations

import gc
import random
import statistics
from collections.abc import Callable
from time import perf_counter, perf_counter_ns

Call = Callable[[], object]

QUICK = 0.1
"""The share of the calls that were undisturbed for certain, even where half of a machine belongs to others."""


class Turns:
    """What each call took, in every round, in nanoseconds."""

    def __init__(self, times: dict[str, list[int]]) -> None:
        self.times = times

    @property
    def rounds(self) -> int:
        return len(next(iter(self.times.values())))

    def microseconds(self, name: str) -> float:
        """The time of a call that nothing disturbed: that of the slowest of the quickest tenth."""
        return sorted(self.times[name])[int(self.rounds * QUICK)] / 1000

    def less(self, name: str) -> Turns:
        """What the other calls take more than one of them, round by round."""
        base = self.times[name]
        others = {n: each for n, each in self.times.items() if n != name}
        return Turns({n: [a - b for a, b in zip(each, base, strict=True)] for n, each in others.items()})

    def ratio(self, name: str, to: str) -> float:
        """How many times as long one call takes as another: the median over the rounds, of two calls in a row."""
        return statistics.median(a / b for a, b in zip(self.times[name], self.times[to], strict=True))


def take_turns(calls: dict[str, Call], seconds: float = 3.0, repeat: int = 1) -> Turns:
    """Times every call once in each round, in an order that chance decides, for about so many seconds.

    Arguments:
        calls: the calls, by the names that they are reported under.
        seconds: how long to go on.
        repeat: how often a turn makes its call, for calls too short for a clock.
    """
    for call in calls.values():
        for _ in range(10):
            call()
    times: dict[str, list[int]] = {name: [] for name in calls}
    order = list(calls)
    steps = range(repeat)
    collecting = gc.isenabled()
    gc.disable()
    try:
        end = perf_counter() + seconds
        while perf_counter() < end:
            random.shuffle(order)
            for name in order:
                call = calls[name]
                start = perf_counter_ns()
                for _ in steps:
                    call()
                times[name].append(perf_counter_ns() - start)
    finally:
        if collecting:
            gc.enable()
    return Turns({name: [t // repeat for t in each] for name, each in times.items()})
