"""Argument checks under torch.compile, torch.export, torch.vmap and fake tensors."""

from __future__ import annotations

import pytest
import torch
from torch._dynamo.testing import CompileCounter
from torch._subclasses.fake_tensor import FakeTensorMode

import shapescript
import shapescript_runtime as rt
from tests.runtime.generated import grouped, heads, patches, project, shifted

pytestmark = pytest.mark.usefixtures("cpu")


@pytest.fixture(autouse=True)
def _fresh() -> None:
    torch.compiler.reset()


def inputs(b: int = 2, n: int = 5, m: int = 7) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return torch.ones(b, n, 768), torch.full((768, 2304), 2.0**-10), torch.ones(n, m, dtype=torch.bool)


@pytest.mark.parametrize("dynamic", [None, True, False])
def test_no_graph_break(dynamic: bool | None) -> None:
    compiled = torch.compile(project, fullgraph=True, backend="eager", dynamic=dynamic)
    for sizes in ((2, 5, 7), (3, 6, 8), (4, 6, 9)):
        assert torch.equal(compiled(*inputs(*sizes)), project(*inputs(*sizes)))


def test_sizes_that_are_solved_for_need_no_graph_break() -> None:
    ones = torch.ones
    for function, arguments in (
        (heads, (ones(2, 5, 64), ones(4, 16))),
        (patches, (ones(1, 224, 32),)),
        (shifted, (ones(5), ones(11), ones(4, 4))),
        (grouped, (ones(6), ones(3, 5))),
    ):
        for dynamic in (False, True):
            compiled = torch.compile(function, fullgraph=True, backend="eager", dynamic=dynamic)
            assert torch.equal(torch.as_tensor(compiled(*arguments)), torch.as_tensor(function(*arguments)))
            torch.compiler.reset()


def test_dynamic_sizes_are_compiled_once() -> None:
    counter = CompileCounter()
    compiled = torch.compile(project, fullgraph=True, backend=counter, dynamic=True)
    for n in (5, 6, 7, 8):
        compiled(*inputs(n=n))
    assert counter.frame_count == 1


def test_compiled_functions_refuse_with_the_same_error() -> None:
    compiled = torch.compile(project, backend="eager")
    compiled(*inputs())
    _, w, mask = inputs()
    for x in (torch.ones(2, 5, 72), torch.ones(5, 768), None):
        with pytest.raises(rt.ShapeError) as expected:
            project(x, w, mask)
        with pytest.raises(rt.ShapeError) as raised:
            compiled(x, w, mask)
        assert str(raised.value) == str(expected.value)
    with pytest.raises(rt.DeviceError):
        compiled(torch.ones(2, 5, 768, device="meta"), w, mask)


@pytest.mark.parametrize("strict", [False, True])
def test_exported_functions_keep_their_sizes_dynamic(strict: bool) -> None:
    class Module(torch.nn.Module):
        def forward(self, x: torch.Tensor, w: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            return project(x, w, mask)

    b, n, m = (torch.export.Dim(name) for name in "bnm")
    program = torch.export.export(
        Module(), inputs(), dynamic_shapes=({0: b, 1: n}, None, {0: n, 1: m}), strict=strict
    )
    others = inputs(3, 11, 4)
    assert torch.equal(program.module()(*others), project(*others))


def test_the_elements_of_a_vmap() -> None:
    x, w, mask = inputs()
    batched = torch.stack([x, 2 * x, 3 * x])
    result = torch.vmap(project, in_dims=(0, None, None))(batched, w, mask)
    assert torch.equal(result[1], project(2 * x, w, mask))
    with pytest.raises(rt.ShapeError, match=r"got shape \(2, 5\): 2 axes, not 3"):
        torch.vmap(project, in_dims=(0, None, None))(torch.ones(3, 2, 5), w, mask)


def test_gradients_of_functions_that_check() -> None:
    x, w, mask = inputs()
    gradient = torch.func.grad(lambda x: project(x, w, mask).sum())(x)
    assert gradient.shape == x.shape
    tangent = torch.func.jvp(lambda x: project(x, w, mask), (x,), (x,))[1]
    assert torch.equal(tangent, project(x, w, mask))


def test_fake_tensors() -> None:
    with FakeTensorMode():
        assert project(*inputs()).shape == (10, 768 * 3 // 768)
        with pytest.raises(rt.ShapeError, match=r"axis 3 is 72, not D = 768"):
            project(torch.ones(2, 5, 72), *inputs()[1:])


def test_assertions_need_no_graph_break() -> None:
    def assertions(x: torch.Tensor, k: int) -> torch.Tensor:
        n = x.shape[0]
        y = rt.check_shape(x, (n, None), "[n ?k]", "a.ss:1:1")
        z = rt.check_shape(y, (n, 768), "[n D]", "a.ss:2:1", (("D", 768),))
        return z * rt.check_host(k, "int", "a.ss:3:1")

    compiled = torch.compile(assertions, fullgraph=True, backend="eager", dynamic=True)
    for n in (3, 5):
        assert torch.equal(compiled(torch.ones(n, 768), n), torch.full((n, 768), float(n)))


VALUES = """\
dim C = 4
domain Level = [0.1, 10]

fn chosen(x: [b C] Prob over C, y: [b] Index[C]) -> [] NonNeg = cross_entropy(log(x + 1e-9), y, over=C)
fn claimed(x: [b C], k: int) -> [b C] = (x as Level) * (k as Pos)
fn bits(x: [n] Binary, a: [n] Additive, l: [n] LogProb over n) -> [n] = x + exp(a) + l
"""


@pytest.mark.parametrize("backend", ["eager", "aot_eager", pytest.param("inductor", marks=pytest.mark.slow)])
def test_value_checks_need_no_graph_break(backend: str) -> None:
    module = shapescript.compile(VALUES, devices="cpu")
    x, index = torch.tensor([[0.25, 0.5, 0.125, 0.125]]), torch.tensor([3])
    zeros, logs = torch.zeros(4), x[0].log()
    for name, fitting, other in (
        ("chosen", (x, index), (2 * x, index)),
        ("chosen", (x, index), (x, index + 1)),
        ("claimed", (x, 2), (x - 1, 2)),
        ("bits", (zeros, zeros, logs), (zeros + 2, zeros, logs)),
        ("bits", (zeros, zeros, logs), (zeros, zeros, logs + 1)),
    ):
        function = getattr(module, name)
        compiled = torch.compile(function, fullgraph=True, backend=backend)
        torch.testing.assert_close(compiled(*fitting), function(*fitting))
        with pytest.raises(rt.DomainError) as refused:
            function(*other)
        with pytest.raises(rt.DomainError) as raised:
            compiled(*other)
        assert str(raised.value) == str(refused.value)
