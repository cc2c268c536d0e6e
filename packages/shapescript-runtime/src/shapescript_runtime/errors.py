"""The exceptions of programs whose values don't keep what their types promise."""

from __future__ import annotations


class _Located(Exception):
    """An error that knows where in a .ss file the promise it is about was made.

    Its text is the location, a colon and the message. The parts are kept beside it, so that a command line
    can draw the error as a diagnostic of that line instead.

    Arguments:
        message: what is wrong, without the location.
        location: "file.ss:line:col" of the parameter or the assertion, or None where there is none.
        argument: the parameter whose argument is wrong, or None where the error isn't about an argument.
        expected: what the type asks for, as text.
        got: what the value is instead, as text.
    """

    message: str
    location: str | None
    argument: str | None
    expected: str | None
    got: str | None

    def __init__(
        self,
        message: str,
        *,
        location: str | None = None,
        argument: str | None = None,
        expected: str | None = None,
        got: str | None = None,
    ) -> None:
        # One positional argument, the whole text: copy and pickle call the class with it, then set the rest.
        super().__init__(message if location is None else f"{location}: {message}")
        self.message = message
        self.location = location
        self.argument = argument
        self.expected = expected
        self.got = got


class ShapeError(_Located, ValueError):
    """A value isn't of the shape its type says: another rank or size, or no tensor or host scalar at all."""


class KindError(ShapeError, TypeError):
    """A value is of another kind altogether than its type says: a list where a model or a mode is meant."""


class DomainError(_Located, ValueError):
    """A tensor of the right shape holds a value outside the domain of its type."""


class DeviceError(_Located, RuntimeError):
    """A tensor isn't on the declared device, or the program's devices are undeclared, disputed or missing."""


class OutdatedRuntimeError(ImportError):
    """A package was built for a newer runtime than the one that is installed."""
