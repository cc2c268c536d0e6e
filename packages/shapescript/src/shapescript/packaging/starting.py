"""New packages, from the templates in the folder `template`."""

from __future__ import annotations

import keyword
import os
import re
import sys
from importlib.resources import files

import shapescript

# Where each template goes; {module} is the name that Python imports.
_PLACES = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "gitignore": ".gitignore",
    "ci.yml": ".github/workflows/ci.yml",
    "init.py": "src/{module}/__init__.py",
    "py.typed": "src/{module}/py.typed",
    "model.ss": "src/{module}/model.ss",
    "conftest.py": "tests/conftest.py",
    "test_model.py": "tests/test_model.py",
}
_NAME = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?", re.IGNORECASE)
_TAKEN = {"numpy", "pytest", "tests", "torch"}  # what the new package itself imports


def module_name(name: str) -> str:
    """The name that Python imports a distribution by.

    Raises:
        ValueError: if the distribution can't have that name. The text is the end of a sentence that starts with it.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(
            "isn't a package's name: those are of letters, digits, `-`, `_` and `.`, as in `shapes-extra`"
        )
    module = re.sub(r"[-.]+", "_", name).lower()
    if not module.isidentifier() or keyword.iskeyword(module):
        raise ValueError(f"can't be imported: `{module}` isn't a name in Python")
    if module in sys.stdlib_module_names:
        raise ValueError(f"would hide Python's own module `{module}`")
    if module in _TAKEN or module.startswith("shapescript"):
        raise ValueError(f"would hide the package `{module}`, which it needs itself")
    return module


def new_files(name: str) -> dict[str, str]:
    """The files of a new package by their path in its folder, with `/`.

    Raises:
        ValueError: as `module_name`.
    """
    module = module_name(name)
    words = {
        "@NAME@": name,
        "@MODULE@": module,
        "@COMPILER@": f"shapescript>={_oldest(shapescript.__version__)}",
        "@RUNTIME@": f"shapescript-runtime>={_oldest(_runtime_version())},<{_next_language(_runtime_version())}",
    }
    made = {}
    for template, place in _PLACES.items():
        text = (
            files("shapescript.packaging")
            .joinpath("template", f"{template}.tmpl")
            .read_text(encoding="utf-8")
        )
        for word, value in words.items():
            text = text.replace(word, value)
        made[place.format(module=module)] = text
    return made


def write(folder: str, made: dict[str, str]) -> None:
    """Writes a new package.

    Raises:
        FileExistsError: if there is something in the folder already. Then nothing is written.
        OSError: if the files can't be written.
    """
    if os.path.lexists(folder) and not _is_empty(folder):
        raise FileExistsError(folder)
    for place, text in made.items():
        file = os.path.join(folder, *place.split("/"))
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)


def _is_empty(folder: str) -> bool:
    """Whether there is nothing in a folder, or only what `git init` puts there."""
    return os.path.isdir(folder) and set(os.listdir(folder)) <= {".git"}


def _runtime_version() -> str:
    import shapescript_runtime

    return shapescript_runtime.__version__


def _next_language(version: str) -> str:
    """The first version that may not run what this one does."""
    from shapescript_runtime.releases import minor

    first, second = minor(version)
    return f"{first + 1}" if first else f"0.{second + 1}"


def _oldest(version: str) -> str:
    """The oldest version with the same language. A pre-release is itself: pip takes only those that are named."""
    from shapescript_runtime.releases import minor

    first, second = minor(version)
    return f"{first}.{second}" if re.fullmatch(r"[\d.]+", version) else version
