"""The specification of a policy: its network, observation and decisions, as plain data checked field by field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any, TypeVar

from rr_gym.choices.columns import DEFAULT_LOOKAHEAD, LOOKAHEADS
from rr_gym.encoding.act.actions import CARDS, STEP_MODES
from rr_gym.encoding.act.components import OPTIONAL_COMPONENTS, width_of
from rr_gym.encoding.observe.elements import GROUP_NAMES
from rr_gym.errors import RoboRallyError, did_you_mean, shown
from rr_gym.rules.state.constants import MAX_ROBOTS, NUM_REGISTERS

# The observations that a kind of network reads
KINDS = {
    "flat": ("flat",),
    "planes": ("planes",),
    "entities": ("entities", "entities+planes"),
    "mlp": ("flat", "planes"),
    "choices": ("choices",),
}
CHOICES = "choices"
ACTIVATIONS = ("tanh", "relu", "elu", "gelu", "silu", "leaky_relu")
HEADS = ("linear", "pointer")
KERNEL_ACTIVATIONS = ("relu", "leaky_relu")  # of networks that play without PyTorch

_BY_KIND: Any = object()  # stands for the default of the network's kind
_SIZES: dict[str, dict[str, Any]] = {
    "": {"hidden": (128, 128), "features": 256, "embed": 32, "activation": "tanh"},
    CHOICES: {"hidden": (64, 64), "value_hidden": (32,), "features": 48, "embed": 24, "activation": "relu"},
}

MAX_LAYERS = 8
MAX_UNITS = 4096
MAX_WINDOW = 127


class PolicyError(RoboRallyError):
    """A policy cannot be created, read or written, or does not fit a game."""


@dataclass(frozen=True, slots=True)
class NetworkSpec:
    """The kind and the sizes of a network. A wrong value raises a PolicyError.

    Attributes:
        kind: ``"flat"``, ``"planes"`` and ``"entities"`` read the observation of that name; ``"mlp"`` reads raw numbers
            of ``"flat"`` or ``"planes"``; ``"choices"`` scores the choices of its observation, with two layers in
            `hidden` and one in `value_hidden`. Sizes that are not given depend on the kind: they are smaller for
            ``"choices"``.
        hidden: Units of the layers in the policy trunk.
        value_hidden: Units of the layers in the value trunk; None for those of the policy.
        features: Units of the layer that both trunks share.
        channels: Channels of the convolutions over the board.
        embed: Size of the embedding of a card or another robot.
        activation: One of `ACTIVATIONS`; of `KERNEL_ACTIVATIONS` for ``"choices"``.
        head: ``"linear"``, or ``"pointer"``: the logit of choice c also depends on the card in slot c of the hand.
    """

    kind: str
    hidden: tuple[int, ...] = _BY_KIND
    value_hidden: tuple[int, ...] | None = None
    features: int = _BY_KIND
    channels: tuple[int, ...] = (16, 32, 32)
    embed: int = _BY_KIND
    activation: str = _BY_KIND
    head: str = "linear"

    def __post_init__(self) -> None:
        for name, value in _SIZES[CHOICES if self.kind == CHOICES else ""].items():
            if getattr(self, name) is _BY_KIND or (name == "value_hidden" and self.value_hidden is None):
                object.__setattr__(self, name, value)
        _check_fields(self, _NETWORK_CHECKS)
        if self.kind == CHOICES:
            self._check_choices()
        if self.kind == "mlp" and self.head != "linear":
            raise PolicyError(f"head: {shown(self.head)}: expected linear with the kind mlp")

    def _check_choices(self) -> None:
        for name, count in (("hidden", 2), ("value_hidden", 1)):
            if len(getattr(self, name)) != count:
                expected = f"expected {count} with the kind {CHOICES}"
                raise PolicyError(f"{name}: {shown(getattr(self, name))}: {expected}")
        for name, known in (("activation", KERNEL_ACTIVATIONS), ("head", HEADS[:1])):
            if getattr(self, name) not in known:
                expected = f"expected {' | '.join(known)} with the kind {CHOICES}"
                raise PolicyError(f"{name}: {shown(getattr(self, name))}: {expected}")

    @classmethod
    def from_json(cls, data: Any, where: str = "network") -> NetworkSpec:
        """Make a spec from a mapping of the attributes by name; only `kind` is required. Raises PolicyError."""
        return _from_json(cls, data, where, _NETWORK_CHECKS)

    def to_json(self) -> dict[str, Any]:
        """Return the attributes by name, in types that JSON has."""
        return {name: _plain(value) for name, value in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class PolicySpec:
    """A policy without its weights. A wrong field raises a PolicyError.

    Attributes:
        network: Kind and sizes of the network.
        observation: Name of the observation.
        window: Odd width of the part of the board that is observed.
        num_robots: Robots in the training games.
        action: ``"draw"``, ``"slots"`` or ``"cards"``.
        decisions: Decisions besides the cards, names of `OPTIONAL_COMPONENTS` in that order.
        preview: With ``"cards"``: whether it observes where the cards chosen so far would bring its robot.
        lookahead: How far an observation with choices looks beyond them; None for other observations.
        elements: Groups of expansion elements that it observes, names of `observe.elements.GROUPS` in order. It can
            play on courses with no other elements.
        trained_on: The courses with their settings: a dict with ``"course"`` and ``"settings"`` for each.
        training: Further facts about its training, in types that JSON has.
    """

    network: NetworkSpec
    observation: str
    window: int
    num_robots: int
    action: str
    decisions: tuple[str, ...]
    preview: bool = False
    lookahead: str | None = None
    elements: tuple[str, ...] = ()
    trained_on: tuple[Mapping[str, Any], ...] = ()
    training: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_fields(self, _POLICY_CHECKS)
        if self.observation not in KINDS[self.network.kind]:
            expected = " | ".join(KINDS[self.network.kind])
            kind = self.network.kind
            raise PolicyError(
                f"observation: {shown(self.observation)}: expected {expected} with a network of the kind {kind}"
            )
        if self.network.kind == CHOICES and self.action != CARDS:
            raise PolicyError(f"action: {shown(self.action)}: expected {CARDS} with the observation {CHOICES}")
        if self.network.kind == CHOICES and self.lookahead is None:
            object.__setattr__(self, "lookahead", DEFAULT_LOOKAHEAD)
        if self.network.kind != CHOICES and self.lookahead is not None:
            raise PolicyError(f"lookahead: {shown(self.lookahead)}: only with the observation {CHOICES}")
        if self.preview and self.action != CARDS:
            raise PolicyError(f"preview: True: expected False with the action {shown(self.action)}")

    @classmethod
    def from_json(cls, data: Any, where: str = "policy") -> PolicySpec:
        """Make a spec from a mapping of the attributes by name. Raises PolicyError."""
        return _from_json(cls, data, where, _POLICY_CHECKS)

    def to_json(self) -> dict[str, Any]:
        """Return the attributes by name, in types that JSON has."""
        return {name: _plain(value) for name, value in asdict(self).items()}

    @property
    def components(self) -> tuple[str, ...]:
        """Return the names of the components of a whole action."""
        return (*(f"register_{r + 1}" for r in range(NUM_REGISTERS)), *self.decisions)

    @property
    def mask_shape(self) -> tuple[int, ...]:
        """Return the shape of the mask of one step: (components, choices), or (choices,) with ``"cards"``."""
        width = width_of(self.components)
        return (width,) if self.action == CARDS else (len(self.components), width)


FACTS = tuple(f.name for f in fields(PolicySpec) if f.name != "network")


def policy_facts(core: Any, **training: Any) -> dict[str, Any]:
    """Return the fields of a policy's spec except the network, in types that JSON has, from its training environment.

    Args:
        core: An `rr_gym.envs.core.Core`.
        training: Further facts to store, such as ``steps=1_000_000``.
    """
    arena = core.arena
    courses = [
        {"course": course.id, "settings": asdict(settings)}
        for course, settings in zip(arena.courses, arena.settings, strict=True)
    ]
    return {
        "observation": core.form.observation,
        "window": core.observer.window,
        "num_robots": core.num_robots,
        "action": CARDS if core.steps else core.layout.mode,
        "decisions": list(core.layout.components[NUM_REGISTERS:]),
        "preview": bool(core.steps and core.steps.preview),
        "lookahead": core.form.choices_observer.facts.lookahead if core.form.choices_observer else None,
        "elements": list(core.observer.elements),
        "trained_on": courses,
        "training": training,
    }


Check = Callable[[str, Any], Any]
Spec = TypeVar("Spec", NetworkSpec, PolicySpec)


def _check_fields(spec: Any, checks: Mapping[str, Check]) -> None:
    """Check all fields of a new spec, and convert lists to tuples."""
    for name, check in checks.items():
        object.__setattr__(spec, name, check(name, getattr(spec, name)))


def _from_json(cls: type[Spec], data: Any, where: str, checks: Mapping[str, Check]) -> Spec:
    if not isinstance(data, Mapping):
        raise PolicyError(f"{where}: {shown(data)}: expected keys with values: {', '.join(checks)}")
    for key in data:
        if key not in checks:
            hint = did_you_mean(key, checks) or f"expected {', '.join(checks)}"
            raise PolicyError(f"{where}: unknown key {shown(key)}: {hint}")
    needed = [f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING]
    missing = [name for name in needed if name not in data]
    if missing:
        raise PolicyError(f"{where}: missing: {', '.join(missing)}")
    try:
        return cls(**data)
    except PolicyError as error:
        raise PolicyError(f"{where}: {error}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


def _one_of(names: Iterable[str]) -> Check:
    known = tuple(names)

    def check(where: str, value: Any) -> str:
        if not isinstance(value, str) or value not in known:
            hint = did_you_mean(value, known) or f"expected {' | '.join(known)}"
            raise PolicyError(f"{where}: {shown(value)}: {hint}")
        return value

    return check


def _whole(low: int, high: int) -> Check:
    def check(where: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise PolicyError(f"{where}: {shown(value)}: expected a whole number from {low} to {high}")
        return value

    return check


def _sizes(where: str, value: Any) -> tuple[int, ...]:
    if not isinstance(value, list | tuple) or len(value) > MAX_LAYERS:
        raise PolicyError(f"{where}: {shown(value)}: expected a list of at most {MAX_LAYERS} whole numbers")
    check = _whole(1, MAX_UNITS)
    return tuple(check(f"{where}[{i}]", item) for i, item in enumerate(value))


def _window(where: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_WINDOW or value % 2 == 0:
        raise PolicyError(f"{where}: {shown(value)}: expected an odd whole number from 1 to {MAX_WINDOW}")
    return value


def _some_of(known: tuple[str, ...]) -> Check:
    """Make a check for lists of these names, each at most once and in this order."""
    check_one = _one_of(known)

    def check(where: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list | tuple):
            raise PolicyError(f"{where}: {shown(value)}: expected a list of names of {', '.join(known)}")
        names = [check_one(f"{where}[{i}]", item) for i, item in enumerate(value)]
        ordered = sorted(set(names), key=known.index)
        if names != ordered:
            raise PolicyError(f"{where}: {shown(value)}: expected each once in this order: {', '.join(ordered)}")
        return tuple(names)

    return check


def _flag(where: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise PolicyError(f"{where}: {shown(value)}: expected true or false")
    return value


def _mapping(where: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise PolicyError(f"{where}: {shown(value)}: expected keys with values")
    return dict(value)


def _mappings(where: str, value: Any) -> tuple[dict[str, Any], ...]:
    if not isinstance(value, list | tuple):
        raise PolicyError(f"{where}: {shown(value)}: expected a list")
    return tuple(_mapping(f"{where}[{i}]", item) for i, item in enumerate(value))


_NETWORK_CHECKS: dict[str, Check] = {
    "kind": _one_of(KINDS),
    "hidden": _sizes,
    "value_hidden": lambda where, value: None if value is None else _sizes(where, value),
    "features": _whole(1, MAX_UNITS),
    "channels": _sizes,
    "embed": _whole(1, MAX_UNITS),
    "activation": _one_of(ACTIVATIONS),
    "head": _one_of(HEADS),
}
_POLICY_CHECKS: dict[str, Check] = {
    "network": lambda where, value: value if isinstance(value, NetworkSpec) else NetworkSpec.from_json(value, where),
    "observation": _one_of(sorted({name for names in KINDS.values() for name in names})),
    "window": _window,
    "num_robots": _whole(1, MAX_ROBOTS),
    "action": _one_of(STEP_MODES),
    "decisions": _some_of(OPTIONAL_COMPONENTS),
    "preview": _flag,
    "lookahead": lambda where, value: None if value is None else _one_of(LOOKAHEADS)(where, value),
    "elements": _some_of(GROUP_NAMES),
    "trained_on": _mappings,
    "training": _mapping,
}
