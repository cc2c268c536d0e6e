"""Where ShapeScript keeps files of its own."""

from __future__ import annotations

import os
import sys


def cache_folder() -> str:
    """The user's cache folder, which may not exist yet.

    It is $SHAPESCRIPT_CACHE_DIR, else $XDG_CACHE_HOME/shapescript, else where the platform keeps caches.
    """
    environ = os.environ
    if environ.get("SHAPESCRIPT_CACHE_DIR"):
        return os.path.abspath(environ["SHAPESCRIPT_CACHE_DIR"])
    if environ.get("XDG_CACHE_HOME"):
        return os.path.abspath(os.path.join(environ["XDG_CACHE_HOME"], "shapescript"))
    home = os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Caches", "shapescript")
    if sys.platform == "win32":
        local = environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
        return os.path.join(local, "shapescript", "Cache")
    return os.path.join(home, ".cache", "shapescript")
