"""``rr-gym completion``: the script that completes commands in a shell."""

from __future__ import annotations

import os
from types import SimpleNamespace

import click
from click.shell_completion import (
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

from rr_gym.cli.grammar.command import COMPLETE, command
from rr_gym.cli.grammar.words import OneOf
from rr_gym.errors import RoboRallyError, short_repr

SHELLS = ("bash", "zsh", "fish")


@add_completion_class
class Bash(ShellComplete):
    """Completion for bash.

    Bash breaks words at ``=`` and ``:``, so the whole line is read instead of the words that bash passes. If no
    completion is found, bash completes paths.
    """

    name = "bash"
    source_template = """\
%(complete_func)s() {
    local IFS=$'\\n'
    COMPREPLY=($(COMP_LINE="${COMP_LINE:0:COMP_POINT}" %(complete_var)s=bash_complete $1))
}
complete -o bashdefault -o default -F %(complete_func)s %(prog_name)s
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the complete words before the cursor, and the word that is being typed."""
        line = os.environ["COMP_LINE"]
        words = split_arg_string(line)[1:]
        self.word = "" if line[-1:].isspace() else words.pop()
        return words, self.word

    def format_completion(self, item: CompletionItem) -> str:
        """Return a completion without the part up to the last ``=`` or ``:``, which bash takes for another word."""
        if item.type != "plain":
            return ""
        kept = max(self.word.rfind("="), self.word.rfind(":")) + 1
        return str(item.value).removeprefix(self.word[:kept])


class WholeWords(ShellComplete):
    """Completion for shells that replace the whole word.

    For ``--option=value``, click completes the value alone, so ``--option=`` is put back before it.
    """

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the complete words before the cursor, and the word that is being typed."""
        words, word = super().get_completion_args()
        self.option = word[: word.find("=") + 1] if word.startswith("-") else ""
        return words, word

    def format_completion(self, item: CompletionItem) -> str:
        """Return a completion with the ``--option=`` of the typed word, if any, before it."""
        return super().format_completion(CompletionItem(f"{self.option}{item.value}", item.type, item.help))


@add_completion_class
class Zsh(WholeWords, ZshComplete):
    """Completion for zsh, with a change to the script of click.

    Zsh runs the script as a function, both when it first loads it and later. The script of click recognizes only the
    first of these calls; the change makes it recognize the later ones too.
    """

    source_template = ZshComplete.source_template.replace(
        "$zsh_eval_context[-1] == loadautofunc", "$funcstack[1] == _%(prog_name)s"
    )


@add_completion_class
class Fish(WholeWords, FishComplete):
    """Completion for fish, with a change to the script of click that keeps commas in values, which may be lists."""

    source_template = FishComplete.source_template.replace("string split", "string split --max 1 --")


@command(examples=(
    'eval "$(rr-gym completion bash)"',
    "rr-gym completion zsh > ~/.zfunc/_rr-gym",
    "rr-gym completion fish > ~/.config/fish/completions/rr-gym.fish",
))  # fmt: skip
@click.argument("shell", type=OneOf(SHELLS), metavar="SHELL", help=" | ".join(SHELLS))
def run(args: SimpleNamespace) -> int:
    """Print the script that completes commands in a shell.

    For bash, let ~/.bashrc evaluate it. For zsh, write it to _rr-gym in a folder of fpath; for fish, into its folder of
    completions.
    """
    return complete(click.get_current_context().find_root().command, f"{args.shell}_source")


def complete(root: click.Command, asked: str) -> int:
    """Answer a shell that asks for the script (``bash_source``) or for completions of a line (``bash_complete``)."""
    shell, _, what = asked.partition("_")
    kind = get_completion_class(shell)
    if kind is None:
        raise RoboRallyError(f"{COMPLETE}: {short_repr(asked)}: expected the name of a shell: {' | '.join(SHELLS)}")
    completion = kind(root, {}, "rr-gym", COMPLETE)
    print(completion.source() if what == "source" else completion.complete())
    return 0
