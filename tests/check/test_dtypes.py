"""Dtypes and how they promote, held against torch."""

from __future__ import annotations

import copy
import itertools
import pickle

import pytest
import torch

from shapescript_check.types.dtypes import DTYPES, DType, Tier, promote

ALL = list(DTYPES.values())
OPERANDS = [(dtype, tier) for tier in (Tier.TENSOR, Tier.SCALAR_TENSOR) for dtype in ALL]
OPERANDS += [(dtype, Tier.NUMBER) for dtype in (DType.BOOL, DType.I64, DType.F32)]


def in_torch(dtype: DType, tier: Tier) -> torch.Tensor | bool | int | float:
    if tier is Tier.NUMBER:
        return {"bool": True, "int": 1, "float": 1.0}[dtype.kind]
    return torch.ones((3,) if tier is Tier.TENSOR else (), dtype=getattr(torch, dtype.torch_name))


def test_every_pair_promotes_as_in_torch() -> None:
    for left, right in itertools.product(OPERANDS, repeat=2):
        if left[1] is right[1] is Tier.NUMBER:
            continue  # Python's own arithmetic
        expected = torch.result_type(in_torch(*left), in_torch(*right))
        result = promote([left, right])
        assert result is not None
        assert getattr(torch, result.torch_name) == expected, (left, right)


def test_three_operands_promote_as_in_torch() -> None:
    clip_like = [(DType.I32, Tier.TENSOR), (DType.F64, Tier.SCALAR_TENSOR), (DType.F32, Tier.NUMBER)]
    for operands in itertools.permutations(clip_like):
        assert promote(operands) is DType.F64
    assert promote([(DType.U8, Tier.TENSOR), (DType.I64, Tier.NUMBER), (DType.BOOL, Tier.TENSOR)]) is DType.U8


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        ([("bf16", Tier.TENSOR), ("f32", Tier.NUMBER)], "bf16"),
        ([("u8", Tier.TENSOR), ("i64", Tier.NUMBER)], "u8"),
        ([("bf16", Tier.TENSOR), ("f16", Tier.TENSOR)], "f32"),
        ([("u8", Tier.TENSOR), ("f32", Tier.NUMBER)], "f32"),
        ([("f16", Tier.TENSOR), ("f64", Tier.SCALAR_TENSOR)], "f16"),
        ([("i32", Tier.TENSOR), ("bf16", Tier.SCALAR_TENSOR)], "bf16"),
        ([("f64", Tier.NUMBER)], "f32"),
    ],
)
def test_promotions_users_meet(operands: list[tuple[str, Tier]], expected: str) -> None:
    assert promote((DTYPES[name], tier) for name, tier in operands) is DTYPES[expected]


def test_the_callers_dtype_stays_the_callers() -> None:
    assert promote([(None, Tier.TENSOR), (DType.F32, Tier.NUMBER)]) is None
    assert promote([(DType.F32, Tier.TENSOR), (None, Tier.TENSOR)]) is None


def test_promotion_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        promote([])


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_facts_agree_with_torch(dtype: DType) -> None:
    theirs = getattr(torch, dtype.torch_name)
    assert dtype.bits == 8 * theirs.itemsize
    assert dtype.is_float == theirs.is_floating_point
    if dtype.is_float:
        info = torch.finfo(theirs)
        assert dtype.finfo_max == info.max
        assert 2.0 ** (1 - dtype.precision) == info.eps
        assert 2.0**dtype.least_exponent == info.smallest_normal * info.eps
        with pytest.raises(ValueError, match="not an integer"):
            _ = dtype.int_range
    elif dtype.is_int:
        assert dtype.int_range == (torch.iinfo(theirs).min, torch.iinfo(theirs).max)
    else:
        assert dtype.int_range == (0, 1)


def test_a_copy_is_the_same_dtype() -> None:
    for dtype in ALL:
        assert copy.deepcopy(dtype) is dtype
        assert pickle.loads(pickle.dumps(dtype)) is dtype
