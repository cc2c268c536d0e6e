"""Runs a program on random values, and says what is wrong with what it computes."""

from __future__ import annotations

import random
import re
import traceback
import warnings
from typing import Any, NamedTuple

import torch

import shapescript_runtime
from shapescript_check import Checker
from shapescript_check.codegen import Options
from shapescript_check.codegen.names import python_name
from shapescript_check.codegen.untold import untold
from shapescript_check.declarations.interfaces import FnInterface
from shapescript_check.program import Program
from shapescript_check.types.domains import IndexOf
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import TensorType
from tests.property.nodes import applications
from tests.property.observing import Counterexample, Unwatched, Watched, load, watched
from tests.property.values import ENDS, MILD, WILD, arguments, sizes_of

PATH = "program.ss"
_TORCH_REFUSES = re.compile(
    r"Expected reduction dim .*(non-zero size|numel\(\) == 0)"  # the largest of no values
    # What the types of stubs don't say.
    r"|expected weight to be divisible|Expected more than 1 value per channel|Output size is too small"
    r"|could not construct a memory descriptor|expected weight to be at least|attn_mask should not be set"
    # Functions that torch's CPU kernels don't have for 16-bit floats.
    r"|\"cdist\" not implemented"
)
"""Torch's own words for what the checker can't know to be wrong."""


_NO_POSITION = re.compile(r"out of bounds|out of range|INDICES element is out of DATA bounds")
_TAKE_POSITIONS = ("index", "gather", "scatter", "scatter_add", "index_add", "cross_entropy", "table_scan")


class Fault(NamedTuple):
    """What is wrong with a program: a message, and the arguments of the run if there was one."""

    message: str
    arguments: list[Any] | None = None

    @property
    def kind(self) -> str:
        """What kind of fault it is, to tell whether a smaller program has the same one."""
        return self.message.partition(":")[0].partition(",")[0].split(" in ")[0].lstrip("line 0123456789")


class Allowed(NamedTuple):
    """An error that the language allows when a program runs, such as a claim that doesn't hold."""

    error: BaseException


def check(text: str) -> Program:
    """The checked program."""
    return Checker().check(PATH, text)


def fault(text: str, main: str, seed: int, runs: int = 3, program: Program | None = None) -> Fault | None:
    """What is wrong with a program that checks, or None.

    Its function `main` is run a few times, on values that fit its types, and everything that it and the functions it
    calls bind and return is held against the types that were inferred.
    """
    program = program or check(text)
    try:
        watching = watched(program, Options(devices="cpu"))
        names = load(watching)
    except Exception:
        return Fault(f"no code is generated: {traceback.format_exc()}")
    interface = program.interfaces[main]
    assert isinstance(interface, FnInterface)
    rng = random.Random(f"values {seed}")
    unchecked = indexes_unchecked(program)
    for mode in (MILD, ENDS, WILD)[:runs]:
        sizes = sizes_of(interface, rng)
        given = arguments(interface, sizes, rng, mode)
        told = {python_name(s.name): sizes[s] for s in untold(interface)}
        names["_ss_watch"].nan = False
        found = _run(names[main], given, told, unchecked) if given is not None else None
        if isinstance(found, Fault):
            return found
    return None


def indexes_unchecked(program: Program) -> bool:
    """Whether a program uses integers as positions that no `Index` promises to be some, which nothing checks."""
    for _, node in applications(program):
        if node.operation.name in _TAKE_POSITIONS:
            for operand in node.operands[0 if node.operation.name == "table_scan" else 1 :]:
                kind = operand.type
                plain = isinstance(kind, TensorType) and kind.dtype is not None and kind.dtype.is_int
                if plain and not isinstance(kind.domain, IndexOf) and kind.domain.interval != Interval.ZERO:
                    return True
    return False


def _run(function: Any, given: list[Any], told: dict[str, int], unchecked: bool) -> Fault | Allowed | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*[v.clone() if isinstance(v, torch.Tensor) else v for v in given], **told)
    except Counterexample as error:
        return Fault(str(error), given)
    except Unwatched:
        return None
    except Exception as error:
        if allowed(error) or (unchecked and _NO_POSITION.search(str(error))):
            return Allowed(error)
        shown = "".join(traceback.format_exception_only(error)).strip()
        place = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == PATH]
        line = place[-1].lineno if place else "?"
        return Fault(f"line {line}: {shown}", given)
    return None


def allowed(error: Exception) -> bool:
    """Whether the language allows an error when a program runs: a claim that doesn't hold, or too large a k."""
    if isinstance(error, shapescript_runtime.DomainError | shapescript_runtime.ShapeError):
        # An argument's own check is no claim: what reaches it has been checked already. NaN isn't tracked, though.
        return error.argument is None or "is NaN" in str(error)
    return _TORCH_REFUSES.search(str(error)) is not None


__all__ = ["Fault", "Watched", "allowed", "check", "fault"]
