"""The dotted Python name of an `extern fn`."""

from __future__ import annotations

import keyword

from shapescript_check.declarations.reporting import Reporter
from shapescript_syntax import tree


def check_path(path: tree.String, report: Reporter) -> None:
    """Reports E0308 unless the string is a module and a function, each part an identifier and no keyword."""
    parts = path.value.split(".")
    if len(parts) < 2:
        report(
            "E0308",
            path.span,
            f'"{path.value}" has no module',
            help='write the module and the function, as in "torch.special.erfc"',
        )
        return
    for part in parts:
        if not part.isidentifier() or keyword.iskeyword(part):
            why = "is a keyword of Python's" if keyword.iskeyword(part) else "is no Python identifier"
            what = f"`{part}` {why}" if part else "a name is missing beside a dot"
            report("E0308", path.span, f"\"{path.value}\" isn't a Python function's name: {what}")
            return
