"""`max(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.reductions import ExtremeReduction

OPERATION = ExtremeReduction(
    "max",
    "fn max(x: [... n], over: Axis[n]) -> [...]",
    "The largest value along an axis, or of all of them without `over=`. `argmax` says where it is, and `maximum` "
    "takes the larger of two values.",
    """\
dim Frames = 10

## The loudest moment of each channel.
fn peaks(loudness: [channels Frames] NonNeg) -> [channels] NonNeg = max(loudness, over=Frames)
""",
    function="torch.amax",
    of_masks="any",
    of_two="maximum",
)
