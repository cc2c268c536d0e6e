"""What an `extern fn` gives its Python function for the arguments that a call leaves out.

The signature says what they are, so they are passed on: the Python function's own defaults may be others. The
prelude's are torch's own, and stay out of the generated code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from shapescript_check.declarations.interfaces import FnInterface, ParameterInterface
from shapescript_check.operations.parameters import Given
from shapescript_check.sizes import Size
from shapescript_check.typed.tree import Literal
from shapescript_check.types.values import PYTHON, HostType
from shapescript_syntax.spans import Span


def left_out(
    fn: FnInterface,
    pairs: Iterable[tuple[ParameterInterface, Given | None]],
    span: Span,
    size: Callable[[Size], Size],
) -> list[tuple[str, Any]]:
    """The names and values of the parameters that a call of a function leaves out.

    Args:
        fn: the function.
        pairs: its parameters, each with what is given for it.
        span: the call.
        size: works out a size of the signature for this call.
    """
    if fn.prelude:
        return []
    return [(p.name, _value(p, span, size)) for p, given in pairs if given is None and p.has_default]


def _value(parameter: ParameterInterface, span: Span, size: Callable[[Size], Size]) -> Any:
    default = parameter.default
    if isinstance(default, Size):
        return size(default)
    if default is None:
        return Literal(span, PYTHON, None)
    kind = "bool" if isinstance(default, bool) else "int" if isinstance(default, int) else "float"
    return Literal(span, HostType(kind), default)
