"""The specification of a policy: its network, observation and decisions, as plain data checked field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, field
from msgspec.structs import force_setattr

from rr_gym.choices.columns import DEFAULT_LOOKAHEAD, LOOKAHEADS
from rr_gym.encoding.act.actions import CARDS, STEP_MODES
from rr_gym.encoding.act.components import OPTIONAL_COMPONENTS, component_name, width_of
from rr_gym.encoding.observe.elements import GROUP_NAMES
from rr_gym.errors import RoboRallyError, short_repr
from rr_gym.rules.state.constants import MAX_ROBOTS, NUM_REGISTERS
from rr_gym.typed_data import among, check_fields, plain, typed

# The observations that a kind of network reads; of several kinds for one observation the last is its default
KINDS = {
    "flat": ("flat",),
    "planes": ("planes",),
    "afterstates": ("entities", "entities+planes", "entities+way"),
    "entities": ("entities", "entities+planes", "entities+way"),
    "mlp": ("flat", "planes"),
    "scaled_mlp": ("flat",),
    "choices": ("choices",),
}
PLAIN_KINDS = ("mlp", "scaled_mlp")  # layers on a row of numbers, as in libraries
CHOICES = "choices"
AFTERSTATES = "afterstates"
SCORING_KINDS = (CHOICES, AFTERSTATES)  # the same weights give every choice its logit
ACTIVATIONS = ("tanh", "relu", "elu", "gelu", "silu", "leaky_relu")
HEADS = ("linear", "pointer")
KERNEL_ACTIVATIONS = ("relu", "leaky_relu")  # of networks that play without PyTorch

_BY_KIND: Any = UNSET  # stands for the default of the network's kind
_SIZES: dict[str, dict[str, Any]] = {
    "": {"hidden": (128, 128), "features": 256, "embed": 32, "activation": "tanh"},
    CHOICES: {"hidden": (64, 64), "value_hidden": (32,), "features": 48, "embed": 24, "activation": "relu"},
    AFTERSTATES: {"hidden": (64, 64), "value_hidden": (64,), "features": 96, "embed": 24, "activation": "relu"},
}

MAX_LAYERS = 8
MAX_UNITS = 4096
MAX_WINDOW = 127

Units = Annotated[int, Meta(ge=1, le=MAX_UNITS)]
Layers = Annotated[
    tuple[Units, ...], Meta(title=f"a list of at most {MAX_LAYERS} whole numbers", max_length=MAX_LAYERS)
]


class PolicyError(RoboRallyError):
    """A policy cannot be created, read or written, or does not fit a game."""


class NetworkSpec(Struct, frozen=True, forbid_unknown_fields=True):
    """The kind and the sizes of a network. A wrong value raises a PolicyError.

    Attributes:
        kind: ``"flat"``, ``"planes"`` and ``"entities"`` read the observation of that name; ``"mlp"`` reads raw numbers
            of ``"flat"`` or ``"planes"``, and ``"scaled_mlp"`` scaled ones of ``"flat"``; ``"choices"`` scores the
            choices of its observation, and ``"afterstates"`` every card by the board around where it leads, read from
            the observations of ``"entities"``; both have two layers in `hidden` and one in `value_hidden`. Sizes that
            are not given depend on the kind.
        hidden: Units of the layers in the policy trunk.
        value_hidden: Units of the layers in the value trunk; None for those of the policy.
        features: Units of the layer that both trunks share.
        channels: Channels of the convolutions over the board.
        embed: Size of the embedding of a card or another robot.
        activation: One of `ACTIVATIONS`; of `KERNEL_ACTIVATIONS` for ``"choices"``.
        head: ``"linear"``, or ``"pointer"``: the logit of choice c also depends on the card in slot c of the hand.
    """

    kind: Annotated[str, among(KINDS)]
    hidden: Layers = _BY_KIND
    value_hidden: Layers | None = None
    features: Units = _BY_KIND
    channels: Layers = (16, 32, 32)
    embed: Units = _BY_KIND
    activation: Annotated[str, among(ACTIVATIONS)] = _BY_KIND
    head: Annotated[str, among(HEADS)] = "linear"

    def __post_init__(self) -> None:
        for name, value in _SIZES[self.kind if self.kind in SCORING_KINDS else ""].items():
            if getattr(self, name) is _BY_KIND or (name == "value_hidden" and self.value_hidden is None):
                force_setattr(self, name, value)
        check_fields(self, PolicyError)
        if self.kind in SCORING_KINDS:
            self._check_scoring()
        if self.kind in PLAIN_KINDS and self.head != "linear":
            raise PolicyError(f"head: {short_repr(self.head)}: expected linear with the kind {self.kind}")

    def _check_scoring(self) -> None:
        for name, count in (("hidden", 2), ("value_hidden", 1)):
            if len(getattr(self, name)) != count:
                expected = f"expected {count} with the kind {self.kind}"
                raise PolicyError(f"{name}: {short_repr(getattr(self, name))}: {expected}")
        activations = KERNEL_ACTIVATIONS if self.kind == CHOICES else ACTIVATIONS
        for name, known in (("activation", activations), ("head", HEADS[:1])):
            if getattr(self, name) not in known:
                expected = f"expected {' | '.join(known)} with the kind {self.kind}"
                raise PolicyError(f"{name}: {short_repr(getattr(self, name))}: {expected}")

    @classmethod
    def from_json(cls, data: Any, where: str = "network") -> NetworkSpec:
        """Make a spec from a mapping of the attributes by name; only `kind` is required. Raises PolicyError."""
        return typed(data, cls, where, PolicyError)


class PolicySpec(Struct, frozen=True, forbid_unknown_fields=True):
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
    observation: Annotated[str, among(sorted({name for names in KINDS.values() for name in names}))]
    window: Annotated[int, Meta(title=f"an odd whole number from 1 to {MAX_WINDOW}", ge=1, le=MAX_WINDOW)]
    num_robots: Annotated[int, Meta(ge=1, le=MAX_ROBOTS)]
    action: Annotated[str, among(STEP_MODES)]
    decisions: tuple[Annotated[str, among(OPTIONAL_COMPONENTS)], ...]
    preview: bool = False
    lookahead: Annotated[str, among(LOOKAHEADS)] | None = None
    elements: tuple[Annotated[str, among(GROUP_NAMES)], ...] = ()
    trained_on: tuple[dict[str, Any], ...] = ()
    training: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_fields(self, PolicyError)
        if self.window % 2 == 0:
            raise PolicyError(f"window: {self.window}: expected an odd whole number from 1 to {MAX_WINDOW}")
        for name, known in (("decisions", OPTIONAL_COMPONENTS), ("elements", GROUP_NAMES)):
            names = getattr(self, name)
            ordered = sorted(set(names), key=known.index)
            if [*names] != ordered:
                raise PolicyError(
                    f"{name}: {short_repr(names)}: expected each once in this order: {', '.join(ordered)}"
                )
        if self.observation not in KINDS[self.network.kind]:
            expected = " | ".join(KINDS[self.network.kind])
            kind = self.network.kind
            raise PolicyError(
                f"observation: {short_repr(self.observation)}: expected {expected} with a network of the kind {kind}"
            )
        if self.network.kind in SCORING_KINDS and self.action != CARDS:
            kind = self.network.kind
            raise PolicyError(f"action: {short_repr(self.action)}: expected {CARDS} with a network of the kind {kind}")
        if self.network.kind == CHOICES and self.lookahead is None:
            force_setattr(self, "lookahead", DEFAULT_LOOKAHEAD)
        if self.network.kind != CHOICES and self.lookahead is not None:
            raise PolicyError(f"lookahead: {short_repr(self.lookahead)}: only with the observation {CHOICES}")
        if self.preview and self.action != CARDS:
            raise PolicyError(f"preview: True: expected False with the action {short_repr(self.action)}")

    @classmethod
    def from_json(cls, data: Any, where: str = "policy") -> PolicySpec:
        """Make a spec from a mapping of the attributes by name. Raises PolicyError."""
        if isinstance(data, Mapping) and isinstance(data.get("decisions"), list | tuple):
            data = {**data, "decisions": [component_name(word) for word in data["decisions"]]}
        return typed(data, cls, where, PolicyError)

    def to_json(self) -> dict[str, Any]:
        """Return the attributes by name, in types that JSON has."""
        attributes: dict[str, Any] = plain(self)
        return attributes

    @property
    def components(self) -> tuple[str, ...]:
        """Return the names of the components of a whole action."""
        return (*(f"register_{r + 1}" for r in range(NUM_REGISTERS)), *self.decisions)

    @property
    def mask_shape(self) -> tuple[int, ...]:
        """Return the shape of the mask of one step: (components, choices), or (choices,) with ``"cards"``."""
        width = width_of(self.components)
        return (width,) if self.action == CARDS else (len(self.components), width)


FACTS = tuple(name for name in PolicySpec.__struct_fields__ if name != "network")


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
        **core.form.facts(),
        "trained_on": courses,
        "training": training,
    }
