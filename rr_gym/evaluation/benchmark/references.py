"""The reference of a suite: the scores that stand for 0 and 100, and digests of the games at that time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any

from rr_gym.json_text import loads

LOW, HIGH = "random", "racer"  # the players whose scores are 0 and 100


@dataclass(frozen=True, slots=True)
class Reference:
    """Measurements made once for a suite.

    Attributes:
        suite: The suite's name.
        rows: A digest of each row's courses, settings and rules.
        players: A digest of how each background player plays.
        scores: By row and course: the scores of `LOW` and `HIGH`, which stand for 0 and 100.
    """

    suite: str
    rows: Mapping[str, str]
    players: Mapping[str, str]
    scores: Mapping[str, Mapping[str, tuple[float, float]]]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reference:
        """Create a reference from the data that `to_json` returns."""
        scores = {row: {name: (low, high) for name, (low, high) in s.items()} for row, s in data["scores"].items()}
        return cls(data["suite"], data["rows"], data["players"], scores)

    def to_json(self) -> dict[str, Any]:
        """Return plain data for `json.dump`, which `from_json` reads."""
        return asdict(self)


def read_reference(suite: str) -> Reference | None:
    """Read the reference of a built-in suite; None if it was not measured yet."""
    file = files("rr_gym.evaluation.benchmark") / "references" / f"{suite}.json"
    return Reference.from_json(loads(file.read_bytes(), file.name)) if file.is_file() else None
