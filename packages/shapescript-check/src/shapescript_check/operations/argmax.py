"""`argmax(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.reductions import PositionOfExtreme

OPERATION = PositionOfExtreme(
    "argmax",
    "fn argmax(x: [... n], over: Axis[n]) -> [...] Index[n]",
    "Where along an axis the largest value is, the first place of several. `over=` may be left out for a value of "
    "one axis.",
    """\
dim Digits = 10

## The digit that each image most likely shows.
fn read_digits(scores: [images Digits] Logit over Digits) -> [images] Index[Digits]:
    return argmax(scores, over=Digits)
""",
)
