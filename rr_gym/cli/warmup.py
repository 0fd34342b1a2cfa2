"""``rr-gym warmup``: compile everything now rather than when it is first needed."""

from __future__ import annotations

import gc
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from types import SimpleNamespace

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command, option
from rr_gym.cli.grammar.resuming import Interrupted, command_line
from rr_gym.cli.grammar.words import OneOf, Whole
from rr_gym.forms import ANY, BASE, FULL, OPTIONS

FORMS = (FULL, OPTIONS, BASE, ANY)  # the one that takes longest first


@command(examples=("rr-gym warmup --workers 2", "rr-gym warmup --check"))
@option("--base", is_flag=True, help="compile only what courses of the base game without option cards need")
@option(
    "--form", type=OneOf(FORMS), metavar="FORM",
    help="compile only one form of the rules: full has elements, options has option cards on base boards, any "
    "is what needs no course",
)  # fmt: skip
@option(
    "--check", is_flag=True,
    help="compile everything again, compare it with what is cached for this version of the rules, and replace what "
    "differs; the exit status is 1 if something did",
)  # fmt: skip
@option("--clean", is_flag=True, help="remove everything that is cached, and compile nothing")
@shared("--workers", type=Whole(1, 3), default=1, note="1 to 3")
def run(args: SimpleNamespace) -> int:
    """Compile all rules now.

    The machine code of all rules, observations and players is kept on disk (RR_GYM_CACHE_DIR, or the user's cache
    directory), where every later process finds it.
    """
    from rr_gym.compilation.cache import clean, lower_all
    from rr_gym.compilation.files import cache_home
    from rr_gym.compilation.kernels import COMPILED
    from rr_gym.compilation.shipped import libraries
    from rr_gym.errors import RoboRallyError

    if args.clean:
        print(f"{clean() / 1e6:.1f} MB freed: {cache_home()}")
        return 0
    if not COMPILED:
        print("compilation is switched off (NUMBA_DISABLE_JIT): nothing to do")
        return 0
    if libraries()[0]:
        print("this installation brings its machine code: nothing to do")
        return 0
    start = time.monotonic()
    if args.base and args.form:
        raise RoboRallyError("--base: expected no --form with it")
    forms = [BASE, ANY] if args.base else [args.form] if args.form else list(FORMS)
    if args.check:
        return check_forms(forms)
    try:
        if args.workers == 1:
            for form in forms:
                compile_form(form)
        else:
            with ProcessPoolExecutor(args.workers, multiprocessing.get_context("spawn"), gc.disable) as pool:
                for form in forms:
                    lower_all(form, pool)
                list(pool.map(compile_form, forms))
    except KeyboardInterrupt:
        raise Interrupted(command_line(args.words)) from None  # what was compiled is kept
    print(f"ready after {time.monotonic() - start:.1f} s: {cache_home()}")
    return 0


def check_forms(forms: list[str]) -> int:
    """Compare the cached files of the given forms with the code."""
    from rr_gym.compilation.cache import may_keep
    from rr_gym.compilation.files import directory

    home = directory()
    if home is None or not may_keep():
        return 1
    from rr_gym.compilation.checking import check, check_files
    from rr_gym.compilation.numba_internals import check_versions

    check_versions()
    differing = check_files(home)
    for text in differing:
        print(f"{text}: thrown away")
    for form in forms:
        found = check(home, form)
        for text in found.differing:
            print(f"{form}: {text} differs from the code: made anew")
        unknown = f", {found.unknown} of kernels of other packages left alone" if found.unknown else ""
        print(f"{form}: {found.libraries} libraries and {found.units} functions compared{unknown}", flush=True)
        differing += found.differing
    print("all that is kept is as the code says" if not differing else f"{len(differing)} differed and were put right")
    return int(bool(differing))


def compile_form(form: str) -> None:
    """Compile all entries of one form, unless they are kept already."""
    from rr_gym.compilation.cache import compile_all

    start = time.monotonic()
    what = "compiled" if compile_all(form) else "kept already"
    print(f"{form}: {what}, {time.monotonic() - start:.1f} s", flush=True)
