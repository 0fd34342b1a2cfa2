"""Arguments may come in any order, and wrong ones are answered with a hint."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace

import click
import pytest
from conftest import ROOT

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import STDOUT, command
from rr_gym.cli.grammar.words import Number, OneOf, Whole
from rr_gym.cli.main import main

sys.path.insert(0, str(ROOT / "tools"))
import commands

EVERY = commands.commands()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("tornament", "there is no command 'tornament': did you mean 'tournament'?"),
        ("xyzzy", "there is no command 'xyzzy': expected analyse, arena, bench, benchmark, "),
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
        ("race --out --resume", "--out: expected a value behind it"),
        ("race --resume=3", "--resume: expected no value"),
        ("course show checkmate --ascii --out x.svg", "--out: expected no --ascii with it"),
    ],
)
def test_wrong_words_are_answered_with_the_right_ones(
    line: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Usage: rr-gym")
    assert err.count("\n") == 2
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
    for param in EVERY[words].params:
        if isinstance(param.type, Whole | Number | OneOf) and isinstance(param, click.Option):
            name = param.opts[0]
            assert main([*words.split(), name, "wrong?"]) == 2, name
            out, err = capsys.readouterr()
            assert (out, err.count("\n")) == ("", 1)
            assert re.match(rf"rr-gym: {name}: 'wrong\?': (expected|did you mean) ", err), err


@pytest.mark.parametrize("words", EVERY)
def test_everything_that_is_missing_is_named_at_once(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    needed = [
        param.opts[0] if isinstance(param, click.Option) else param.human_readable_name
        for param in sorted(EVERY[words].params, key=lambda param: isinstance(param, click.Option))
        if param.required
    ]
    if needed:
        assert main(words.split()) == 2
        assert capsys.readouterr().err.endswith(f"required: {', '.join(needed)}\n")


@pytest.mark.parametrize(("line", "commands"), [("", ("race", "train")), ("course", ("show", "legend"))])
def test_commands_are_shown_where_none_is_given(
    line: str, commands: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert all(f"\n  {command} " in err for command in commands)
    assert err.endswith(f"\nrr-gym{' ' * bool(line)}{line}: expected a command\n")


def parsed(line: str) -> SimpleNamespace:
    """Return the arguments that a command reads from a line."""

    @command()
    @click.argument("name", required=False)
    @click.argument("file", nargs=-1)
    @shared("--seed")
    @shared("--json")
    def probe(args: SimpleNamespace) -> int:
        found.append(args)
        return 0

    found: list[SimpleNamespace] = []
    with probe.make_context("probe", line.split(), obj=line.split()) as ctx:
        assert probe.invoke(ctx) == 0
    return found[0]


def test_options_and_operands_may_come_in_any_order() -> None:
    for line in ("a --seed 3 b", "--seed 3 a b", "a b --seed=3", "a b --seed 3"):
        args = parsed(line)
        assert (args.name, args.file, args.seed, args.words) == ("a", ("b",), 3, line.split()), line
    args = parsed("-- --seed")
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
    args = parsed(line)
    assert (args.json, args.name) == (json, name)


def test_inputs_are_not_taken_for_the_file_of_json(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options", "--json", "shield"]) == 0
    assert '"id": "shield"' in capsys.readouterr().out
    assert main(["players", "--json=players.txt"]) == 2
    assert "--json players.txt: expected a name that ends in .json" in capsys.readouterr().err
