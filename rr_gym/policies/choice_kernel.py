"""The network that scores choices as a kernel: the same numbers as `choice_features` without PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rr_gym.choices.columns import LEGAL, NUM_RELATIONS, RELATION_SCALES
from rr_gym.compilation.kernels import kernel
from rr_gym.policies.choice_inputs import encodings, sizes
from rr_gym.policies.inputs import LIMIT
from rr_gym.policies.spec import PolicySpec

Array = np.ndarray[Any, Any]

LEAK = {"relu": 0.0, "leaky_relu": 0.01}  # the slope of an activation below 0
_LIMIT = np.float32(LIMIT)


class Inputs(NamedTuple):
    """How a table becomes numbers: factors of its columns, then columns and values of one-hot numbers."""

    scale: Array
    columns: Array
    values: Array


class Layer(NamedTuple):
    """A linear layer: float32 (inputs, outputs) and (outputs,)."""

    weight: Array
    bias: Array


class ChoiceNetwork(NamedTuple):
    """A whole network, as kernels take it.

    Attributes:
        game: Of the table `game`.
        robots: Of `robots`.
        prospects: Of `prospects`.
        choices: Of `choices` without relations.
        other: From another robot.
        position: From all facts of the position.
        choice: From a choice to the first hidden layer.
        context: From the position to the first hidden layer; its bias is 0.
        last: The second hidden layer.
        score: From that to a logit.
        value: From position and choices to the hidden layer of the value.
        worth: From that to the value.
        leak: float32, (1,): the slope of the activation below 0.
    """

    game: Inputs
    robots: Inputs
    prospects: Inputs
    choices: Inputs
    other: Layer
    position: Layer
    choice: Layer
    context: Layer
    last: Layer
    score: Layer
    value: Layer
    worth: Layer
    leak: Array


class Work(NamedTuple):
    """Room for one row, float32, overwritten again and again.

    Attributes:
        robot: The numbers of a robot.
        embedded: The embedding of another robot.
        facts: The numbers of the position: game, own robot, others by mean and maximum.
        position: The position.
        context: What the position adds to the first hidden layer.
        choice: The numbers of a choice.
        first: The first hidden layer.
        vectors: (choices, second hidden layer).
        summary: Position, mean and maximum of the vectors.
        value: The hidden layer of the value.
        out: (1,): a single number.
        inputs: int64: inputs of a layer that are not 0, by number, and one more.
    """

    robot: Array
    embedded: Array
    facts: Array
    position: Array
    context: Array
    choice: Array
    first: Array
    vectors: Array
    summary: Array
    value: Array
    out: Array
    inputs: Array


def choice_network(spec: PolicySpec, weights: Mapping[str, Array]) -> ChoiceNetwork:
    """A network from its weights by name, of the shapes of `weight_shapes`."""

    def linear(name: str) -> Layer:
        weight = np.array(weights[f"{name}.weight"].T, np.float32, order="C")
        bias = weights.get(f"{name}.bias")
        return Layer(weight, np.zeros(weight.shape[1], np.float32) if bias is None else np.array(bias, np.float32))

    tables = {name: Inputs(*encoded) for name, encoded in encodings(spec).items()}
    return ChoiceNetwork(
        **tables,
        other=linear("features.other.0"),
        position=linear("features.position.0"),
        choice=linear("features.choice"),
        context=linear("features.context"),
        last=linear("features.last.0"),
        score=linear("action_net.score"),
        value=linear("features.value.0"),
        worth=linear("value_net"),
        leak=np.array([LEAK[spec.network.activation]], np.float32),
    )


def work_for(spec: PolicySpec, choices: int) -> Work:
    """Room for a network's rows of so many choices."""
    network, size = spec.network, sizes(spec)
    first, second = network.hidden
    assert network.value_hidden
    robot = size["robots"] + size["prospects"]
    lengths = (
        robot, network.embed, size["game"] + robot + 2 * network.embed, network.features, first, size["choices"], first,
    )  # fmt: skip
    vectors = np.zeros((choices, second), np.float32)
    rest = (network.features + 2 * second, network.value_hidden[0], 1)
    before, after = ([np.zeros(n, np.float32) for n in group] for group in (lengths, rest))
    inputs = np.zeros(max(*lengths, *rest) + 1, np.int64)
    return Work._make([*before, vectors, *after, inputs])


@kernel
def encode(numbers: Array, count: int, inputs: Inputs, out: Array, start: int) -> int:
    """The first `count` whole numbers as a network reads them, into `out` from `start` on. Where they end."""
    for k in range(count):
        value = np.float32(numbers[k]) * inputs.scale[k]
        out[start + k] = min(max(value, -_LIMIT), _LIMIT)
    start += count
    for k in range(inputs.columns.size):
        out[start + k] = np.float32(numbers[inputs.columns[k]] == inputs.values[k])
    return start + int(inputs.columns.size)


@kernel
def apply(layer: Layer, numbers: Array, inputs: Array, out: Array) -> None:
    """A linear layer. Inputs that are 0 cost nothing, others are added four at a time; `inputs` is room for them."""
    for k in range(out.size):
        out[k] = layer.bias[k]
    count = 0
    for i in range(numbers.size):
        inputs[count] = i
        count += numbers[i] != 0
    weight = layer.weight
    for k in range(0, count - 3, 4):
        i0, i1, i2, i3 = inputs[k], inputs[k + 1], inputs[k + 2], inputs[k + 3]
        x0, x1, x2, x3 = numbers[i0], numbers[i1], numbers[i2], numbers[i3]
        w0, w1, w2, w3 = weight[i0], weight[i1], weight[i2], weight[i3]
        for j in range(out.size):
            out[j] += x0 * w0[j] + x1 * w1[j] + x2 * w2[j] + x3 * w3[j]
    for k in range(count & ~3, count):
        x = numbers[inputs[k]]
        weights = weight[inputs[k]]
        for j in range(out.size):
            out[j] += x * weights[j]


@kernel
def activate(numbers: Array, leak: np.float32) -> None:
    """The activation, in place; a slope below 1, so that no sign need be asked for."""
    for k in range(numbers.size):
        x = numbers[k]
        y = x * leak
        numbers[k] = x if x > y else y


@kernel
def read_position(network: ChoiceNetwork, work: Work, game: Array, robots: Array, prospects: Array) -> None:
    """The position, and what it adds to the first hidden layer of every choice."""
    leak = network.leak[0]
    embed = work.embedded.size
    facts = work.facts
    own = encode(game, game.size, network.game, facts, 0)
    pooled = encode(robots[0], robots.shape[1], network.robots, facts, own)
    pooled = encode(prospects[0], prospects.shape[1], network.prospects, facts, pooled)
    facts[pooled:] = 0
    others = robots.shape[0] - 1
    for i in range(1, robots.shape[0]):
        last = encode(robots[i], robots.shape[1], network.robots, work.robot, 0)
        encode(prospects[i], prospects.shape[1], network.prospects, work.robot, last)
        apply(network.other, work.robot, work.inputs, work.embedded)
        activate(work.embedded, leak)
        for k in range(embed):
            value = work.embedded[k]
            facts[pooled + k] += value / np.float32(others)
            largest = facts[pooled + embed + k]
            facts[pooled + embed + k] = value if i == 1 else max(largest, value)
    apply(network.position, facts, work.inputs, work.position)
    activate(work.position, leak)
    apply(network.context, work.position, work.inputs, work.context)


@kernel
def score_choice(network: ChoiceNetwork, work: Work, row: Array, vector: Array) -> np.float32:
    """The logit of a choice; its last hidden layer is left in `vector`."""
    leak = network.leak[0]
    own = network.choices.scale.size
    relations = encode(row, own, network.choices, work.choice, 0)
    for k in range(NUM_RELATIONS):
        total = 0
        for column in range(own + k, row.size, NUM_RELATIONS):
            total += row[column]
        work.choice[relations + k] = np.float32(total) * RELATION_SCALES[k]
    apply(network.choice, work.choice, work.inputs, work.first)
    for k in range(work.first.size):
        work.first[k] += work.context[k]
    activate(work.first, leak)
    apply(network.last, work.first, work.inputs, vector)
    activate(vector, leak)
    apply(network.score, vector, work.inputs, work.out)
    return np.float32(work.out[0])


@kernel
def score_choices(
    network: ChoiceNetwork, work: Work, game: Array, robots: Array, choices: Array, prospects: Array, logits: Array
) -> None:
    """The logits of all legal choices of one row; others are left as they are."""
    read_position(network, work, game, robots, prospects)
    for c in range(choices.shape[0]):
        if choices[c, LEGAL]:
            logits[c] = score_choice(network, work, choices[c], work.vectors[c])


@kernel
def value_of_position(network: ChoiceNetwork, work: Work, choices: Array) -> np.float32:
    """The value, after all choices have been scored."""
    size = work.position.size
    second = work.vectors.shape[1]
    summary = work.summary
    for k in range(size):
        summary[k] = work.position[k]
    legal = 0
    for c in range(choices.shape[0]):
        legal += choices[c, LEGAL]
    for k in range(second):
        total = np.float32(0)
        largest = work.vectors[0, k] * np.float32(choices[0, LEGAL])
        for c in range(choices.shape[0]):
            value = work.vectors[c, k] * np.float32(choices[c, LEGAL])
            total += value
            largest = max(largest, value)
        summary[size + k] = total / np.float32(max(legal, 1))
        summary[size + second + k] = largest
    apply(network.value, summary, work.inputs, work.value)
    activate(work.value, network.leak[0])
    apply(network.worth, work.value, work.inputs, work.out)
    return np.float32(work.out[0])


@kernel
def evaluate_rows(
    network: ChoiceNetwork, work: Work, game: Array, robots: Array, choices: Array, prospects: Array, logits: Array,
    values: Array,
) -> None:  # fmt: skip
    """Logits (rows, choices), 0 for those that are not legal, and values (rows,), float32: overwritten."""
    for row in range(values.size):
        logits[row] = 0
        score_choices(network, work, game[row], robots[row], choices[row], prospects[row], logits[row])
        values[row] = value_of_position(network, work, choices[row])
