"""Argument checks: what a function's signature promises, and the error when its arguments don't keep it.

Compiled functions check their arguments inline and call into this module only to raise. For

    dim D = 768
    fn causal_attention(x: [b n D], w_qkv: [D 3*D], w_o: [D D]) -> [b n D]:

the code is

    def causal_attention(x, w_qkv, w_o):
        _ss_device = _ss_rt.device()
        try:
            b, n, _ss_1 = x.shape
            _ss_ok = (
                _ss_1 == 768
                and w_qkv.shape == (768, 2304)
                and w_o.shape == (768, 768)
                and x.device == w_qkv.device == w_o.device == _ss_device
            )
        except (AttributeError, TypeError, ValueError):
            _ss_ok = False
        if not _ss_ok:
            _ss_rt.refuse_arguments(_ss_signature_causal_attention, x, w_qkv, w_o)

A module that declares its devices has `_ss_device` as a global, and its functions do without their first line.

By measurement (benchmarks/argument_checks.py), and so that nothing but a tensor passes:

* A parameter whose axes are all known by then, as numbers or by names that earlier lines bound, is one
  comparison with a tuple: `mask.shape == (n, n)`. Reading `.shape` costs more than comparing it, so it is
  read once.
* Any other is unpacked, new names straight into their variables and other axes into `_ss_1`, `_ss_2`, …,
  which the chain compares: `_ss_2 == n`, `_ss_3 == n + 1`.
* A name that is only part of an axis is solved for after the unpacking and confirmed in the chain. From
  `16gh`, `gh = _ss_1 // 16` and `_ss_1 == 16 * gh`; from `h+3`, `h = _ss_1 - 3` and `h >= 0`; from `16*h+3`,
  `h = (_ss_1 - 3) // 16` and `_ss_1 == 16 * h + 3 and h >= 0`. A divisor that is itself read from a shape
  may be 0, so the `except` then names ZeroDivisionError too.
* Devices come last, in one chain. There is no isinstance: what isn't a tensor has no shape to unpack, or a
  device that no torch.device equals, as a NumPy array's "cpu".

Every part of it can be traced: by torch.compile without a graph break, by torch.export, by torch.vmap, and
with fake tensors, where the comparisons become guards.
"""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

import torch

from .declared import device
from .errors import DeviceError, ShapeError
from .signatures import AxisSpec, Parameter, Signature
from .wording import got, mentioned, with_dims


class _Size(NamedTuple):
    """What a generic size is, and where it was read."""

    size: int
    origin: str


class _Place(NamedTuple):
    """One axis of an argument, and of its parameter."""

    parameter: Parameter
    value: torch.Tensor
    position: int

    @property
    def axis(self) -> AxisSpec:
        return self.parameter.axes[self.position]

    @property
    def size(self) -> int:
        return self.value.shape[self.position]

    @property
    def number(self) -> int:
        return self.position + 1


class _Misfit(NamedTuple):
    """Why an argument doesn't fit: which sizes would ("whose axis 3 is …"), and what is wrong."""

    fitting: str
    problem: str


def refuse_arguments(signature: Signature, *arguments: Any) -> NoReturn:
    """Raises the error of the first argument that doesn't fit, for a call whose inline check failed.

    Arguments:
        signature: the function's.
        arguments: one for each of its parameters.

    Raises:
        ShapeError: an argument is no tensor, or has another rank, or a size that doesn't fit or disagrees
            with what earlier arguments say a generic size is.
        DeviceError: an argument isn't on the declared device.
    """
    sizes: dict[str, _Size] = {}
    undecided: list[_Place] = []
    for parameter, value in zip(signature.parameters, arguments, strict=True):
        _require_tensor(signature, parameter, value)
        places = [_Place(parameter, value, position) for position in range(len(parameter.axes))]
        undecided += _read_axes(signature, places, sizes)
        _require_device(signature, parameter, value)
    # An axis with two unknown names, as (gh gw), may learn them from a later one, perhaps in several rounds.
    while len(rest := _read_axes(signature, undecided, sizes)) < len(undecided):
        undecided = rest
    for place in undecided:
        _require_solvable(signature, place, sizes)
    # The inline check said no. Going on would run the body with sizes that nobody confirmed.
    raise ShapeError(
        f"`{signature.name}` refused its arguments, though each of them fits its type now: another thread "
        "may have changed one during the call, or one is a tensor subclass whose shape or device varies",
        location=signature.parameters[0].location if signature.parameters else None,
    )


def solve_axis(size: int, coefficient: int, constant: int = 0) -> int | None:
    """Solves size = coefficient * h + constant for a whole h of at least 0, or returns None if there is none.

    Arguments:
        size: the axis's size.
        coefficient: what the unknown is multiplied by; not 0.
        constant: what is added to that.
    """
    solution, rest = divmod(size - constant, coefficient)
    return solution if rest == 0 and solution >= 0 else None


def _require_tensor(signature: Signature, parameter: Parameter, value: Any) -> None:
    if not isinstance(value, torch.Tensor):
        _refuse(signature, parameter, value, _Misfit("", ""))
    if value.dim() != len(parameter.axes):
        count, wanted = value.dim(), len(parameter.axes)
        problem = f"{count} {'axis' if count == 1 else 'axes'}, not {wanted}"
        _refuse(signature, parameter, value, _Misfit("", problem))


def _require_device(signature: Signature, parameter: Parameter, value: torch.Tensor) -> None:
    declared = device()
    if value.device != declared:
        raise DeviceError(
            f"argument `{parameter.name}` of `{signature.name}` should be on the declared device, "
            f"{declared}, got a tensor on {value.device}: nothing is moved for you, so pass "
            f'{parameter.name}.to("{declared}")',
            location=parameter.location,
            argument=parameter.name,
            expected=str(declared),
            got=str(value.device),
        )


def _read_axes(signature: Signature, places: list[_Place], sizes: dict[str, _Size]) -> list[_Place]:
    """Checks axes against the sizes known so far, adds those they determine, and returns the rest."""
    return [place for place in places if not _read_axis(signature, place, sizes)]


def _read_axis(signature: Signature, place: _Place, sizes: dict[str, _Size]) -> bool:
    axis, size = place.axis, place.size
    known, unknown = _substitute(axis, sizes)
    if not unknown:
        if size != known:
            _refuse(signature, place.parameter, place.value, _differs(place, known, sizes))
        return True
    names, coefficient = next(iter(unknown.items()))
    if len(unknown) > 1 or len(names) > 1 or coefficient == 0:
        return False
    solution = solve_axis(size, coefficient, known)
    if solution is None:
        _refuse(signature, place.parameter, place.value, _unsolvable(signature, place, sizes))
    sizes[names[0]] = _Size(solution, f"axis {place.number} of `{place.parameter.name}`")
    return True


def _require_solvable(signature: Signature, place: _Place, sizes: dict[str, _Size]) -> None:
    """Refuses an axis whose unknown name is multiplied by a size of 0: none would fit it, or all of them."""
    known, unknown = _substitute(place.axis, sizes)
    if any(unknown.values()):
        return  # nothing but the rank of such an axis is checked
    if place.size != known:
        _refuse(signature, place.parameter, place.value, _differs(place, known, sizes))
    names = ", ".join(dict.fromkeys(name for names in unknown for name in names))
    problem = (
        f"{names} can't be read from axis {place.number}, {place.axis.text}{_origins(place.axis, sizes)}"
    )
    _refuse(signature, place.parameter, place.value, _Misfit("", problem))


def _substitute(axis: AxisSpec, sizes: dict[str, _Size]) -> tuple[int, dict[tuple[str, ...], int]]:
    """Replaces the known names in an axis's size: what is a number by now, and the rest's coefficients."""
    known = axis.constant
    unknown: dict[tuple[str, ...], int] = {}
    for coefficient, names in axis.terms:
        rest = []
        for name in names:
            if name in sizes:
                coefficient *= sizes[name].size
            else:
                rest.append(name)
        if rest:
            unknown[tuple(rest)] = unknown.get(tuple(rest), 0) + coefficient
        else:
            known += coefficient
    return known, unknown


def _differs(place: _Place, known: int, sizes: dict[str, _Size]) -> _Misfit:
    axis = place.axis
    found = f"axis {place.number} is {place.size}"
    if axis.terms == ((1, (axis.text,)),):
        return _Misfit("", f"{found}, but {axis.text} is {known}, from {sizes[axis.text].origin}")
    wanted = axis.text if axis.text == str(known) else f"{axis.text} = {known}"
    return _Misfit("", f"{found}, not {wanted}{_origins(axis, sizes)}")


def _unsolvable(signature: Signature, place: _Place, sizes: dict[str, _Size]) -> _Misfit:
    """Says which sizes fit an axis that no whole number of at least 0 solves, and why this one doesn't."""
    axis, size = place.axis, place.size
    known, unknown = _substitute(axis, sizes)
    (((name,), coefficient),) = unknown.items()
    whose = f"whose axis {place.number} is"
    if coefficient < 0:
        problem = f"no whole {name} of at least 0 makes that {size}{_origins(axis, sizes)}"
        return _Misfit(f"{whose} {axis.text}", problem)
    factor = _factor(signature, axis, name, coefficient)
    if coefficient == 1:
        fitting = f"{whose} at least {known}"
    elif known == 0:
        fitting = f"{whose} a multiple of {factor}"
    else:
        fitting = f"{whose} {abs(known)} {'more' if known > 0 else 'less'} than a multiple of {factor}"
    if size < known:
        problem = f"{size} is less than {known}"
    else:
        problem = f"{size - known} isn't divisible by {coefficient}"
    return _Misfit(fitting, problem + _origins(axis, sizes))


def _factor(signature: Signature, axis: AxisSpec, name: str, coefficient: int) -> str:
    """What a name is multiplied by, in the axis's own words where that is sure: "Dh = 16", or else "16"."""
    if len(axis.terms) != 1:
        return str(coefficient)
    ((constant, names),) = axis.terms
    words = [other for other in names if other != name]
    product = 1
    dims = mentioned(axis.text, signature.dims)
    for _, size in dims:
        product *= size
    if product == constant:
        words = [dim for dim, _ in dims] + words
    elif constant != 1:
        words.insert(0, str(constant))
    text = "*".join(words)
    return f"{text} = {coefficient}" if text != str(coefficient) else text


def _origins(axis: AxisSpec, sizes: dict[str, _Size]) -> str:
    """Where the generic sizes in an axis come from: ", where n = 5 is axis 2 of `x`"."""
    names = dict.fromkeys(name for _, names in axis.terms for name in names if name in sizes)
    told = [f"{name} = {sizes[name].size} is {sizes[name].origin}" for name in names]
    return f", where {' and '.join(told)}" if told else ""


def _refuse(signature: Signature, parameter: Parameter, value: Any, misfit: _Misfit) -> NoReturn:
    # A dim that the clause about fitting sizes gives needn't be given twice.
    dims = tuple((name, size) for name, size in signature.dims if f" {name} = {size}" not in misfit.fitting)
    expected = with_dims(parameter.text, dims)
    if misfit.fitting:
        expected = f"{expected}, {misfit.fitting}"
    what = got(value)
    problem = f": {misfit.problem}" if misfit.problem else ""
    raise ShapeError(
        f"argument `{parameter.name}` of `{signature.name}` should be {expected}, got {what}{problem}",
        location=parameter.location,
        argument=parameter.name,
        expected=expected,
        got=what,
    )
