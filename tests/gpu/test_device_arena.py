"""Games on a device are those of `Arena`; the device is this computer, which runs one thread after another."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from gpu_games import ARENAS, arena_on, play_both

from rr_gym.bench.golden import digest, random_turn_orders
from rr_gym.compilation.kernels import COMPILED
from rr_gym.cuda import dlpack
from rr_gym.cuda.arena import DeviceArena
from rr_gym.cuda.device import DeviceError, Gpu
from rr_gym.cuda.encoders import DeviceActions, DeviceObserver
from rr_gym.cuda.kernels import NAMES, PARTS
from rr_gym.cuda.stand_in import Functions, stand_in_gpu
from rr_gym.encoding.act import actions as host_actions
from rr_gym.encoding.observe.seats import all_seats
from rr_gym.errors import MissingExtraError, RoboRallyError
from rr_gym.forms import FORMS
from rr_gym.rules.arena.arena import Arena, ArenaError
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import no_orders, orders_as

pytestmark = pytest.mark.skipif(not COMPILED, reason="compilation is switched off")
Array = np.ndarray[Any, Any]
DRIVER = Functions()


@pytest.fixture(scope="module")
def arena() -> DeviceArena:
    return arena_on(stand_in_gpu(DRIVER), "base")


def test_ten_thousand_turns_are_those_of_the_arena(arena: DeviceArena) -> None:
    play_both(arena, 100)


@pytest.mark.long
@pytest.mark.parametrize(
    ("form", "in_parts"), [(form, parts) for form in FORMS for parts in (False, True) if form != "base" or parts]
)
def test_ten_thousand_turns_of_every_form_are_those_of_the_arena(form: str, in_parts: bool) -> None:
    driver = Functions()
    play_both(arena_on(stand_in_gpu(driver), form, in_parts), 100)
    assert ({*PARTS} <= {*driver.launched}) == in_parts
    assert ("play" in driver.launched) != in_parts


def same(mine: Any, theirs: Any) -> None:
    """Check that arrays on the device are equal to those on this computer."""
    if isinstance(theirs, dict):
        assert mine.keys() == theirs.keys()
        for name, array in theirs.items():
            assert np.array_equal(mine[name].read(), array), name
    else:
        assert np.array_equal(mine.read(), theirs)


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
def test_observations_masks_and_orders_of_actions_are_those_of_the_package(form: str) -> None:
    torch = pytest.importorskip("torch")
    driver = Functions()
    arena = arena_on(stand_in_gpu(driver), form, in_parts=True)
    host, count = arena.host, 20
    theirs = host.new_games(count, 4, seed=3)
    for turn in range(12):
        host.play(theirs, random_turn_orders(host, theirs, turn), restart=True)
    games = arena.upload(theirs)
    some_seats = np.ascontiguousarray(all_seats(count, 4)[:, 1:3])
    for kind in ("flat", "planes", "entities", "entities+planes"):
        observer = DeviceObserver(arena, kind, 4)
        same(observer.observe(games), observer.host.observe(theirs))
        same(observer.observe(games, arena.copy(some_seats)), observer.host.observe(theirs, some_seats))
    coder = DeviceActions(arena, 4, "draw", "all")
    shape, seats = (count, 4, *coder.layout.shape), all_seats(count, 4)
    expected = np.zeros(shape, np.int8)
    host_actions.write_masks(theirs, host.tables, coder.layout.code, seats, expected)
    masks = coder.masks(games)
    same(masks, expected)
    assert torch.from_dlpack(masks).sum() == expected.sum()
    chosen = np.random.default_rng(5).integers(0, coder.layout.width, shape[:3])
    tensor, orders = torch.tensor(chosen), arena.new_orders(count)
    coder.decode(games, tensor, orders)
    given, repaired = no_orders(count, MAX_ROBOTS, full=True), chosen.copy()
    host_actions.repair_actions(theirs, host.tables, coder.layout.code, seats, repaired, given)
    assert np.array_equal(tensor.numpy(), repaired)
    assert not np.array_equal(chosen, repaired)
    same(orders, orders_as(given, host.full))
    arena.play(games, orders, restart=True)
    host.play(theirs, given, restart=True)
    assert digest(games.read()) == digest(theirs)
    arena.random_orders(games, orders, arena.copy(np.arange(count, dtype=np.uint64)))
    arena.placements(games)
    assert {*driver.launched} == {*NAMES} - {"play", "shorten", "start"} | ({"shorten"} if form == "base" else set())


def test_masks_choose_games_and_restarting_begins_the_next_episode(arena: DeviceArena) -> None:
    host, mask = arena.host, np.array([True, False, True])
    robots = np.array([2, 4, 8], np.int8)
    games, theirs = arena.new_games(3, robots, seed=5), host.new_games(3, robots, seed=5)
    orders, given = arena.new_orders(3), no_orders(3, MAX_ROBOTS)
    arena.play(games, orders, mask=arena.copy(mask))
    host.play(theirs, given, mask=mask)
    assert digest(games.read()) == digest(theirs)
    assert games.read()["turn"].tolist() == [1, 0, 1]
    for chosen in (mask, None):
        arena.restart(games, None if chosen is None else arena.copy(chosen))
        host.restart(theirs, chosen)
        assert digest(games.read()) == digest(theirs)
    assert games.read()["episode"].tolist() == [2, 1, 2]


def test_large_batches_are_sent_in_pieces(arena: DeviceArena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rr_gym.cuda.arena.UPLOADED", 3)
    seeds = np.arange(8, dtype=np.uint64)
    assert digest(arena.new_games(8, 2, seed=seeds).read()) == digest(arena.host.new_games(8, 2, seed=seeds))


def test_pytorch_and_numpy_see_arrays_without_a_copy(arena: DeviceArena) -> None:
    torch = pytest.importorskip("torch")
    array = arena.copy(np.arange(6, dtype=np.int16).reshape(2, 3))
    tensor, view = torch.from_dlpack(array), np.from_dlpack(array)
    tensor[1, 2] = 77
    assert array.read().tolist() == view.tolist() == [[0, 1, 2], [3, 4, 77]]
    lent = len(dlpack.lent)
    del tensor, view
    assert len(dlpack.lent) == lent - 2
    array.__dlpack__()  # a capsule that nobody takes
    assert len(dlpack.lent) == lent - 2
    with pytest.raises(BufferError, match="DLPack has no records"):
        arena.new_orders(1).__dlpack__()
    with pytest.raises(BufferError, match="neither a copy nor another device"):
        array.__dlpack__(dl_device=(2, 0))


def test_libraries_of_gpus_are_told_where_arrays_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Functions, "DLPACK", (dlpack.CUDA, 0))
    array = stand_in_gpu(Functions()).zeros("array", (2, 3), np.int16)
    found = array.__cuda_array_interface__
    assert (found["shape"], found["typestr"], found["data"]) == ((2, 3), "<i2", (array.address, False))


def refused(match: str, **driver: Any) -> Gpu:
    """Check that a driver with these properties is refused."""
    functions = Functions()
    for name, value in driver.items():
        setattr(functions, name, value)
    with pytest.raises(DeviceError, match=match):
        stand_in_gpu(functions)


def no_library(flags: int) -> None:
    raise RuntimeError("no libcuda.so.1")


def test_missing_or_old_drivers_and_gpus_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    refused("'cuda' needs NVIDIA's driver, which is not installed here: no libcuda", cuInit=no_library)
    refused("the driver reports 999", cuInit=lambda flags: (999,))
    refused(r"the driver is for CUDA 11\.4: expected 12\.0 or later", version=11_040)
    refused(r"'cuda:0': expected one of the 0 GPUs", count=0)
    refused(r"this computer has compute capability 6\.1: expected 7\.0 or later", capability=(6, 1))
    with pytest.raises(DeviceError, match="device: 'cuda:3': expected one of the 1 GPUs, numbered from 0"):
        Gpu(3, Functions())
    for name in ("gpu", "cuda:", "cuda:x", "cuda:-1", 0, None, "cpu:1", np.zeros(2)):
        with pytest.raises(RoboRallyError, match=r"device: .*: expected cpu \| cuda \| cuda:NUMBER"):
            Arena("risky_exchange", device=name)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", None)
    with pytest.raises(MissingExtraError, match=r"it comes with the extra 'cuda' \(pip install 'rr-gym\[cuda\]'\)"):
        Arena("risky_exchange", device="cuda")


def test_too_little_memory_is_said_before_any_is_taken(arena: DeviceArena, monkeypatch: pytest.MonkeyPatch) -> None:
    small = Functions()
    small.memory = 50_000
    with pytest.raises(DeviceError, match=r"courses: the tables of 1 courses: needs 94\.1 KiB of memory on cuda:0 \("):
        DeviceArena("risky_exchange", on=stand_in_gpu(small))
    before = arena.device.free_memory()
    monkeypatch.setattr(DRIVER, "memory", DRIVER.taken + 1_000_000)
    with pytest.raises(DeviceError, match=r"num_games: 1,000,000: needs .* expected at most the .* that are free"):
        arena.new_games(1_000_000)
    monkeypatch.undo()
    assert arena.device.free_memory() == before


class Elsewhere:
    """An array that says that it is on another device."""

    def __init__(self, kind: int) -> None:
        self.kind = kind

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind, 1


def test_arrays_on_other_devices_and_of_other_shapes_are_refused(arena: DeviceArena) -> None:
    games, orders = arena.new_games(2), arena.new_orders(2)
    for words, problem in (
        (Elsewhere(dlpack.CUDA), r"the array is on cuda:1: expected it on cuda:0; the arena's `copy`"),
        (Elsewhere(13), r"the array is on another device: expected it on cuda:0"),
        ([1, 2], r"\[1, 2\]: expected an array on cuda:0"),
        (np.zeros(3, np.uint64), r"uint64 \(3,\): expected uint64 \(2,\)"),
        (np.zeros(2, np.int64), r"int64 \(2,\): expected uint64 \(2,\)"),
        (np.zeros((2, 2), np.uint64)[:, 0], "the array is not contiguous"),
    ):
        with pytest.raises(DeviceError, match=f"words: {problem}"):
            arena.random_orders(games, orders, words)
    with pytest.raises(DeviceError, match=r"orders: records of 16 bytes \(3, 8\): expected records .* \(2, 8\)"):
        arena.play(games, arena.new_orders(3))
    for wrong in (arena.host.new_games(2), orders, None):
        with pytest.raises(DeviceError, match="expected games from `new_games` of an arena on cuda:0"):
            arena.play(wrong, orders)  # type: ignore[arg-type]
    with pytest.raises(DeviceError, match="restart: 1: expected True or False"):
        arena.play(games, orders, restart=1)  # type: ignore[arg-type]
    damaged = arena.host.new_games(2)
    damaged["course"] = 9
    with pytest.raises(ArenaError, match="game 0: course: 9"):
        arena.upload(damaged)
    for count, robots in ((2, np.ones(3, np.int8)), (-1, 4), (2, 9)):
        with pytest.raises(RoboRallyError, match=r"num_(games|robots): .*: expected"):
            arena.new_games(count, robots)


def test_a_kernel_that_fails_is_reported(arena: DeviceArena) -> None:
    arena.new_games(3)
    arena.status.write(np.array([0, 7, *[0] * (len(arena.status) - 2)], np.int32))
    with pytest.raises(DeviceError, match="game 1: a kernel has failed on cuda:0 for 1 games"):
        arena.check()
    arena.check()


def test_distances_are_not_observed_on_a_device(arena: DeviceArena) -> None:
    with pytest.raises(DeviceError, match=r"'entities\+way': expected one without distances"):
        DeviceObserver(arena, "entities+way", 4)


def test_nothing_of_the_driver_is_imported_without_being_asked_for() -> None:
    text = "import sys, rr_gym; rr_gym.Arena('risky_exchange'); print([m for m in sys.modules if 'cuda' in m])"
    found = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_the_first_gpu_is_opened_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []
    monkeypatch.setattr("rr_gym.cuda.arena.Gpu", lambda number: opened.append(number) or stop())
    for name in ("cuda", "cuda:2"):
        with pytest.raises(DeviceError, match="opened"):
            Arena(ARENAS["base"][0], device=name)
    assert opened == [0, 2]


def stop() -> None:
    raise DeviceError("opened")
