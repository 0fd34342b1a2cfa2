"""The names that shells complete, by kind. Each kind is looked up when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields


def _players() -> list[str]:
    from rr_gym.player_names import BUILT_IN

    return [*BUILT_IN]


def _starts() -> list[str]:
    from rr_gym.player_names import POLICIES

    return ["itself", "nothing", *POLICIES]


def _courses() -> list[str]:
    from rr_gym.courses.library import list_courses

    return list(list_courses())


def _elements() -> list[str]:
    from rr_gym.courses.elements import ELEMENTS

    return [element.id for element in ELEMENTS]


def _tables() -> list[str]:
    from rr_gym.arena.tables import TABLES

    return [*TABLES]


def _options() -> list[str]:
    from rr_gym.option_facts import OPTION_CARDS

    return [card.id for card in OPTION_CARDS]


def _settings() -> list[str]:
    """List ``NAME=VALUE`` for the words and numeric defaults of all settings, and for the presets."""
    from rr_gym.rules.state.settings import PRESETS, Settings

    pairs = [f"preset={name}" for name in PRESETS]
    for setting in fields(Settings):
        values = [str(value) for value in setting.metadata.get("values", ())]
        default = str(setting.default)
        pairs += [f"{setting.name}={value}" for value in dict.fromkeys([default, *values]) if " " not in value]
    return pairs


def _configs() -> list[str]:
    from rr_gym.config_files import config_names

    return config_names()


def _keys() -> list[str]:
    from rr_gym.training import agents_module

    sections = agents_module("config").TrainConfig().as_mapping().items()
    return [f"{name}.{key}=" for name, section in sections for key in section]


def _bench_rows() -> list[str]:
    from rr_gym.bench.table import ROWS

    return list(ROWS)


def _suite_rows() -> list[str]:
    from rr_gym.evaluation.benchmark.suites import load_suite

    return list(dict.fromkeys(name for row in load_suite().rows for name in (row.group, row.name)))


KINDS: dict[str, Callable[[], list[str]]] = {
    "players": _players,
    "starts": _starts,
    "courses": _courses,
    "elements": _elements,
    "tables": _tables,
    "options": _options,
    "settings": _settings,
    "configs": _configs,
    "keys": _keys,
    "bench rows": _bench_rows,
    "suite rows": _suite_rows,
}
