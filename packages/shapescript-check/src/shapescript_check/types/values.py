"""The types that values have."""

from __future__ import annotations

from shapescript_check.sizes import Size
from shapescript_check.types.axes import Axes, shape_text
from shapescript_check.types.domains import REAL, Domain, Semantic, default_dtype, domain_text, is_mask
from shapescript_check.types.dtypes import DType
from shapescript_check.types.entities import Entity
from shapescript_check.types.intervals import Interval
from shapescript_syntax.records import replaced, value


@value
class TensorType:
    """A tensor. `axes` is None for any shape, and `dtype` None for the caller's, both only in an elementwise
    function or a signature."""

    axes: Axes | None
    dtype: DType | None = DType.F32
    domain: Domain = REAL

    @property
    def is_mask(self) -> bool:
        return is_mask(self.domain)

    @property
    def rank(self) -> int:
        return len(self.axes or ())

    def with_domain(self, domain: Domain) -> TensorType:
        return replaced(self, domain=domain)

    def with_axes(self, axes: Axes | None) -> TensorType:
        return replaced(self, axes=axes)

    def __str__(self) -> str:
        over = None
        if isinstance(self.domain, Semantic) and self.axes is not None and self.domain.over < len(self.axes):
            over = str(self.axes[self.domain.over])
        words = [shape_text(self.axes), domain_text(self.domain, over)]
        if self.dtype is not None and self.dtype is not default_dtype(self.domain):
            words.append(str(self.dtype))
        return " ".join(w for w in words if w) or "Real"


@value
class HostType:
    """A Python number or bool: `kind` is `int`, `float` or `bool`. `size` is its value where it is a size that
    is known from types, as a literal or an axis name is."""

    kind: str
    interval: Interval = Interval.REAL
    size: Size | None = None

    def __str__(self) -> str:
        return self.kind


@value
class PythonType:
    """A value that comes from Python, about which nothing is known."""

    def __str__(self) -> str:
        return "a Python value"


@value
class StringType:
    def __str__(self) -> str:
        return "a string"


@value
class ResultsType:
    """Several results, which are bound to as many names."""

    items: tuple[ValueType, ...]

    def __str__(self) -> str:
        return f"{len(self.items)} results ({', '.join(str(i) for i in self.items)})"


@value
class NoResult:
    """What a call of a function that returns nothing gives."""

    def __str__(self) -> str:
        return "a call that gives nothing"


@value
class ErrorType:
    """The type of what has been reported. It fits everywhere and causes no further report."""

    def __str__(self) -> str:
        return "an error"


ValueType = TensorType | HostType | PythonType | StringType | ResultsType | NoResult | ErrorType | Entity

PYTHON = PythonType()
STRING = StringType()
NO_RESULT = NoResult()
ERROR = ErrorType()
