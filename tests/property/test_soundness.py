"""What the checker infers of random programs is what torch computes.

More of it: `python -m tests.property.soundness --programs 100000`.
"""

from __future__ import annotations

import pytest

from shapescript_check import operations
from shapescript_check.operations.lowering import python
from shapescript_check.types.intervals import Interval
from tests.property.programs import Counts, write
from tests.property.programs.forms import load
from tests.property.running import check, fault
from tests.property.soundness import failures

PROGRAMS = 2000
CHUNK = 125


@pytest.mark.parametrize("first", range(0, PROGRAMS, CHUNK))
def test_values_are_of_their_types(first: int) -> None:
    counts = Counts()
    wrong = [failure for _, failure in failures(range(first, first + CHUNK), counts) if failure is not None]
    assert not wrong, "\n\n".join(["", *wrong])
    assert counts.accepted >= 0.8 * counts.tried


def test_programs_use_every_operation_and_form() -> None:
    counts = Counts()
    texts = [write(seed, counts).text for seed in range(400)]
    assert set(load()) <= set(counts.forms)
    # An operation that no form writes is tested by its example.
    formless = operations.names() - set(counts.forms)
    used = {name for name in formless if any(f"{name}(" in text for text in texts)}
    for name in sorted(formless - used):
        found = operations.lookup(name)
        assert found is not None
        assert f"{name}(" in found.example, name


# Small programs that were wrong once.
ONCE_WRONG = {
    "indices in small integers are no mask": """\
fn main(x: [n m], ids: [k] u8, one: [] i16) -> [k m]:
    y = x[:, clamp(one, 0, 0)]
    return x[clamp(ids, 0, 0)]
""",
    "a tensor index without axes takes one position": """\
fn main(x: [4 w 4] i16, one: [] i32, ids: [m 3] Index[4]) -> [1 m 3] i16:
    return x[clamp(one, 0, 0), :1, ids]
""",
    "a conversion to a distribution is computed in its dtype": """\
fn main(x: [h] i16, y: [h], z: [h] Prob over h bf16) -> [h] Prob over h f64:
    a = x to Prob over h f64
    b = y to LogProb over h f64
    c = z to LogProb over h
    return y to Prob over h f64
""",
    "integers given to an extern function are floats": """\
extern fn length(x: Real, y: Real) -> NonNeg = "torch.hypot"
fn main(x: [n] i8, y: [n] bf16) -> [n] NonNeg bf16 = length(x, y)
""",
    "a size that only indices tell is a size all the same": """\
fn part(ids: [b] Index[V]) -> [b V] Binary = one_hot(ids)
fn main(ids: [b] Index[V], x: [b V]) -> [b V] = x * part(ids)
""",
    "a result has the shape of arguments that nothing uses": """\
fn second(x: Real, y: Real) -> Real = y
fn main(x: [n m], y: [m]) -> [n m] = second(x, y)
""",
    "the ends of a range are as each dtype has them": """\
domain Odd = [-0.3, 0.7]
fn main(x: [n] Odd bf16, y: [n] Odd) -> [n]:
    a = cat(x, y, over=n)
    b = maximum(x, y)
    return x to f32
""",
    "a wider dtype asks more of the sum of a distribution": """\
fn main(p: [n C] Prob over C bf16, q: [n C] Prob over C, m: [n] Mask) -> [n C]:
    a = where(m, p, q)
    b = stack(p, q, over=k)
    return p to f32
""",
    "integers in the body of an elementwise function are floats where they have to be": """\
extern fn length(x: Real, y: Real) -> NonNeg = "torch.hypot"
fn hidden(x: Real) -> Real = masked_fill(x, x > 0, -inf)
fn act(x: Real, y: Real) -> Real = leaky_relu(x) + gelu(y) + elu(y) + softplus(x) + length(x, y)
fn main(x: [n] i64, y: [n] bf16) -> [n]:
    a = act(x, 2)
    b = act(y, x)
    c = hidden(x)
    d = hidden(y)
    return act(3, x)
""",
    "an element without axes gives way to one with axes, on whole tensors too": """\
fn main(x: [c t] i16, y: [c] bf16, z: [c t] f16) -> [c t] i16:
    a = x |> zip(y, over=c) |> map((u, v) => u * v)
    b = c |> map(i => z[i] * y[i])
    return c |> map(i => x[i] * i)
""",
    "a conversion in a body for any dtype gives floats": """\
fn wide(x: Unit) -> Signed = x to Signed f64
fn narrow(x: Signed) -> Unit = x to Unit bf16
fn same(x: Unit) -> Signed = x to Signed
fn main(x: [n] Unit, y: [n] Unit bf16, z: [n] Index[2]) -> [n] Signed:
    a = wide(y)
    b = narrow(y)
    c = same(clamp(z, 0, 1))
    d = wide(clamp(z, 0, 1))
    return same(x)
""",
    "a number given for a tensor is one without axes": """\
fn act(x: Real, y: Real = 0.5) -> Real = x * y
fn twice(x: Real) -> Real = act(x, 3)
fn main(x: [] bf16, y: [] i8, z: [n] i8) -> [n] i8:
    a = act(x, 0.5)
    b = act(y, 3)
    c = act(x)
    d = twice(x)
    e = twice(y)
    return act(z, 3)
""",
    "a number has no say in the dtype beside a tensor without axes": """\
extern fn length(x: Real, y: Real) -> NonNeg = "torch.hypot"
fn main(x: [] f16, y: [] bf16) -> [] f16:
    a = maximum(y, 0.5)
    b = length(x * 0.5, -1.5)
    return atan2(x, 1e-3)
""",
}


@pytest.mark.parametrize("name", ONCE_WRONG)
def test_programs_that_were_wrong_once(name: str) -> None:
    program = check(ONCE_WRONG[name])
    assert not program.has_errors, program.diagnostics
    for seed in range(12):
        found = fault(ONCE_WRONG[name], "main", seed, program=program)
        assert found is None, found


def test_a_seed_gives_one_program() -> None:
    first = write(17)
    write(18)
    assert write(17) == first


@pytest.mark.parametrize(
    ("operation", "attribute", "mistake", "expression", "noticed"),
    [
        ("square", "transfer", lambda x, dtype=None: Interval.SIGNED, "square(x)", "outside"),
        ("softmax", "template", "torch.softmax(x, dim=1 - d)", "softmax(x, over=n)", "sums to"),
        (
            "cumsum",
            "template",
            "torch.cumsum(x, dim=d).double()",
            "cumsum(x, over=n)",
            "stored as torch.float64",
        ),
        ("flip", "template", "x.mT", "flip(x, over=n)", "its shape is"),
        (
            "argmax",
            "lower",
            lambda node, emit: python("x.argmax(0) + 9", x=emit.tensor(node.operands[0])),
            "argmax(x, over=n)",
            "indices",
        ),
        ("eye", "lower", lambda node, emit: python("torch.ones(3, 3) / 2"), "eye(3)", "no Binary value"),
    ],
)
def test_mistakes_are_noticed(
    operation: str,
    attribute: str,
    mistake: object,
    expression: str,
    noticed: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = operations.lookup(operation)
    assert found is not None
    monkeypatch.setattr(found, attribute, mistake, raising=True)
    text = f"fn main(x: [n 3]):\n    y = {expression}\n    return x\n"
    faults = [fault(text, "main", seed) for seed in range(8)]
    assert any(f is not None and noticed in f.message for f in faults)
