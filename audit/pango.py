"""Is Pango there, the one system library that pages need? `python -m audit.pango` says so."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import shutil
import sys
from typing import Final

_LIBRARIES: Final = {
    "pango-1.0": "libpango-1.0.so.0",
    "pangoft2-1.0": "libpangoft2-1.0.so.0",
}
_COMMANDS: Final = {
    "apt-get": "apt-get update && apt-get install -y libpango-1.0-0 libpangoft2-1.0-0",
    "dnf": "dnf install -y pango",
    "apk": "apk add pango",
    "pacman": "pacman -S --noconfirm pango",
    "brew": "brew install pango",
}


def missing() -> list[str]:
    """Names of the libraries that cannot be loaded."""
    return [name for name, file in _LIBRARIES.items() if not _loads(name, file)]


def _loads(name: str, file: str) -> bool:
    for candidate in (file, ctypes.util.find_library(name)):
        try:
            if candidate is not None and ctypes.CDLL(candidate):
                return True
        except OSError:
            continue
    return False


def install_command() -> str | None:
    """The one command that installs Pango here; None where no package manager is known."""
    manager = next((name for name in _COMMANDS if shutil.which(name)), None)
    if manager is None:
        return None
    root = manager == "brew" or not hasattr(os, "geteuid") or os.geteuid() == 0
    return _COMMANDS[manager] if root else f"sudo sh -c '{_COMMANDS[manager]}'"


def advice() -> str:
    """What to do about missing libraries, in one line."""
    command = install_command()
    names = ", ".join(missing())
    return f"Pango ({names}) is missing; install it with: {command or 'your package manager'}"


if __name__ == "__main__":
    if missing():
        print(advice() if "--command" not in sys.argv else install_command() or "false")
        sys.exit(1)
