"""How values are stored, and what an operation on several of them computes in."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import ClassVar

from shapescript_syntax.records import members

_RANKS = {"bool": 0, "int": 1, "float": 2}


class DType:
    """A tensor's storage type. There is one object of each, so they compare by identity.

    Attributes:
        name: the name in the source, such as `bf16`.
        kind: `bool`, `int` or `float`.
        bits: the width in memory.
        torch_name: the attribute of torch, such as `bfloat16`.
        precision: the significant bits of a float, the leading one included; 0 for the others.
        least_exponent: the exponent of a float's smallest subnormal, a power of two.
        finfo_max: the largest finite float; infinity for the others.
    """

    __slots__ = (
        "_int_range",
        "bits",
        "finfo_max",
        "is_bool",
        "is_float",
        "is_int",
        "kind",
        "least_exponent",
        "name",
        "precision",
        "rank",
        "torch_name",
    )

    BOOL: ClassVar[DType]
    U8: ClassVar[DType]
    I8: ClassVar[DType]
    I16: ClassVar[DType]
    I32: ClassVar[DType]
    I64: ClassVar[DType]
    F16: ClassVar[DType]
    BF16: ClassVar[DType]
    F32: ClassVar[DType]
    F64: ClassVar[DType]

    def __init__(self, name: str, torch_name: str, bits: int, precision: int = 0, exponents: int = 0) -> None:
        self.name = name
        self.torch_name = torch_name
        self.bits = bits
        self.kind = "float" if precision else "bool" if name == "bool" else "int"
        self.is_bool = self.kind == "bool"
        self.is_int = self.kind == "int"
        self.is_float = self.kind == "float"
        self.rank = _RANKS[self.kind]
        self.precision = precision
        # `exponents` is the largest binary exponent, and the smallest normal one is 1 - exponents.
        self.least_exponent = 2 - exponents - precision
        self.finfo_max = (2.0 - 2.0 ** (1 - precision)) * 2.0**exponents if precision else float("inf")
        low = 0 if name in ("bool", "u8") else -(1 << (bits - 1))
        high = 1 if name == "bool" else 255 if name == "u8" else (1 << (bits - 1)) - 1
        self._int_range = (low, high)

    @property
    def int_range(self) -> tuple[int, int]:
        """The smallest and largest whole number of an integer dtype, or 0 and 1 for bool.

        Raises:
            ValueError: the dtype is a float.
        """
        if self.precision:
            raise ValueError(f"{self.name} is not an integer dtype")
        return self._int_range

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<dtype {self.name}>"

    def __reduce__(self) -> str:
        # Pickles by this name of the class, so that a copy is the same object.
        return f"DType.{self.name.upper()}"


DType.BOOL = DType("bool", "bool", 8)
DType.U8 = DType("u8", "uint8", 8)
DType.I8 = DType("i8", "int8", 8)
DType.I16 = DType("i16", "int16", 16)
DType.I32 = DType("i32", "int32", 32)
DType.I64 = DType("i64", "int64", 64)
DType.F16 = DType("f16", "float16", 16, precision=11, exponents=15)
DType.BF16 = DType("bf16", "bfloat16", 16, precision=8, exponents=127)
DType.F32 = DType("f32", "float32", 32, precision=24, exponents=127)
DType.F64 = DType("f64", "float64", 64, precision=53, exponents=1023)

DEFAULT_FLOAT = DType.F32
"""The dtype of new float tensors, and of Python floats among tensors."""
DEFAULT_INT = DType.I64

DTYPES: dict[str, DType] = {
    dtype.name: dtype
    for dtype in (
        DType.BOOL,
        DType.U8,
        DType.I8,
        DType.I16,
        DType.I32,
        DType.I64,
        DType.F16,
        DType.BF16,
        DType.F32,
        DType.F64,
    )
}
"""Each dtype by its name in the source."""


@members
class Tier(IntEnum):
    """How much an operand's dtype counts in promotion, the most first."""

    TENSOR = 0
    """A tensor with axes."""
    SCALAR_TENSOR = 1
    """A tensor without axes."""
    NUMBER = 2
    """A Python bool, int or float."""


def promote(operands: Iterable[tuple[DType | None, Tier]]) -> DType | None:
    """The dtype an elementwise operation computes in, by the rule of `torch.result_type`.

    A tier outranks the later ones, unless a later one is of a higher kind (bool < integer < float). Among
    numbers only the kind counts: an int is i64 and a float the default float.

    Args:
        operands: each operand's dtype and tier; a dtype of None is the caller's, still unknown.

    Returns:
        The dtype, or None where it depends on an unknown one.

    Raises:
        ValueError: there are no operands.
    """
    tiers: list[DType | None] = [None, None, None]
    for dtype, tier in operands:
        if dtype is None:
            return None
        if tier is Tier.NUMBER:
            dtype = _of_number(dtype)
        known = tiers[tier]
        tiers[tier] = dtype if known is None else _joined(known, dtype)
    result: DType | None = None
    for lower in reversed(tiers):
        if lower is not None:
            result = lower if result is None else _outranked(lower, result)
    if result is None:
        raise ValueError("promotion needs at least one operand")
    return result


def _of_number(dtype: DType) -> DType:
    if dtype.is_float:
        return DEFAULT_FLOAT
    return DEFAULT_INT if dtype.is_int else DType.BOOL


def _outranked(higher: DType, lower: DType) -> DType:
    if lower.rank <= higher.rank:
        return higher
    # A bool or an integer meets a float, or a bool an integer: the kind is the lower tier's.
    return _joined(higher, lower)


def _joined(a: DType, b: DType) -> DType:
    """The smallest dtype that both convert to, among operands of one tier."""
    if a is b:
        return a
    if a.rank != b.rank:
        return a if a.rank > b.rank else b
    if a.is_float:
        if a.bits == b.bits:
            # f16 and bf16: neither holds the other.
            return DType.F32
        return a if a.bits > b.bits else b
    if DType.U8 in (a, b):
        other = b if a is DType.U8 else a
        return DType.I16 if other is DType.I8 else other
    return a if a.bits > b.bits else b
