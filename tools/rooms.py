"""The rooms (layers) of the code from top to bottom, and a check that imports follow this order.

A file may import only from its own room and from rooms below it, and imports must not form cycles. Imports inside
functions count; imports that only type checkers see do not.

    python tools/rooms.py            print each violation in one line; exit status 1 if there is any
    python tools/rooms.py --table    print the table of CONTRIBUTING.md
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# The rooms with their contents. A room is a module, or a package without the rooms inside it.
ROOMS: dict[str, str] = {
    "agents": "training, learned policies; in the wheel a part of `rr_gym`, as are `configs`",
    "rr_gym.__main__": "`python -m rr_gym`",
    "rr_gym.cli": "the commands; each module is the command of its name and loads the rest when it runs",
    "rr_gym.cli.grammar": "the words that commands share: arguments, their types, lists, JSON, resuming",
    "rr_gym.exploit": "how much players can be exploited: best responses to them",
    "rr_gym.training": "training and imitation from Python; loads `agents` when a function is called",
    "rr_gym.bench": "benchmarks of speed, and the stored trajectories",
    "rr_gym.sb3": "the interface of Stable-Baselines3",
    "rr_gym.rllib": "the interface of RLlib, self-play on many machines",
    "rr_gym.jax": "the interface of JAX: the same kernels as functions of it",
    "rr_gym.datasets": "games of players as data",
    "rr_gym.dataset_files": "data sets on disk: written, read and checked",
    "rr_gym.dataset_games": "played and recorded games as rows of data",
    "rr_gym": "the public names",
    "rr_gym.roborally_v0": "the interfaces of PettingZoo",
    "rr_gym.envs": "interfaces: views of one core (`rr_gym/envs/core.py`) in the form that other libraries expect",
    "rr_gym.mcp_server": "tools for language models",
    "rr_gym.web": "people at pages in browsers: the server, what a seat is sent, the page",
    "rr_gym.play": "people at a game, a person at the terminal, games as tasks for language models",
    "rr_gym.arena.pages": "the ladder of an arena as pages: ratings over time, entries, lost games",
    "rr_gym.arena": "ladders of submissions: seasons, matches, the log, checking everything again",
    "rr_gym.evaluation.benchmark": "the player benchmark",
    "rr_gym.evaluation.tournament": "tournaments and their standings",
    "rr_gym.workshop": "improve a bot: rounds of games, again when its files change; recorded games once more",
    "rr_gym.evaluation": "matches and their statistics",
    "rr_gym.evaluation.statistics": "intervals, ratings, scores",
    "rr_gym.analysis": "what each robot gave away in each turn of a recorded game, and the page that shows it",
    "rr_gym.race": "one race from a configuration",
    "rr_gym.runner": "the loop that plays games of players to their end",
    "rr_gym.registry": "players by name",
    "rr_gym.equilibrium": "one turn as a game: payoffs of programs, equilibria, the player",
    "rr_gym.networks": "the networks of policies as plain modules of PyTorch, for loops of any kind",
    "rr_gym.policies": "networks, policies on disk, policies as players",
    "rr_gym.choices": "where the choices of a decision lead",
    "rr_gym.rewards": "the rewards of turns",
    "rr_gym.finishing": "whether a robot alone can finish a course",
    "rr_gym.bots": "submissions: programs in folders of their own, with a manifest",
    "rr_gym.players": "players: scripted ones, search, programs over the line protocol",
    "rr_gym.replay": "recorded games and their page; runs rules only to verify",
    "rr_gym.players.sandbox": "what programs may see, use and leave behind",
    "rr_gym.game": "one game for people and programs",
    "rr_gym.render.web": "boards on web pages: markup, data, scripts, styles",
    "rr_gym.render": "pictures of positions, and events in words",
    "rr_gym.render.board": "pictures of boards: shapes, glyphs, signs, the legend",
    "rr_gym.fuzz": "random play on random courses",
    "rr_gym.differential": "turns played again by other accelerators, and compared",
    "rr_gym.transcribe": "a position and a turn written down as a scenario",
    "rr_gym.scenarios": "scenarios: tests of rules in YAML files",
    "rr_gym.file_records": "games from files, refused if the rules cannot lead to them",
    "rr_gym.invariants": "invariants of every game between turns",
    "rr_gym.option_invariants": "invariants of option cards",
    "rr_gym.generate": "random courses",
    "rr_gym.solo": "a robot alone: its states, its programs, distances, expected turns",
    "rr_gym.cuda": "games in the memory of a GPU: kernels, the driver, arrays, the arena, observations and actions",
    "rr_gym.encoding": "rewards, facts in infos, teams",
    "rr_gym.encoding.observe": "observations and views",
    "rr_gym.encoding.act": "actions, masks, previews, turns decided step by step",
    "rr_gym.encoding.orders": "orders by name, and whether they are legal",
    "rr_gym.player_calls": "calls to players, whose code is not trusted",
    "rr_gym.option_table": "option cards as tables for readers",
    "rr_gym.solo.distances": "how many registers a robot alone needs to each flag",
    "rr_gym.rules.fast": "accelerators: faster versions of some rules, for machine code",
    "rr_gym.rules.arena": "batches of games, hidden information, places",
    "rr_gym.rules.turn": "the timing table (`turn.py`), segments, dealing, programming, the end of a turn",
    "rr_gym.rules.driving": "the execution of a register",
    "rr_gym.rules.launching": "devices that are laid, launched, fly or ride",
    "rr_gym.rules.weapons": "aiming, lasers, weapons that displace",
    "rr_gym.rules.elements": "elements that act by themselves, most of segment C",
    "rr_gym.rules.movement": "one square, chains of pushed robots, entering, settling, turning",
    "rr_gym.rules.hazards": "hazards that damage robots when they enter or stay",
    "rr_gym.rules.damage": "damage, options that absorb it, explosions",
    "rr_gym.rules.options": "option cards: owning, drawing, programming, losing them",
    "rr_gym.rules.devices": "devices on the board and what sets them off",
    "rr_gym.rules.variants": "teams, moving flags, the SuperBot, sitting out",
    "rr_gym.rules.robot": "the condition of one robot",
    "rr_gym.rules.floor": "which things and robots are on which squares",
    "rr_gym.rules": "only its rooms",
    "rr_gym.rules.state": "records, constants, settings, cards, events, randomness",
    "rr_gym.option_facts": "a row of facts for each option card and for each order about option cards",
    "rr_gym.courses": "courses: from text to tables, the library, what changes during a game",
    "rr_gym.courses.tables": "the tables of a course that kernels read",
    "rr_gym.courses.text": "boards and layouts as text",
    "rr_gym.courses.elements": "a row of facts for each board element",
    "rr_gym.forms": "the forms of the rules, and the compiler's settings for this package",
    "rr_gym.rule_lookup": "where a rule is stated, implemented and tested",
    "rr_gym.line_chain": "lines of a file that are chained by their hashes",
    "rr_gym.locks": "one process at a time for a folder or file",
    "rr_gym.salt": "the secret part of a seed",
    "rr_gym.config_files": "configuration files by name",
    "rr_gym.files": "atomic writes of files",
    "rr_gym.yaml12": "YAML 1.2",
    "rr_gym.typed_data": "plain data as typed objects, and errors that say what was expected",
    "rr_gym.json_text": "JSON from untrusted sources",
    "rr_gym.progress": "progress lines",
    "rr_gym.player_names": "the names of players; imports nothing, so that shell completion is fast",
    "rr_gym.text_layout": "monospaced text: columns, wrapped lines",
    "rr_gym.errors": "errors, and help with wrong names",
    "rr_gym.public_names": "public names, imported when they are first used",
    "rr_gym.version": "the version",
    "rr_gym.compilation": "a compiler for kernels, which uses nothing else of the package",
}
ORDER = {room: number for number, room in enumerate(ROOMS)}


def modules(root: Path = ROOT) -> dict[str, Path]:
    """Return the paths of all modules of the package and of agents, by dotted name."""
    found = {}
    for top in ("rr_gym", "agents"):
        for path in sorted((root / top).rglob("*.py")):
            name = ".".join(path.relative_to(root).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


@cache
def room_of(module: str) -> str | None:
    """Return the room of a module: the one with the longest name that is a prefix of the module's; None if in none."""
    parts = module.split(".")
    names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    found = next((name for name in names if name in ORDER), None)
    # These two rooms contain only the module of the same name; all other modules must be in another room.
    return None if found in ("rr_gym", "rr_gym.rules") and module != found else found


def _runs(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield all imports except those that only type checkers see."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        yield from _runs(node)


def imports_of(module: str, path: Path, known: Mapping[str, Path]) -> set[str]:
    """Return the modules in `known` that a module imports."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found = set()
    for node in _runs(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
            continue
        base = node.module or ""
        if node.level:
            above = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
            base = f"{above}.{base}".rstrip(".")
        for alias in node.names:
            inner = f"{base}.{alias.name}"
            found.add(inner if inner in known else base)
    return (found & set(known)) - {module}


def cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """Return the modules of an import cycle, in order; empty if there is none."""
    state: dict[str, int] = {}
    for start in graph:
        if start in state:
            continue
        way = [(start, iter(sorted(graph[start])))]
        state[start] = 1
        while way:
            module, rest = way[-1]
            target = next(rest, None)
            if target is None:
                state[module] = 2
                way.pop()
            elif state.get(target) == 1:
                names = [name for name, _ in way]
                return names[names.index(target) :]
            elif target not in state:
                state[target] = 1
                way.append((target, iter(sorted(graph[target]))))
    return []


def faults(root: Path = ROOT) -> list[str]:
    """Return a sentence for each violation of the order of rooms."""
    known = modules(root)
    graph = {module: imports_of(module, path, known) for module, path in known.items()}
    lines = [f"{module}: is in no room" for module in graph if room_of(module) is None]
    for module, targets in graph.items():
        for target in sorted(targets):
            here, there = room_of(module), room_of(target)
            if here and there and ORDER[there] < ORDER[here]:
                lines.append(f"{module} ({here}) imports {target} ({there}), which is above it")
    if names := cycle(graph):
        lines.append("cycle: " + " -> ".join([*names, names[0]]))
    return lines


def table() -> str:
    """Return the table of rooms in CONTRIBUTING.md."""
    rows = [f"| `{room}` | {what} |" for room, what in ROOMS.items()]
    return "\n".join(["| room | what is in it |", "|---|---|", *rows])


def main() -> int:
    """Run the command. Returns the exit status."""
    if sys.argv[1:] == ["--table"]:
        print(table())
        return 0
    found = faults()
    print("\n".join(found) or f"{len(modules())} modules in {len(ROOMS)} rooms: no cycle, no import from a room above")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
