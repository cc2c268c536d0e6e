"""Calls of extern functions whose parameters have shapes: rest axes, axis and size parameters, rounded sizes."""

from __future__ import annotations

from typing import Any

from shapescript_check import quoting
from shapescript_check.bodies.extern_defaults import left_out
from shapescript_check.bodies.function_calls import GenericCall
from shapescript_check.declarations.interfaces import (
    AxisParameter,
    ParameterInterface,
    Rounded,
    SizeParameter,
)
from shapescript_check.operations import axis_words
from shapescript_check.operations.parameters import Given
from shapescript_check.sizes import Equation, Size, SizeTooLarge, Symbol
from shapescript_check.typed.tree import CallExtern, Typed
from shapescript_check.types.axes import REST, Axes, Axis, named, position, shape_text
from shapescript_check.types.dtypes import DType
from shapescript_check.types.values import HostType, TensorType, ValueType
from shapescript_syntax import tree
from shapescript_syntax.suggestions import closest


class ShapedCall(GenericCall):
    """A call of an `extern fn` with shapes, rest axes, axis and size parameters."""

    rest: Axes | None = None

    def check_extern(self, pairs: list[tuple[ParameterInterface, Given | None]]) -> Typed:
        values = [(p, g.typed) for p, g in pairs if g is not None and g.typed is not None]
        special: dict[str, Any] = {}
        self._sizes(pairs, special)
        # What an axis parameter names is settled first, so that a shape that doesn't fit it is what is wrong.
        self._axes(pairs, special)
        equations = self.shape_equations(values)  # type: ignore[arg-type]
        if self.good:
            self.solve_shapes(equations, values)  # type: ignore[arg-type]
        if self.good:
            self.solve_indices(values)  # type: ignore[arg-type]
        dtype = self._float_dtype(values) if self.good else None
        if self.good:
            self.check_elements(values)  # type: ignore[arg-type]
        kind = self.extern_result(dtype) if self.good else None
        if not self.good or kind is None:
            return self.checker.unresolved(self.syntax.span)
        arguments = [(p.name, special.get(p.name, g.typed)) for p, g in pairs if g is not None]
        arguments += left_out(self.fn, pairs, self.syntax.span, self.size)
        return CallExtern(
            self.syntax.span,
            kind,
            self.fn.name,
            self.fn.path or "",
            tuple(arguments),
            positional(pairs),
        )

    # --- shapes with rest axes ---

    def shape_equations(self, pairs: list[tuple[ParameterInterface, Typed | None]]) -> list[Equation]:
        expanded = []
        for parameter, value in pairs:
            kind = parameter.type
            if (
                isinstance(kind, TensorType)
                and kind.axes is not None
                and REST in kind.axes
                and value is not None
            ):
                axes = self._with_rest(parameter, value, kind.axes)
                if axes is None:
                    continue
                parameter = ParameterInterface(parameter.name, kind.with_axes(axes), parameter.has_default)
            expanded.append((parameter, value))
        return super().shape_equations(expanded)

    def is_own(self, axis: Axis) -> bool:
        # What `...` stands for are axes of the caller, whose names may be those of the callee's.
        return not any(axis is rest for rest in self.rest or ())

    def _with_rest(self, parameter: ParameterInterface, value: Typed, expected: Axes) -> Axes | None:
        axes = self.argument_axes(parameter, value)
        if axes is None:
            return None
        at = expected.index(REST)
        count = len(axes) - len(expected) + 1
        if self.rest is not None and count != len(self.rest):
            self.refuse_argument(
                "E0403",
                parameter,
                value,
                f"`...` stands for {len(self.rest)} axes in an earlier argument and for {max(count, 0)} here",
            )
            return None
        if count < 0:
            self.refuse_argument(
                "E0403",
                parameter,
                value,
                f"`{self.fn.name}` takes {shape_text(expected)} as `{parameter.name}`, "
                f"and {shape_text(axes)} has too few axes",
            )
            return None
        if self.rest is None:
            self.rest = axes[at : at + count]
        return (*expected[:at], *self.rest, *expected[at + 1 :])

    # --- axis and size parameters ---

    def _sizes(self, pairs: list[tuple[ParameterInterface, Given | None]], special: dict[str, Any]) -> None:
        """Puts the sizes given for `Size[..]` parameters in place of their names. Unlike axes, they may be 0."""
        named: set[Symbol] = set()
        for parameter, given in pairs:
            kind = parameter.type
            if not isinstance(kind, SizeParameter):
                continue
            size = self._size(parameter, given, special)
            if size is None:
                continue
            if kind.symbol in self.variables and kind.symbol not in named:
                named.add(kind.symbol)
                self.variables[kind.symbol] = size
            elif not size.same(kind.size.substitute(self.variables)) and given is not None:
                expected = kind.size.substitute(self.variables)
                self._wrong(
                    given,
                    "E0401",
                    f"`{parameter.name}` of `{self.fn.name}` is {expected.text_with_value()}, and this is "
                    f"{size.text_with_value()}",
                    None,
                )

    def _axes(self, pairs: list[tuple[ParameterInterface, Given | None]], special: dict[str, Any]) -> None:
        first = next((g.typed for _, g in pairs if g is not None and g.typed is not None), None)
        for parameter, given in pairs:
            kind = parameter.type
            if isinstance(kind, AxisParameter) and given is not None:
                self._axis(parameter, kind, given, first, special)

    def _axis(
        self,
        parameter: ParameterInterface,
        kind: AxisParameter,
        given: Given,
        first: Typed | None,
        special: dict[str, Any],
    ) -> None:
        axes = first.type.axes if first is not None and isinstance(first.type, TensorType) else None
        if not isinstance(given.syntax, tree.Ident):
            help = axis_words.meant_axis(self.checker, axes or (), given.syntax, parameter.name)
            self._wrong(given, "E0406", f"`{parameter.name}` takes the name of an axis", help)
            return
        if axes is None or first is None:
            return
        at = position(axes, given.syntax.name)
        if at is None:
            near = closest(given.syntax.name, named(axes))
            self._wrong(
                given,
                "E0405",
                f"{shape_text(axes)} has no axis named `{given.syntax.name}`",
                f"did you mean `{near}`?"
                if near
                else axis_words.naming(self.checker, axes, given.syntax.name),
            )
            return
        special[parameter.name] = [at] if kind.plural else at
        theirs = kind.size.substitute(self.variables)
        if theirs.variables:
            self.variables[kind.symbol] = axes[at].size
        elif not theirs.same(axes[at].size):
            self._wrong(
                given,
                "E0401",
                f"`{parameter.name}` of `{self.fn.name}` takes an axis of size {theirs.text_with_value()}, "
                f"and `{given.syntax.name}` is {axes[at].size.text_with_value()}",
                None
                if kind.symbol in self.variables
                else f"`{kind.size}` is a dim, so only an axis of its size fits; a name that is no dim fits any axis",
            )
        self.names.setdefault(kind.symbol, axes[at].name)

    def _size(
        self, parameter: ParameterInterface, given: Given | None, special: dict[str, Any]
    ) -> Size | None:
        if given is None:
            default = parameter.default
            return default.substitute(self.variables) if isinstance(default, Size) else None
        assert given.syntax is None or not isinstance(given.syntax, tree.Pattern)
        size = self.checker.resolve_size(given.syntax) if given.syntax is not None else None
        if size is None and given.typed is not None and isinstance(given.typed.type, HostType):
            size = given.typed.type.size
        if size is None:
            self._wrong(
                given,
                "E0406",
                f"`{parameter.name}` of `{self.fn.name}` is a size that is known before the program runs",
                "give a number, a dim or the name of an axis",
            )
            return None
        special[parameter.name] = size
        return size

    def _wrong(self, given: Given, code: str, message: str, help: str | None) -> None:
        self.good = False
        self.checker.report(code, given.span, message, help=help)

    def check_elements(self, pairs: list[tuple[ParameterInterface, Typed | None]]) -> None:
        """Checks domains, and the dtypes of parameters that have one: the others share the call's."""
        super().check_elements([(_without_dtype(p), v) for p, v in pairs])

    # --- the result ---

    def _float_dtype(self, values: list[tuple[ParameterInterface, Typed]]) -> DType | None:
        """The float dtype that all tensor parameters without one of their own share in this call."""
        found: tuple[DType, ParameterInterface] | None = None
        for parameter, value in values:
            expected, kind = parameter.type, value.type
            if not isinstance(expected, TensorType) or not isinstance(kind, TensorType):
                continue
            if not _any_float(expected) or kind.dtype is None or kind.is_mask:
                continue
            if not kind.dtype.is_float:
                self.refuse_argument(
                    "E0502",
                    parameter,
                    value,
                    f"`{parameter.name}` of `{self.fn.name}` holds floats, and this is stored as {kind.dtype}",
                    help=f"convert it: {quoting.operand(self.checker.text(value.span))} to f32",
                )
                continue
            if found is not None and kind.dtype is not found[0]:
                self.refuse_argument(
                    "E0502",
                    parameter,
                    value,
                    f"`{parameter.name}` of `{self.fn.name}` is stored as {kind.dtype}, "
                    f"and `{found[1].name}` as {found[0]}",
                    help=f"convert one of them: {quoting.operand(self.checker.text(value.span))} to {found[0]}",
                )
            found = found or (kind.dtype, parameter)
        return found[0] if found else DType.F32

    def extern_result(self, dtype: DType | None) -> ValueType | None:
        returns = self.fn.returns
        if not isinstance(returns, TensorType) or returns.axes is None:
            return returns
        sizes = self._rounded_sizes()
        if sizes is None:
            return None
        axes: list[Axis] = []
        for axis in returns.axes:
            if axis is REST:
                axes += self.rest or ()
                continue
            made = self.result_axis(Axis(axis.size.substitute(sizes), axis.name, axis.parts), {})
            axes.append(made)
        kind = TensorType(tuple(axes), returns.dtype, self.placed_domain(returns.domain))
        if _any_float(returns):
            kind = TensorType(kind.axes, dtype, kind.domain)
        return kind

    def _rounded_sizes(self) -> dict[Symbol, Size] | None:
        sizes: dict[Symbol, Size] = {}
        for symbol, expression in self.fn.rounded:
            try:
                size = self._round(expression)
            except SizeTooLarge:
                self.checker.report("E0414", self.syntax.span, "a size of the result doesn't fit in 128 bits")
                size = None
            if size is None:
                return None
            value = size.as_int()
            if value is not None and value < 1:
                self.checker.report(
                    "E0401",
                    self.syntax.span,
                    f"the result of `{self.fn.name}` would have an axis of size {value}",
                )
                return None
            sizes[symbol] = size
        return sizes

    def _round(self, expression: Size | Rounded) -> Size | None:
        if isinstance(expression, Size):
            return self.size(expression)
        left, right = self._round(expression.left), self._round(expression.right)
        if left is None or right is None:
            return None
        if expression.op != "/":
            return (
                left + right
                if expression.op == "+"
                else left - right
                if expression.op == "-"
                else left * right
            )
        a, b = left.as_int(), right.as_int()
        if b == 0:
            self.checker.report(
                "E0406", self.syntax.span, f"a size of the result of `{self.fn.name}` divides by 0"
            )
            return None
        if a is not None and b is not None:
            return Size.number(a // b)
        exact = Size.divide(left, right)
        if exact is None:
            self.checker.report(
                "E0402",
                self.syntax.span,
                f"a size of the result of `{self.fn.name}` is {left} divided by {right}, "
                "which isn't known to be exact",
                help="give the axis a known size, or write it as a multiple",
            )
        return exact


def _without_dtype(parameter: ParameterInterface) -> ParameterInterface:
    kind = parameter.type
    if isinstance(kind, TensorType) and _any_float(kind):
        return ParameterInterface(
            parameter.name, TensorType(kind.axes, None, kind.domain), parameter.has_default
        )
    return parameter


def _any_float(kind: TensorType) -> bool:
    """Whether a type in an extern signature takes the call's float dtype: it says no dtype, and holds floats."""
    return kind.dtype is None or kind.dtype is DType.F32


def positional(pairs: list[tuple[ParameterInterface, Given | None]]) -> int:
    """How many arguments come by position: those before the first one that is left out."""
    count = 0
    for _, given in pairs:
        if given is None:
            break
        count += 1
    return count
