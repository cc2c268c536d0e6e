"""The `shapescript` command, and `python -m shapescript`, which also runs programs."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs the command line of this process, and returns its exit code."""
    from shapescript.cli import main

    return main(sys.argv[1:], is_last=True)


if __name__ == "__main__":
    from shapescript.cli import main_of_module

    sys.exit(main_of_module(sys.argv[1:]))
