"""The command line: commands by name, and the one place that turns an outcome into words on stderr and an exit code."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from driver.entry import STOPPED, STOPPED_TEXT
from driver.faults import told

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

COMMANDS: Final[Mapping[str, str]] = {
    "init": "driver.commands.init",
    "check": "driver.commands.check",
    "schema": "driver.commands.schema",
    "quote": "driver.commands.quote",
    "explain": "driver.commands.explain",
    "accept": "driver.commands.accept",
    "contract": "driver.commands.contract",
    "plan": "driver.commands.plan",
    "rules": "driver.commands.rules",
    "price": "driver.commands.price",
    "diff": "driver.commands.diff",
    "preview": "driver.commands.preview",
    "up": "driver.commands.up",
    "refresh": "driver.commands.refresh",
    "watch": "driver.commands.watch",
    "destroy": "driver.commands.destroy",
    "outputs": "driver.commands.outputs",
    "access": "driver.commands.access",
    "accept-test": "driver.commands.accept_test",
    "nodes": "driver.commands.nodes",
    "sla": "driver.commands.sla",
    "handbook": "driver.commands.handbook",
    "onboard": "driver.commands.onboard",
    "engine": "driver.commands.engine",
    "preflight": "driver.commands.preflight",
    "leftovers": "driver.commands.leftovers",
    "catalog": "driver.commands.catalog",
    "software": "driver.commands.software",
    "usage": "driver.commands.usage",
    "handover": "driver.commands.handover",
    "clone": "driver.commands.clone",
    "relocate": "driver.commands.relocate",
    "comment": "driver.commands.comment",
}
OK: Final = 0
FAILED: Final = 1
BROKEN_PIPE: Final = 141  # 128 + SIGPIPE, as a shell reports a command whose reader has gone
TRACEBACK: Final = "ATOLL_DEBUG"


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; every fault has been told by then."""
    _open_closed()
    return _answer(lambda: typer.main.get_command(app(arguments))(list(arguments), "atoll", standalone_mode=False))


def _open_closed() -> None:
    """Let what was closed before we began (`>&-`) take everything and show nothing."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open to the end


def app(arguments: Sequence[str]) -> typer.Typer:
    """The commands; only the one that is asked for is imported, all of them where that is not clear."""
    built = typer.Typer(
        name="atoll",
        help="From one checklist to priced GPU cluster options, a lock, and the Pulumi program that builds it.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    built.callback()(_group)
    asked = arguments[0] if arguments else ""
    for name in (asked,) if asked in COMMANDS else COMMANDS:
        _add(built, name)
    return built


def _group() -> None:
    """From one checklist to priced GPU cluster options, a lock, and the Pulumi program that builds it."""


def _add(built: typer.Typer, name: str) -> None:
    """Add one command, or a group of them, from its module's `run` or `app`."""
    module = import_module(COMMANDS[name])
    group: typer.Typer | None = getattr(module, "app", None)
    if group is None:
        built.command(name)(_guarded(module.run))
        return
    for each in group.registered_commands:
        each.callback = _guarded(each.callback) if each.callback else None
    built.add_typer(group, name=name)


def _guarded(command: Callable[..., int]) -> Callable[..., int]:
    """The command, its faults told before Typer sees them."""

    @wraps(command)
    def guarded(**arguments: object) -> int:
        return _answer(lambda: command(**arguments))

    return guarded


def _answer(call: Callable[[], int | None]) -> int:
    """Exit code of a call, whatever becomes of it."""
    try:
        code = call()
        sys.stdout.flush()
    except BaseException as fault:  # noqa: BLE001 - the one place where every fault ends
        return _after(fault)
    return code or OK


def _after(fault: BaseException) -> int:
    """Tell a fault; the exit code it leads to."""
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
    text, code = told(fault, colour=_coloured())
    _say(text)
    return code


def _traceback(fault: BaseException) -> list[str]:
    import traceback  # noqa: PLC0415 - wanted only while debugging

    return traceback.format_exception(fault)


def _coloured() -> bool:
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _say(text: str) -> None:
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def _abandon_stdout() -> None:
    """Let nothing more be written to a stdout that takes nothing, not even when Python flushes it at the end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
