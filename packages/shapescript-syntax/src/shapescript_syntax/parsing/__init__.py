"""Tokens to tree: a recursive descent parser.

What the prefixes of its functions mean:

- `parse_x` reads an x that the grammar asks for. If there is none it says so and gives an error node, having
  read nothing.
- `expect_x` reads a token that the grammar asks for, or says that it is missing.
- `maybe_x` reads an x if there is one, and otherwise does nothing.

An error sets `Cursor.panicking`, which silences what follows from it until the parser has found its feet: at
the next comma or closing bracket inside brackets, and otherwise at the end of the line.
"""

from __future__ import annotations
