"""What learners observe, as calls of JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from rr_gym.choices.columns import LEGAL
from rr_gym.choices.facts import ChoiceFacts
from rr_gym.choices.poses import Trial
from rr_gym.choices.rows import Facts, write_facts
from rr_gym.compilation.xla_arguments import WRITTEN, Cache, Rows, Scratch
from rr_gym.encoding.act.turn_decisions import DecisionRows
from rr_gym.encoding.observe.entities import ENTITIES, EntityRows, observe_entities
from rr_gym.encoding.observe.flat import observe_flat
from rr_gym.encoding.observe.observations import (
    WITH_WAY,
    EntitiesObserver,
    FlatObserver,
    Observer,
    PlanesObserver,
)
from rr_gym.encoding.observe.planes import observe_planes
from rr_gym.envs.core import Core
from rr_gym.errors import EnvError
from rr_gym.jax.calls import Call
from rr_gym.jax.decisions import decision_rows
from rr_gym.policies.inputs import LIMIT
from rr_gym.policies.scaling import NATIVE, SCALED, ScaledTable, scaled_tables
from rr_gym.policies.spec import policy_facts
from rr_gym.rules.state.records import GAME

Array = np.ndarray[Any, Any]
_I1, _I8 = np.dtype("i1"), np.dtype("i8")
_KERNELS: dict[type[Observer], Any] = {FlatObserver: observe_flat, PlanesObserver: observe_planes}


class Observations:
    """Observes games for their learners.

    Args:
        core: An environment of one game with the same settings.
        learners: The number of seats that learn.

    Raises:
        EnvError: The observation is not there for JAX.
    """

    def __init__(self, core: Core, learners: int) -> None:
        if core.form.observation == WITH_WAY:
            raise EnvError(f"observation: '{WITH_WAY}': expected another one: it is not there for JAX")
        self._core, self._learners, self._observer = core, learners, core.observer
        # With cards, each learner is shown a game of its own.
        games, seats = (Rows("games", GAME), Rows("seats", _I1, (learners,)))
        if core.steps:
            games, seats = (
                Rows("decisions.seen", GAME, (learners,), merged=True),
                Rows("decisions.at", _I1, (learners, 1), merged=True),
            )
        self._observe = self._call(games, seats)
        choices = core.form.choices_observer
        self._facts = None if choices is None else self._facts_call(choices.facts)
        self._write = self._converter(core)

    def _out(self, name: str, dtype: np.dtype[Any], *shape: int) -> Rows:
        """Return the argument for a table of each learner."""
        if self._core.steps:
            return Rows(name, dtype, (self._learners, 1, *shape), WRITTEN, merged=True)
        return Rows(name, dtype, (self._learners, *shape), WRITTEN)

    def _call(self, games: Rows, seats: Rows) -> Call:
        """Return the call that writes the tables without choices."""
        observer, tables = self._observer, self._core.arena.tables
        if isinstance(observer, EntitiesObserver):
            sheets, num_robots, window, extra = observer.arguments()
            self._names = [name for name in ENTITIES if name in observer.low]
            missing = observer.rows((1, 1), observer.buffer(1, 1))._asdict()
            rows: dict[str, Any] = {
                name: self._out(name, observer.low[name].dtype, observer.low[name].size)
                if name in observer.low
                else missing[name]
                for name in ENTITIES
            }
            out = EntityRows(**rows)
            return Call(observe_entities, games, tables, sheets, seats, num_robots, window, extra, out)
        self._names = [""]
        boards, *rest = observer.arguments()  # type: ignore[attr-defined]
        low = observer.low
        shape = (low.shape[0], observer.window**2) if isinstance(observer, PlanesObserver) else low.shape
        whole = self._out("observation", low.dtype, *shape)
        return Call(_KERNELS[type(observer)], games, tables, boards, seats, *rest, whole)

    def _facts_call(self, facts: ChoiceFacts) -> Call:
        """Return the call that writes the tables of choices.

        Raises:
            EnvError: Programs are tried.
        """
        if facts.lookahead.startswith("trials"):
            possible = "expected none, paths or turns: trials are not there for JAX"
            raise EnvError(f"lookahead: '{facts.lookahead}': {possible}")
        core, learners = self._core, self._learners
        preview, level, exact, known, results, trial, scratch, log = facts.arguments(0)
        copies: Any = map(Scratch, trial)
        tables: Any = (
            Rows(name, low.dtype, (learners, *low.shape), WRITTEN, merged=True) for name, low in facts.low.items()
        )
        cached: Any = Cache(known.likely)
        return Call(
            write_facts, core.arena.tables, core.form.steps.plan, decision_rows(core, learners),  # type: ignore[union-attr]
            Rows("numbers", _I8, (learners,), WRITTEN, merged=True, numbered=True), preview, level, exact,
            known._replace(likely=cached), results, Trial(*copies), scratch, log,
            Facts(*tables),
        )  # fmt: skip

    def _converter(self, core: Core) -> Callable[[dict[str, Any]], dict[str, Any]]:
        """Return what converts tables of whole numbers to the observation's type."""
        if core.observation_dtype == NATIVE:
            return lambda tables: tables
        if core.observation_dtype != SCALED:
            return lambda tables: {name: table.astype(jnp.float32) for name, table in tables.items()}
        scaled = scaled_tables(policy_facts(core))
        boards, window = self._observer.boards, self._observer.window

        def convert(tables: dict[str, Any]) -> dict[str, Any]:
            found = dict(tables)
            if "board" in found and "planes" not in found:
                found["planes"] = _windows(boards, found["board"], window)
            found.pop("board", None)
            return {name: _scale(scaled[name], table) for name, table in found.items()}

        return convert

    def observe(self, games: Any, seats: Any, decisions: DecisionRows | None) -> Any:
        """Return the observations of the learners: an array (learners, ...), or such arrays by name."""
        if decisions is None:
            found = self._observe(games, seats[: self._learners])
        else:
            found = self._observe(decisions.seen, decisions.at)
        low = self._observer.low
        tables = {
            name: array.reshape(self._learners, *(low[name] if isinstance(low, dict) else low).shape)
            for name, array in zip(self._names, found, strict=True)
        }
        if self._facts is not None and decisions is not None:
            if "" in tables:  # beside the tables of choices it has a name, too
                tables[self._core.form.observation.split("+")[0]] = tables.pop("")
            _, tables["choices"], tables["prospects"] = self._facts(*decisions)
        tables = self._write(tables)
        return tables.get("", tables)


def _windows(boards: Array, index: Any, window: int) -> Any:
    """Return what `rr_gym.encoding.observe.entities.board_window` does."""
    course, facing, row, column = jnp.moveaxis(index.astype(jnp.int32)[..., None, None, :], -1, 0)
    span = jnp.arange(window)
    return jnp.asarray(boards)[course, facing, row + span[:, None], column + span]


def _scale(table: ScaledTable, native: Any) -> Any:
    """Return what `ScaledTable.write` writes."""
    native = jnp.moveaxis(native, table.axis, -1).astype(jnp.float32)
    parts = [
        jnp.clip(native * table.scale, -LIMIT, LIMIT),
        (native[..., table.word_columns] == table.word_values).astype(jnp.float32),
    ]
    if table.flag:
        offset = native[..., np.array(table.flag)]
        parts += [jnp.sign(offset), 1 / (1 + jnp.abs(offset).sum(-1, keepdims=True))]
    scaled = jnp.concatenate(parts, axis=-1)
    if table.of_choices:
        scaled *= native[..., LEGAL, None] > 0
    return jnp.moveaxis(scaled, -1, table.axis)
