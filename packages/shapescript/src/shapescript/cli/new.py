"""`shapescript new`."""

from __future__ import annotations

import os

from shapescript.cli import output
from shapescript.cli.failures import CommandError, named, reason
from shapescript.packaging import starting

_DESCRIPTION = """\
Makes a package to start from: a model in a .ss file, a test that passes, a README, continuous integration,
and a pyproject.toml whose wheels run where only shapescript-runtime is installed.
"""

_EPILOG = """\
examples:
  shapescript new shapes-extra                 in the folder shapes-extra
  shapescript new shapes-extra --path .        in the current folder, which must be empty

The name is the one that pip installs. Python imports it in lower case with `_` for `-` and `.`, as in
`import shapes_extra`.

exit codes:
  0  the package was made
  2  the name can't be that of a package, something is there already, or a file can't be written
"""


def main(arguments: list[str]) -> int:
    """Runs the command and returns its exit code."""
    parser = output.parser("new", _DESCRIPTION, _EPILOG)
    parser.add_argument("name", metavar="NAME", help="the package's name, such as shapes-extra")
    parser.add_argument("--path", metavar="FOLDER", help="where to make it; without it, a folder of its name")
    options = parser.parse_args(arguments)
    folder = options.path or options.name
    try:
        made = starting.new_files(options.name)
    except ValueError as error:
        raise CommandError(f"{named(options.name)} {error}") from error
    try:
        starting.write(folder, made)
    except FileExistsError as error:
        raise CommandError(f"{named(folder)} is there already: choose another name or --path") from error
    except OSError as error:
        raise CommandError(f"cannot write {named(error.filename or folder)}: {reason(error)}") from error
    listed = "".join(f"  {os.path.join(folder, *place.split('/'))}\n" for place in made)
    enter = "" if os.path.abspath(folder) == os.getcwd() else f"cd {folder}\n  "
    output.write(f"made\n{listed}\nnext\n  {enter}pip install -e '.[dev]'\n  pytest\n")
    return 0
