"""The libraries that compute and draw, with their versions: one changed may change any result."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Final

COMPUTING: Final = (
    "font-source-sans-pro",
    "fonttools",
    "jinja2",
    "matplotlib",
    "numpy",
    "polars",
    "pydantic",
    "pyyaml",
    "scipy",
    "statsmodels",
    "weasyprint",
)
"""Packages whose version may change a byte of a result; the workflow engine's may not."""


def environment() -> dict[str, str]:
    """{package: version}, with `python` and the kind of machine."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in COMPUTING:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
