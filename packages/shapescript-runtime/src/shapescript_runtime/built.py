"""Code of .ss files that was compiled when their package was built, so that it runs without the compiler.

A wheel has three files for layers.ss: itself, the typed layers.py that Python imports, and `_shapescript/layers.py`,
the compiled code. That is Python's source and not its byte code, which is of one version of Python. At its end is
the line and column of every node in the .ss file, so that tracebacks, carets and debuggers point there.
"""

from __future__ import annotations

import ast
import contextlib
import json
import marshal
import os
import sys
from hashlib import blake2b
from importlib.machinery import SourceFileLoader
from importlib.util import MAGIC_NUMBER, cache_from_source
from types import CodeType
from typing import Any, NamedTuple

from .finding import FOLDER, located
from .positions import decode, placed_nodes

_HEADER = "# built: "
_POSITIONS = "# positions: "
_CONTINUED = "#  "
_WIDTH = 100
_TOP = """\
# Compiled from {name}, for every version of Python.
# Built by shapescript.build; the end of this file says where in that file each part of it stands.
# type: ignore
"""


class Built(NamedTuple):
    """Compiled code, and what decided it.

    Arguments:
        compiler: the version of the compiler.
        runtime: that of the runtime beside it, which is the oldest one that the code runs with.
        modes: when it checks shapes and values, as `shapescript.install` takes them.
        root: what stands for the folder that packages are installed in, in the code's strings.
        file: the path of the .ss file below that, with `/`.
        files: digests of the .ss files that it was compiled from: its own under "", and those it imports under what
            their `import` says.
        functions: the files that the code of functions is from which were copied from other files, by their names.
        python: the code.
        positions: where its nodes are, as `positions.encode` writes it.
    """

    compiler: str
    runtime: str
    modes: tuple[str, str]
    root: str
    file: str
    files: dict[str, str]
    functions: dict[str, str]
    python: str
    positions: str

    @property
    def text(self) -> str:
        """What is in the file of compiled code."""
        keys = ("compiler", "runtime", "modes", "root", "file", "files", "functions")
        header = json.dumps({key: getattr(self, key) for key in keys})
        lines = [self.positions[start : start + _WIDTH] for start in range(0, len(self.positions), _WIDTH)]
        table = f"\n{_CONTINUED}".join(lines)
        return f"{_TOP.format(name=self.file)}{_HEADER}{header}\n{self.python}\n{_POSITIONS}{table}\n"


def digest(data: bytes) -> str:
    """What the contents of .ss files are compared by."""
    return blake2b(data, digest_size=16).hexdigest()


def file_of(source: str) -> str:
    """Where the compiled code of a .ss file is."""
    folder, name = os.path.split(source)
    return os.path.join(folder, FOLDER, os.path.splitext(name)[0] + ".py")


def read_built(source: str) -> Built | None:
    """What was built of a .ss file, or None if nothing was.

    Raises:
        ImportError: if it is damaged.
    """
    file = file_of(source)
    try:
        with open(file, encoding="utf-8") as stream:
            text = stream.read()
    except OSError:
        return None
    try:
        _, rest = text.split(_HEADER, 1)
        header, rest = rest.split("\n", 1)
        python, table = rest.rsplit(f"\n{_POSITIONS}", 1)
        about: dict[str, Any] = json.loads(header)
        about["modes"] = tuple(about["modes"])
        return Built(**about, python=python, positions=table.replace(f"\n{_CONTINUED}", "").strip())
    except (ValueError, TypeError, KeyError) as error:
        raise ImportError(f"{file} is damaged: install its package again", path=file) from error


def built_code(built: Built, source: str) -> CodeType:
    """Compiled code to run for the .ss file `source`, an absolute path, which tracebacks and messages name.

    Python's own byte code of it is kept in `__pycache__`, as that of modules is.
    """
    names = _Names(built, source)
    decides = repr((built, names.pairs, MAGIC_NUMBER, sys.flags.optimize)).encode("utf-8", "surrogateescape")
    key = blake2b(decides, digest_size=32).digest()
    # Where pip removes it with the package. What pip itself puts there, which knows no places, isn't used.
    kept = cache_from_source(file_of(source))
    with contextlib.suppress(OSError, EOFError, ValueError, TypeError):
        with open(kept, "rb") as stream:
            entry = stream.read()
        if entry[:32] == key and entry[32:64] == blake2b(entry[64:], digest_size=32).digest():
            found = marshal.loads(entry[64:])
            if isinstance(found, CodeType):
                return found
    made = compile(_placed(built, names), source, "exec", dont_inherit=True)
    made = in_their_files(made, {name: names.local(path) for name, path in built.functions.items()})
    if not sys.dont_write_bytecode:
        payload = marshal.dumps(made)
        whole = key + blake2b(payload, digest_size=32).digest() + payload
        # Python's own way of writing such a file: whole, and not at all where nothing can be written.
        SourceFileLoader("", source).set_data(kept, whole)
    return made


class _Names:
    """What paths in compiled code are where it is installed, which is beside the .ss file `source`."""

    def __init__(self, built: Built, source: str) -> None:
        self.pairs = [(f"{built.root}/{built.file}", source)]
        for dotted in filter(None, built.files):
            # A package that it imports may be installed elsewhere, and the standard library in this very package.
            imported = located(source, dotted)
            if imported is not None and not imported.is_beside:
                self.pairs.append((f"{built.root}/{dotted.replace('.', '/')}.ss", f"{imported.stem}.ss"))
        root = source
        for _ in built.file.split("/"):
            root = os.path.dirname(root)
        self.pairs.append((built.root, root))

    def local(self, text: str) -> str:
        """A text with the paths that files have here."""
        for written, path in self.pairs:
            text = text.replace(written, path)
        return text


def _placed(built: Built, names: _Names) -> ast.Module:
    """The code's syntax tree as the compiler made it: at the places of the .ss file, and naming its path."""
    tree = ast.parse(built.python)
    nodes = placed_nodes(tree)
    try:
        placed = list(zip(nodes, decode(built.positions), strict=True))
    except ValueError as error:
        raise ImportError(f"the code of {built.file} is damaged: install its package again") from error
    for node, place in placed:
        node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = place
        if type(node) is ast.Constant and type(node.value) is str and built.root in node.value:
            node.value = names.local(node.value)
    return tree


def in_their_files(code: CodeType, files: dict[str, str]) -> CodeType:
    """The code of a module with that of some functions, and what is in them, said to be from other files."""
    if not files:
        return code
    inner = (_from(c, files.get(c.co_name)) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_consts=tuple(inner))


def _from(code: CodeType, file: str | None) -> CodeType:
    if file is None:
        return code
    inner = (_from(c, file) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=file, co_consts=tuple(inner))
