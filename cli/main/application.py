"""The command line: commands by name, and the one place that turns an outcome into words on stderr and an exit code."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cli.main.command_group import HELP, LazyGroup
from cli.main.command_table import rewrite_arguments
from cli.main.interrupts import STOPPED, STOPPED_TEXT, hear_interrupts
from cli.terminal.errors import render_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

OK: Final = 0
FAILED: Final = 1
BROKEN_PIPE: Final = 141  # 128 + SIGPIPE, as a shell reports a command whose reader has gone
TRACEBACK: Final = "ATOLL_DEBUG"
PROGRAM: Final = "atoll"
COMPLETION: Final = "_ATOLL_COMPLETE"
SHELLS: Final = ("bash", "zsh", "fish")


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; every fault has been told by then."""
    _open_closed()
    if os.environ.get(COMPLETION):
        from typer._completion_classes import completion_init  # noqa: PLC0415 - only a shell that completes needs it

        completion_init()
    renamed, remarks = rewrite_arguments(arguments)
    for each in remarks:
        _say(each)
    return _answer(lambda: app().main(renamed, PROGRAM, standalone_mode=False))


def _open_closed() -> None:
    """Let what was closed before we began take everything and show nothing."""
    # Python leaves None for what was closed before it started (`>&-`), and the first print would fail.
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open to the end


def app() -> LazyGroup:
    built = typer.Typer(
        name=PROGRAM,
        cls=LazyGroup,
        help=HELP,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    built.callback()(_group)
    group = typer.main.get_command(built)
    assert isinstance(group, LazyGroup)  # noqa: S101 - Typer builds what `cls` names
    group.guard = _wrap_command
    return group


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - Typer calls it so
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - only here

        print(f"{PROGRAM} {version(PROGRAM)}")
        raise typer.Exit


def _print_completion(shell: str) -> None:
    if not shell:
        return
    if shell not in SHELLS:
        raise typer.BadParameter(f"{shell!r} is none of {', '.join(SHELLS)}", param_hint="--completion")
    from typer._completion_shared import get_completion_script  # noqa: PLC0415 - only here

    print(get_completion_script(prog_name=PROGRAM, complete_var=COMPLETION, shell=shell))
    raise typer.Exit


def _group(
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    _completion: Annotated[
        str,
        typer.Option(
            "--completion",
            metavar="|".join(SHELLS),
            callback=_print_completion,
            is_eager=True,
            show_default=False,
            help='Print a completion script: eval "$(atoll --completion bash)".',
        ),
    ] = "",
) -> None:
    """From one checklist to priced GPU cluster options, a lock, and the Pulumi program that builds it."""


def _wrap_command(command: Callable[..., int]) -> Callable[..., int]:
    @wraps(command)
    def run_guarded(**arguments: object) -> int:
        hear_interrupts()
        return _answer(lambda: command(**arguments))

    return run_guarded


def _answer(call: Callable[[], int | None]) -> int:
    try:
        code = call()
        sys.stdout.flush()
    except BaseException as fault:  # noqa: BLE001 - the one place where every fault ends
        return _after(fault)
    return code or OK


def _after(fault: BaseException) -> int:
    if isinstance(fault, SystemExit):
        return fault.code if isinstance(fault.code, int) else FAILED
    if isinstance(fault, KeyboardInterrupt | typer.Abort):
        _say(STOPPED_TEXT)
        return STOPPED
    if isinstance(fault, OSError) and fault.errno == errno.EPIPE:
        _abandon_stdout()
        return BROKEN_PIPE
    if isinstance(fault, OSError) and not fault.filename:
        _abandon_stdout()
    if os.environ.get(TRACEBACK) == "1":
        _say("".join(_traceback(fault)).rstrip())
    if isinstance(fault, typer.TyperException) and getattr(fault, "ctx", None) is None:
        from typer._click.globals import get_current_context  # noqa: PLC0415 - only where a command refuses

        vars(fault)["ctx"] = get_current_context(silent=True)  # so that the hint names the command
    text, code = render_error(fault, colour=_use_colour())
    _say(text)
    return code


def _traceback(fault: BaseException) -> list[str]:
    import traceback  # noqa: PLC0415 - wanted only while debugging

    return traceback.format_exception(fault)


def _use_colour() -> bool:
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _say(text: str) -> None:
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def _abandon_stdout() -> None:
    """Let nothing more be written to a stdout that takes nothing, not even when Python flushes it at the end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
