"""What the checker says of elementwise operations, held against what torch computes."""

from __future__ import annotations

from types import ModuleType

import pytest
import torch

import shapescript
from shapescript_check import Checker
from shapescript_check.types.domains import BINARY
from shapescript_check.types.values import TensorType

ONE = [
    *("-x", "abs(x)", "square(x)", "sign(x)", "floor(x)", "ceil(x)", "round(x)", "relu(x)"),
    *("leaky_relu(x, 0.2)", "leaky_relu(x, -0.2)", "elu(x)", "elu(x, alpha=-1.5)", "acos(x)", "asin(x)"),
    *(
        "clamp(x, -0.7, 0.3)",
        "clamp(x, 0, 1)",
        "clamp(x, 0.25, inf)",
        "pow(x, 2)",
        "pow(x, 1)",
        "pow(x, 0.5)",
    ),
    *(
        "pow(x, 3)",
        "pow(1.5, x)",
        "x + 1",
        "x - 0.1",
        "2 - x",
        "x * 3",
        "x * -0.7",
        "x / 3",
        "x / -0.7",
        "1 / x",
    ),
    *(
        "maximum(x, 0.3)",
        "minimum(1, x)",
        "scale(x, 0.3)",
        "x > 0",
        "x == 1",
        "x <= 0.5",
        "!(x < 0) and x != 2",
    ),
    *("where(x > 0, x, 0.3)", "where(x > 0, 1.0, -2.5)", "masked_fill(x, x > 0, 1)"),
]
TWO = [
    *("x + y", "x - y", "x * y", "x / y", "maximum(x, y)", "minimum(x, y)", "pow(x, y)", "atan2(x, y)"),
    *("where(x > y, x, y)", "x == y", "x >= y or x != y", "masked_fill(x, y > 0, -inf)"),
]
VALUES = {
    "": [0.0, -0.0, 1.0, -1.0, 0.3, -2.5, 1e-30, -1e-30, 123456.789, -3e38, 3e38, 7.0, 0.5],
    "Unit": [0.0, 1.0, 0.5, 0.3, 1e-7, 0.999, 1e-39, 0.75],
    "Signed": [-1.0, 1.0, 0.0, -0.5, 0.3, 1e-7, -0.999, 0.9999],
    "Pos": [1.0, 1e-30, 1e-39, 0.5, 3e38, 17.3, 2.0, 1e-3],
    "NonNeg": [0.0, 1.0, 1e-30, 0.5, 3e38, 17.3, 2.0, 1e-3],
    "Binary": [0.0, 1.0],
    "Tens": [10.0, 19.9, 12.5, 20.0, 15.3],
}
WHOLE = {
    # Wide integers are taken not to overflow; small ones wrap around.
    "i64": [0, 1, -1, 5, -7, 2**20, -(2**20)],
    "i32": [0, 1, -1, 5, -7, 1000, -1000],
    "u8": [0, 1, 2, 5, 200, 255, 16],
    "i8": [0, 1, -1, 5, -7, 127, -128],
}
DTYPES = {
    "": torch.float32,
    "f64": torch.float64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i64": torch.int64,
    "i32": torch.int32,
    "u8": torch.uint8,
    "i8": torch.int8,
}
FLOATS = [(domain, dtype) for domain in VALUES for dtype in ("", "bf16", "f16", "f64")]
ELEMENTS = [*FLOATS, *(("", dtype) for dtype in WHOLE)]


def samples(domain: str, dtype: str) -> torch.Tensor:
    """Values that a domain allows in a dtype, the ends among them."""
    if dtype in WHOLE:
        return torch.tensor(WHOLE[dtype], dtype=DTYPES[dtype])
    stored = torch.tensor(VALUES[domain], dtype=torch.float64).to(DTYPES[dtype])
    keep = stored.isfinite()
    if domain == "Pos":
        keep &= stored > 0
    if domain == "Tens":
        keep &= (stored >= 10) & (stored < 20)
    return stored[keep]


def compiled(
    signatures: list[tuple[str, str]], before: str = ""
) -> tuple[ModuleType, list[TensorType | None]]:
    """A program with a function for each signature and expression, and the types of their results; None for one
    that is refused."""
    lines = [f"domain Tens = [10, 20)\n{before}"]
    kinds: list[TensorType | None] = []
    for number, (parameters, expression) in enumerate(signatures):
        line = f"fn f{number}({parameters}) = {expression}"
        program = Checker().check("f.ss", f"{lines[0]}\n{line}\n")
        kind = None if program.has_errors else program.bodies[f"f{number}"].body.returns
        if kind is not None:
            assert isinstance(kind, TensorType)
            lines.append(line)
        kinds.append(kind)
    return shapescript.compile("\n".join(lines) + "\n", devices="cpu", value_checks="off"), kinds


def check_result(kind: TensorType, result: torch.Tensor, what: str) -> None:
    """The dtype is the type's, and all values are in its domain. NaN isn't tracked."""
    assert kind.dtype is not None
    assert str(result.dtype) == f"torch.{kind.dtype.torch_name}", what
    if kind.is_mask:
        return
    values = result.double()
    values = values[~values.isnan()]
    if not values.numel():
        return
    interval = kind.domain.interval
    for value in (values.min().item(), values.max().item()):
        assert interval.includes(value), f"{what}: {value} isn't in {interval}"
    if kind.domain == BINARY:
        assert set(values.tolist()) <= {0.0, 1.0}, what


@pytest.mark.parametrize("expression", ONE)
def test_results_of_one_operand_are_in_their_types(expression: str) -> None:
    signatures = [(f"x: [n] {domain} {dtype}", expression) for domain, dtype in ELEMENTS]
    module, kinds = compiled(signatures)
    for number, kind in enumerate(kinds):
        if kind is not None:
            x = samples(*ELEMENTS[number])
            result = getattr(module, f"f{number}")(x)
            assert result.shape == x.shape
            check_result(kind, result, f"{expression} of {signatures[number][0]}")


@pytest.mark.parametrize("expression", ONE)
def test_results_of_a_function_of_the_program_are_in_their_types(expression: str) -> None:
    elements = [e for e in ELEMENTS if e[1] not in WHOLE or "elu(" not in expression]
    signatures = [(f"x: [n] {domain} {dtype}", "g(x)") for domain, dtype in elements]
    module, kinds = compiled(signatures, f"fn g(x: Real) = {expression}")
    for number, kind in enumerate(kinds):
        if kind is not None:
            result = getattr(module, f"f{number}")(samples(*elements[number]))
            check_result(kind, result, f"{expression} of {signatures[number][0]}")


@pytest.mark.parametrize("expression", TWO)
def test_results_of_two_operands_are_in_their_types(expression: str) -> None:
    some = [e for e in ELEMENTS if e[1] != "f64" and e[0] != "NonNeg"]
    pairs = [(x, y) for i, x in enumerate(some) for j, y in enumerate(some) if (i + j) % 7 == 0]
    signatures = [(f"x: [n m] {' '.join(x)}, y: [m] {' '.join(y)}", expression) for x, y in pairs]
    module, kinds = compiled(signatures)
    for number, kind in enumerate(kinds):
        if kind is not None:
            x, y = (samples(*e) for e in pairs[number])
            result = getattr(module, f"f{number}")(x[:, None].expand(-1, len(y)), y)
            assert result.shape == (len(x), len(y))
            check_result(kind, result, f"{expression} of {signatures[number][0]}")


@pytest.mark.parametrize("expression", TWO)
@pytest.mark.parametrize("dtype", ["bf16", "f32", "f64", "u8", "i64"])
def test_a_tensor_without_axes_is_rounded_to_the_other_dtype(expression: str, dtype: str) -> None:
    signatures = [
        (f"x: [n] {domain} {dtype}, y: [] {other}", expression)
        for domain in ("", "Tens" if dtype.startswith(("f", "b")) else "")
        for other in ("", "Unit", "Tens", "f64", "i64")
    ]
    module, kinds = compiled(signatures)
    for number, kind in enumerate(kinds):
        if kind is None:
            continue
        parameters = signatures[number][0].split(", ")
        words = [p.split("]")[1].split() for p in parameters]
        x, y = (_samples_of(w) for w in words)
        for each in y:
            check_result(kind, getattr(module, f"f{number}")(x, each), f"{expression} of {parameters}")


def _samples_of(words: list[str]) -> torch.Tensor:
    dtype = next((w for w in words if w in DTYPES or w == "f32"), "")
    domain = next((w for w in words if w in VALUES), "")
    return samples(domain, "" if dtype == "f32" else dtype)
