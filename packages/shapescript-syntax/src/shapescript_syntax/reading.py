"""From the bytes of a file to its text. Every way into the compiler reads files through here."""

from __future__ import annotations

from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.spans import Span


def decode(data: bytes) -> tuple[str, Diagnostic | None]:
    """The text of a file, and what is wrong with it if it isn't text.

    Files are UTF-8, with or without a byte order mark. Where they are not, or hold NUL bytes, the diagnostic
    points at the first such byte in the text, which has a replacement character for each bad one. It isn't
    worth lexing such a text: it is most likely no program at all.
    """
    help_: str | None = None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        text = before + data[error.start :].decode("utf-8", "replace")
        offset, what = len(before), f"byte 0x{data[error.start]:02x} isn't UTF-8"
        help_ = "save the file as UTF-8"
    else:
        if "\0" not in text:
            return text.removeprefix("\ufeff"), None
        offset, what = text.index("\0"), "a NUL byte isn't text"
    if text.startswith("\ufeff"):
        text, offset = text[1:], offset - 1
    message = f"{what}: is this a ShapeScript file?"
    return text, Diagnostic("E0101", message, Span(offset, offset + 1), help=help_)
