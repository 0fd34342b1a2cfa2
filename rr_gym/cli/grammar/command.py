"""Commands and groups of commands: click's, with our own error messages, and with sections and examples in help."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from keyword import iskeyword
from types import SimpleNamespace
from typing import Any

import click
from click.shell_completion import CompletionItem

from rr_gym.errors import did_you_mean

COMPLETE = "_RR_GYM_COMPLETE"  # the variable of the environment in which a shell asks for completion
STDOUT = "-"  # what `--json` holds where no file is named
SUFFIX = ".json"  # of the file of `--json`, which tells it from the word after it
SECTIONS = ("Games", "How it runs", "Results", "Options")  # of help, in their order

Run = Callable[[SimpleNamespace], int]  # what a command does with its arguments: it returns the exit status


def place(param: click.Parameter | None) -> str:
    """Return the name of a parameter in errors: its option, or its operand as help shows it."""
    return param.opts[0] if isinstance(param, click.Option) else str(param and param.human_readable_name)


class Option(click.Option):
    """An option that knows its section of help.

    Args:
        words: Positional arguments of `click.Option`, which also takes the other keywords.
        section: One of `SECTIONS`, or one of the command alone.
    """

    def __init__(self, *words: Any, section: str = "Options", **keywords: Any) -> None:
        super().__init__(*words, **{"show_default": True, **keywords})
        self.section = section


class Command(click.Command):
    """A command that is called with all its arguments as one record, in which `words` is what was typed.

    Attributes:
        examples: Whole command lines, which help shows.
        exclusive: Names of options of which at most one can be given.
    """

    examples: tuple[str, ...] = ()
    exclusive: tuple[str, ...] = ()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words. Raises UsageError, which names everything that is missing at once."""
        words = self._marked(ctx, args)
        ctx.allow_extra_args = True  # so that the error below can say more about them than click's
        try:
            super().parse_args(ctx, list(words))
        except click.MissingParameter:
            given, _, _ = self.make_parser(ctx).parse_args(list(words))
            needed = [param for param in self.params if param.required]
            missing = [param for param in needed if not isinstance(given.get(param.name), str | list)]
            missing.sort(key=lambda param: isinstance(param, click.Option))
            ctx.fail(f"the following arguments are required: {', '.join(map(place, missing))}")
        except click.UsageError as error:
            error.ctx = ctx  # click's parser does not set it in all errors
            raise
        if ctx.args and not ctx.resilient_parsing:
            ctx.fail(f"unexpected: {' '.join(ctx.args)}{self._hint(words)}")
        first, *others = [name for name in self.exclusive if ctx.params[name]] or [""]
        if others:
            ctx.fail(f"--{others[0]}: expected no --{first} with it")
        return ctx.args

    def _marked(self, ctx: click.Context, words: list[str]) -> list[str]:
        """Mark every ``--json`` that no file follows, so that it does not take the next word as its value.

        Raises:
            BadOptionUsage: An option stands where the value of another option should be.
        """
        options = {name: param for param in self.get_params(ctx) for name in param.opts if name.startswith("-")}
        marked: list[str] = []
        for i, word in enumerate(words):
            follows = words[i + 1] if i + 1 < len(words) else ""
            if word == "--":
                return marked + words[i:]
            if word == "--json" and not follows.endswith(SUFFIX):
                word = f"--json={STDOUT}"
            elif follows in options and not getattr(options.get(word), "is_flag", True) and not ctx.resilient_parsing:
                raise click.BadOptionUsage(word, "", ctx)
            marked.append(word)
        return marked

    def _hint(self, words: list[str]) -> str:
        """Return a hint, in parentheses, at why there may be a word too many; an empty string if there is none."""
        hints = []
        if any("," in (param.metavar or "") for param in self.params):
            hints.append("a list is one word with commas: a,b,c")
        if any(word.startswith("--json") for word in words):
            hints.append(f"the file of --json ends in {SUFFIX}")
        return f" ({'; '.join(hints)})" if hints else ""

    def invoke(self, ctx: click.Context) -> Any:
        """Run it. Returns its exit status."""
        assert self.callback is not None
        return self.callback(SimpleNamespace(**ctx.params, words=ctx.obj))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by section."""
        sections: dict[str, list[tuple[str, str]]] = {name: [] for name in SECTIONS}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record and isinstance(param, click.Option):
                sections.setdefault(getattr(param, "section", "Options"), []).append(record)
        for name, records in sections.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        if self.examples:
            with formatter.section("Examples"):
                formatter.write("".join(f"{'':{formatter.current_indent}}{example}\n" for example in self.examples))


def command(*, examples: tuple[str, ...] = (), exclusive: tuple[str, ...] = ()) -> Callable[[Run], Command]:
    """Make a command of a function whose docstring is the command's help; see `Command`."""

    def made(run: Run) -> Command:
        made = click.command(cls=Command)(run)
        made.examples, made.exclusive = examples, exclusive
        return made

    return made


def option(*words: str, **keywords: Any) -> Callable[[Run], Run]:
    """Give a command an option of its own; see `Option`."""
    return click.option(*words, cls=Option, **keywords)


class CommandGroup(click.Group):
    """Commands that are loaded one by one: each is called `run` in the module of its name.

    Args:
        room: The dotted name of the package of the modules.
        summaries: What each command does, in a few words, by its name.
        keywords: Of `click.Group`.
    """

    def __init__(self, room: str, summaries: Mapping[str, str], **keywords: Any) -> None:
        super().__init__(**keywords)
        self.room, self.summaries = room, summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(self.summaries)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Load a command; None where there is none of that name."""
        if name not in self.summaries:
            return None
        module = f"{name}_" if iskeyword(name) else name
        found: click.Command = import_module(f"{self.room}.{module}").run
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each command does, without loading it."""
        with formatter.section("Commands"):
            formatter.write_dl([*self.summaries.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands and options that begin with the incomplete word."""
        begun = [name for name in self.summaries if name.startswith(incomplete)]
        names = [CompletionItem(name, help=self.summaries[name]) for name in begun]
        return names + click.Command.shell_complete(self, ctx, incomplete)


def explained(error: click.UsageError) -> str:
    """Return the usage of the command with what is wrong in its arguments; without a command, the list of commands."""
    ctx = error.ctx
    assert ctx is not None
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return f"{ctx.get_help()}\n\n{ctx.command_path}: expected a command"
    return f"{ctx.get_usage()}\n{ctx.command_path}: {_sentence(error, ctx)}"


def _sentence(error: click.UsageError, ctx: click.Context) -> str:
    params = ctx.command.get_params(ctx)
    match error:
        case click.NoSuchOption(option_name=name):
            known = [word for param in params for word in param.opts]
            hint = did_you_mean(name, known)
            return f"there is no option {name}" + (f": {hint}" if hint else f" ({ctx.command_path} --help)")
        case click.exceptions.NoSuchCommand(command_name=name):
            assert isinstance(ctx.command, click.Group)
            known = ctx.command.list_commands(ctx)
            return f"there is no command '{name}': {did_you_mean(name, known) or 'expected ' + ', '.join(known)}"
        case click.BadOptionUsage(option_name=name):
            switch = any(name in param.opts and getattr(param, "is_flag", False) for param in params)
            return f"{name}: expected no value" if switch else f"{name}: expected a value behind it"
    return error.message
