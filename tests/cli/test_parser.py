"""Whole words in any order, and help with wrong ones."""

from __future__ import annotations

import pytest

from rr_gym.cli.grammar.arguments import add
from rr_gym.cli.grammar.parser import STDOUT, Parser
from rr_gym.cli.main import main


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
        ("race -o x", "unexpected: -o x"),
        ("tournament", "the following arguments are required: --players"),
        ("completion tcsh", "invalid choice: 'tcsh'"),
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
