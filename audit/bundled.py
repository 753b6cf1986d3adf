"""Files that travel with the package: found beside it in a wheel, in the checkout otherwise."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def bundled(name: str) -> Path:
    """Path of a bundled file or folder: `Snakefile`, `profiles`, `templates`.

    Parameters
    ----------
    name : plain name, no separators

    Raises
    ------
    FileNotFoundError
        if neither the wheel's copy (`audit/bundled/<name>`) nor the checkout's exists
    """
    for place in (_PACKAGE / "bundled" / name, _PACKAGE.parent / name):
        if place.exists():
            return place
    raise FileNotFoundError(f"{name} is missing from this installation of claimscope")
