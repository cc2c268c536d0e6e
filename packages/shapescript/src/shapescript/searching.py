"""Where a Python interpreter looks for modules, so that the command line finds the packages that pip installed."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from shapescript.folders import cache_folder
from shapescript.writing import write_whole

# What sys.path of an interpreter depends on, beside its own files.
_VARIABLES = ("HOME", "PYTHONHOME", "PYTHONNOUSERSITE", "PYTHONPATH", "PYTHONUSERBASE", "__PYVENV_LAUNCHER__")
# The program is in no folder of its own, so an entry for the current one isn't a place where packages are.
_QUESTION = "import json, sys; print(json.dumps([p for p in sys.path if p]))"
_SECONDS = 30.0


class InterpreterError(Exception):
    """A Python interpreter that was named can't be asked where it looks for modules. The text says which and why."""


def interpreter_path(python: str | None = None) -> list[str]:
    """The folders of an interpreter's `sys.path` that exist, in order.

    It is asked in a process of its own, and the answer is kept in the user's cache folder until one of the folders
    changes, as it does when pip installs or removes something there.

    Arguments:
        python: the interpreter, as a path or a command. Without one, it is that of the active virtual environment
            ($VIRTUAL_ENV), else $SHAPESCRIPT_PYTHON, else the one that runs this.

    Raises:
        InterpreterError: if it can't be run, or doesn't answer.
    """
    command, origin = _chosen(python)
    file = sys.executable if command is None else _executable(command, origin)
    if file == sys.executable:
        return [folder for folder in _own_path() if os.path.isdir(folder)]
    kept = os.path.join(cache_folder(), "interpreters", f"{_digest(file)}.json")
    path = _kept(kept)
    if path is None:
        path = _asked(file, origin)
        _keep(kept, file, path)
    return [folder for folder in path if os.path.isdir(folder)]


def _chosen(python: str | None) -> tuple[str | None, str]:
    """The interpreter to ask, and what named it. None is the one that runs this."""
    environ = os.environ
    if python:
        return python, "--python"
    if environ.get("VIRTUAL_ENV"):
        programs = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
        return os.path.join(environ["VIRTUAL_ENV"], *programs), "$VIRTUAL_ENV"
    if environ.get("SHAPESCRIPT_PYTHON"):
        return environ["SHAPESCRIPT_PYTHON"], "$SHAPESCRIPT_PYTHON"
    if sys.executable:
        return None, ""
    return ("python" if os.name == "nt" else "python3"), "the default"


def _own_path() -> list[str]:
    """This process's `sys.path` without the folder of its program, as an interpreter of its own would say it."""
    return [p for p in (sys.path if sys.flags.safe_path else sys.path[1:]) if p]


def _executable(command: str, origin: str) -> str:
    """The file of an interpreter. Links aren't followed: a virtual environment's is one, to a Python without it."""
    import shutil

    found = shutil.which(command)
    if found is None:
        raise InterpreterError(f"no interpreter {command}, which {origin} names")
    return os.path.abspath(found)


def _digest(file: str) -> str:
    """A name for an interpreter's answer, with all that decides it but the folders' contents."""
    from hashlib import blake2b

    decides = [file, *(os.environ.get(name, "") for name in _VARIABLES)]
    return blake2b(json.dumps(decides).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _stamps(file: str, path: list[str]) -> list[list[Any]]:
    """What changes when the answer may: the interpreter, what says it's a virtual environment's, each folder."""
    environment = os.path.join(os.path.dirname(os.path.dirname(file)), "pyvenv.cfg")
    return [[name, _changed(name)] for name in (file, environment, *path)]


def _changed(file: str) -> int | None:
    try:
        return os.stat(file).st_mtime_ns
    except OSError:
        return None


def _kept(file: str) -> list[str] | None:
    """A kept answer that is still right, or None."""
    try:
        with open(file, encoding="utf-8") as stream:
            entry = json.load(stream)
        path: list[str] = entry["path"]
        fresh = all(_changed(name) == stamp for name, stamp in entry["stamps"])
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return path if fresh else None


def _keep(kept: str, file: str, path: list[str]) -> None:
    """Keeps an answer. Where nothing can be written, nothing is kept."""
    entry = {"path": path, "stamps": _stamps(file, path)}
    try:
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        write_whole(kept, json.dumps(entry).encode("utf-8"))
    except OSError:
        return


def _asked(file: str, origin: str) -> list[str]:
    import subprocess

    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    try:
        result = subprocess.run(
            [file, "-c", _QUESTION],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, ValueError) as error:
        raise InterpreterError(f"cannot run {file}, which {origin} names: {error}") from error
    except subprocess.TimeoutExpired as error:
        raise InterpreterError(f"{file}, which {origin} names, didn't answer in {_SECONDS:.0f} s") from error
    try:
        # What a sitecustomize module prints comes first.
        path = json.loads(result.stdout.rstrip().rpartition("\n")[2])
        if result.returncode == 0 and isinstance(path, list) and all(isinstance(p, str) for p in path):
            return path
    except ValueError:
        pass
    complaint = result.stderr.strip().rpartition("\n")[2] or f"exit code {result.returncode}"
    raise InterpreterError(f"{file}, which {origin} names, doesn't say where its modules are: {complaint}")
