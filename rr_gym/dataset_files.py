"""The files of a data set (docs/datasets.md): writing shards, and reading and checking shards and the description."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta, Struct

from rr_gym.encoding.act.actions import CARDS
from rr_gym.errors import RoboRallyError, require, short_repr
from rr_gym.files import read_bytes, write_file
from rr_gym.json_text import loads
from rr_gym.typed_data import among, typed

Array = np.ndarray[Any, Any]

SCHEMA = 1
FORMS = ("npz", "safetensors")
DESCRIPTION = "dataset.json"
MAX_COUNT = 2**31  # upper bound of the rows of a shard, of games and of choices
_KINDS = {"b": "truth values", "i": "whole numbers", "f": "floating-point numbers"}


class DatasetError(RoboRallyError):
    """A data set that cannot be written or read."""


Count = Annotated[int, Meta(ge=1, le=MAX_COUNT)]
Names = Annotated[tuple[str, ...], Meta(title="a list of names", min_length=1)]


class Shard(Struct):
    """The entry of a shard in the description."""

    file: str
    rows: Count
    episodes: Count

    def __post_init__(self) -> None:
        if Path(self.file).name != self.file or not self.file.isprintable():
            raise DatasetError(f"file: {short_repr(self.file)}: expected the name of a file beside {DESCRIPTION}")


class Description(Struct):
    """The part of a description that is needed to read the data set."""

    schema: Literal[1]
    form: Annotated[str, among(FORMS)]
    players: Names
    courses: Names
    components: Names
    gamma: Annotated[float, Meta(ge=0, le=1)]
    environment: dict[str, Any]
    choices: Count
    games: Count
    shards: Annotated[tuple[Shard, ...], Meta(title="a list of at least one shard", min_length=1)]


def write_shard(folder: Path, number: int, data: Mapping[str, Array], form: str) -> dict[str, Any]:
    """Write the arrays of a shard and return its entry in the description: file, rows and episodes."""
    name = f"shard-{number:05d}.{form}"
    if form == "npz":
        buffer = io.BytesIO()
        arrays: Any = data
        np.savez_compressed(buffer, **arrays)
        content = buffer.getvalue()
    else:
        content = require("safetensors.numpy", extra="train").save(
            {key: np.ascontiguousarray(array) for key, array in data.items()}
        )
    write_file(folder / name, content)
    return {"file": name, "rows": len(data["action"]), "episodes": len(data["episode_start"])}


def read_description(folder: Path) -> dict[str, Any]:
    """Read and check ``dataset.json``. Raises DatasetError that names the file and the bad key."""
    path = folder / DESCRIPTION
    description: dict[str, Any] = loads(read_bytes(path, DatasetError), str(path), DatasetError)
    typed(description, Description, str(path), DatasetError)
    return description


def read_shard(folder: Path, description: Mapping[str, Any], number: int) -> dict[str, Array]:
    """Read and check the arrays of a shard, by name. Raises DatasetError that names the file and the bad array."""
    shard = description["shards"][number]
    path = folder / shard["file"]
    load = require("safetensors.numpy", extra="train").load_file if description["form"] == "safetensors" else _read_npz
    try:
        data: dict[str, Array] = load(path)
    except Exception as error:  # readers raise all kinds of errors on damaged files
        raise DatasetError(f"{path}: cannot be read: {str(error) or type(error).__name__}") from error
    for name, shape, kind in _expected(description, shard, data):
        array = data.get(name)
        expected = f"{_KINDS.get(kind, 'numbers')}, {str(shape).replace('None', '...')}"
        if array is None:
            raise DatasetError(f"{path}: {name}: missing: expected {expected}")
        found = (*array.shape[:1], None) if shape[-1] is None else array.shape
        if found != shape or array.dtype.kind not in ("iu" if kind == "i" else kind or "iuf"):
            raise DatasetError(f"{path}: {name}: {array.dtype} {array.shape}: expected {expected}")
    _check_values(path, data)
    return data


def _read_npz(path: Path) -> dict[str, Array]:
    with np.load(path, allow_pickle=False) as data:
        return {name: data[name] for name in data.files}


def _expected(
    description: Mapping[str, Any], shard: Mapping[str, Any], data: Mapping[str, Array]
) -> Iterator[tuple[str, tuple[int | None, ...], str]]:
    """Iterate over the arrays that a shard must hold: name, shape and kind of its dtype.

    None in a shape stands for any further axes. The kind is a key of `_KINDS`, or empty for any numbers.
    """
    rows, episodes = shard["rows"], shard["episodes"]
    places = () if description.get("action") == CARDS else (len(description["components"]),)
    yield "action", (rows, *places), "i"
    yield "action_mask", (rows, *places, description["choices"]), "i"
    yield "reward", (rows,), "f"
    for name in ("terminated", "truncated"):
        yield name, (rows,), "b"
    for name in ("turn", "game", "seat", "player"):
        yield name, (rows,), "i"
    for name in ("episode_start", "episode_length"):
        yield name, (episodes,), "i"
    seen = [name for name in data if name.partition("/")[0] == "observation"] or ["observation"]
    for name in seen:
        yield name, (rows, None), ""
        yield f"final_{name}", (episodes, None), ""


def _check_values(path: Path, data: Mapping[str, Array]) -> None:
    """Raise DatasetError unless episodes cover all rows in order, actions are legal and rewards are finite."""
    lengths, starts = data["episode_length"], data["episode_start"]
    ends = np.cumsum(lengths)
    if (lengths < 1).any() or ends[-1] != len(data["action"]) or not np.array_equal(starts, ends - lengths):
        raise DatasetError(f"{path}: episode_start, episode_length: expected episodes that cover all rows in order")
    masks, actions = data["action_mask"], data["action"]
    inside = (actions >= 0) & (actions < masks.shape[-1])
    legal = inside & (np.take_along_axis(masks, np.where(inside, actions, 0)[..., None], -1)[..., 0] > 0)
    if not legal.all():
        row = int(np.argwhere(~legal)[0, 0])
        raise DatasetError(f"{path}: action: {actions[row].tolist()} in row {row}: expected what action_mask allows")
    if not np.isfinite(data["reward"]).all():
        row = int(np.isfinite(data["reward"]).argmin())
        raise DatasetError(f"{path}: reward: {data['reward'][row]} in row {row}: expected a finite number")
