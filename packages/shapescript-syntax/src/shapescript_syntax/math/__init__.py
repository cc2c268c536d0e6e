"""LaTeX math in comments: where it is, what it says, and what is wrong with it.

`find_math` and `find_in` find it, `read_math` reads one formula to a tree, and `math_hints` does both for the
comments of a chunk. `symbols` has the commands that may be used, and what each one draws.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from shapescript_syntax.tokens import Comment

if TYPE_CHECKING:
    from shapescript_syntax.diagnostics import Diagnostic


def math_hints(text: str, comments: Iterable[Comment]) -> tuple[Diagnostic, ...]:
    """What is wrong with the math in the comments of a chunk: hints H0601 and H0602, in order.

    Depends on the chunk's text alone, and never raises. Most chunks have no math, and load nothing for it.
    """
    if "$" not in text:
        return ()
    from shapescript_syntax.math.finding import find_math
    from shapescript_syntax.math.formulas import read_math

    return tuple(hint for found in find_math(text, comments) for hint in read_math(found).hints)
