"""`roll(x, by, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.along import Movement

OPERATION = Movement(
    "roll",
    "fn roll(x: [... n], by: int, over: Axis[n]) -> [... n]",
    "Moves the values `by` places up along an axis; those that leave at one end come in at the other.",
    """\
dim Hours = 24

## How much warmer each hour is than the one before, around the clock.
fn hourly_change(warmth: [Hours]) -> [Hours] = warmth - roll(warmth, 1, over=Hours)
""",
    template="torch.roll(x, shifts=k, dims=d)",
    number="by",
)
