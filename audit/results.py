"""Reading a study's results folder back, and refusing what is not whole."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from audit.errors import InputError, Issue
from audit.io import file_digest
from audit.record import Record

Model = TypeVar("Model", bound=BaseModel)


def read_result(folder: Path, name: str, model: type[Model]) -> Model:
    """One file of a results folder in its contract.

    Raises
    ------
    InputError
        if it is missing or is not what it says it is
    """
    path = folder / name
    try:
        return model.model_validate_json(path.read_bytes())
    except OSError as error:
        raise refusal(path, f"cannot be read: {error.strerror}", "run `audit report`") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise refusal(path, f"is not a file of this program: {where}: {first['msg']}") from error


def refusal(path: Path, message: str, remedy: str = "") -> InputError:
    """An input error about a whole file."""
    return InputError([Issue(str(path), 0, 0, "", message, remedy=remedy)])


def first_altered(folder: Path, record: Record) -> str | None:
    """The first file that is not what the record names; None when all are."""
    for name, known in sorted(record.files.items()):
        path = folder / name
        if not path.is_file():
            return f"{path}: named by the record and missing"
        if file_digest(path) != known:
            return f"{path}: not the file that the record names"
    return None
