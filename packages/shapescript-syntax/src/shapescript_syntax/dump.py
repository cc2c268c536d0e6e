"""Syntax trees as text without spans, for comparing them and for tests."""

from __future__ import annotations

_WIDTH = 100


def dump(node: object) -> str:
    """A node as an S-expression: its class, then its fields in order.

    Strings are quoted, an absent field is `-`, a tuple is in square brackets, and the spans of keywords, which are
    there or not, are `yes` or `-`. What doesn't fit on a line of 100 columns is broken, one part to a line.
    """
    return _dump(node, "", "")


def _dump(value: object, indent: str, name: str) -> str:
    """A value, whose first line starts with `name` after the indentation."""
    if value is None:
        return f"{name}-"
    if isinstance(value, str):
        return name + '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(value, bool):
        return name + ("true" if value else "false")
    if isinstance(value, int | float):
        return f"{name}{value!r}"
    fields = getattr(value.__class__, "__record_fields__", None)
    if fields is not None:
        parts = [(_label(field), getattr(value, field)) for field in fields if not _is_span(field)]
        return _joined(f"{name}({value.__class__.__name__}", ")", parts, indent)
    if value.__class__ is tuple:
        return _joined(f"{name}[", "]", [("", item) for item in value], indent)
    return f"{name}yes"


def _is_span(field: str) -> bool:
    return field in ("span", "header") or field.endswith("_span")


def _label(field: str) -> str:
    """Most fields are plain from their place; those that may be absent are named."""
    return f"{field}=" if field in _NAMED else ""


_NAMED = frozenset(
    {"default", "doc", "exported", "initializer", "mut", "orelse", "over", "returns", "argument"}
)


def _joined(opening: str, closing: str, parts: list[tuple[str, object]], indent: str) -> str:
    inner = indent + "  "
    texts = [_dump(value, inner, label) for label, value in parts if not (label and value is None)]
    space = " " if opening[-1] != "[" else ""
    line = opening + (space if texts else "") + " ".join(texts) + closing
    if "\n" not in line and len(indent) + len(line) <= _WIDTH:
        return line
    return opening + "".join(f"\n{inner}{text}" for text in texts) + closing
