"""The catalogue of diagnostics: one Markdown file for each code.

A file starts with `# E0101: title` and an explanation. `## Example` holds one fenced program that gives
the code (or, for what no single file can show, a `console` transcript), and `## How to mend it` says what to
do and ends in the mended program. The folders are named `catalogue`, in the packages that raise the codes.
"""

from __future__ import annotations

import os
import sys

from shapescript_syntax.diagnostics import SEVERITIES
from shapescript_syntax.records import value

AREAS = {
    "01": "Lexing and layout",
    "02": "Parsing",
    "03": "Names and declarations",
    "04": "Shapes",
    "05": "Value domains and dtypes",
    "06": "Math in comments",
    "07": "Notebooks",
    "08": "Control flow and host scalars",
    "09": "Models",
    "10": "Devices",
    "11": "mut and gradients",
    "12": "Modes and random operations",
    "13": "Data records and datasets",
    "14": "Logs and sinks",
    "15": "Optimizers, gradient transforms and schedules",
    "16": "Checkpoints",
    "17": "Export",
    "18": "Several devices",
    "19": "Python calls and options on several devices",
    "20": "Fixed shapes and padding",
    "22": "Grouped sizes and shape aliases",
    "23": "Modules, overloaded functions and generic functions",
    "24": "Iterator chains: what they iterate",
    "25": "Python modules beside .ss files",
    "26": "Broadcasting",
    "29": "Installed packages",
    "31": "Recording steps as CUDA graphs",
    "32": "Iterator chains: syntax and stages",
    "33": "Models for Hugging Face and serving engines",
    "34": "Gradients by a value",
    "35": "Not supported yet",
}

_PACKAGES = ("shapescript_syntax", "shapescript_check")
_EXAMPLE = "## Example"
_REPAIR = "## How to mend it"


class CatalogueError(ValueError):
    """A file of the catalogue that isn't laid out as it should be."""


@value
class Fence:
    """A fenced block of Markdown: the word after the opening fence, and its lines."""

    language: str
    text: str


@value
class Entry:
    """What the catalogue says about one code. `markdown` is the whole file, the other texts parts of it."""

    code: str
    title: str
    explanation: str
    example: Fence
    mending: str
    repair: Fence
    markdown: str

    @property
    def severity(self) -> str:
        """`error`, `warning` or `hint`."""
        return SEVERITIES[self.code[0]]

    @property
    def area(self) -> str:
        """The area's name, from the code's first two digits."""
        return AREAS[self.code[1:3]]


def load(code: str) -> Entry | None:
    """The entry of a code written as in `E0101`, or None if there is no such file.

    Raises:
        CatalogueError: if its file isn't laid out as it should be.
    """
    if not (code.isalnum() and code.isascii()):
        return None
    for folder in folders():
        try:
            with open(os.path.join(folder, f"{code}.md"), encoding="utf-8") as file:
                return parse(code, file.read())
        except FileNotFoundError:
            continue
    return None


def codes() -> list[str]:
    """Every code that has a file, by area and number."""
    found = {name[:-3] for folder in folders() for name in os.listdir(folder) if name.endswith(".md")}
    return sorted(found, key=lambda code: (code[1:3], "EWH".find(code[0]), code))


def folders() -> list[str]:
    """The folders that hold the catalogue. Packages are found without being imported."""
    found = []
    for package in _PACKAGES:
        module = sys.modules.get(package)
        if module is None:
            from importlib.util import find_spec

            spec = find_spec(package)
            places = list(spec.submodule_search_locations or ()) if spec is not None else []
        else:
            places = list(module.__path__)
        found += [os.path.join(place, "catalogue") for place in places]
    return [folder for folder in found if os.path.isdir(folder)]


def parse(code: str, markdown: str) -> Entry:
    """Takes the text of a file apart.

    Raises:
        CatalogueError: if it isn't laid out as it should be.
    """
    heading, _, body = markdown.partition("\n")
    start = f"# {code}: "
    if not heading.startswith(start):
        raise CatalogueError(f"{code}: the first line must be `{start}…`, got `{heading}`")
    explanation, example, mending = _sections(code, body)
    before, fence, after = _fence(code, _EXAMPLE, example)
    if before or after:
        raise CatalogueError(f"{code}: `{_EXAMPLE}` holds one fence and nothing else")
    text, repair, after = _fence(code, _REPAIR, mending)
    if after or not text:
        raise CatalogueError(f"{code}: `{_REPAIR}` is text, then one fence")
    if not explanation:
        raise CatalogueError(f"{code}: no explanation before `{_EXAMPLE}`")
    return Entry(code, heading[len(start) :].strip(), explanation, fence, text, repair, markdown)


def _sections(code: str, body: str) -> tuple[str, str, str]:
    explanation, found, rest = body.partition(f"\n{_EXAMPLE}\n")
    example, found_repair, mending = rest.partition(f"\n{_REPAIR}\n")
    if not found or not found_repair:
        raise CatalogueError(f"{code}: no `{_EXAMPLE if not found else _REPAIR}`")
    return explanation.strip(), example, mending


def _fence(code: str, section: str, text: str) -> tuple[str, Fence, str]:
    """The text before a section's fence, the fence, and the text after it."""
    before, opened, rest = ("\n" + text).partition("\n```")
    language, _, rest = rest.partition("\n")
    inside, closed, after = rest.partition("\n```\n") if rest.endswith("\n") else ("", "", "")
    if not opened or not closed or "\n```" in after:
        raise CatalogueError(f"{code}: `{section}` needs exactly one fence")
    return before.strip(), Fence(language.strip(), inside + "\n"), after.strip()
