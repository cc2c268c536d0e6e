"""Wheels, and what is added to them."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import stat
import sys
import tempfile
import zipfile
from collections.abc import Mapping

from shapescript.packaging import requirements
from shapescript.packaging.programs import BuildError, Packaged

_METADATA = ".dist-info/METADATA"


def add_programs(wheel: str, project: str) -> None:
    """Adds to a wheel what its .ss files become.

    Arguments:
        wheel: its file, which is replaced.
        project: the folder that it was built from, whose paths diagnostics show.

    Raises:
        BuildError: if the .ss files have errors, or what the wheel requires can't run them. It is then as it was.
    """
    with tempfile.TemporaryDirectory() as folder:
        # Imports between the files are found as they will be where the wheel is installed.
        root = os.path.realpath(folder)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(root)
            names = archive.namelist()
            (metadata,) = (archive.read(name).decode("utf-8") for name in names if name.endswith(_METADATA))
        packaged = Packaged(root, names, project)
        packaged.check(sys.stderr)
        added = packaged.files()
    if added:
        _check_requirements(metadata)
        add_files(wheel, added)


def _check_requirements(metadata: str) -> None:
    refused = requirements.refused(metadata)
    if refused is not None:
        raise BuildError(refused)
    doubtful = requirements.doubtful(metadata)
    if doubtful is not None:
        print(f"shapescript.build: warning: {doubtful}", file=sys.stderr)


def add_files(wheel: str, files: Mapping[str, bytes]) -> None:
    """Puts files into a wheel, in place of those with the same names, and writes them down in its RECORD."""
    with zipfile.ZipFile(wheel) as old:
        entries = [(info, old.read(info)) for info in old.infolist() if info.filename not in files]
    (record,) = (pair for pair in entries if pair[0].filename.endswith(".dist-info/RECORD"))
    entries.remove(record)
    # The format asks for what describes the wheel to come last.
    kept = [pair for pair in entries if not _describes(pair[0])]
    made = [(_entry(name, record[0]), data) for name, data in sorted(files.items())]
    described = [pair for pair in entries if _describes(pair[0])]
    whole = [*sorted([*kept, *made], key=lambda pair: pair[0].filename), *described]
    whole.append((record[0], _record([(info.filename, data) for info, data in whole], record[0].filename)))
    beside = f"{wheel}.new"
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, data in whole:
            archive.writestr(info, data, compress_type=zipfile.ZIP_DEFLATED)
    os.replace(beside, wheel)


def _describes(info: zipfile.ZipInfo) -> bool:
    return info.filename.partition("/")[0].endswith(".dist-info")


def _entry(name: str, like: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """A file's entry, as old as the others, so that two builds of one project are the same bytes."""
    info = zipfile.ZipInfo(name, like.date_time)
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    info.create_system = like.create_system
    return info


def _record(files: list[tuple[str, bytes]], own: str) -> bytes:
    """The list of a wheel's files with their digests and sizes, as its format has it."""
    text = io.StringIO(newline="")
    lines = csv.writer(text, lineterminator="\n")
    for name, data in files:
        if not name.endswith("/"):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")
            lines.writerow((name, f"sha256={digest}", len(data)))
    lines.writerow((own, "", ""))
    return text.getvalue().encode("utf-8")
