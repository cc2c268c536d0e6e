"""What elementwise operations and the prelude compute, held against torch, and the Python written for them."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F

import shapescript
from shapescript_check import Checker, operations
from shapescript_check.codegen import Options, generate
from shapescript_check.prelude import stub_names

Compute = Callable[..., torch.Tensor]


def written(parameters: str, expression: str, before: str = "") -> str:
    """The Python expression that is generated for one."""
    program = Checker().check("f.ss", f"{before}\nfn f({parameters}) = {expression}\n")
    assert not program.has_errors, [str(d) for d in program.diagnostics]
    module = generate(program, Options(checks="off", value_checks="off"))
    function = next(s for s in module.body if isinstance(s, ast.FunctionDef))
    returned = function.body[-1]
    assert isinstance(returned, ast.Return)
    assert returned.value is not None
    return ast.unparse(returned.value)


def values(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(len(shape)))


@pytest.mark.parametrize(
    ("parameters", "expression", "python"),
    [
        ("x: [n]", "x * 2.0", "x * 2.0"),
        ("x: [n]", "x |> mul(2.0) |> sub(1)", "x * 2.0 - 1"),
        ("x: [n]", "2 - (x - 1)", "2 - (x - 1)"),
        ("x: [n m], y: [m n]", "x / y", "x / y.mT"),
        ("x: [n m k], y: [n]", "x + y", "x + y[:, None, None]"),
        ("x: [n m], y: [m]", "-x - y", "-x - y"),
        ("x: [n m]", "x / n", "x / n"),
        ("x: [n d]", "x / pow(d, 0.5)", "x / d ** 0.5"),
        ("x: [n]", "pow(x, 2)", "torch.pow(x, 2)"),
        ("x: [n]", "maximum(x, 0)", "torch.clamp(x, min=0)"),
        ("x: [n]", "minimum(1.5, x)", "torch.clamp(x, max=1.5)"),
        ("x: [n], y: [n]", "maximum(x, y)", "torch.maximum(x, y)"),
        ("x: [n]", "clamp(x, -1, 0.5)", "torch.clamp(x, min=-1, max=0.5)"),
        ("x: [n]", "where(x > 0, x, 0.0)", "torch.where(x > 0, x, 0.0)"),
        ("x: [n m], keep: [m] Mask", "masked_fill(x, !keep, -inf)", "x.masked_fill(~keep, -math.inf)"),
        (
            "x: [n m]",
            "masked_fill(x, !causal[n m], 0)",
            "x.masked_fill(torch.ones(n, m, dtype=torch.bool, device=_ss_device).triu(1), 0)",
        ),
        ("x: [n m], keep: [n] Mask", "masked_fill(x, keep, 0)", "x.masked_fill(keep[:, None], 0)"),
        ("x: [n]", "x > 0 and !(x == 1) or x < -2", "(x > 0) & ~(x == 1) | (x < -2)"),
        ("x: [n]", "leaky_relu(x, slope=0.2)", "torch.nn.functional.leaky_relu(x, negative_slope=0.2)"),
        ("x: [n]", "elu(x)", "torch.nn.functional.elu(x)"),
        ("x: [n] i64", "elu(x)", "torch.nn.functional.elu(x.to(torch.float32))"),
        ("x: [n] i64", "gelu(x)", "torch.nn.functional.gelu(x.to(torch.float32))"),
        ("x: [n]", "gelu(x)", "torch.nn.functional.gelu(x)"),
    ],
)
def test_the_python_is_what_one_would_write(parameters: str, expression: str, python: str) -> None:
    assert written(parameters, expression) == python


X, Y, V = values(3, 4), values(4, 3), values(4)
WHOLE = torch.tensor([[0, 1, -2, 7], [3, 3, 2, -1], [5, 0, 0, 9]])
BYTES = torch.tensor([0, 3, 200, 255], dtype=torch.uint8)
KEEP = X > 0.3


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x + y", X + Y.mT),
        ("y - x", Y - X.mT),
        ("x * v / 3 - 1", X * V / 3 - 1),
        ("whole / 2", WHOLE / 2),
        ("whole / whole", WHOLE / WHOLE),
        ("byte + byte", BYTES + BYTES),
        ("-byte", -BYTES),
        ("byte / 255", BYTES / 255),
        ("whole * 0.5 + byte", WHOLE * 0.5 + BYTES),
        ("scale(x, v0)", X * V[0]),
        ("x < y", torch.lt(X, Y.mT)),
        ("whole == 3 or keep", (WHOLE == 3) | KEEP),
        ("keep != (x < 0)", torch.ne(KEEP, X < 0)),
        ("keep and flag", KEEP),
        ("where(flag, x, 0)", X),
        ("where(keep, x, v)", torch.where(KEEP, X, V)),
        ("where(v > 0, 1, 2.5)", torch.where(V > 0, 1, 2.5)),
        ("where(keep, keep, false)", KEEP),
        ("masked_fill(x, v > 0, v0)", X.masked_fill(V > 0, V[0])),
        ("masked_fill(whole, keep, 3)", WHOLE.masked_fill(KEEP, 3)),
        ("maximum(v, y)", torch.maximum(V[:, None], Y)),
        ("minimum(whole, 2.5)", torch.clamp(WHOLE, max=2.5)),
        ("maximum(2, 3)", torch.tensor(3)),
        ("abs(whole) + square(x)", WHOLE.abs() + X.square()),
        ("sign(x) + relu(x) + round(x * 3)", X.sign() + X.relu() + (X * 3).round()),
        ("floor(x) * ceil(x)", X.floor() * X.ceil()),
        ("acos(clamp(x, -1, 1)) + asin(x / 9)", X.clamp(-1, 1).acos() + (X / 9).asin()),
        ("atan2(x, 2.0)", torch.atan2(X, torch.tensor(2.0))),
        ("atan2(y, x)", torch.atan2(Y, X.mT)),
        ("pow(abs(x), v)", X.abs() ** V),
        ("pow(2, v)", 2**V),
        ("pow(whole, 3) + pow(n, 2)", WHOLE**3 + 9),
        ("leaky_relu(whole, 0.5)", F.leaky_relu(WHOLE.float(), 0.5)),
        ("elu(x, alpha=0.3)", F.elu(X, 0.3)),
        ("where(!(sqrt(n) > 2), x, -x)", X),
    ],
)
def test_results_are_those_of_torch(expression: str, expected: torch.Tensor) -> None:
    parameters = (
        "x: [n m], y: [m n], v: [m], v0: [], whole: [n m] i64, byte: [m] u8, keep: [n m] Mask, flag: bool"
    )
    module = shapescript.compile(f"fn f({parameters}) = {expression}\n", devices="cpu")
    result = module.f(X, Y, V, V[0], WHOLE, BYTES, KEEP, True)
    torch.testing.assert_close(result, expected, equal_nan=True)


def test_python_values_are_computed_with_as_they_come() -> None:
    expression = "maximum(torch.neg(x), 0) + where(x > 0, torch.neg(x), x)"
    program = f"import python torch\nfn f(x: [n]) -> [n] = ({expression}) as [n]\n"
    module = shapescript.compile(program, devices="cpu")
    assert written("x: [n]", expression, "import python torch").startswith(
        "torch.clamp(torch_.neg(x), min=0)"
    )
    torch.testing.assert_close(module.f(V), torch.clamp(-V, min=0) + torch.where(V > 0, -V, V))


def test_functions_of_python_values_give_python_values() -> None:
    program = (
        "import python torch\n"
        "fn swish(x: Real, k = 2.0) -> Real = x * sigmoid(k * x)\n"
        "fn f(x: [n]) -> [3] = (swish(torch.ones(3)) + logaddexp(x, torch.zeros(3))) as [3]\n"
    )
    ones = torch.ones(3)
    expected = torch.sigmoid(2 * ones) + torch.logaddexp(ones, torch.zeros(3))
    torch.testing.assert_close(shapescript.compile(program, devices="cpu").f(ones), expected)


# --- the prelude -------------------------------------------------------------------------------------------

IMAGE, KERNEL = values(2, 4, 8, 9), values(6, 4, 3, 3)
QUERY, KEY = values(2, 3, 5, 4), values(2, 3, 5, 4) + 1
TARGET = torch.rand(3, 4, generator=torch.Generator().manual_seed(1))
AT_1 = (X.mT[..., None] * torch.tensor([1.0, -2.0])).permute(1, 0, 2)  # [3 4 2]


@pytest.mark.parametrize(
    ("parameters", "expression", "arguments", "expected"),
    [
        ("x: [n m], w: [k m], b: [k]", "linear(x, w, bias=b)", (X, values(5, 4), values(5)), F.linear),
        ("x: [n m], w: [k m]", "x |> linear(w)", (X, values(5, 4)), F.linear),
        ("i: [n m] Index[v], w: [v d]", "embedding(i, w)", (WHOLE.abs(), values(10, 6)), F.embedding),
        ("x: [n m]", "layer_norm(x, over=m)", (X,), lambda x: F.layer_norm(x, (4,))),
        (
            "x: [n m k], w: [m], b: [m]",
            "layer_norm(x, over=m, weight=w, bias=b, eps=1e-3)",
            (AT_1, V, V + 1),
            lambda x, w, b: F.layer_norm(x.mT, (4,), w, b, 1e-3).mT,
        ),
        ("x: [n m]", "rms_norm(x, over=m)", (X,), lambda x: F.rms_norm(x, (4,))),
        ("x: [n m] bf16", "rms_norm(x, over=m)", (X.bfloat16() / 1e4,), lambda x: F.rms_norm(x, (4,))),
        (
            "x: [n m k], w: [m]",
            "rms_norm(x, over=m, weight=w, eps=0.1)",
            (AT_1, V),
            lambda x, w: F.rms_norm(x.mT, (4,), w, 0.1).mT,
        ),
        (
            "x: [n m k], w: [m], b: [m], s: [m]",
            "batch_norm(x, Eval, over=m, weight=w, bias=b, running_mean=b, running_var=s * s, eps=0.1)",
            (AT_1, V, V + 1, V),
            lambda x, w, b, s: F.batch_norm(x, b, s * s, w, b, eps=0.1),
        ),
        (
            "x: [n m]",
            "batch_norm(x, Train(seed=0), over=n)",
            (X,),
            lambda x: F.batch_norm(x.mT, None, None, training=True).mT,
        ),
        (
            "x: [b c h w], g: [c]",
            "group_norm(x, 2, weight=g)",
            (IMAGE, V),
            lambda x, g: F.group_norm(x, 2, g),
        ),
        ("x: [b c h w], k: [d c 3 3]", "conv2d(x as [b c 8 9], k)", (IMAGE, KERNEL), F.conv2d),
        (
            "x: [b c 8 9], k: [d c 3 3], v: [d]",
            "conv2d(x, k, bias=v, stride=2, padding=1, dilation=2)",
            (IMAGE, KERNEL, values(6)),
            lambda x, k, v: F.conv2d(x, k, v, 2, 1, 2),
        ),
        (
            "x: [b 4 8 9], k: [6 2 3 3]",
            "conv2d(x, k, groups=2)",
            (IMAGE, KERNEL[:, :2]),
            lambda x, k: F.conv2d(x, k, groups=2),
        ),
        ("x: [b c n], k: [d c 3]", "conv1d(x, k)", (IMAGE[:, :, 0], KERNEL[:, :, 0]), F.conv1d),
        ("x: [b c t h w], k: [d c 1 3 3]", "conv3d(x, k)", (IMAGE[:, :, None], KERNEL[:, :, None]), F.conv3d),
        (
            "x: [b c h w], k: [c d 2 2]",
            "conv_transpose2d(x, k, stride=2)",
            (IMAGE, values(4, 3, 2, 2)),
            lambda x, k: F.conv_transpose2d(x, k, stride=2),
        ),
        (
            "x: [b c n], k: [c d 3]",
            "conv_transpose1d(x, k, stride=3, padding=1, output_padding=1)",
            (IMAGE[:, :, 0], values(4, 2, 3)),
            lambda x, k: F.conv_transpose1d(x, k, None, 3, 1, 1),
        ),
        ("x: [b c 8 9]", "max_pool2d(x, 2)", (IMAGE,), lambda x: F.max_pool2d(x, 2)),
        (
            "x: [b c 8 9]",
            "avg_pool2d(x, 3, stride=2, padding=1)",
            (IMAGE,),
            lambda x: F.avg_pool2d(x, 3, 2, 1),
        ),
        ("x: [b c 9]", "max_pool1d(x, 3)", (IMAGE[:, :, 0],), lambda x: F.max_pool1d(x, 3)),
        ("x: [b c 9]", "avg_pool1d(x, 3, stride=2)", (IMAGE[:, :, 0],), lambda x: F.avg_pool1d(x, 3, 2)),
        ("x: [b c h w]", "adaptive_avg_pool2d(x, 2)", (IMAGE,), lambda x: F.adaptive_avg_pool2d(x, 2)),
        ("x: [b c h w]", "interpolate(x, 3)", (IMAGE,), lambda x: F.interpolate(x, scale_factor=3)),
        ("x: [b 4 h w]", "pixel_shuffle(x, 2)", (IMAGE,), lambda x: F.pixel_shuffle(x, 2)),
        ("x: [b c 8 6]", "pixel_unshuffle(x, 2)", (IMAGE[..., :6],), lambda x: F.pixel_unshuffle(x, 2)),
        (
            "q: [b h n d], k: [b h m d]",
            "scaled_dot_product_attention(q, k, k)",
            (QUERY, KEY[:, :, :2]),
            lambda q, k: F.scaled_dot_product_attention(q, k, k),
        ),
        (
            "q: [b h n d], k: [b h n d]",
            "scaled_dot_product_attention(q, k, q, is_causal=true)",
            (QUERY, KEY),
            lambda q, k: F.scaled_dot_product_attention(q, k, q, is_causal=True),
        ),
        (
            "q: [b h n d], k: [b h m d], see: [n m] Mask",
            "scaled_dot_product_attention(q, k, k, attn_mask=see)",
            (QUERY, KEY, torch.eye(5) == 1),
            lambda q, k, see: F.scaled_dot_product_attention(q, k, k, see),
        ),
        ("x: [n m]", "normalize(x, over=n)", (X,), lambda x: F.normalize(x, dim=0)),
        (
            "x: [n m]",
            "cummax(x, over=m) - cummin(x, over=n)",
            (X,),
            lambda x: x.cummax(1)[0] - x.cummin(0)[0],
        ),
        ("x: [n m]", "logcumsumexp(x, over=m)", (X,), lambda x: x.logcumsumexp(1)),
        ("x: [n 4]", "glu(x)", (X,), F.glu),
        ("x: [n d], y: [m d]", "cdist(x, y)", (X, values(2, 4)), torch.cdist),
        ("x: [n m], y: [n m]", "l1_loss(x, y)", (X, TARGET), F.l1_loss),
        ("x: [n m], y: [n m]", "smooth_l1_loss(x, y)", (X, TARGET), F.smooth_l1_loss),
        (
            "x: [n m], y: [n m] Unit",
            "binary_cross_entropy_with_logits(x, y)",
            (X, TARGET),
            F.binary_cross_entropy_with_logits,
        ),
        (
            "x: [n m], y: [n m] Unit",
            "binary_cross_entropy(sigmoid(x), y)",
            (X, TARGET),
            lambda x, y: F.binary_cross_entropy(x.sigmoid(), y),
        ),
        ("x: [n m]", "logaddexp(x, 1.0)", (X,), lambda x: torch.logaddexp(x, torch.tensor(1.0))),
        ("x: [n m]", "isnan(x) or isinf(x) or !isfinite(x)", (X / (X > 0),), lambda x: ~x.isfinite()),
    ],
)
def test_the_prelude_computes_what_torch_does(
    parameters: str, expression: str, arguments: tuple[torch.Tensor, ...], expected: Compute
) -> None:
    program = f"fn f({parameters}) = {expression}\n"
    result = shapescript.compile(program, devices="cpu").f(*arguments)
    torch.testing.assert_close(result, expected(*arguments))
    kind = Checker().check("f.ss", program).bodies["f"].body.returns
    fixed = [a.size.as_int() for a in kind.axes]  # type: ignore[union-attr]
    assert len(fixed) == result.dim()
    assert all(size is None or size == n for size, n in zip(fixed, result.shape, strict=True))


OF_ONE_NUMBER = [
    *("exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "sin", "cos", "tanh", "sigmoid", "erf"),
    *("gelu", "silu", "softplus", "log_sigmoid", "mish", "selu", "relu6"),
    *("hardsigmoid", "hardswish", "softsign", "exp2", "log2", "log10", "tan", "atan"),
    *("sinh", "cosh", "asinh", "acosh", "atanh", "erfc", "erfinv", "lgamma", "digamma"),
]


@pytest.mark.parametrize("name", OF_ONE_NUMBER)
def test_functions_of_one_number(name: str) -> None:
    module = shapescript.compile(f"fn f(x: [n]) = {name}(x)\n", devices="cpu")
    theirs = {"log_sigmoid": "logsigmoid"}.get(name, name)
    function = getattr(torch, theirs, None) or getattr(F, theirs)
    x = torch.tensor([-20.0, -1.5, -1.0, -0.3, 0.0, 0.4, 1.0, 2.0, 6.5, 30.0])
    result = module.f(x)
    torch.testing.assert_close(result, function(x), equal_nan=True)
    kind = Checker().check("f.ss", f"fn f(x: [n]) = {name}(x)\n").bodies["f"].body.returns
    finite = result[~result.isnan()].double()
    assert all(kind.domain.interval.includes(v) for v in finite.tolist())  # type: ignore[union-attr]


def test_every_stub_is_tested_here() -> None:
    with open(__file__, encoding="utf-8") as file:
        text = file.read()
    assert {name for name in stub_names() if f"{name}(" not in text and name not in OF_ONE_NUMBER} == set()


@pytest.mark.parametrize(
    ("parameters", "expression", "code", "at"),
    [
        ("x: [n m], w: [k n]", "linear(x, w)", "E0401", "w"),
        ("x: [n m], w: [k]", "layer_norm(x, over=m, weight=w)", "E0401", "w"),
        ("x: [n m]", "layer_norm(x)", "E0406", "layer_norm"),
        ("x: [n m]", "rms_norm(x, over=q)", "E0405", "over=q"),
        ("i: [n] i64, w: [v d]", "embedding(i, w)", "E0501", "i"),
        ("x: [b 3 8 8], w: [d 4 3 3]", "conv2d(x, w)", "E0401", "w"),
        ("x: [b c 2 2]", "max_pool2d(x, 3)", "E0401", "max_pool2d(x, 3)"),
        ("x: [b c h w]", "avg_pool2d(x, 2)", "E0402", "avg_pool2d(x, 2)"),
        ("x: [b c 8 8], k: [n]", "max_pool2d(x, sum(k))", "E0406", "sum(k)"),
        ("x: [n m], w: [k m] bf16", "linear(x, w)", "E0502", "w"),
    ],
)
def test_what_the_prelude_refuses(parameters: str, expression: str, code: str, at: str) -> None:
    text = f"fn f({parameters}) = {expression}\n"
    found = Checker().check("f.ss", text).diagnostics
    assert [(d.code, text[d.span.start : d.span.end]) for d in found] == [(code, at)]


# --- examples ----------------------------------------------------------------------------------------------


def _elementwise() -> list[operations.Operation]:
    found = [operations.lookup(name) for name in sorted(operations.names())]
    hidden = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
    logic = ("logical_and", "logical_or", "logical_not")
    return [
        o for o in (*found, *map(operations.operator, (*hidden, *logic))) if o is not None and o.elementwise
    ]


@pytest.mark.parametrize("operation", _elementwise(), ids=lambda o: o.name)
def test_examples_check_and_compile(operation: operations.Operation) -> None:
    program = Checker().check("example.ss", operation.example)
    assert program.diagnostics == ()
    assert operation.name in operation.example
    shapescript.compile(operation.example, devices="cpu")


def test_a_power_in_a_function_of_any_numbers_doesnt_fail_on_integers() -> None:
    refused = Checker().check("f.ss", "fn f(x: Real) = pow(x, -2)\n")
    assert [(d.code, d.help) for d in refused.diagnostics] == [
        ("E0502", "write -2.0, which makes floats of them")
    ]
    text = "devices cpu\nfn f(x: Real) = pow(x, -2.0)\nfn g(x: [n] i64) -> [n] = f(x)\n"
    result = shapescript.compile(text).g(torch.tensor([1, 2, -4]))
    assert torch.equal(result, torch.tensor([1.0, 0.25, 0.0625]))
