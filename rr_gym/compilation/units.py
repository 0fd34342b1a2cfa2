"""Keep lowered units on disk, by what they were made from, in a format that holds only texts, numbers and bitcode.

A file is a JSON header, preceded by the number of its bytes, followed by the bitcode of all units one after the other.
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
from rr_gym.compilation.kernels import FORM_DISPATCHES, KERNELS, FormDispatch, Kernel
from rr_gym.compilation.kinds import kind_of, name_of, records_in
from rr_gym.compilation.libraries import layout_digest
from rr_gym.compilation.lowering import Lowered, Unit, lower
from rr_gym.compilation.numba_internals import KernelType
from rr_gym.compilation.reads import called, describe_constant


class Units:
    """Lowered units of earlier builds and of this one, by digests of what they were made from.

    Stored units must come from a build with the same settings and the same versions of libraries.
    """

    def __init__(self, stored: Iterable[bytes] = ()) -> None:
        self._stored: dict[str, _Stored] = {}  # decoded one by one: some may name what no longer exists
        self.used: dict[str, Lowered] = {}
        self.new = 0  # number of units that had to be lowered now
        for data in stored:
            self._stored.update(unpack(data))

    def lowered(self, wanted: Iterable[Unit], pool: Executor | None) -> Iterator[tuple[Unit, Lowered]]:
        """Yield units with what they were lowered to, before or now; without a pool, this process lowers them."""
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
            # A process of a pool returns None if its rules differ from those of this process.
            lowered = made or _lower((unit, key))
            if lowered is None:
                raise RuntimeError(
                    f"{unit.kernel.name}: what it reads has changed while it was compiled: call it again"
                )
            self.used[key] = lowered
            self.new += 1
            yield unit, lowered

    def stored(self, key: str) -> Lowered | None:
        """Return a unit of an earlier build, or None if there is none or something that it names no longer exists."""
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
        """Return the used units as bytes to be stored, some of them replaced by those of `instead`."""
        listed, code = {}, []
        for key, unit in {**self.used, **instead}.items():
            try:
                calls = [(call.kernel.name, list(map(name_of, call.kinds))) for call in unit.calls]
                listed[key] = {"size": len(unit.bitcode), "calls": calls, "result": name_of(unit.result)}
            except KeyError:  # one of its types has no name: the unit is lowered again in each build
                continue
            code.append(unit.bitcode)
        head = json.dumps(listed).encode()
        return b"".join([len(head).to_bytes(8, "little"), head, *code])


_Stored = tuple[bytes, list[tuple[str, list[str]]], str]


def unpack(data: bytes) -> dict[str, _Stored]:
    """Return the bitcode, the calls and the result of each unit in a file by its key; {} if the file is damaged."""
    place = 8 + int.from_bytes(data[:8], "little")
    found = {}
    try:
        for key, listed in json.loads(data[8:place]).items():
            found[key] = data[place : place + listed["size"]], listed["calls"], listed["result"]
            place += listed["size"]
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    return found


def _callee(name: str) -> Kernel | FormDispatch:
    """Return the kernel or rule that a unit calls; the caller's module has imported it already."""
    return FORM_DISPATCHES[name] if name.endswith("?") else KERNELS[name]


def _kind(name: str) -> Any:
    return kind_of(name, sys.modules.__getitem__)


def _lower(asked: tuple[Unit, str]) -> Lowered | None:
    """Lower a unit; return None if its key differs in this process, or has changed meanwhile."""
    unit, key = asked
    if key_of(unit) != key:
        return None
    lowered = lower(unit)
    return lowered if key_of(unit) == key else None


def key_of(unit: Unit) -> str:
    """Return a digest of everything that the module of a unit depends on."""
    records = [layout_digest(name) for name in sorted(records_in(unit.kinds))]
    kinds = _contents_of_types(unit.kernel.name, unit.kinds)
    return digest(unit.symbol, *kinds, *map(kernel_digest, _kernels_fixing_types(unit.kernel)), *records)


def _contents_of_types(name: str, kinds: Iterable[Any]) -> Iterator[str]:
    """Yield what types of arguments contain besides their names, such as the fields of named tuples.

    Raises:
        TypeError: A type contains something that kernels do not take.
    """
    for kind in kinds:
        if isinstance(kind, types.BaseTuple):
            yield " ".join(getattr(kind, "fields", ()))
            yield from _contents_of_types(name, kind.types)
        elif isinstance(kind, KernelType):
            yield " ".join([describe_constant(kind.kernel), *map(kernel_digest, _kernels_of(kind.kernel))])
        elif isinstance(kind, types.Module | types.Dispatcher | types.NamedTupleClass):
            raise TypeError(
                f"{name}: a kernel takes arrays, records, numbers and tuples of them, or kernels, not {kind}"
            )


def _kernels_fixing_types(kernel: Any) -> list[Kernel]:
    """Return a kernel and those that determine the types of its calls because their annotations do not."""
    found = [kernel]
    for one in found:
        for rule in called(one):
            found += [k for k in _kernels_of(rule) if not k.has_known_result and k not in found]
    return found


def _kernels_of(rule: Kernel | FormDispatch | Any) -> list[Kernel]:
    """Return the kernels that a call may get, in any form of the rules."""
    if isinstance(rule, FormDispatch):
        return _kernels_of(rule.full) + _kernels_of(rule.base)
    return [rule] if isinstance(rule, Kernel) else []
