"""Where the nodes of Python's syntax trees stand in a .ss file, kept as text beside source that says nothing of it.

Compiled code is carried as Python source, which every version of Python reads, as no byte code is. Parsing it again
gives the nodes in the same order wherever that is done; a table has the place of each.
"""

from __future__ import annotations

import ast
import binascii
import sys
import zlib
from array import array
from collections.abc import Sequence

Place = tuple[int, int, int, int]  # line, column, end line, end column; as Python's syntax trees count them


def placed_nodes(tree: ast.AST) -> list[ast.stmt | ast.expr]:
    """The nodes of a tree that have a place, in an order that is the same in every version of Python."""
    found = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if node._attributes:
            found.append(node)
        for name in node._fields:
            value = getattr(node, name, None)
            if type(value) is list:
                waiting.extend(item for item in value if isinstance(item, ast.AST))
            elif isinstance(value, ast.AST) and value._fields:
                waiting.append(value)
    return found  # type: ignore[return-value]  # statements, expressions, and what else has their attributes


def place_of(node: ast.stmt | ast.expr) -> Place:
    """The place of a node."""
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0


def encode(places: Sequence[Place]) -> str:
    """Places as text: letters, digits, `+`, `/` and `=`."""
    different = list(dict.fromkeys(places))
    index = {place: number for number, place in enumerate(different)}
    numbers = array("I", [len(different)])
    for place in different:
        numbers.extend(place)
    numbers.extend(index[place] for place in places)
    if sys.byteorder == "big":
        numbers.byteswap()
    return binascii.b2a_base64(zlib.compress(numbers.tobytes(), 9), newline=False).decode("ascii")


def decode(text: str) -> list[Place]:
    """The places that a text stands for.

    Raises:
        ValueError: if it stands for none.
    """
    numbers = array("I")
    try:
        numbers.frombytes(zlib.decompress(binascii.a2b_base64(text)))
    except zlib.error as error:
        raise ValueError("damaged positions") from error
    if sys.byteorder == "big":
        numbers.byteswap()
    flat = numbers.tolist()
    count = 4 * flat[0] if flat else 0
    if not 0 < count < len(flat):
        raise ValueError("damaged positions")
    parts = iter(flat[1 : count + 1])
    different = list(zip(parts, parts, parts, parts, strict=True))
    return [different[index] for index in flat[count + 1 :]]
