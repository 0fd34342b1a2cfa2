"""Scripts that complete commands in bash, zsh and fish: shtab writes them, and learns here what stands in lists.

Each kind of value has names that are known when the script is made. A list is completed at its last comma.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator
from dataclasses import fields

from rr_gym.errors import require

SHELLS = ("bash", "zsh", "fish")


def _players() -> list[str]:
    from rr_gym.registry import list_players

    return [player.name for player in list_players()]


def _courses() -> list[str]:
    from rr_gym.courses.library import list_courses

    return list(list_courses())


def _elements() -> list[str]:
    from rr_gym.courses.elements import ELEMENTS

    return [element.id for element in ELEMENTS]


def _options() -> list[str]:
    from rr_gym.option_facts import OPTION_CARDS

    return [card.id for card in OPTION_CARDS]


def _settings() -> list[str]:
    """``NAME=VALUE`` for every word that a setting may be, and its default where that is a number."""
    from rr_gym.rules.state.settings import PRESETS, Settings

    pairs = [f"preset={name}" for name in PRESETS]
    for setting in fields(Settings):
        values = [str(value) for value in setting.metadata.get("values", ())]
        default = str(setting.default)
        pairs += [f"{setting.name}={value}" for value in dict.fromkeys([default, *values]) if " " not in value]
    return pairs


def _configs() -> list[str]:
    from rr_gym.config_files import config_names

    return config_names()


def _bench_rows() -> list[str]:
    from rr_gym.bench.table import ROWS

    return list(ROWS)


def _suite_rows() -> list[str]:
    from rr_gym.evaluation.benchmark.suites import load_suite

    return list(dict.fromkeys(name for row in load_suite().rows for name in (row.group, row.name)))


# What a value may be: its names, whether it is a list, and whether it may be a path too
KINDS: dict[str, tuple[Callable[[], list[str]], bool, bool]] = {
    "players": (_players, True, True),
    "courses": (_courses, True, True),
    "course": (_courses, False, True),
    "elements": (_elements, True, False),
    "element": (_elements, False, False),
    "option": (_options, False, False),
    "settings": (_settings, False, False),
    "configs": (_configs, False, True),
    "bench_rows": (_bench_rows, True, False),
    "suite_rows": (_suite_rows, True, False),
}

_BASH = """
# $1: the word; $2: the names; $3: 1 for a list; $4: 1 for paths too
_rr_gym_names() {
  local before="" word=$1
  if [[ $3 = 1 && $word == *,* ]]; then before="${word%,*},"; word="${word##*,}"; fi
  compgen -P "$before" -W "$2" -- "$word"
  if [[ $4 = 1 ]]; then compgen -P "$before" -f -- "$word"; fi
}
"""

# bash breaks words at = and :, which are put together again here, but for --option=value, which become two words.
_BASH_WORDS = """
_rr_gym() {
  local -a words=()
  local i word last=-1 glue=0
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((last >= 0)) && [[ $word == = && ${words[last]} == --* ]]; then glue=2; continue; fi
    if ((last >= 0)) && [[ $word == [=:]* ]]; then words[last]+=$word; glue=1; continue; fi
    if ((glue == 1)); then words[last]+=$word; else words+=("$word"); last=$((last + 1)); fi
    glue=0
  done
  if ((glue == 2)); then words+=(""); last=$((last + 1)); fi
  local current=${words[last]}
  local -a COMP_WORDS=("${words[@]}")
  local COMP_CWORD=$last
  _shtab_rr_gym
  if [[ $current == *[=:]* ]]; then
    local before=${current%"${current##*[=:]}"}
    for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]#"$before"}; done
  fi
}
complete -o bashdefault -F _rr_gym rr-gym
"""

_FISH = """
# $argv: 1 for a list, 1 for paths too, the names
function __rr_gym_names
    set -l word (commandline -ct)
    set -l before ""
    if test $argv[1] = 1
        set before (string replace -r '[^,]*$' '' -- $word)
        set word (string replace -r '^.*,' '' -- $word)
    end
    for name in $argv[3..]
        echo "$before$name"
    end
    if test $argv[2] = 1
        for path in (__fish_complete_path $word)
            echo "$before$path"
        end
    end
end
"""


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """What a shell reads to complete commands.

    Args:
        shell: One of `SHELLS`.
        parser: Knows all commands.

    Raises:
        MissingExtraError: shtab is not installed.
    """
    shtab = require("shtab", extra="completion")
    names = {kind: find() for kind, (find, _, _) in KINDS.items()}
    for action in _actions(parser):
        if isinstance(action, argparse._SubParsersAction):
            continue
        kind = getattr(action, "kind", None)
        if kind in KINDS:
            action.complete = {shell: _call(shell, kind)}  # type: ignore[attr-defined]
        elif kind is not None:
            action.complete = {"file": shtab.FILE, "directory": shtab.DIRECTORY}[kind]  # type: ignore[attr-defined]
    text = str(shtab.complete(parser, shell, preamble=_functions(shell, names)))
    return text + (_BASH_WORDS if shell == "bash" else "\n")


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """All arguments of a parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)


def _call(shell: str, kind: str) -> str:
    """How a shell asks for the values of a kind."""
    function = f"_rr_gym_{kind}"
    if shell == "zsh" and KINDS[kind][1]:
        return f"_sequence -d {function}"
    return f"(_{function})" if shell == "fish" else function


def _functions(shell: str, names: dict[str, list[str]]) -> str:
    """The functions that give the values of each kind."""
    lines = {"bash": [_BASH], "zsh": [], "fish": [_FISH]}[shell]
    for kind, known in names.items():
        _, is_list, paths = KINDS[kind]
        words = " ".join(map(shlex.quote, known))
        if shell == "bash":
            lines.append(f"_rr_gym_{kind}() {{ _rr_gym_names \"$1\" '{' '.join(known)}' {is_list:d} {paths:d}; }}")
        elif shell == "zsh":
            files = '; _files "$@"' if paths else ""
            lines.append(f'_rr_gym_{kind}() {{ compadd "$@" -- {words}{files}; }}')
        else:
            lines.append(f"function __rr_gym_{kind}; __rr_gym_names {is_list:d} {paths:d} {words}; end")
    return "\n".join(lines)
