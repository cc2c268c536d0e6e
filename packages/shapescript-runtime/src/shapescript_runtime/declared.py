"""The devices of the program: declared once, asked for by every compiled function."""

from __future__ import annotations

import threading
from typing import NamedTuple, NoReturn

import torch

from .errors import DeviceError

_FORMS = 'the devices are "cpu", "mps" and "cuda[0]", with the number of the GPU in the brackets'


class Declaration(NamedTuple):
    """What was declared, and by whom: "attention.ss:1", say, or "Python"."""

    kind: str
    numbers: tuple[int, ...]
    by: str

    @property
    def text(self) -> str:
        numbers = " ".join(str(number) for number in self.numbers)
        return f"{self.kind}[{numbers}]" if numbers else self.kind


_lock = threading.Lock()
_declaration: Declaration | None = None
_device: torch.device | None = None


def device() -> torch.device:
    """Returns the declared device.

    Compiled functions of a module without a `devices` line call this first, so it reads one global, set only once,
    and no lock.

    Raises DeviceError if nothing has declared devices.
    """
    if _device is None:
        refuse_undeclared()
    return _device


def devices(text: str) -> None:
    """Declares the devices of the program from Python, as a `devices` line of a .ss file does.

    Arguments:
        text: the devices as on that line: "cpu", "mps" or "cuda[0]".

    Raises:
        ValueError: there is no such form of a declaration.
        DeviceError: other devices are declared already, or this machine hasn't got these.
    """
    declare(text, "Python")


def declare(text: str, by: str) -> torch.device:
    """Declares the devices of the program, and returns the device. Declaring the same ones again does nothing.

    Arguments:
        text: "cpu", "mps" or "cuda[0]".
        by: who says so, for messages: "Python", or the file and line of the `devices` line.

    Raises:
        ValueError: there is no such form of a declaration.
        DeviceError: other devices are declared already, or this machine hasn't got these.
    """
    global _declaration, _device
    wanted = _parse(text, by)
    with _lock:
        if _declaration is None:
            # Looked up under the lock, so that of two threads that differ the second one hears of the first.
            _device = _find(wanted)
            _declaration = wanted
        elif (_declaration.kind, _declaration.numbers) != (wanted.kind, wanted.numbers):
            raise DeviceError(
                f"{wanted.by} declares devices {wanted.text}, but {_declaration.by} already declared devices "
                f"{_declaration.text}: a program declares its devices once, so make the two say the same",
                expected=_declaration.text,
                got=wanted.text,
            )
        return device()


def refuse_undeclared() -> NoReturn:
    """Raises the DeviceError of a program that hasn't declared where it runs."""
    raise DeviceError(
        "no devices are declared: write a line such as `devices cpu` at the top of the .ss file, "
        'or call shapescript.devices("cpu") from Python before calling its functions'
    )


def _parse(text: str, by: str) -> Declaration:
    if not isinstance(text, str):
        raise TypeError(f"devices are declared with a text, not a {type(text).__name__}: {_FORMS}")
    kind, bracket, rest = text.strip().partition("[")
    kind = kind.rstrip()
    if not bracket and kind in ("cpu", "mps"):
        return Declaration(kind, (), by)
    words = rest.removesuffix("]").split()
    whole = bracket and rest.endswith("]") and all(word.isascii() and word.isdigit() for word in words)
    numbers = tuple(int(word) for word in words) if whole else ()
    # A number is a GPU. Several processes on the CPU stand in for several GPUs; one would stand for nothing.
    least = {"cuda": 1, "cpu": 2}.get(kind)
    if least is None or len(numbers) < least or len(set(numbers)) != len(numbers):
        raise ValueError(f'"{text}" declares no devices: {_FORMS}')
    return Declaration(kind, numbers, by)


def _find(wanted: Declaration) -> torch.device:
    """The torch device that is declared, with its number, as the tensors on it give it."""
    if len(wanted.numbers) > 1:
        raise DeviceError(
            f"{wanted.by} declares devices {wanted.text}, but several devices aren't supported yet: "
            f"declare one, such as devices {wanted.kind}" + ("[0]" if wanted.kind == "cuda" else "")
        )
    if wanted.kind == "cpu":
        return torch.device("cpu")
    if wanted.kind == "mps":
        if not torch.backends.mps.is_available():
            raise DeviceError(
                f"{wanted.by} declares devices mps, but this machine has no Apple GPU that torch can use"
            )
        return torch.device("mps", 0)
    (number,) = wanted.numbers
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if number >= count:
        has = "no CUDA device that torch can use" if count == 0 else f"only cuda[0] to cuda[{count - 1}]"
        has = "only cuda[0]" if count == 1 else has
        raise DeviceError(f"{wanted.by} declares devices {wanted.text}, but this machine has {has}")
    return torch.device("cuda", number)
