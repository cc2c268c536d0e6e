"""Virtual environments to install wheels into, as users do: with pip."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


def run(command: Sequence[str | Path], folder: Path) -> str:
    """Runs a command that must succeed, and gives what it printed."""
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{command} failed:\n{result.stdout}{result.stderr}"
    return result.stdout


@dataclass(frozen=True)
class Environment:
    """A virtual environment, with the folder of its programs and of its packages."""

    folder: Path

    @classmethod
    def created(cls, folder: Path) -> Environment:
        """A new one, with nothing installed."""
        venv.create(folder, with_pip=False, symlinks=True)
        return cls(folder)

    @property
    def programs(self) -> Path:
        return Path(sysconfig.get_path("scripts", "venv", vars={"base": str(self.folder)}))

    @property
    def python(self) -> Path:
        return self.programs / "python"

    @property
    def packages(self) -> Path:
        variables = {"base": str(self.folder), "platbase": str(self.folder)}
        return Path(sysconfig.get_path("purelib", "venv", vars=variables))

    def install(self, wheels: Sequence[Path]) -> None:
        """Installs the wheels and nothing else: no dependency, no index."""
        pip = [sys.executable, "-m", "pip", "--python", self.python, "install", "--quiet"]
        run([*pip, "--no-index", "--no-deps", *wheels], self.folder)

    def install_with_dependencies(self, *requirements: str | Path, wheels: Path) -> None:
        """Installs requirements and what they need, which is in the folder `wheels` or here already."""
        pip = [sys.executable, "-m", "pip", "--python", self.python, "install", "--quiet"]
        run([*pip, "--no-index", "--find-links", wheels, *requirements], self.folder)

    def borrow_torch(self) -> None:
        """Lets the environment find the torch that the tests themselves run with, and all else but this project.

        A torch of its own would be a gigabyte. The path comes last, so the environment's own packages win,
        and the tests below assert that they did.
        """
        lent = self.folder / "lent"
        lent.mkdir()
        for entry in Path(importlib.util.find_spec("torch").origin).parents[1].iterdir():
            if entry.suffix != ".pth" and "shapescript" not in entry.name:
                (lent / entry.name).symlink_to(entry)
        (self.packages / "borrowed.pth").write_text(f"{lent}\n", encoding="utf-8")
