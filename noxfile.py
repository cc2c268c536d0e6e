"""The project's chores: `nox -l` lists them, `nox -s NAME -- ARGS` runs one.

All sessions share one environment, because torch is a gigabyte that takes a minute to install. Each session
adds what it needs, at the versions in constraints.txt, and builds and installs the six packages afresh, so
what runs is what a user would get from the wheels.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent
CONSTRAINTS = ROOT / "constraints.txt"
ENVIRONMENT = ROOT / ".nox" / f"shared-{sys.version_info.major}.{sys.version_info.minor}"
BIN = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin")

PACKAGES = sorted(path.parent for path in ROOT.glob("packages/*/pyproject.toml"))
PHOTOGRAPHS = ("pillow", "scikit-learn")
# What tests hold results against.
COUNTERPARTS = ("einops", "mypy", "pyright", "safetensors", "tensorboard", "transformers")
# What those run who build packages and publish them.
PACKAGING = ("check-wheel-contents", "editables", "twine")
TESTING = ("hypothesis", "pytest", "pytest-xdist", *COUNTERPARTS, *PACKAGING, *PHOTOGRAPHS)
LINTING = ("import-linter", "mypy", "ruff")
RIVALS = ("beartype", "einops", "jaxtyping")
PYREFLY = ("pyrefly", "pyrefly-shape-extensions", "pyrefly-torch-stubs")

nox.needs_version = ">=2024.4.15"
nox.options.sessions = ["tests", "lint"]


def run(session: nox.Session, program: str, *arguments: str, **variables: str) -> None:
    """Runs a program of the shared environment, with the environment variables given."""
    search = os.pathsep.join([str(BIN), os.environ.get("PATH", "")])
    env = {"PATH": search, "VIRTUAL_ENV": str(ENVIRONMENT), "PYTHONPATH": "", **variables}
    session.run(str(BIN / program), *arguments, env=env, external=True)


def install(session: nox.Session, *requirements: str) -> None:
    """Brings the shared environment to what a session needs: `requirements`, and the packages as they are."""
    if not (ENVIRONMENT / "pyvenv.cfg").exists():
        session.run(sys.executable, "-m", "venv", str(ENVIRONMENT), external=True)
    pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--constraint", str(CONSTRAINTS))
    run(session, "python", *pip, "hatchling", *requirements)
    # The environment's own hatchling builds the wheels: a pinned one, fetched once instead of six times.
    run(session, "python", *pip, "--no-build-isolation", *map(str, PACKAGES))


@nox.session(venv_backend="none")
def tests(session: nox.Session) -> None:
    """The test suite, on two workers. Arguments go to pytest: `nox -s tests -- tests/cli -k explain`."""
    install(session, *TESTING)
    # A file stays on one worker, and so do its fixtures. One thread of torch for each: more would only fight
    # for the same cores.
    run(session, "pytest", "-n", "2", "--dist", "loadfile", *session.posargs, OMP_NUM_THREADS="1")


@nox.session(venv_backend="none")
def demo(session: nox.Session) -> None:
    """The tour: checks the examples, catches a mistake, and runs attention over a photograph."""
    install(session, *PHOTOGRAPHS)
    run(session, "python", "examples/demo.py", *session.posargs)


@nox.session(venv_backend="none")
def lint(session: nox.Session) -> None:
    """Style, formatting, types, and who may import whom."""
    install(session, *LINTING)
    run(session, "ruff", "check", ".")
    run(session, "ruff", "format", "--check", ".")
    run(session, "mypy")
    run(session, "lint-imports", "--no-logo")


@nox.session(venv_backend="none")
def docs(session: nox.Session) -> None:
    """Writes the pages of the reference that are generated. With `--check`, says which are out of date."""
    install(session)
    run(session, "python", "docs/generate.py", *session.posargs)


@nox.session(venv_backend="none")
def gpu(session: nox.Session) -> None:
    """The tests that need a CUDA device."""
    install(session, *TESTING)
    run(session, "pytest", "-m", "gpu", *session.posargs)


@nox.session(venv_backend="none")
def bench(session: nox.Session) -> None:
    """Every benchmark, or the named ones: `nox -s bench -- argument_checks`."""
    install(session, *PHOTOGRAPHS, *RIVALS)
    names = session.posargs or sorted(path.stem for path in ROOT.glob("benchmarks/*.py"))
    for name in names:
        options = ("--pyrefly", pyrefly(session)) if name == "checking" else ()
        run(session, "python", f"benchmarks/{name}.py", *options)


def pyrefly(session: nox.Session) -> str:
    """A Pyrefly with its types of torch, in an environment of its own: mypy would take them for torch's."""
    folder = ROOT / ".nox" / "pyrefly"
    found = folder / BIN.name
    if not (folder / "pyvenv.cfg").exists():
        session.run(sys.executable, "-m", "venv", str(folder), external=True)
        pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps")
        session.run(str(found / "python"), *pip, "--constraint", str(CONSTRAINTS), *PYREFLY, external=True)
    return str(found / "pyrefly")


@nox.session(venv_backend="none")
def pins(session: nox.Session) -> None:
    """Holds what the sessions so far installed against constraints.txt."""
    lines = CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    pinned = dict(line.lower().replace("_", "-").split("==") for line in lines if "==" in line)
    query = "import importlib.metadata as m; print(*(f'{d.name}=={d.version}' for d in m.distributions()))"
    listing = session.run(str(BIN / "python"), "-c", query, silent=True, external=True)
    unpinned = []
    for distribution in str(listing).split():
        name, _, version = distribution.lower().replace("_", "-").partition("==")
        own = name == "pip" or name.startswith("shapescript")
        if not own and pinned.get(name) != version.partition("+")[0]:
            unpinned.append(distribution)
    if unpinned:
        session.error(f"not what constraints.txt says: {', '.join(sorted(unpinned))}")
