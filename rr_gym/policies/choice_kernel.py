"""The network that scores choices as a compiled kernel: the same numbers as `choice_features`, without PyTorch."""

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
    """How a table is encoded: scale factors of its columns, then columns and values of one-hot numbers."""

    scale: Array
    columns: Array
    values: Array


class Layer(NamedTuple):
    """The weights of a linear layer: float32, (inputs, outputs), and biases, (outputs,)."""

    weight: Array
    bias: Array


class ChoiceNetwork(NamedTuple):
    """All weights of a network, in the form that kernels take.

    Attributes:
        game: Encoding of the table `game`.
        robots: Encoding of the table `robots`.
        prospects: Encoding of the table `prospects`.
        choices: Encoding of the table `choices`, without relations.
        other: Layer that embeds another robot.
        position: Layer from all features of the position to its vector.
        choice: Layer from a choice to the first hidden layer.
        context: Layer from the position to the first hidden layer; its bias is 0.
        last: Layer from the first to the second hidden layer.
        score: Layer from the second hidden layer to a logit.
        value: Layer from position and choices to the hidden layer of the value.
        worth: Layer from there to the value.
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


class NetworkScratch(NamedTuple):
    """Scratch arrays for one row, float32 unless noted, overwritten for every row.

    Attributes:
        robot: Encoded numbers of a robot.
        embedded: The embedding of another robot.
        facts: Features of the position: the game, the own robot, and mean and maximum over the others.
        position: The vector of the position.
        context: The position's contribution to the first hidden layer.
        choice: Encoded numbers of a choice.
        first: The first hidden layer.
        vectors: (choices, units of the second hidden layer).
        summary: The position, and mean and maximum of the vectors.
        value: The hidden layer of the value.
        out: (1,): a single output.
        inputs: int64: the indices of a layer's nonzero inputs, with one entry to spare.
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
    """Make a network from its weights by name, of the shapes of `weight_shapes`."""

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


def make_network_scratch(spec: PolicySpec, choices: int) -> NetworkScratch:
    """Allocate the scratch arrays for a network's rows with `choices` choices."""
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
    return NetworkScratch._make([*before, vectors, *after, inputs])


@kernel
def encode(numbers: Array, count: int, inputs: Inputs, out: Array, start: int) -> int:
    """Encode the first `count` integers as a network reads them, into `out` from `start` on.

    Returns the index after the last number written.
    """
    for k in range(count):
        value = np.float32(numbers[k]) * inputs.scale[k]
        out[start + k] = min(max(value, -_LIMIT), _LIMIT)
    start += count
    for k in range(inputs.columns.size):
        out[start + k] = np.float32(numbers[inputs.columns[k]] == inputs.values[k])
    return start + int(inputs.columns.size)


@kernel
def apply(layer: Layer, numbers: Array, inputs: Array, out: Array) -> None:
    """Apply a linear layer to `numbers`, written into `out`.

    Inputs that are 0 are skipped, and the others are added four at a time; `inputs` is scratch for their indices.
    """
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
    """Apply the activation in place. The slope `leak` is below 1, so that the maximum selects the branch."""
    for k in range(numbers.size):
        x = numbers[k]
        y = x * leak
        numbers[k] = x if x > y else y


@kernel
def read_position(
    network: ChoiceNetwork, scratch: NetworkScratch, game: Array, robots: Array, prospects: Array
) -> None:
    """Compute the vector of the position, and its contribution to the first hidden layer of every choice."""
    leak = network.leak[0]
    embed = scratch.embedded.size
    facts = scratch.facts
    own = encode(game, game.size, network.game, facts, 0)
    pooled = encode(robots[0], robots.shape[1], network.robots, facts, own)
    pooled = encode(prospects[0], prospects.shape[1], network.prospects, facts, pooled)
    facts[pooled:] = 0
    others = robots.shape[0] - 1
    for i in range(1, robots.shape[0]):
        last = encode(robots[i], robots.shape[1], network.robots, scratch.robot, 0)
        encode(prospects[i], prospects.shape[1], network.prospects, scratch.robot, last)
        apply(network.other, scratch.robot, scratch.inputs, scratch.embedded)
        activate(scratch.embedded, leak)
        for k in range(embed):
            value = scratch.embedded[k]
            facts[pooled + k] += value / np.float32(others)
            largest = facts[pooled + embed + k]
            facts[pooled + embed + k] = value if i == 1 else max(largest, value)
    apply(network.position, facts, scratch.inputs, scratch.position)
    activate(scratch.position, leak)
    apply(network.context, scratch.position, scratch.inputs, scratch.context)


@kernel
def score_choice(network: ChoiceNetwork, scratch: NetworkScratch, row: Array, vector: Array) -> np.float32:
    """Return the logit of a choice; its last hidden layer is written to `vector`."""
    leak = network.leak[0]
    own = network.choices.scale.size
    relations = encode(row, own, network.choices, scratch.choice, 0)
    for k in range(NUM_RELATIONS):
        total = 0
        for column in range(own + k, row.size, NUM_RELATIONS):
            total += row[column]
        scratch.choice[relations + k] = np.float32(total) * RELATION_SCALES[k]
    apply(network.choice, scratch.choice, scratch.inputs, scratch.first)
    for k in range(scratch.first.size):
        scratch.first[k] += scratch.context[k]
    activate(scratch.first, leak)
    apply(network.last, scratch.first, scratch.inputs, vector)
    activate(vector, leak)
    apply(network.score, vector, scratch.inputs, scratch.out)
    return np.float32(scratch.out[0])


@kernel
def score_choices(
    network: ChoiceNetwork, scratch: NetworkScratch, game: Array, robots: Array, choices: Array, prospects: Array,
    logits: Array,
) -> None:  # fmt: skip
    """Write the logits of all legal choices of one row; the others keep their values."""
    read_position(network, scratch, game, robots, prospects)
    for c in range(choices.shape[0]):
        if choices[c, LEGAL]:
            logits[c] = score_choice(network, scratch, choices[c], scratch.vectors[c])


@kernel
def value_of_position(network: ChoiceNetwork, scratch: NetworkScratch, choices: Array) -> np.float32:
    """Return the value of a row whose choices have all been scored."""
    size = scratch.position.size
    second = scratch.vectors.shape[1]
    summary = scratch.summary
    for k in range(size):
        summary[k] = scratch.position[k]
    legal = 0
    for c in range(choices.shape[0]):
        legal += choices[c, LEGAL]
    for k in range(second):
        total = np.float32(0)
        largest = scratch.vectors[0, k] * np.float32(choices[0, LEGAL])
        for c in range(choices.shape[0]):
            value = scratch.vectors[c, k] * np.float32(choices[c, LEGAL])
            total += value
            largest = max(largest, value)
        summary[size + k] = total / np.float32(max(legal, 1))
        summary[size + second + k] = largest
    apply(network.value, summary, scratch.inputs, scratch.value)
    activate(scratch.value, network.leak[0])
    apply(network.worth, scratch.value, scratch.inputs, scratch.out)
    return np.float32(scratch.out[0])


@kernel
def evaluate_rows(
    network: ChoiceNetwork, scratch: NetworkScratch, game: Array, robots: Array, choices: Array, prospects: Array,
    logits: Array, values: Array,
) -> None:  # fmt: skip
    """Write logits, float32, (rows, choices), 0 for illegal choices, and values, float32, (rows,)."""
    for row in range(values.size):
        logits[row] = 0
        score_choices(network, scratch, game[row], robots[row], choices[row], prospects[row], logits[row])
        values[row] = value_of_position(network, scratch, choices[row])
