"""Makes a program that fails smaller, as long as it fails in the same way."""

from __future__ import annotations

from tests.property.programs import Written
from tests.property.running import Fault, check, fault


def minimized(written: Written, found: Fault, rounds: int = 4) -> tuple[str, Fault]:
    """A program with as few lines as may be that has the same kind of fault, and its fault."""
    lines = written.text.splitlines(keepends=True)
    best = found
    for _ in range(rounds):
        before = len(lines)
        at = len(lines) - 1
        while at >= 0:
            if not lines[at].startswith(f"fn {written.main}"):
                fewer = lines[:at] + lines[at + 1 :]
                again = _fault("".join(fewer), written)
                if again is not None and again.kind == found.kind:
                    lines, best = fewer, again
            at = min(at - 1, len(lines) - 1)
        if len(lines) == before:
            break
    return "".join(lines), best


def _fault(text: str, written: Written) -> Fault | None:
    program = check(text)
    if program.has_errors or written.main not in program.bodies:
        return None
    try:
        return fault(text, written.main, written.seed, program=program)
    except Exception:  # whatever is left out makes it another program
        return None
