"""`std(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.reductions import Reduction
from shapescript_check.types.dtypes import DType
from shapescript_check.types.functions import spread

OPERATION = Reduction(
    "std",
    "fn std(x: [... n], over: Axis[n]) -> [...] NonNeg",
    "The standard deviation of the values along an axis, or of all of them without `over=`: the unbiased one, which "
    "divides by one less than their number.",
    """\
dim Sensors = 6

## Each reading in standard deviations from its sensor's mean.
fn standardized(readings: [t Sensors]) -> [t Sensors]:
    centre = mean(readings, over=t)
    width = std(readings, over=t) + 0.001
    return (readings - centre) / width
""",
    transfer=lambda x, dtype, empty: spread(x, dtype),
    template="x.std(dim=d)",
    of_all="x.std()",
    of_whole="x.to(torch.float32)",
    whole=DType.F32,
)
