"""Check a submission: what a host would find in it, and what it would refuse."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.bots.archive import archive, files_of
from rr_gym.bots.build import built_folder
from rr_gym.bots.conformance import CASES, CheckedPlayer, ConformanceCase, folder_state, play_case
from rr_gym.bots.manifest import Manifest
from rr_gym.errors import RoboRallyError
from rr_gym.players.process import POLITE_SECONDS
from rr_gym.players.sandbox import choose_kind, not_guaranteed

MOST_LOST = 0.05  # the largest share of lost decisions that hosts accept, the default of `--max-faults`


@dataclass(frozen=True, slots=True)
class BotFinding:
    """One thing that was checked.

    Attributes:
        what: What was checked, in words.
        refused: Why a host would refuse it; empty if it would not.
        note: What was found.
    """

    what: str
    refused: str = ""
    note: str = ""

    def line(self) -> str:
        """Return the finding as one line of text."""
        return f"{'REFUSED' if self.refused else 'ok':8} {self.what}: {self.refused or self.note}"


@dataclass(frozen=True, slots=True)
class CheckedBot:
    """The result of a check.

    Attributes:
        title: The name and version of the bot; empty if its manifest cannot be read.
        digest: The SHA-256 of its archive; empty if there is none.
        sandbox: The kind of sandbox in which it played.
        findings: What was checked, in this order.
    """

    title: str
    digest: str
    sandbox: str
    findings: tuple[BotFinding, ...]

    @property
    def accepted(self) -> bool:
        """Tell whether a host would accept it."""
        return not any(finding.refused for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """Return plain data for `json.dump`."""
        return {"accepted": self.accepted, **asdict(self)}

    def text(self) -> str:
        """Return the findings as lines of text, followed by the verdict."""
        refused = sum(bool(finding.refused) for finding in self.findings)
        end = f"a host would refuse it: {refused} reason{'s' * (refused != 1)}" if refused else "a host would accept it"
        lines = [finding.line() for finding in self.findings]
        return "\n".join([*lines, "", not_guaranteed(self.sandbox), f"{self.title or 'the submission'}: {end}"])


def check_bot(
    folder: Path,
    seconds: float = 1.0,
    sandbox: str | None = None,
    report: Callable[[int, int], None] | None = None,
) -> CheckedBot:
    """Check the submission in a folder: its manifest, its files, its build step, and how it plays the conformance set.

    Args:
        folder: The submission.
        seconds: Time for each decision.
        sandbox: The kind of sandbox; None for the strongest that works here.
        report: Called with the number of turns played and of all turns.

    Raises:
        RoboRallyError: There is no such sandbox.
    """
    kind = choose_kind(sandbox)
    findings: list[BotFinding] = []
    title = digest = ""
    try:
        manifest = Manifest.load(folder)
        title = manifest.title
        licence = manifest.licence or "not said"
        findings.append(BotFinding("manifest", note=f"{title}, protocol {manifest.protocol}, licence {licence}"))
        files, content = files_of(folder), archive(folder)
        digest = sha256(content).hexdigest()
        size = f"{len(files)} files, {len(content):,} bytes as an archive"
        findings.append(BotFinding("files", note=f"{size}, SHA-256 {digest}"))
        begin = time.monotonic()
        built_folder(folder, manifest, digest, kind)
        took = time.monotonic() - begin
        findings.append(BotFinding("build", note=f"{took:.1f} s" if manifest.build else "nothing to be built"))
        player = CheckedPlayer(folder, seconds, kind)
    except RoboRallyError as error:
        findings.append(BotFinding(("manifest", "files", "build", "command")[min(len(findings), 3)], str(error)))
        return CheckedBot(title, digest, kind, tuple(findings))
    try:
        findings += _played(player, seconds, report)
    finally:
        player.close()
    return CheckedBot(title, digest, kind, tuple(findings))


def _played(player: CheckedPlayer, seconds: float, report: Callable[[int, int], None] | None) -> list[BotFinding]:
    """Play the conformance set and return what was found."""
    low, high = player.manifest.options.seats
    cases = [case for case in CASES if low <= case.robots <= high]
    before, turns, done = folder_state(player.folder), sum(case.turns for case in cases), 0
    if report:
        report(0, turns)
    found = []
    for case in cases:
        lost, reported = sum(player.faults.values()), len(player.reports)
        for _ in play_case(player, case):
            done += 1
            if report:
                report(done, turns)
        found.append(_finding_of(case, player, lost, reported))
    found.append(_times(player, seconds))
    begin = time.monotonic()
    player.close()
    polite = time.monotonic() - begin < POLITE_SECONDS
    found.append(BotFinding("the end of its input", note="it ended" if polite else "it went on, and was killed"))
    changed = [name for name, data in folder_state(player.folder).items() if before.get(name) != data]
    found.append(BotFinding("its own files", f"it changed {changed[0]}" if changed else "", "unchanged"))
    lost, share = sum(player.faults.values()), sum(player.faults.values()) / max(1, player.decisions)
    many = f"{lost} of {player.decisions} lost: expected at most {100 * MOST_LOST:g} %" if share > MOST_LOST else ""
    found.append(BotFinding("decisions", many, f"{player.decisions}, {lost} lost"))
    return found


def _finding_of(case: ConformanceCase, player: CheckedPlayer, lost: int, reported: int) -> BotFinding:
    """Return what was found in the games of a case."""
    now = sum(player.faults.values()) - lost
    reports = list(player.reports)[min(reported, len(player.reports) - 1) :] if player.reports else []
    asked = case.games * case.turns
    if now:
        last = reports[-1] if reports else ""
        return BotFinding(case.words, f"{now} of up to {asked} decisions lost; the last: {last}")
    remark = f"; {reports[-1]}" if len(player.reports) > reported else ""
    return BotFinding(case.words, note=f"{asked} decisions{remark}")


def _times(player: CheckedPlayer, seconds: float) -> BotFinding:
    times = np.array(player.seconds_of_answers)
    middle, late, most = np.quantile(times, 0.5), np.quantile(times, 0.95), times.max()
    return BotFinding("answer times", note=f"median {middle:.3f} s, 95 % within {late:.3f} s, the longest {most:.3f} s "
                                        f"with the start of the program; {seconds:g} s are allowed")  # fmt: skip
