"""Studies as text, and what the check says of them."""

from pathlib import Path

from audit.errors import SpecError
from audit.spec.load import LoadedStudy, load_study

HERE = Path(__file__).parent
MINIMAL = (HERE / "smallest_study.yaml").read_text(encoding="utf-8")
"""The smallest useful study of the language's reference."""
RICH = (HERE / "rich_study.yaml").read_text(encoding="utf-8")
"""A study that uses nearly everything that is accepted."""
FULL = (HERE / "full_example.yaml").read_text(encoding="utf-8")
"""The full example of the language's reference."""


def write(folder: Path, text: str, files: dict[str, str] | None = None) -> Path:
    """Write a study into a folder of its own name."""
    name = next(
        (line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("study:")),
        "study",
    )
    home = folder / name
    home.mkdir(parents=True, exist_ok=True)
    for file, content in (files or {}).items():
        (home / file).write_text(content, encoding="utf-8")
    path = home / "study.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def changed(text: str, *pairs: tuple[str, str]) -> str:
    """Replace parts of a study that must be there."""
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def load(folder: Path, text: str, **more) -> LoadedStudy:
    return load_study(write(folder, text, more.pop("files", None)), **more)


def said(folder: Path, text: str, *, severity: str = "error", **more) -> list[str]:
    """Messages of a severity, with line and column, without the file's name."""
    path = write(folder, text, more.pop("files", None))
    try:
        issues = load_study(path, **more).remarks
    except SpecError as error:
        issues = error.issues
    return [
        str(one).replace(f"{path}:", "").replace(str(path.parent), "…")
        for one in issues
        if one.severity == severity
    ]
