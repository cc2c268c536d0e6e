"""The build backend: what is in the wheel of a package with .ss files, and which projects it refuses."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

import shapescript
import shapescript_runtime
from shapescript import build
from shapescript.packaging import requirements
from shapescript_runtime import built
from tests.packages.programs import PROJECT, SCALE, write


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one file, in the current folder."""
    folder = tmp_path / "project"
    write(
        folder,
        {
            "pyproject.toml": PROJECT,
            "src/extra/__init__.py": "",
            "src/extra/scale.ss": SCALE.format(factor=2),
        },
    )
    monkeypatch.chdir(folder)
    return folder


def contents(folder: Path) -> dict[str, str]:
    """The files of the wheel of the project in the current folder."""
    name = build.build_wheel(str(folder))
    with zipfile.ZipFile(folder / name) as wheel:
        return {name: wheel.read(name).decode() for name in wheel.namelist()}


def test_the_wheel_has_what_runs_and_what_type_checkers_read(project: Path, tmp_path: Path) -> None:
    files = contents(tmp_path)
    ours = {name.partition("/")[2]: text for name, text in files.items() if name.startswith("extra/")}
    assert sorted(ours) == [
        "__init__.py",
        "_shapescript/scale.py",
        "py.typed",
        "scale.py",
        "scale.ss",
        "shapescript-build.toml",
    ]
    assert ours["scale.ss"] == SCALE.format(factor=2)
    assert "def scale(x: _ss_torch.Tensor) -> _ss_torch.Tensor:" in ours["scale.py"]
    lines = ours["shapescript-build.toml"].splitlines()
    assert f'compiler = "{shapescript.__version__}"' in lines
    assert f'runtime = "{shapescript_runtime.__version__}"' in lines
    # Compiled code imports nothing but torch and the runtime.
    imports = [line for line in ours["_shapescript/scale.py"].splitlines() if line.startswith("import ")]
    assert imports == ["import torch", "import shapescript_runtime as _ss_rt"]


def test_the_record_lists_every_file(project: Path, tmp_path: Path) -> None:
    wheel = tmp_path / build.build_wheel(str(tmp_path))
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        rows = list(csv.reader(io.StringIO(archive.read("extra-0.1.0.dist-info/RECORD").decode())))
        assert len(names) == len(set(names))
        assert names[-1] == "extra-0.1.0.dist-info/RECORD"
        assert rows[-1] == ["extra-0.1.0.dist-info/RECORD", "", ""]
        assert [row[0] for row in rows] == names
        for name, digest, size in rows[:-1]:
            data = archive.read(name)
            sha = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert (digest, size) == (f"sha256={sha}", str(len(data)))


def test_the_wheel_is_the_same_bytes_wherever_it_is_built(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = (tmp_path / build.build_wheel(str(tmp_path))).read_bytes()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(project.rename(tmp_path / "elsewhere" / "project"))
    assert (tmp_path / build.build_wheel(str(tmp_path))).read_bytes() == first
    assert str(tmp_path).encode() not in first


def test_errors_fail_the_build_with_the_places_in_the_project(project: Path, tmp_path: Path) -> None:
    (project / "src" / "extra" / "scale.ss").write_text("fn scale(x: [n]) -> [n] = y\n")
    (project / "src" / "extra" / "use.ss").write_text(
        "import scale\n\nfn use(x: [n]) -> [n] = scale.scale(x)\n"
    )
    with pytest.raises(SystemExit) as stop:
        build.build_wheel(str(tmp_path))
    text = str(stop.value)
    assert "error[E0301]: nothing named `y` is in scope\n --> src/extra/scale.ss:1:27" in text
    assert "error[E2303]" in text
    assert "src/extra/use.ss:1:" in text
    assert text.endswith("the wheel isn't built: there are errors in 2 .ss files")
    assert str(tmp_path) not in text.replace(str(project), "")
    assert not list(tmp_path.glob("*.whl"))


def test_files_are_checked_with_each_other(project: Path, tmp_path: Path) -> None:
    write(
        project / "src" / "extra",
        {
            "deep/use.ss": "import extra.scale as s\n\nfn use(x: [n]) -> [n] = s.scale(x)\n",
            "deep/more.ss": "import use\n\nfn more(x: [n]) -> [n] = use.use(x)\n",
        },
    )
    files = contents(tmp_path)
    for name in ("use", "more"):
        assert f"extra/deep/_shapescript/{name}.py" in files
    assert "extra/deep/shapescript-build.toml" in files
    assert "extra/deep/py.typed" not in files


def test_a_file_that_no_import_can_name_is_checked_and_nothing_more(project: Path, tmp_path: Path) -> None:
    write(project / "src" / "extra", {"data/my-model.ss": SCALE.format(factor=1)})
    assert [name for name in contents(tmp_path) if "data" in name] == ["extra/data/my-model.ss"]


def test_warnings_are_told_and_do_not_fail_the_build(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "src" / "extra" / "scale.ss").write_text("fn surprise(x: [n]) -> [n] = log(sigmoid(x))\n")
    contents(tmp_path)
    assert "warning[W0501]" in capsys.readouterr().err


def test_a_hand_written_module_stays_and_is_warned_of(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = "from __future__ import annotations\n\nmine = True\n"
    (project / "src" / "extra" / "scale.py").write_text(own)
    files = contents(tmp_path)
    assert files["extra/scale.py"] == own
    # Other .ss files can still import it.
    assert "extra/_shapescript/scale.py" in files
    printed = capsys.readouterr().err
    assert "warning[W2501]: `scale.py` isn't the module that is generated" in printed
    assert "src/extra/scale.ss:1:1" in printed


def test_a_module_that_an_editor_generated_is_replaced(project: Path, tmp_path: Path) -> None:
    text = contents(tmp_path)["extra/scale.py"]
    old = text.replace("def scale", "def old").replace(
        "shapescript_runtime.installed", "shapescript.pymodules"
    )
    (project / "src" / "extra" / "scale.py").write_text(old)
    assert contents(tmp_path)["extra/scale.py"] == text


def test_packages_in_a_namespace_are_typed_each(project: Path, tmp_path: Path) -> None:
    write(
        project,
        {
            "pyproject.toml": PROJECT.replace("src/extra", "src/acme"),
            "src/acme/one/__init__.py": "",
            "src/acme/one/deep/a.ss": SCALE.format(factor=1),
            "src/acme/two/b.ss": SCALE.format(factor=1),
        },
    )
    marked = sorted(name for name in contents(tmp_path) if name.endswith("py.typed"))
    # Not in acme itself: other projects have packages there.
    assert marked == ["acme/one/py.typed", "acme/two/py.typed"]


def test_a_namespace_gets_no_files_which_several_wheels_would_overwrite(
    project: Path, tmp_path: Path
) -> None:
    use = "import shapescript.std.metrics as std\n\nfn same(s: [n c], l: [n] Index[c]) -> [] = std.accuracy(s, l)\n"
    write(
        project,
        {
            "pyproject.toml": PROJECT.replace("src/extra", "src/acme"),
            "src/acme/one/__init__.py": "",
            "src/acme/one/deep/a.ss": use,
        },
    )
    names = [name for name in contents(tmp_path) if name.startswith("acme/")]
    assert all(name.startswith("acme/one/") for name in names)
    assert "acme/one/_shapescript/shapescript/std/_shapescript/metrics.py" in names


def test_a_package_that_the_build_lacks_belongs_in_requires(project: Path, tmp_path: Path) -> None:
    (project / "src" / "extra" / "scale.ss").write_text("import other.layers\n")
    with pytest.raises(SystemExit, match=r"those of `requires` under `\[build-system\]` in pyproject.toml"):
        build.build_wheel(str(tmp_path))


def test_a_file_outside_packages_is_refused(project: Path, tmp_path: Path) -> None:
    write(
        project,
        {
            "pyproject.toml": PROJECT.replace(
                'packages = ["src/extra"]', 'sources = ["src"]\ninclude = ["src"]'
            ),
            "src/alone.ss": SCALE.format(factor=1),
        },
    )
    with pytest.raises(SystemExit, match=r"src/alone\.ss is in no package: put it into a folder"):
        build.build_wheel(str(tmp_path))


def test_a_project_without_ss_files_is_told_so(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".gitignore").write_text("*.ss\n")
    contents(tmp_path)
    assert "no .ss files in the wheel; does .gitignore leave them out?" in capsys.readouterr().err


def test_files_of_the_standard_library_come_along(project: Path, tmp_path: Path) -> None:
    (project / "src" / "extra" / "use.ss").write_text(
        "import shapescript.std.fit as std\n\nfn same(logs: std.StepLogs) -> std.StepLogs = logs\n"
    )
    files = contents(tmp_path)
    inside = {name for name in files if name.startswith("extra/_shapescript/shapescript/")}
    assert inside == {
        "extra/_shapescript/shapescript/std/fit.ss",
        "extra/_shapescript/shapescript/std/_shapescript/fit.py",
    }


@pytest.mark.parametrize(
    ("dependencies", "said"),
    [
        ('"shapescript-runtime>=0.7.3"', None),
        ('"Shapescript.Runtime ~= 0.7.3"', None),
        ('"shapescript>=0.7"', None),
        ('"numpy"', "needs shapescript-runtime, which isn't among the dependencies"),
        ("'shapescript-runtime; extra == \"run\"'", "which isn't among the dependencies"),
        (
            '"shapescript-runtime>=0.7,<0.8"',
            "needs shapescript-runtime 0.7.3, and the dependencies take an older",
        ),
        ('"shapescript-runtime"', "needs shapescript-runtime 0.7.3, and the dependencies take an older"),
    ],
)
def test_dependencies_that_may_bring_no_runtime_or_an_old_one_are_warned_of(
    project: Path,
    tmp_path: Path,
    dependencies: str,
    said: str | None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of_the_project(project, dependencies, monkeypatch)
    contents(tmp_path)
    printed = capsys.readouterr().err
    assert "write `shapescript-runtime>=0.7.3` there" in printed if said else printed == ""
    assert (said or "") in printed


@pytest.mark.parametrize("dependencies", ['"shapescript-runtime>=0.6,<0.7"', '"shapescript==0.6.*"'])
def test_dependencies_that_no_runtime_can_meet_fail_the_build(
    project: Path, tmp_path: Path, dependencies: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where `requires` brings a newer compiler than the package was written for."""
    of_the_project(project, dependencies, monkeypatch)
    with pytest.raises(
        SystemExit, match=r"for shapescript-runtime 0.7.3 or newer, and the dependencies say `shap"
    ):
        build.build_wheel(str(tmp_path))
    assert not list(tmp_path.glob("*.whl"))


def of_the_project(project: Path, dependencies: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PROJECT.replace('"shapescript-runtime>=0.1"', dependencies)
    (project / "pyproject.toml").write_text(text)
    monkeypatch.setattr(requirements, "__version__", "0.7.3")
    monkeypatch.setattr(shapescript_runtime, "__version__", "0.7.3")


def test_the_sdist_has_the_sources_alone(project: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / build.build_sdist(str(tmp_path))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "src/extra/__init__.py", "src/extra/scale.ss"} <= names
    assert not any("_shapescript" in name or name.endswith("scale.py") for name in names)


def test_the_editable_wheel_only_points_at_the_sources(project: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / build.build_editable(str(tmp_path))) as archive:
        texts = [archive.read(name).decode() for name in archive.namelist()]
        assert not any("scale" in name for name in archive.namelist())
    assert any(str(project / "src") in text for text in texts)


def test_what_front_ends_ask_for_is_there(project: Path, tmp_path: Path) -> None:
    assert build.get_requires_for_build_wheel() == []
    assert build.get_requires_for_build_sdist() == []
    assert all("editables" in name for name in build.get_requires_for_build_editable())
    folder = build.prepare_metadata_for_build_wheel(str(tmp_path))  # type: ignore[attr-defined]
    assert "Name: extra" in (tmp_path / folder / "METADATA").read_text()


def test_compiled_code_is_read_as_it_was_written(project: Path, tmp_path: Path) -> None:
    name = build.build_wheel(str(tmp_path))
    with zipfile.ZipFile(tmp_path / name) as wheel:
        wheel.extractall(tmp_path / "site")
    source = str(tmp_path / "site" / "extra" / "scale.ss")
    found = built.read_built(source)
    assert found is not None
    with open(built.file_of(source), encoding="utf-8") as file:
        assert found.text == file.read()
    assert found.files == {"": built.digest(Path(source).read_bytes())}
    assert built.read_built(os.path.join(os.path.dirname(source), "other.ss")) is None
