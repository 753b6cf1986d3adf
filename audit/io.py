"""Canonical, atomic, hashed files: the same content always gives the same bytes."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    import polars as pl

Model = TypeVar("Model", bound=BaseModel)
UNFINISHED = ".part"
"""How the name of a file that is being written ends."""


class Frozen(BaseModel):
    """Base of every file contract: frozen, unknown keys forbidden, no NaN or infinity."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="null"
    )


def canonical_json(value: Any) -> bytes:
    """UTF-8 JSON with sorted keys, one-space indent and a final newline; NaN is an error."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, indent=1, allow_nan=False)
    # a lone surrogate (hostile text) cannot be encoded: keep it as its JSON escape
    return (text + "\n").encode("utf-8", errors="backslashreplace")


def digest(content: bytes) -> str:
    """SHA-256 of some bytes, as `sha256:<hex>`."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def digest_of(value: Any) -> str:
    """Digest of the canonical JSON of a value."""
    return digest(canonical_json(value))


def file_digest(path: Path) -> str:
    """Digest of a file's bytes, read as a stream."""
    with path.open("rb") as stream:
        return "sha256:" + hashlib.file_digest(stream, "sha256").hexdigest()


def write_atomic(path: Path, content: bytes) -> None:
    """Write to a temporary neighbour, flush it to disk, then rename: whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(
        prefix=f".{path.name[:80]}.", suffix=UNFINISHED, dir=path.parent
    )
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any) -> None:
    """Write canonical JSON atomically."""
    write_atomic(path, canonical_json(value))


def write_json_if_different(path: Path, value: Any) -> bool:
    """Write only when the content differs, so that an unchanged slice keeps its time."""
    content = canonical_json(value)
    if path.exists() and path.read_bytes() == content:
        return False
    write_atomic(path, content)
    return True


def read_model(path: Path, model: type[Model]) -> Model:
    """Read a file of ours back into its contract."""
    return model.model_validate_json(path.read_bytes())


def write_parquet(path: Path, frame: pl.DataFrame) -> None:
    """Write a frame as Parquet with fixed settings: same rows, same bytes."""
    import io

    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", statistics=False, row_group_size=1 << 18)
    write_atomic(path, buffer.getvalue())
