"""Compiled code that the import hook keeps: when it is used again, and where it is."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from shapescript.folders import cache_folder
from shapescript.importing import cache, fingerprint
from shapescript.importing.finder import spec_of
from shapescript.modes import CheckModes
from tests.cli.commands import environment, python

SCALE = "devices cpu\n\nfn scale(x: [n]) -> [n] = x * {factor}\n"

# Gets a module's code without running it, which needs no torch, and says whether the compiler was loaded.
GET_CODE = textwrap.dedent(
    """
    import sys
    from shapescript.importing.finder import spec_of
    from shapescript.modes import CheckModes
    modes = CheckModes(*sys.argv[2:4]) if len(sys.argv) > 3 else CheckModes()
    code = spec_of("scale", sys.argv[1], modes).loader.get_code("scale")
    print("compiled" if "shapescript_check" in sys.modules else "kept", sum(map(hash, code.co_code)))
    """
)


def get_code(file: Path, *modes: str, options: tuple[str, ...] = (), **env: str) -> str:
    """Whether a fresh process that imports `file` compiled it, or found its code kept."""
    result = python(*options, "-c", GET_CODE, str(file), *modes, cwd=file.parent, env=env)
    assert result.returncode == 0, result.stderr
    return result.stdout.split()[0]


def entries(file: Path) -> list[str]:
    """The cache entries beside a file, and whatever else is there."""
    folder = file.parent / "__pycache__"
    return sorted(os.listdir(folder)) if folder.is_dir() else []


@pytest.fixture
def scale(tmp_path: Path) -> Path:
    file = tmp_path / "scale.ss"
    file.write_text(SCALE.format(factor=2))
    return file


def test_code_is_kept_beside_the_file_until_the_file_changes(scale: Path) -> None:
    assert get_code(scale) == "compiled"
    assert entries(scale) == [f"scale.{sys.implementation.cache_tag}.ssc"]
    assert get_code(scale) == "kept"
    scale.write_text(SCALE.format(factor=3))
    assert get_code(scale) == "compiled"
    assert get_code(scale) == "kept"
    # The same size and the same time of change, as a fast script or a checkout may leave them.
    stat = scale.stat()
    scale.write_text(SCALE.format(factor=4))
    os.utime(scale, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert get_code(scale) == "compiled"


def test_check_modes_and_optimized_python_have_code_of_their_own(scale: Path) -> None:
    for _ in range(2):
        seen = [
            get_code(scale),
            get_code(scale, "off", "off"),
            get_code(scale, "always", "always"),
            get_code(scale, options=("-O",)),
        ]
    assert seen == ["kept"] * 4
    assert len(entries(scale)) == 4


def test_a_copy_of_the_folder_has_code_of_its_own(scale: Path) -> None:
    get_code(scale)
    other = scale.parent / "other"
    other.mkdir()
    (other / "scale.ss").write_bytes(scale.read_bytes())
    (other / "__pycache__").mkdir()
    for name in entries(scale):
        (other / "__pycache__" / name).write_bytes((scale.parent / "__pycache__" / name).read_bytes())
    assert get_code(other / "scale.ss") == "compiled", "tracebacks would name the other file"


def test_another_compiler_compiles_again(scale: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = cache.key(b"text", str(scale), CheckModes())
    assert cache.key(b"text", str(scale), CheckModes()) == before
    monkeypatch.setattr(cache, "fingerprint", lambda: b"another")
    assert cache.key(b"text", str(scale), CheckModes()) != before


def test_an_installed_compiler_of_the_same_version_is_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where pip installs a repository, and then a later commit of it."""
    site = tmp_path / "site-packages"
    for name in ("shapescript", "shapescript_syntax", "shapescript_check"):
        (site / name).mkdir(parents=True)
        (site / name / "__init__.py").write_text('"""Part of it."""\n\n__version__ = "3.1"\n')
        (site / f"{name}-3.1.dist-info").mkdir()
        (site / f"{name}-3.1.dist-info" / "RECORD").write_text(f"{name}/__init__.py,sha256=AAAA,5\n")
    monkeypatch.setattr(fingerprint, "_folders", lambda name: [str(site / name)])
    monkeypatch.setattr(fingerprint.shapescript, "__file__", str(site / "shapescript" / "__init__.py"))
    work_out = fingerprint.fingerprint.__wrapped__
    first = work_out()
    assert work_out() == first
    (site / "shapescript_check-3.1.dist-info" / "RECORD").write_text("x.py,sha256=BBBB,5\n")
    assert work_out() != first


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: data + b"x",
        lambda data: b"\0" * len(data),
        lambda data: data[:100] + bytes([data[100] ^ 1]) + data[101:],
        lambda data: data.replace(b"shapescript 1", b"shapescript 0"),
    ],
    ids=["empty", "half", "short", "long", "zeros", "one bit", "another format"],
)
def test_a_damaged_entry_is_ignored_and_replaced(
    scale: Path, damage: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    loader = spec_of("scale", str(scale), CheckModes()).loader
    code = loader.get_code("scale")  # type: ignore[union-attr]
    (name,) = entries(scale)
    entry = scale.parent / "__pycache__" / name
    whole = entry.read_bytes()
    entry.write_bytes(damage(whole))
    assert loader.get_code("scale") == code  # type: ignore[union-attr]
    assert entry.read_bytes() == whole


def test_where_nothing_can_be_written_the_users_cache_folder_is_used(scale: Path, tmp_path: Path) -> None:
    # A file where the folder would be keeps even root from making it, as a read-only file system does.
    (scale.parent / "__pycache__").touch()
    users = tmp_path / "cache"
    env = {"SHAPESCRIPT_CACHE_DIR": str(users)}
    assert get_code(scale, **env) == "compiled"
    (entry,) = (path for path in users.rglob("*") if path.is_file())
    folder, name = entry.relative_to(users / "modules").parts
    assert (len(folder), name) == (32, f"scale.{sys.implementation.cache_tag}.ssc")
    assert get_code(scale, **env) == "kept"
    scale.write_text(SCALE.format(factor=3))
    assert get_code(scale, **env) == "compiled"
    # And where not even that can be written, importing still works.
    nowhere = {"SHAPESCRIPT_CACHE_DIR": str(scale / "below a file")}
    assert get_code(scale, **nowhere) == "compiled"


def test_no_code_is_kept_if_python_is_told_not_to(scale: Path) -> None:
    get_code(scale, PYTHONDONTWRITEBYTECODE="1")
    assert entries(scale) == []
    get_code(scale, PYTHONPYCACHEPREFIX=str(scale.parent / "elsewhere"))
    assert entries(scale) == []
    assert get_code(scale, PYTHONPYCACHEPREFIX=str(scale.parent / "elsewhere")) == "kept"


def test_processes_that_import_at_once_all_get_the_module(scale: Path) -> None:
    program = textwrap.dedent(
        """
        import sys, shapescript
        from shapescript.importing.finder import spec_of
        from shapescript.modes import CheckModes
        sys.stdin.readline()  # until all are ready
        code = spec_of("scale", "scale.ss", CheckModes()).loader.get_code("scale")
        print(code.co_names)
        """
    )
    with contextlib.ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", program],
                    cwd=scale.parent,
                    env=environment(),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            for _ in range(6)
        ]
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        results = [process.communicate(timeout=120) for process in processes]
    assert {error for _, error in results} == {""}
    assert len({output for output, _ in results}) == 1
    assert len(entries(scale)) == 1, "no temporary files are left"
    assert python("-c", program, cwd=scale.parent, stdin="\n").stdout == results[0][0]


@pytest.mark.parametrize(
    ("platform", "env", "expected"),
    [
        ("linux", {"SHAPESCRIPT_CACHE_DIR": "/a", "XDG_CACHE_HOME": "/b"}, "/a"),
        ("linux", {"XDG_CACHE_HOME": "/b"}, "/b/shapescript"),
        ("linux", {}, "/home/me/.cache/shapescript"),
        ("darwin", {}, "/home/me/Library/Caches/shapescript"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/shapescript/Cache"),
    ],
)
def test_the_users_cache_folder(
    monkeypatch: pytest.MonkeyPatch, platform: str, env: dict[str, str], expected: str
) -> None:
    for name in ("SHAPESCRIPT_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/me", **env}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert cache_folder() == expected
