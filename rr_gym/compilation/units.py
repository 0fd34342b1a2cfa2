"""Lowered units on disk: by what they were made from, in a format that only holds texts, numbers and bitcode.

A file is a header in JSON with the number of its bytes before it, then the bitcode of all units, one after the other.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from types import MappingProxyType
from typing import Any

from numba import types

from rr_gym.compilation.digests import digest, kernel_digest
from rr_gym.compilation.kernels import CHOICES, KERNELS, Choice, Kernel
from rr_gym.compilation.kinds import kind_of, name_of, records_in
from rr_gym.compilation.libraries import layout_digest
from rr_gym.compilation.lowering import Lowered, Unit, lower
from rr_gym.compilation.numba_internals import KernelType
from rr_gym.compilation.reads import called, described


class Units:
    """Lowered units by what they were made from, those of earlier builds and those of this one.

    What was stored must come from a build with the same settings and the same versions of libraries.
    """

    def __init__(self, stored: Iterable[bytes] = ()) -> None:
        self._stored: dict[str, _Stored] = {}  # each by itself: some may name what is there no more
        self.used: dict[str, Lowered] = {}
        self.new = 0  # how many had to be lowered
        for data in stored:
            self._stored.update(unpack(data))

    def lowered(self, wanted: Iterable[Unit], pool: Executor | None) -> Iterator[tuple[Unit, Lowered]]:
        """Units as they were lowered before, or now: in the processes of a pool, or without one in this process."""
        keys = {unit: key_of(unit) for unit in wanted}
        missing = []
        for unit, key in keys.items():
            found = self.used.get(key) or self.stored(key)
            if found is None:
                missing.append(unit)
            else:
                self.used[key] = found
                yield unit, found
        asked = [(unit, keys[unit]) for unit in missing]
        for (unit, key), made in zip(asked, (pool.map if pool else map)(_lower, asked), strict=True):
            # A process of a pool whose rules are others than those here has none for us.
            lowered = made or _lower((unit, key))
            if lowered is None:
                raise RuntimeError(
                    f"{unit.kernel.name}: what it reads has changed while it was compiled: call it again"
                )
            self.used[key] = lowered
            self.new += 1
            yield unit, lowered

    def stored(self, key: str) -> Lowered | None:
        """Return a unit of an earlier build; None where there is none, or where something that it names is gone."""
        found = self._stored.get(key)
        if found is None:
            return None
        bitcode, calls, result = found
        try:
            units = [Unit(_callee(name), tuple(map(_kind, kinds))) for name, kinds in calls]
            return Lowered(bitcode, units, _kind(result))
        except (KeyError, ImportError, AttributeError, TypeError, ValueError):
            return None

    def pack(self, instead: Mapping[str, Lowered] = MappingProxyType({})) -> bytes:
        """Return what was used, to be stored, some of it replaced."""
        said, code = {}, []
        for key, unit in {**self.used, **instead}.items():
            try:
                calls = [(call.kernel.name, list(map(name_of, call.kinds))) for call in unit.calls]
                said[key] = {"size": len(unit.bitcode), "calls": calls, "result": name_of(unit.result)}
            except KeyError:  # it has a type that has no name: it is lowered again each time
                continue
            code.append(unit.bitcode)
        head = json.dumps(said).encode()
        return b"".join([len(head).to_bytes(8, "little"), head, *code])


_Stored = tuple[bytes, list[tuple[str, list[str]]], str]


def unpack(data: bytes) -> dict[str, _Stored]:
    """Return the bitcode, the calls and the result of all units of a file by their keys; none of a damaged one."""
    place = 8 + int.from_bytes(data[:8], "little")
    found = {}
    try:
        for key, said in json.loads(data[8:place]).items():
            found[key] = data[place : place + said["size"]], said["calls"], said["result"]
            place += said["size"]
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    return found


def _callee(name: str) -> Kernel | Choice:
    """Return what a unit calls: whatever it is, what calls it has imported it."""
    return CHOICES[name] if name.endswith("?") else KERNELS[name]


def _kind(name: str) -> Any:
    return kind_of(name, sys.modules.__getitem__)


def _lower(asked: tuple[Unit, str]) -> Lowered | None:
    """Lower a unit; None where it has another key here, or has come to have another one meanwhile."""
    unit, key = asked
    if key_of(unit) != key:
        return None
    lowered = lower(unit)
    return lowered if key_of(unit) == key else None


def key_of(unit: Unit) -> str:
    """Return what the module of a unit follows from."""
    records = [layout_digest(name) for name in sorted(records_in(unit.kinds))]
    kinds = _said_by_kinds(unit.kernel.name, unit.kinds)
    return digest(unit.symbol, *kinds, *map(kernel_digest, _typed_with(unit.kernel)), *records)


def _said_by_kinds(name: str, kinds: Iterable[Any]) -> Iterator[str]:
    """What types of arguments say besides their names.

    Raises:
        TypeError: One of them says more than can be told.
    """
    for kind in kinds:
        if isinstance(kind, types.BaseTuple):
            yield " ".join(getattr(kind, "fields", ()))
            yield from _said_by_kinds(name, kind.types)
        elif isinstance(kind, KernelType):
            yield " ".join([described(kind.kernel), *map(kernel_digest, _either(kind.kernel))])
        elif isinstance(kind, types.Module | types.Dispatcher | types.NamedTupleClass):
            raise TypeError(
                f"{name}: a kernel takes arrays, records, numbers and tuples of them, or kernels, not {kind}"
            )


def _typed_with(kernel: Any) -> list[Kernel]:
    """A kernel, and those whose text says what its calls return because no annotation does."""
    found = [kernel]
    for one in found:
        for rule in called(one):
            found += [k for k in _either(rule) if not k.says_result and k not in found]
    return found


def _either(rule: Kernel | Choice | Any) -> list[Kernel]:
    """The kernels that a call may get."""
    if isinstance(rule, Choice):
        return _either(rule.full) + _either(rule.base)
    return [rule] if isinstance(rule, Kernel) else []
