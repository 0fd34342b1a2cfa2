"""All scenarios below tests/scenarios, read once per process."""

from __future__ import annotations

from pathlib import Path

from rr_gym.scenarios import load_scenarios

FOLDER = Path(__file__).parents[1] / "scenarios"
ALL = load_scenarios(FOLDER)
