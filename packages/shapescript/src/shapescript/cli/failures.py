"""What stops a command without a diagnostic: a wrong command line, or a file out of reach."""

from __future__ import annotations


class CommandError(Exception):
    """A failure that is told in one line on standard error, with exit code 2."""


def reason(error: OSError) -> str:
    """What the operating system says is wrong, as the end of a sentence."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def named(path: str) -> str:
    """A path for a message of one line."""
    return path if path and path.isprintable() else ascii(path)
