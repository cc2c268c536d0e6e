"""The specification's files: Markdown whose fenced programs say what the checker must find in them.

A chapter is one file. Its `shapescript` fences are programs, and comments at the ends of their lines say what
is found there; they are taken off before the program is checked.

    x = relu(p)              # type: [n D] NonNeg
    return x as [5]          # error: [E0410]
    return log(x)            # warning: [W0501] "can be 0"

`# type:` gives the type of the value that the line's statement binds or returns, several of them separated by
commas. After a code, a part of the message may follow in quotes. A program without such comments has no
diagnostics. After a program, a `snapshot` fence holds everything that is printed about it, and a `python` fence
runs with the compiled program as `m`, in an empty folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent

_FENCE = re.compile(r"^```(\w+)\s*$")
_HEADING = re.compile(r"^#+ +(.*)$")
_ASSERTION = re.compile(r"#\s*(error|warning|hint|type):\s*(.*?)\s*(?=$|#\s*(?:error|warning|hint|type):)")
_CODE = re.compile(r'^\[([EWH]\d{4})\](?:\s+"(.*)")?$')


@dataclass(frozen=True, slots=True)
class Expected:
    """A diagnostic that a line has, and a part of its message, which may be empty."""

    line: int
    code: str
    message: str


@dataclass(slots=True)
class Program:
    """One program of a chapter. Line numbers of the program start at 1; `at` is the fence's line in the file."""

    chapter: str
    name: str
    at: int
    text: str
    expected: list[Expected] = field(default_factory=list)
    types: dict[int, str] = field(default_factory=dict)
    snapshot: str | None = None
    python: list[tuple[int, str]] = field(default_factory=list)
    """Python code, each piece with the line of the file that it starts on."""

    @property
    def path(self) -> str:
        """What diagnostics call the program's file."""
        return f"{self.chapter}.ss"

    @property
    def file(self) -> Path:
        return FOLDER / f"{self.chapter}.md"


class SpecificationError(ValueError):
    """A file of the specification that isn't laid out as it should be."""


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block of a page: the heading that it is under, and the line of the page that it opens on."""

    heading: str
    language: str
    at: int
    lines: tuple[str, ...]


def chapters() -> list[str]:
    """The names of all chapters."""
    return sorted(path.stem for path in FOLDER.glob("*.md"))


def programs(chapter: str) -> list[Program]:
    """The programs of a chapter, in order. Each has a name of its own, after the heading that it is under.

    Raises:
        SpecificationError: a fence that isn't closed, stands where it can't, or has a comment that says nothing.
    """
    found: list[Program] = []
    under: dict[str, list[Program]] = {}
    for fence in fences((FOLDER / f"{chapter}.md").read_text(encoding="utf-8"), chapter):
        if fence.language == "shapescript":
            program = program_of(chapter, fence)
            found.append(program)
            under.setdefault(fence.heading, []).append(program)
        elif not found or fence.language not in ("snapshot", "python"):
            raise SpecificationError(f"{chapter}.md:{fence.at}: a `{fence.language}` fence can't stand here")
        elif fence.language == "snapshot":
            found[-1].snapshot = "".join(line + "\n" for line in fence.lines)
        else:
            found[-1].python.append((fence.at + 1, "\n".join(fence.lines) + "\n"))
    for heading, group in under.items():
        slug = re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")
        for number, program in enumerate(group, 1):
            program.name = slug if len(group) == 1 else f"{slug}-{number}"
    return found


def fences(markdown: str, chapter: str) -> Iterator[Fence]:
    """The fenced blocks of a page.

    Raises:
        SpecificationError: one isn't closed.
    """
    heading = chapter
    opened: tuple[str, int] | None = None
    lines: list[str] = []
    for number, line in enumerate(markdown.splitlines(), 1):
        if opened is not None:
            if line == "```":
                yield Fence(heading, opened[0], opened[1], tuple(lines))
                opened = None
            else:
                lines.append(line)
        elif (fence := _FENCE.match(line)) is not None:
            opened, lines = (fence[1], number), []
        elif (title := _HEADING.match(line)) is not None:
            heading = title[1]
    if opened is not None:
        raise SpecificationError(f"{chapter}.md:{opened[1]}: this fence isn't closed")


def program_of(chapter: str, fence: Fence) -> Program:
    """The program of a fence, and what the comments on its lines say about it."""
    program = Program(chapter, "", fence.at, "")
    text = []
    for number, line in enumerate(fence.lines, 1):
        first = _ASSERTION.search(line)
        text.append(line if first is None else line[: first.start()].rstrip())
        for kind, what in _ASSERTION.findall(line):
            _expect(program, number, kind, what)
    program.text = "".join(line + "\n" for line in text)
    return program


def _expect(program: Program, number: int, kind: str, what: str) -> None:
    place = f"{program.chapter}.md:{program.at + number}"
    if kind == "type":
        if number in program.types or not what:
            raise SpecificationError(f"{place}: a line has one `# type:`, which says one")
        program.types[number] = what
        return
    code = _CODE.match(what)
    if code is None or code[1][0] != kind[0].upper():
        raise SpecificationError(f"{place}: after `# {kind}:` comes a code, as in `[{kind[0].upper()}0401]`")
    program.expected.append(Expected(number, code[1], code[2] or ""))


def with_snapshot(program: Program, text: str) -> str:
    """The text of a program's chapter with another snapshot."""
    lines = program.file.read_text(encoding="utf-8").splitlines()
    opened = lines.index("```snapshot", program.at)
    closed = lines.index("```", opened)
    lines[opened + 1 : closed] = text.splitlines()
    return "\n".join(lines) + "\n"
