"""Data sets of games: rows that follow from one another, in shards of two file formats."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rr_gym import Arena, no_orders
from rr_gym.cli.main import main
from rr_gym.datasets import Dataset, DatasetError, convert_replays, record_dataset
from rr_gym.encoding import (
    action_layout,
    all_seats,
    course_features,
    decode_actions,
    make_observer,
    write_masks,
)
from rr_gym.encoding.act.order_encoding import encode_actions
from rr_gym.envs.core import Core
from rr_gym.errors import MissingExtraError, RoboRallyError
from rr_gym.players import RandomPlayer
from rr_gym.replay import Recorder, Replay
from rr_gym.replay.rerun import begin, rerun
from rr_gym.rules.state.records import new_log, orders_as

Array = np.ndarray[Any, Any]

PLAYERS = ["greedy", "random", "racer"]


@pytest.mark.parametrize("observation", ["flat", "entities"])
def test_rows_are_what_an_environment_gives(observation: str, tmp_path: Path) -> None:
    """Playing the stored actions again gives every stored observation, mask, reward and end."""
    options: dict[str, Any] = {"max_cycles": 12, "observation": observation, "reward": "shaped"}
    description = record_dataset(tmp_path, PLAYERS, games=70, seed=3, **options, settings={"lives": 1})
    data = Dataset.open(tmp_path).load()
    assert description["rows"] == len(data["action"]) > 500
    assert description["episodes"] == len(data["episode_start"]) == 210
    core = Core(num_games=64, num_robots=3, settings={"lives": 1}, **options)
    core.reset(3)
    row_of = {
        key: row for row, key in enumerate(zip(*(data[n].tolist() for n in ("game", "seat", "turn")), strict=True))
    }
    compared = 0
    for turn in range(12):
        active, seen, masks = core.active(), core.observe(), core.masks()
        rows = [row_of.get((row // 3, row % 3, turn)) for row in range(192)]
        assert [row is not None for row in rows] == active.tolist()
        actions = np.array([data["action"][row] if row is not None else [0] * 8 for row in rows])
        step = core.step(actions)
        kept = [row for row in rows if row is not None]
        parts = seen.items() if isinstance(seen, dict) else [("", seen)]
        for name, array in parts:
            assert np.array_equal(data[f"observation/{name}" if name else "observation"][kept], array[active])
        assert np.array_equal(data["action_mask"][kept], masks[active])
        assert np.array_equal(data["reward"][kept], step.rewards[active].astype(np.float32))
        ended = step.terminated | core.out()
        assert np.array_equal(data["terminated"][kept], ended[active])
        assert np.array_equal(data["truncated"][kept], (step.truncated & ~ended)[active])
        after = core.observe()
        for row, at in enumerate(rows):
            if at is not None and (data["terminated"][at] or data["truncated"][at]):
                episode = int(np.searchsorted(data["episode_start"], at, "right")) - 1
                last = after["robots"] if isinstance(after, dict) else after
                name = "final_observation/robots" if isinstance(after, dict) else "final_observation"
                assert np.array_equal(data[name][episode], last[row])
                assert data["episode_place"][episode] == core.infos()["place"][row]
                compared += 1
    assert compared == 192


@pytest.mark.parametrize("preview", [False, True])
def test_rows_are_single_decisions(preview: bool, tmp_path: Path) -> None:
    """Making the stored choices again, one by one, gives every stored observation, mask, reward and end."""
    options: dict[str, Any] = {"max_cycles": 8, "action": "cards", "preview": preview, "reward": "shaped"}
    description = record_dataset(tmp_path, PLAYERS, games=20, seed=3, **options, settings={"lives": 1})
    assert description["action"] == "cards"
    assert description["changed"] == 0
    data = Dataset.open(tmp_path).load()
    core = Core(num_games=20, num_robots=3, settings={"lives": 1}, **options)
    core.reset(3)
    keys = ("game", "seat", "turn", "decision")
    row_of = {key: row for row, key in enumerate(zip(*(data[name].tolist() for name in keys), strict=True))}
    for turn in range(8):
        for decision in range(core.stages):
            active, seen, masks = core.active(), core.observe(), core.masks()
            rows = [row_of[row // 3, row % 3, turn, decision] for row in np.flatnonzero(active)]
            actions = np.zeros(60, int)
            actions[active] = data["action"][rows]
            step = core.step(actions)
            assert np.array_equal(data["observation"][rows], seen[active])
            assert np.array_equal(data["action_mask"][rows], masks[active])
            assert np.array_equal(data["reward"][rows], step.rewards[active].astype(np.float32))
            ended = step.terminated | core.out()
            assert np.array_equal(data["terminated"][rows], ended[active])
            assert np.array_equal(data["truncated"][rows], (step.truncated & ~ended)[active])
    assert len(row_of) == len(data["action"])
    assert core.ended.all()
    assert core.infos()["illegal_choices"].max() == 0


@pytest.mark.long
def test_several_processes_write_the_same_files(tmp_path: Path) -> None:
    for workers in (1, 2):
        record_dataset(tmp_path / str(workers), PLAYERS, games=150, max_cycles=3, workers=workers)
    for name in ("dataset.json", "shard-00000.npz"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def raced(folder: Path, seed: int, players: str, course: str = "risky_exchange", cycles: int = 10) -> Path:
    words = f"race --players {players} --seed {seed} --course {course} --max-cycles {cycles} --out {folder}"
    assert main(words.split()) == 0
    return folder / "replay.json"


@pytest.mark.parametrize("action", ["draw", "cards"])
def test_replays_become_data(action: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every turn of a replay is in the data, with the cards that were ordered and the outcome."""
    files = [
        raced(tmp_path / "a", 1, "racer,random"), raced(tmp_path / "b", 2, "greedy,racer", "checkmate", 40),
    ]  # fmt: skip
    words = ["dataset", "--replays", ",".join(map(str, files)), "--reward", "shaped", "--action", action]
    assert main([*words, "--out", str(tmp_path / "data")]) == 0
    found = Dataset.open(tmp_path / "data")
    data = found.load()
    assert found.description["players"] == ["racer", "random", "greedy"]
    assert found.description["courses"] == ["risky_exchange", "checkmate"]
    assert found.description["changed"] == 0
    for number, file in enumerate(files):
        replay = Replay.load(file)
        arena, games = begin(replay)
        stages = len(found.description["components"]) if action == "cards" else 1
        assert (data["game"] == number).sum() == 2 * stages * len(replay.turns)
        for turn, _ in enumerate(rerun(replay, arena, games)):
            for seat in range(2):
                rows = (data["game"] == number) & (data["seat"] == seat) & (data["turn"] == turn)
                assert rows.sum() == stages
        last = data["episode_start"] + data["episode_length"] - 1
        own = data["game"][last] == number
        assert data["episode_place"][own].tolist() == list(replay.placements)
        assert (data["truncated"][last][own] == (not replay.over)).all()
        assert [found.description["players"][k] for k in data["player"][last][own]] == list(replay.players)
    capsys.readouterr()
    assert main([*words, "--games", "3", "--out", str(tmp_path / "more")]) == 2
    assert "--games: expected none with --replays" in capsys.readouterr().err
    files.append(raced(tmp_path / "c", 1, "racer,random,random"))
    with pytest.raises(DatasetError, match="3 robots: expected 2, as in"):
        convert_replays(tmp_path / "more", files)
    wrong = {"settings": {"lives": 1}, "max_cycles": 3, "max_cycle": 3, "seat": 1, "observation_dtype": "scaled"}
    for name, value in wrong.items():
        own = name in ("settings", "max_cycles")
        message = f"{name}: .*: expected none: replays have their own" if own else f"there is no argument '{name}'"
        with pytest.raises(RoboRallyError, match=message):
            convert_replays(tmp_path / "more", files[:2], **{name: value})
    assert not (tmp_path / "more").exists()


def test_replays_are_converted_as_they_were_recorded(tmp_path: Path) -> None:
    """Registers without orders got random cards from the rules, with which the game is replayed."""
    arena = Arena("risky_exchange", {})
    games, logs = arena.new_games(1, 3, seed=8), new_log()
    recorder = Recorder(arena, games, players=["a", "b", "c"])
    for _ in range(12):
        orders = no_orders(1, 8, full=True)
        arena.play(games, orders, logs=logs)
        recorder.add(orders, logs)
    file = tmp_path / "replay.json"
    recorder.replay(games).save(file)
    convert_replays(tmp_path / "data", [file])
    data = Dataset.open(tmp_path / "data").load()
    seen = make_observer("flat", arena, 3).observe(games, all_seats(1, 3))[0]
    robots = games["robots"][0]["alive"][:3] > 0
    assert robots.any()
    assert np.array_equal(data["final_observation"][robots], seen[robots])


def test_the_environment_of_a_configuration(tmp_path: Path) -> None:
    words = "dataset --players racer --config quickstart --games 3 --max-cycles 4 --out"
    assert main([*words.split(), str(tmp_path / "data")]) == 0
    description = Dataset.open(tmp_path / "data").description
    facts = description["environment"]
    assert (facts["observation"], facts["window"], facts["preview"], facts["action"]) == ("choices", 15, True, "cards")
    assert description["gamma"] == 1.0
    assert description["options"]["max_cycles"] == 4


def test_episodes_are_whole_and_in_order(tmp_path: Path) -> None:
    record_dataset(tmp_path, PLAYERS, games=70, seed=1, max_cycles=10)
    data = Dataset.open(tmp_path).load()
    assert np.take_along_axis(data["action_mask"], data["action"][..., None], -1).all()
    ends = data["terminated"] | data["truncated"]
    assert not (data["terminated"] & data["truncated"]).any()
    last = data["episode_start"] + data["episode_length"] - 1
    assert np.array_equal(np.flatnonzero(ends), last)
    for start, length, paid in zip(
        data["episode_start"], data["episode_length"], data["episode_return"], strict=True
    ):
        rows = slice(start, start + length)
        assert data["turn"][rows].tolist() == list(range(length))
        assert all(len(set(data[name][rows].tolist())) == 1 for name in ("game", "seat", "player"))
        assert data["reward"][rows].sum() == pytest.approx(paid)
    assert np.array_equal(data["player"], (data["game"] + data["seat"]) % 3)
    places = [data["episode_place"][data["player"][last] == k].mean() for k in range(3)]
    assert places[1] > max(places[0], places[2])  # random play comes last


def test_shards_and_file_formats_hold_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("safetensors")
    record_dataset(tmp_path / "one", PLAYERS, games=150, max_cycles=4)
    monkeypatch.setattr("rr_gym.datasets.SHARD_ROWS", 10)
    for form in ("npz", "safetensors"):
        description = record_dataset(tmp_path / form, PLAYERS, games=150, max_cycles=4, form=form)
        assert [shard["file"] for shard in description["shards"]] == [f"shard-0000{k}.{form}" for k in range(3)]
    record_dataset(tmp_path / "again", PLAYERS, games=150, max_cycles=4)
    one, *others = (Dataset.open(tmp_path / name).load() for name in ("one", "npz", "safetensors"))
    for other in others:
        assert set(one) == set(other)
        assert all(np.array_equal(one[name], other[name]) for name in one)
    for name in ("dataset.json", "shard-00001.npz"):
        assert (tmp_path / "npz" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    games = [set(shard["game"].tolist()) for shard in Dataset.open(tmp_path / "npz").shards()]
    assert [min(game) for game in games] == [0, 64, 128]
    assert [len(game) for game in games] == [64, 64, 22]


class Scattered(RandomPlayer):
    """Gives unusual orders: leaves registers to random cards, chooses facings, powers down."""

    name = "scattered"

    def act(self, arena: Arena, games: Array, seat: int) -> Array:
        orders = orders_as(super().act(arena, games, seat), True)
        rng = np.random.default_rng(int(games["turn"].sum()) + seat)
        orders["program"][rng.random(orders["program"].shape) < 0.3] = 0
        orders["facing"] = rng.integers(4, size=len(games))
        orders["power_down"] = rng.random(len(games)) < 0.2
        orders["stay_down"] = (games["robots"]["down"][:, seat] > 0) & (rng.random(len(games)) < 0.5)
        orders["unlock"] = rng.integers(6, size=len(games))
        return orders


@pytest.mark.parametrize("settings", [{}, {"preset": "amigo"}, {"preset": "ah2005"}])
def test_orders_are_encoded_as_actions_and_back(settings: dict[str, Any]) -> None:
    arena = Arena("risky_exchange", settings | {"start_damage": 5})
    layout = action_layout("draw", arena.settings, None, course_features(arena.tables))
    games, seats = arena.new_games(50, 3, seed=4), all_seats(50, 3)
    player, rng = Scattered(), np.random.default_rng(0)
    masks, repaired = np.empty((50, 3, *layout.shape), np.int8), np.empty((50, 3), np.int32)
    left = 0
    for turn in range(6):
        orders = no_orders(50, 8, full=True)
        for seat in range(3):
            orders[:, seat] = player.act(arena, games, seat)
        write_masks(games, arena.tables, layout.code, seats, masks)
        actions = encode_actions(games, seats, orders, layout, masks.reshape(150, *layout.shape), rng)
        again = no_orders(50, 8, full=True)
        decode_actions(games, arena.tables, layout.code, seats, actions, again, repaired)
        assert not repaired.any()
        robots, free = games["robots"][:, :8], orders["program"] > 0
        playing = (robots["alive"] > 0) & (games["over"] == 0)[:, None]
        hands = robots["hand"].any(axis=-1) & (robots["down"] == 0) & playing
        locked = (robots["locked"][..., None] >> np.arange(5) & 1) > 0
        asked = (hands[..., None] & free & ~locked)[:, :3]
        kept = again["program"][:, :3] == orders["program"][:, :3]
        # Under amigo's rules the first card of the game has to be a movement card (R-A5.7), which this player ignores.
        assert kept[asked].all() or (turn == 0 and settings.get("preset") == "amigo")
        alive = playing[:, :3]
        if not settings:
            assert np.array_equal(again["power_down"][:, :3][alive & ~(robots["down"] > 0)[:, :3]],
                                  orders["power_down"][:, :3][alive & ~(robots["down"] > 0)[:, :3]])  # fmt: skip
            assert np.array_equal(again["unlock"][:, :3][alive], orders["unlock"][:, :3][alive])
        facing = (alive & (robots["may_face"] > 0)[:, :3], (orders["facing"] != robots["facing"])[:, :3])
        chosen = facing[0] & facing[1]
        assert np.array_equal(again["facing"][:, :3][chosen], orders["facing"][:, :3][chosen])
        left += int((again["program"][:, :3] > 0)[(~free & hands[..., None] & ~locked)[:, :3]].sum())
        arena.play(games, again)
    assert left > 50  # registers left to chance got cards


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("action", lambda a: a + 12, r"action: \[?\d+.* in row 0: expected what action_mask allows"),
        ("action", lambda a: a[1:], r"action: int64 \(.*\): expected whole numbers, \("),
        ("action_mask", lambda a: a.astype(np.float32), "action_mask: float32 .*: expected whole numbers"),
        ("reward", lambda a: a + np.float32(np.nan), "reward: nan in row 0: expected a finite number"),
        ("episode_start", lambda a: a + 1, "episode_start, episode_length: expected episodes that cover all rows"),
        ("turn", None, r"turn: missing: expected whole numbers, \(\d+,\)"),
        ("final_observation", lambda a: a[:1], r"final_observation: int16 \(1, \d+\): expected numbers, \(4, \.\.\.\)"),
    ],
)
def test_data_that_do_not_fit_together_are_refused(name: str, change: Any, message: str, tmp_path: Path) -> None:
    record_dataset(tmp_path / "data", ["random", "random"], games=2, max_cycles=2)
    path = tmp_path / "data" / "shard-00000.npz"
    with np.load(path) as data:
        arrays = dict(data.items())
    arrays = {key: change(array) if key == name else array for key, array in arrays.items() if change or key != name}
    np.savez(path, **arrays)
    with pytest.raises(DatasetError, match=rf"shard-00000\.npz: {message}"):
        Dataset.open(tmp_path / "data").load()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"form": "parquet"}, r"form: 'parquet': expected npz \| safetensors"),
        ({"games": 0}, "games: 0: expected a whole number from 1 to 2147483648"),
        ({"games": 10**20}, "games: 100000000000000000000: expected a whole number from 1 to 2147483648"),
        ({"players": []}, "players: 0: expected 1 to 8, one per robot"),
        ({"action": "slots"}, r"action: 'slots': expected draw \| cards"),
        ({"workers": 0}, "workers: 0: expected a whole number from 1 to"),
        ({"workers": 2, "players": [RandomPlayer()]}, "workers: 2: expected 1 for players that are not created from"),
        ({"observation": "pixels"}, "observation: 'pixels'"),
        ({"max_cycle": 3}, "there is no argument 'max_cycle'; did you mean 'max_cycles'?"),
        ({"num_robots": 3}, "there is no argument 'num_robots': expected out, players, .*settings"),
        ({"opponents": ["random"]}, "there is no argument 'opponents'"),
        ({"seat": 1}, "there is no argument 'seat'"),
        ({"observation_dtype": "scaled"}, "there is no argument 'observation_dtype'"),
    ],
)
def test_wrong_arguments_write_nothing(arguments: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(RoboRallyError, match=message):
        record_dataset(tmp_path / "new", **({"players": PLAYERS} | arguments))
    assert not (tmp_path / "new").exists()


def test_folders_are_not_overwritten(tmp_path: Path) -> None:
    record_dataset(tmp_path / "data", ["random"], games=2, max_cycles=2)
    with pytest.raises(DatasetError, match="expected a new or empty folder"):
        record_dataset(tmp_path / "data", ["random"], games=2, max_cycles=2)
    (tmp_path / "data" / "shard-00000.npz").write_bytes(b"PK")
    with pytest.raises(DatasetError, match=r"shard-00000\.npz: cannot be read"):
        Dataset.open(tmp_path / "data").load()
    (tmp_path / "data" / "dataset.json").write_text('{"schema": 7}')
    with pytest.raises(DatasetError, match=r"dataset\.json: schema: 7: expected 1"):
        Dataset.open(tmp_path / "data")
    with pytest.raises(DatasetError, match="cannot be read"):
        Dataset.open(tmp_path)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "data"
    words = ["dataset", "--players", "greedy,random", "--games", "5", "--max-cycles", "4", "--out", str(out), "--json"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out) == json.loads((out / "dataset.json").read_text())
    assert Dataset.open(out).description["players"] == ["greedy", "random"]
    assert main(words) == 2
    assert "expected a new or empty folder" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore::UserWarning")  # Minari warns of missing authors and environments
@pytest.mark.parametrize("observation", ["flat", "entities", "choices --action cards"])
def test_minari_has_the_same_episodes(observation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    minari = pytest.importorskip("minari")
    pytest.importorskip("h5py")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    words = f"dataset --players racer,random --games 6 --max-cycles 5 --observation {observation}"
    assert main([*words.split(), "--minari", "rr_gym/races-v0", "--out", str(tmp_path / "data")]) == 0
    data = Dataset.open(tmp_path / "data").load()
    found = minari.load_dataset("rr_gym/races-v0")
    assert found.total_episodes == len(data["episode_start"]) == 12
    assert found.total_steps == len(data["action"])
    for number, episode in enumerate(found.iterate_episodes()):
        rows = slice(data["episode_start"][number], data["episode_start"][number] + data["episode_length"][number])
        assert np.array_equal(episode.actions, data["action"][rows])
        assert np.array_equal(episode.rewards, data["reward"][rows])
        assert np.array_equal(episode.terminations, data["terminated"][rows])
        assert np.array_equal(episode.observations["action_mask"][:-1], data["action_mask"][rows])
        seen, name = episode.observations["observation"], "observation"
        if observation != "flat":
            seen, name = seen["robots"], "observation/robots"
        assert np.array_equal(seen[:-1], data[name][rows])
        assert np.array_equal(seen[-1], data[f"final_{name}"][number])
    assert found.action_space.contains(next(found.iterate_episodes()).actions[0])
    for name, expected in (("rr_gym/races-v0", "rr_gym/races-v0: Minari has a data set"), ("my races", "'my races': ")):
        with pytest.raises(DatasetError, match=expected):
            Dataset.open(tmp_path / "data").to_minari(name)
        assert main([*words.split(), "--minari", name, "--out", str(tmp_path / "more")]) == 2
    assert not (tmp_path / "more").exists()


def test_minari_is_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record_dataset(tmp_path, ["random"], games=1, max_cycles=1)
    monkeypatch.setitem(sys.modules, "minari", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rr-gym\[minari\]'"):
        Dataset.open(tmp_path).to_minari("x-v0")
