"""When compiled code checks what it is given."""

from __future__ import annotations

from typing import NamedTuple

MODES = ("always", "debug", "off")


class CheckModes(NamedTuple):
    """`checks` is for shapes, devices and models, `value_checks` for the values that a domain promises.

    `always` checks, `debug` doesn't when Python runs with -O, and `off` never does.
    """

    checks: str = "always"
    value_checks: str = "debug"

    def validated(self) -> CheckModes:
        """These modes.

        Raises:
            ValueError: if one of them isn't a mode.
        """
        for name, mode in zip(self._fields, self, strict=True):
            if mode not in MODES:
                raise ValueError(f"{name} is 'always', 'debug' or 'off', not {mode!r}")
        return self


DEFAULT = CheckModes()
