"""Random patterns: what generated code computes, against einops and torch.einsum, and against the inferred types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import einops
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import shapescript
from shapescript_check import Checker, operations
from shapescript_check.codegen import generate
from shapescript_check.sizes import Size, Symbol
from shapescript_check.types.values import TensorType, ValueType

NAMES = "abcdegh"
EXAMPLES = settings(max_examples=100)


# --- programs ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Name:
    """A name of a pattern. `origin` is where its size comes from: a dim, a parameter's generic axis, or the pattern."""

    text: str
    size: int
    origin: str

    @property
    def in_type(self) -> str:
        """How a parameter's type writes it."""
        return str(self.size) if self.origin == "new" else self.text


Entry = list[Name]
"""One axis: one name alone, or several in a group. An empty one is a 1."""


def written(side: Sequence[Entry]) -> str:
    return " ".join(
        "1" if not e else e[0].text if len(e) == 1 else f"({' '.join(n.text for n in e)})" for e in side
    )


def shape_type(side: Sequence[Entry]) -> str:
    entries = (
        "1" if not e else e[0].in_type if len(e) == 1 else f"({' '.join(n.in_type for n in e)})" for e in side
    )
    return f"[{' '.join(entries)}]"


def shape_of(side: Sequence[Entry]) -> list[int]:
    return [int(torch.tensor([n.size for n in e]).prod()) if e else 1 for e in side]


def keywords(side: Sequence[Entry], extra: Sequence[Name] = ()) -> dict[str, int]:
    """Sizes for all but the first new name of each group, and for `extra`."""
    given: dict[str, int] = {n.text: n.size for n in extra if n.origin == "new"}
    for entry in side:
        new = [n for n in entry if n.origin == "new"]
        given |= {n.text: n.size for n in new[1:]}
    return given


def compiled(
    names: Sequence[Name], parameters: str, expression: str, results: int = 1
) -> tuple[Callable[..., Any], ValueType]:
    """The function of an expression, and the type it is given. Several results are given back one after another."""
    dims = "".join(f"dim {n.text} = {n.size}\n" for n in names if n.origin == "dim")
    text = f"devices cpu\n{dims}\nfn f({parameters}) = {expression}\n"
    if results > 1:
        bound = ", ".join(f"r{i}" for i in range(results))
        body = f"{bound} = {expression}\n    return stack({bound}, over=results)"
        text = f"devices cpu\n{dims}\nfn f({parameters}):\n    {body}\n"
    program = Checker().check("f.ss", text)
    assert not program.diagnostics, (text, [str(d) for d in program.diagnostics])
    module: dict[str, Any] = {}
    exec(compile(generate(program), "f.ss", "exec"), module)
    return module["f"], program.bodies["f"].body.returns


def assert_typed(kind: ValueType, result: torch.Tensor, names: Sequence[Name]) -> None:
    """Checks that a result has the shape and the dtype that were inferred."""
    assert isinstance(kind, TensorType)
    assert kind.axes is not None
    assert kind.dtype is not None
    sizes = {Symbol.generic(n.text): Size.number(n.size) for n in names if n.origin == "generic"}
    assert tuple(a.size.substitute(sizes).as_int() for a in kind.axes) == tuple(result.shape)
    assert str(result.dtype) == f"torch.{kind.dtype.torch_name}"


# --- random patterns ---------------------------------------------------------------------------------------


@st.composite
def some_names(draw: st.DrawFn, least: int = 0, most: int = 6, smallest: int = 1) -> list[Name]:
    count = draw(st.integers(least, most))
    names = []
    for text in NAMES[:count]:
        origin = draw(st.sampled_from(["dim", "generic", "new"]))
        lowest = smallest if origin == "generic" else 1
        names.append(Name(text, draw(st.integers(lowest, 3)), origin))
    return names


@st.composite
def sides(draw: st.DrawFn, names: Sequence[Name], *, bound: bool) -> list[Entry]:
    """The names in any order, grouped in any way, with ones between them. On the left of a pattern (`bound`), a group
    has one generic name at most, since a type can't tell two apart."""
    order = draw(st.permutations(list(names)))
    side: list[Entry] = []
    for name in order:
        joins = bool(side) and bool(side[-1]) and draw(st.booleans())
        if joins and bound and name.origin == "generic":
            joins = all(n.origin != "generic" for n in side[-1])
        if joins:
            side[-1].append(name)
        else:
            side.append([name])
        if draw(st.integers(0, 5)) == 0:
            side.append([])
    return side


def tensor(shape: Sequence[int], kind: str, order: Sequence[int]) -> torch.Tensor:
    """Random values laid out in memory in some order of the axes."""
    shuffled = torch.randn(
        [shape[i] for i in order], dtype=torch.float64, generator=torch.Generator().manual_seed(1)
    )
    back = [list(order).index(i) for i in range(len(shape))]
    x = shuffled.permute(back)
    return x > 0.0 if kind == "Mask" else x.to(getattr(torch, {"f64": "float64", "i32": "int32"}[kind]))


@st.composite
def laid_out(draw: st.DrawFn, side: Sequence[Entry], kind: str = "f64") -> torch.Tensor:
    shape = shape_of(side)
    return tensor(shape, kind, draw(st.permutations(range(len(shape)))))


def call(
    operation: str, left: Sequence[Entry], right: Sequence[Entry], sizes: dict[str, int], more: str = ""
) -> str:
    given = "".join(f", {name}={size}" for name, size in sizes.items())
    return f"{operation}(x, {written(left)} -> {written(right)}{more}{given})"


def einops_sizes(names: Sequence[Name]) -> dict[str, int]:
    return {n.text: n.size for n in names}


@EXAMPLES
@given(st.data())
def test_rearrange(data: st.DataObject) -> None:
    names = data.draw(some_names(smallest=0))
    left, right = data.draw(sides(names, bound=True)), data.draw(sides(names, bound=False))
    x = data.draw(laid_out(left))
    function, kind = compiled(
        names, f"x: {shape_type(left)} f64", call("rearrange", left, right, keywords(left))
    )
    result = function(x)
    expected = einops.rearrange(x, f"{written(left)} -> {written(right)}", **einops_sizes(names))
    assert torch.equal(result, expected)
    assert_typed(kind, result, names)


@EXAMPLES
@given(st.data())
def test_repeat(data: st.DataObject) -> None:
    names = data.draw(some_names(smallest=0))
    left = data.draw(sides(names, bound=True))
    new = [
        Name(text, data.draw(st.integers(1, 3)), data.draw(st.sampled_from(["dim", "new"])))
        for text in "pqr"[: data.draw(st.integers(0, 3))]
    ]
    right = data.draw(sides([*names, *new], bound=False))
    x = data.draw(laid_out(left))
    function, kind = compiled(
        [*names, *new], f"x: {shape_type(left)} f64", call("repeat", left, right, keywords(left, new))
    )
    result = function(x)
    pattern = f"{written(left)} -> {written(right)}"
    assert torch.equal(result, einops.repeat(x, pattern, **einops_sizes([*names, *new])))
    assert_typed(kind, result, names)


REDUCTIONS = [("sum", "f64"), ("mean", "f64"), ("max", "f64"), ("min", "f64"), ("prod", "f64")]
REDUCTIONS += [("any", "Mask"), ("all", "Mask"), ("sum", "i32"), ("max", "i32")]


@EXAMPLES
@given(st.data(), st.sampled_from(REDUCTIONS))
def test_reduce(data: st.DataObject, reduction: tuple[str, str]) -> None:
    by, kind_of_x = reduction
    names = data.draw(some_names(smallest=0 if by == "sum" else 1))
    left = data.draw(sides(names, bound=True))
    kept = [n for n in names if data.draw(st.booleans())]
    right = data.draw(sides(kept, bound=False))
    x = data.draw(laid_out(left, kind_of_x))
    function, kind = compiled(
        names, f"x: {shape_type(left)} {kind_of_x}", call("reduce", left, right, keywords(left), f", {by}")
    )
    result = function(x)
    pattern = f"{written(left)} -> {written(right)}"
    expected = einops.reduce(x, pattern, by, **einops_sizes(names))
    torch.testing.assert_close(result, expected.to(result.dtype))
    assert_typed(kind, result, names)


@EXAMPLES
@given(st.data())
def test_split(data: st.DataObject) -> None:
    names = data.draw(some_names(most=4, smallest=0))
    count = data.draw(st.integers(2, 4))
    counted = Name(str(count), count, "new")
    left = data.draw(sides([*names, counted], bound=True))
    left = [e for e in left if e]
    right = data.draw(sides(names, bound=False))
    x = data.draw(laid_out(left))
    sizes = keywords([[n for n in e if n is not counted] for e in left])
    function, kind = compiled(names, f"x: {shape_type(left)} f64", call("split", left, right, sizes), count)
    result = function(x)
    named = written(left).replace(str(count), "count")
    expected = einops.rearrange(x, f"{named} -> count {written(right)}", count=count, **einops_sizes(names))
    assert torch.equal(result, expected)
    assert_typed(kind, result, names)


def einsum_case(data: st.DataObject, most: int) -> tuple[list[Name], list[list[Name]], list[Name]]:
    names = data.draw(some_names(least=1, smallest=0))
    inputs = [
        data.draw(st.permutations(data.draw(st.lists(st.sampled_from(names), unique=True, max_size=4))))
        for _ in range(data.draw(st.integers(1, most)))
    ]
    used = [n for n in names if any(n in side for side in inputs)]
    out = data.draw(st.permutations([n for n in used if data.draw(st.booleans())]))
    return names, inputs, list(out)


@settings(max_examples=200)
@given(st.data())
def test_einsum(data: st.DataObject) -> None:
    names, inputs, out = einsum_case(data, 4)
    tensors = [data.draw(laid_out([[n] for n in side])).requires_grad_() for side in inputs]
    parameters = ", ".join(f"x{i}: [{' '.join(n.in_type for n in s)}] f64" for i, s in enumerate(inputs))
    operands = ", ".join(f"x{i}" for i in range(len(inputs)))
    pattern = f"{', '.join(' '.join(n.text for n in s) for s in inputs)} -> {' '.join(n.text for n in out)}"
    function, kind = compiled(names, parameters, f"einsum({operands}: {pattern})")
    result = function(*tensors)
    equation = f"{','.join(''.join(n.text for n in s) for s in inputs)}->{''.join(n.text for n in out)}"
    expected = torch.einsum(equation, *tensors)
    torch.testing.assert_close(result, expected)
    assert_typed(kind, result, names)
    weights = torch.randn(expected.shape, dtype=torch.float64)
    for mine, theirs in zip(
        gradients(result, weights, tensors), gradients(expected, weights, tensors), strict=True
    ):
        torch.testing.assert_close(mine, theirs)


def gradients(
    result: torch.Tensor, weights: torch.Tensor, tensors: Sequence[torch.Tensor]
) -> list[torch.Tensor]:
    found = torch.autograd.grad((result * weights).sum(), tensors, allow_unused=True, materialize_grads=True)
    return list(found)


# --- chosen cases ------------------------------------------------------------------------------------------


def function_of(parameters: str, expression: str, dims: str = "") -> Callable[..., Any]:
    text = f"devices cpu\n{dims}\nfn f({parameters}) = {expression}\n"
    program = Checker().check("f.ss", text)
    assert not program.diagnostics, [str(d) for d in program.diagnostics]
    return shapescript.compile(text).f


def test_more_names_than_torch_has_letters() -> None:
    names = [f"n{i}" for i in range(60)]
    sides = [names[:25], names[20:45], names[40:]]
    tensors = [torch.randn([1] * len(side), dtype=torch.float64) for side in sides]
    parameters = ", ".join(f"x{i}: [{' '.join(s)}] f64" for i, s in enumerate(sides))
    pattern = ", ".join(" ".join(s) for s in sides)
    result = function_of(parameters, f"einsum(x0, x1, x2: {pattern} -> n0 n59)")(*tensors)
    assert result.shape == (1, 1)
    torch.testing.assert_close(result.sum(), torch.stack([t.sum() for t in tensors]).prod())


def test_sizes_known_at_run_time() -> None:
    split = function_of("x: [n D], heads: int", "rearrange(x, n (h d) -> h n d, h=heads)", "dim D = 12")
    x = torch.randn(2, 12)
    for heads in (1, 3, 4, 12):
        assert torch.equal(split(x, heads), einops.rearrange(x, "n (h d) -> h n d", h=heads))
    with pytest.raises(RuntimeError, match="5"):
        split(x, 5)
    repeated = function_of("x: [n], times: int", "repeat(x, n -> (n k), k=times)")
    assert repeated(torch.tensor([1.0, 2.0]), 2).tolist() == [1.0, 1.0, 2.0, 2.0]
    for times in (0, -1):
        with pytest.raises(ValueError, match=f"`k` is given the size {times}"):
            repeated(torch.ones(2), times)


def test_axes_of_unknown_size() -> None:
    x = torch.randn(5, 6)
    kept = x[x.sum(1) > 0]
    for expression, pattern in [
        ("rearrange(rows, k (h d) -> k h d, h=2)", "k (h d) -> k h d"),
        ("rearrange(rows, k (h d) -> h k d, h=2)", "k (h d) -> h k d"),
        ("rearrange(rows, k (h d) -> (k h) d, h=2)", "k (h d) -> (k h) d"),
        ("rearrange(rows, k (h d) -> 1 (d k) h 1, h=2)", "k (h d) -> 1 (d k) h 1"),
    ]:
        text = f"devices cpu\nfn f(x: [n 6]):\n    rows = x[sum(x, over=n6) > 0.0]\n    return {expression}\n"
        text = text.replace("[n 6]", "[n n6]").replace("fn f", "dim n6 = 6\nfn f")
        result = shapescript.compile(text).f(x)
        assert torch.equal(result, einops.rearrange(kept, pattern, h=2)), expression
    repeated = shapescript.compile(
        "devices cpu\nfn f(x: [n D]) = repeat(x[sum(x, over=D) > 0.0], k D -> (k 3) D)\ndim D = 6\n"
    ).f
    assert torch.equal(repeated(x), einops.repeat(kept, "k d -> (k c) d", c=3))


def test_a_split_into_one() -> None:
    x = torch.randn(2, 6)
    for pattern in ("n (1 e) -> n e", "n (e 1) -> n e", "n (1 e) -> e n"):
        text = f"devices cpu\nfn f(x: [n 6]):\n    y = split(x, {pattern})\n    return y\n"
        assert torch.equal(shapescript.compile(text).f(x), x.T if "e n" in pattern else x)


def test_scalars() -> None:
    x = torch.randn(3)
    assert torch.equal(function_of("x: [n]", "einsum(2.0, x: , n -> n)")(x), 2.0 * x)
    assert torch.equal(
        function_of("x: [n], y: []", "einsum(y, x: , n ->)")(x, torch.tensor(3.0)), 3.0 * x.sum()
    )
    assert torch.equal(function_of("x: [n]", "repeat(2, -> n)")(x), torch.tensor([2, 2, 2]))
    assert function_of("x: [n]", "repeat(x, n -> n k, k=n-2)")(x).shape == (3, 1)
    with pytest.raises(ValueError, match="`k` is given the size -1"):
        function_of("x: [n]", "repeat(x, n -> n k, k=n-4)")(x)


@pytest.mark.parametrize("ones", range(5))
@pytest.mark.parametrize(
    "change", ["rearrange(x, {ones} -> )", "reduce(x, {ones} -> , max)", "reduce(x, {ones} -> , prod)"]
)
def test_any_number_of_ones_becomes_a_scalar(ones: int, change: str) -> None:
    shape = " ".join(["1"] * ones)
    program = f"devices cpu\n\nfn f(x: [{shape}]) -> [] = {change.format(ones=shape)}\n"
    result = shapescript.compile(program).f(torch.full([1] * ones, 3.0))
    assert result.shape == ()
    assert result.item() == 3.0


def test_an_operand_is_computed_once() -> None:
    calls = []
    text = "devices cpu\nfn f(x: [n D], y: [m D], count: int) -> [?k ?j]:\n    a = x[sum(x, over=D) > 0.0]\n"
    text += "    b = y[sum(y, over=D) > 0.0]\n"
    text += (
        "    joined = a @ rearrange(b, j D -> D j) |> rearrange(k j -> (k j)) |> rearrange((k j) -> k j)\n"
    )
    text += "    return joined |> repeat(k j -> (k i) j, i=count) |> rearrange(r j -> j r)\ndim D = 4\n"
    x, y = torch.randn(6, 4), torch.randn(5, 4)
    a, b = x[x.sum(1) > 0], y[y.sum(1) > 0]

    class Counted(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            calls.append(str(function))
            return function(*args, **(kwargs or {}))

    function = shapescript.compile(text).f
    with Counted():
        result = function(x, y, 2)
    torch.testing.assert_close(result, (a @ b.T).repeat_interleave(2, dim=0).T)
    assert calls.count("aten.mm.default") == 1


def test_moving_nothing_gives_the_operand_itself() -> None:
    x = torch.randn(2, 1, 6)
    for pattern in ("b i n -> b i n", "b 1 n -> b 1 n", "b 1 (h d) -> b 1 (h d), h=2"):
        assert function_of("x: [b 1 6]", f"rearrange(x, {pattern})")(x) is x
    assert function_of("x: [b 1 6]", "einsum(x: b i n -> b i n)")(x) is x


def test_moves_copy_nothing_that_views_can_do() -> None:
    x = torch.randn(2, 5, 3, 8).transpose(1, 2)
    for pattern, sizes in [
        ("b m n (h d) -> b h n m d", ", h=2"),
        ("b m n d -> d 1 n b m", ""),
        ("b m n (h i d) -> b m n h i d", ", h=2, i=2"),
    ]:
        result = function_of("x: [b m n 8]", f"rearrange(x, {pattern}{sizes})")(x)
        assert result.untyped_storage().data_ptr() == x.untyped_storage().data_ptr(), pattern
    repeated = function_of("x: [b m n 8]", "repeat(x, b m n d -> k b m n d, k=4)")(x)
    assert repeated.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()


@pytest.mark.parametrize(
    ("parameters", "expression", "shapes"),
    [
        ("x: [b n 24]", "rearrange(x, b n (k h d) -> k b h (n d), k=3, h=2)", [(2, 4, 24)]),
        ("x: [b n 6]", "repeat(x, b n d -> b (n k) d, k=2)", [(2, 4, 6)]),
        ("x: [b n 6]", "reduce(x, b n (h d) -> b h, max, h=2)", [(2, 4, 6)]),
        (
            "x: [b h n d], y: [b h m d]",
            "einsum(x, y: b h n d, b h m d -> b h n m)",
            [(2, 2, 4, 3), (2, 2, 5, 3)],
        ),
        ("x: [b h n d], y: [h d e]", "einsum(x, y: b h n d, h d e -> b n e)", [(2, 2, 4, 3), (2, 3, 5)]),
    ],
)
def test_runs_under_torch_compile(parameters: str, expression: str, shapes: list[tuple[int, ...]]) -> None:
    function = function_of(parameters, expression)
    traced = torch.compile(function, backend="eager", fullgraph=True, dynamic=True)
    for grown in (0, 1):
        tensors = [torch.randn(shape[0] + grown, *shape[1:]) for shape in shapes]
        if "y: [h d e]" in parameters:
            tensors[1] = torch.randn(shapes[1])
        torch.testing.assert_close(traced(*tensors), function(*tensors))


EXAMPLES_OF_USE = {
    "rearrange": ((torch.randn(2, 3, 6, 6),), (2, 4, 27)),
    "repeat": ((torch.randn(2, 2, 5, 3),), (2, 6, 5, 3)),
    "reduce": ((torch.rand(2, 8, 6),), (2, 4, 3)),
    "einsum": ((torch.randn(2, 3, 4), torch.randn(2, 5, 4)), (2, 3, 5)),
    "split": ((torch.randn(3, 16),), (3, 8)),
    "matmul": ((torch.randn(2, 8), torch.randn(8, 3), torch.randn(3)), (2, 3)),
}


@pytest.mark.parametrize("name", EXAMPLES_OF_USE)
def test_the_example_of_each_operation_runs(name: str) -> None:
    operation = operations.lookup(name)
    assert operation is not None
    program = Checker().check("f.ss", operation.example)
    assert not program.diagnostics, [str(d) for d in program.diagnostics]
    module = shapescript.compile(f"devices cpu\n{operation.example}")
    (function,) = program.bodies
    arguments, shape = EXAMPLES_OF_USE[name]
    assert getattr(module, function)(*arguments).shape == shape
