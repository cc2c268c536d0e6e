"""What is asked of the code generator."""

from __future__ import annotations

from dataclasses import dataclass

MODES = ("always", "debug", "off")


@dataclass(frozen=True, slots=True)
class Options:
    """Check modes, and the devices that the module declares.

    `checks` are of shapes, devices, host scalars and models; `value_checks` are of values against domains. Each is
    `always`, `debug` (checked unless Python runs with -O) or `off`. `devices` is the text of a `devices` line for a
    file that has none.
    """

    checks: str = "always"
    value_checks: str = "debug"
    devices: str | None = None

    def __post_init__(self) -> None:
        for mode in (self.checks, self.value_checks):
            if mode not in MODES:
                raise ValueError(f"{mode!r} isn't a check mode: the modes are {', '.join(MODES)}")
