"""Whole words in any order, and help with wrong ones."""

from __future__ import annotations

import re
import sys

import pytest
from conftest import ROOT

from rr_gym.cli.grammar.arguments import add
from rr_gym.cli.grammar.parser import STDOUT, Parser
from rr_gym.cli.grammar.words import finite
from rr_gym.cli.main import main

sys.path.insert(0, str(ROOT / "tools"))
import commands

EVERY = commands.commands()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("tornament", "there is no command 'tornament': did you mean 'tournament'?"),
        ("xyzzy", "there is no command 'xyzzy': expected bench, benchmark, "),
        ("course lst", "there is no command 'lst': did you mean 'list'?"),
        ("evaluate --players greedy --cours checkmate", "there is no option --cours: did you mean --course?"),
        ("evaluate --player=greedy", "there is no option --player: did you mean --players?"),
        ("race --max-cycle 5", "there is no option --max-cycle: did you mean --max-cycles?"),
        ("race --qqq", "there is no option --qqq (rr-gym race --help)"),
        ("tournament --players greedy racer", "unexpected: racer (a list is one word with commas: a,b,c)"),
        ("race --json results", "unexpected: results (a list is one word with commas: a,b,c; the file of --json"),
        ("race -o x", "there is no option -o (rr-gym race --help)"),
        ("--verison", "there is no option --verison: did you mean --version?"),
        ("--verison race", "there is no option --verison: did you mean --version?"),
        ("course --verbose list", "there is no option --verbose (rr-gym course --help)"),
        ("tournament", "the following arguments are required: --players"),
        ("imitate", "the following arguments are required: TEACHER, CONFIG, --out"),
        ("imitate greedy", "the following arguments are required: CONFIG, --out"),
        ("imitate greedy quickstart", "the following arguments are required: --out"),
        ("imitate --out x", "the following arguments are required: TEACHER, CONFIG"),
        ("export -- --out", "the following arguments are required: --out"),
        ("race --seed", "--seed: expected a value behind it"),
        ("race --resume=3", "--resume: '3': expected no value"),
        ("course show checkmate --ascii --out x.svg", "--out: expected no --ascii with it"),
    ],
)
def test_wrong_words_are_answered_with_the_right_ones(
    line: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(line.split())
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("usage: rr-gym")
    assert message.replace("'", "") in err.replace("'", "")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("race --seed abc", "--seed: 'abc': expected a whole number"),
        ("evaluate --players random --games 1e3", "--games: '1e3': expected a whole number"),
        ("fuzz --seconds soon", "--seconds: 'soon': expected a finite number"),
        ("imitate greedy quickstart --out x --temperature nan", "--temperature: 'nan': expected a finite number"),
        ("generate --difficulty esay", "--difficulty: 'esay': did you mean 'easy'?"),
        ("warmup --form x", "--form: 'x': expected full | options | base | any"),
        ("completion tcsh", "SHELL: 'tcsh': expected bash | zsh | fish"),
    ],
)
def test_wrong_values_are_one_line(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 2
    assert capsys.readouterr() == ("", f"rr-gym: {message}\n")


@pytest.mark.parametrize("words", EVERY)
def test_every_number_and_choice_is_explained_in_our_own_words(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    for action in EVERY[words]._actions:
        if action.option_strings and (action.type in (int, float, finite) or action.choices):
            name, many = action.option_strings[0], action.nargs not in (None, "?")
            assert not many
            assert main([*words.split(), name, "wrong?"]) == 2, name
            out, err = capsys.readouterr()
            assert (out, err.count("\n")) == ("", 1)
            assert re.match(rf"rr-gym: {name}: 'wrong\?': (expected|did you mean) ", err), err


@pytest.mark.parametrize("words", EVERY)
def test_everything_that_is_missing_is_named_at_once(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    needed = [
        action.option_strings[0] if action.option_strings else str(action.metavar)
        for action in sorted(EVERY[words]._actions, key=lambda action: bool(action.option_strings))
        if action.required
    ]
    if needed:
        with pytest.raises(SystemExit, match="2"):
            main(words.split())
        assert capsys.readouterr().err.endswith(f"required: {', '.join(needed)}\n")


@pytest.mark.parametrize(("line", "commands"), [("", ("race", "train")), ("course", ("show", "legend"))])
def test_commands_are_shown_where_none_is_given(
    line: str, commands: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(line.split())
    out, err = capsys.readouterr()
    assert out == ""
    assert all(f"\n    {command} " in err for command in commands)
    assert err.endswith(f"\nrr-gym{' ' * bool(line)}{line}: expected a command\n")


def test_options_and_operands_stand_in_any_order() -> None:
    parser = Parser(prog="probe")
    parser.add_argument("name", nargs="?")
    parser.add_argument("files", nargs="*")
    add(parser, "--seed")
    add(parser, "--json")
    for line in ("a --seed 3 b", "--seed 3 a b", "a b --seed=3", "a b --seed 3"):
        args = parser.parse_args(line.split())
        assert (args.name, args.files, args.seed) == ("a", ["b"], 3), line
    args = parser.parse_args(["--", "--seed"])
    assert (args.name, args.seed) == ("--seed", None)


@pytest.mark.parametrize(
    ("line", "json", "name"),
    [
        ("", None, None),
        ("a", None, "a"),
        ("--json", STDOUT, None),
        ("--json a", STDOUT, "a"),
        ("a --json", STDOUT, "a"),
        ("--json x.json", "x.json", None),
        ("--json x.json a", "x.json", "a"),
        ("--json=x.json a", "x.json", "a"),
        ("--json --seed 1 a", STDOUT, "a"),
    ],
)
def test_only_a_name_that_ends_in_json_is_the_file_of_json(line: str, json: str | None, name: str | None) -> None:
    parser = Parser(prog="probe")
    parser.add_argument("name", nargs="?")
    add(parser, "--seed")
    add(parser, "--json")
    args = parser.parse_args(line.split())
    assert (args.json, args.name) == (json, name)


def test_inputs_are_not_taken_for_the_file_of_json(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options", "--json", "shield"]) == 0
    assert '"id": "shield"' in capsys.readouterr().out
    assert main(["players", "--json=players.txt"]) == 2
    assert "--json players.txt: expected a name that ends in .json" in capsys.readouterr().err
