"""Files of the cache: owner and mode are checked on the open file, and reading units never runs code."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from rr_gym.compilation import files

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners on Windows")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RR_GYM_CACHE_DIR", str(tmp_path / "above" / "cache"))
    files.notice.cache_clear()
    found = files.directory()
    assert found == tmp_path / "above" / "cache"
    return found


def test_written_files_are_read_back(home: Path) -> None:
    files.write(home / "one.lib", b"something")
    assert files.read(home / "one.lib") == b"something"
    assert (home / "one.lib").stat().st_mode & 0o777 == 0o600
    assert (home.stat().st_mode & 0o777, home.parent.stat().st_mode & 0o777) == (0o700, 0o700)


@pytest.mark.parametrize("mode", [0o602, 0o620, 0o666])
def test_a_file_that_others_may_write_to_is_not_read(mode: int, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files.write(home / "one.lib", b"something")
    (home / "one.lib").chmod(mode)
    assert files.read(home / "one.lib") is None
    assert capsys.readouterr().err == f"rr_gym: {home / 'one.lib'}: others may write to it: it is not used\n"
    files.write(home / "one.lib", b"something")  # it is replaced, not written into
    assert files.read(home / "one.lib") == b"something"


def test_a_link_is_not_followed(home: Path) -> None:
    files.write(home / "one.lib", b"something")
    (home / "two.lib").symlink_to(home / "one.lib")
    assert files.read(home / "two.lib") is None
    assert files.read(home / "one.lib") == b"something"


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can change the owner of a file")
def test_files_of_another_user_are_not_used(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files.write(home / "one.lib", b"something")
    os.chown(home / "one.lib", 12345, -1)
    assert files.read(home / "one.lib") is None
    os.chown(home.parent, 12345, -1)
    assert files.directory() is None
    assert f"{home.parent}: others may write there, and what is loaded from {home} runs" in capsys.readouterr().err


def test_a_folder_above_that_everybody_may_write_to_is_refused(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.parent.chmod(0o777)
    assert files.directory() is None
    assert capsys.readouterr().err.startswith(f"rr_gym: {home.parent}: others may write there")
    home.parent.chmod(0o1777)  # as `/tmp`: nobody moves what is not theirs
    assert files.directory() == home
    home.chmod(0o720)
    assert files.directory() is None


def test_a_folder_above_may_be_writable_only_by_a_group_of_its_owner(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.parent.chmod(0o775)
    monkeypatch.setattr(files, "_is_own_group", lambda group, user: True)
    assert files.directory() == home
    monkeypatch.setattr(files, "_is_own_group", lambda group, user: False)
    assert files.directory() is None


class Runs:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (os.mkdir, ("it_ran",))


def test_files_of_units_with_other_contents_are_ignored_and_run_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numba")
    from rr_gym.compilation.units import Units, unpack

    monkeypatch.chdir(tmp_path)
    for data in (pickle.dumps({"key": pickle.dumps(Runs())}), pickle.dumps(Runs()), b"", b"\x02" + bytes(7) + b"[]"):
        assert unpack(data) == {}
    head = b'{"key": {"size": 0, "calls": [["os.mkdir", ["os.mkdir()"]]], "result": "antigravity.fly()"}}'
    assert Units([len(head).to_bytes(8, "little") + head]).stored("key") is None
    assert not (tmp_path / "it_ran").exists()


def test_types_of_arguments_have_names_that_are_read_back() -> None:
    pytest.importorskip("numba")
    from numba import types

    from rr_gym.compilation.kinds import kind_of, name_of
    from rr_gym.rules.state.records import GAME

    import numba  # isort: skip

    game = numba.from_dtype(GAME)
    within = [kind for _, kind in game.members if isinstance(kind, types.NestedArray)]
    assert within
    kinds = [
        types.none, types.boolean, types.int16, types.uint64, types.float32, game, *within,
        types.Array(types.int8, 2, "F"), types.Array(game, 1, "C", readonly=True), types.Array(types.boolean, 1, "A"),
        types.Tuple([types.int16, types.Tuple([types.float64, types.int64])]),
    ]  # fmt: skip
    for kind in kinds:
        assert kind_of(name_of(kind)) == kind
    for kind in (types.unicode_type, types.Optional(types.int64), types.literal(5), types.slice2_type):
        with pytest.raises(KeyError):
            name_of(kind)
