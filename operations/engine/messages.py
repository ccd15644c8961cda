"""Error messages of the engine in short: no traceback of its language host, no colours, each reason once."""

from __future__ import annotations

import os
import re
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from pulumi.automation import CommandError, ConcurrentUpdateError, StackNotFoundError

from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Sequence

COLOUR: Final = re.compile(r"<\{%.*?%\}>|\x1b\[[0-9;]*m")
STDERR: Final = "\n stderr: "
TRACEBACK: Final = "Traceback (most recent call last):"
FRAME: Final = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')
WRONG_PASSPHRASE: Final = "the passphrase does not open its secrets"  # noqa: S105 - what is said
EMPTY_WORDS: Final = re.compile(
    r"(update|preview|refresh|destroy) failed|an unhandled error occurred: program exited with non-zero exit code: \d+"
    r"|\S+ resource '[^']*' has a problem: grpc: the client connection is closing"  # by another's failure
)
# The resource is named by us, and calls that fail for one reason are one reason, whatever their paths and ports.
SHORTER: Final = (
    (re.compile(r'resource "urn:[^"]*" was not successfully \w+ by the Kubernetes API server: ?'), ""),
    (
        re.compile(r'resource "urn:[^"]*" was successfully (\w+), but the Kubernetes API server reported that '),
        r"\1, but ",
    ),
    (re.compile(r'\b(?:Get|Post|Put|Patch|Delete) "(https?://[^/"]+)[^"]*":'), r"\1:"),
    (re.compile(r"\b(read|write) tcp \S+->"), r"\1 tcp "),
    (re.compile(r"\s*The resource already exists in the cluster\..*\Z", re.DOTALL), " in the cluster"),
    (re.compile(r"(field conflict detected), see \S+ for troubleshooting help\s*"), r"\1: "),
)
HOW_TO_UNLOCK: Final = "set PULUMI_CONFIG_PASSPHRASE, or PULUMI_CONFIG_PASSPHRASE_FILE, to the one it was made with"
HOW_TO_REACH: Final = (
    "does the cluster answer? kubectl get nodes. refresh and destroy use the credentials of the last update; "
    "where those have expired, atoll up takes the new ones first"
)
HOW_TO_BALANCE: Final = (
    "nothing in the cluster gives load balancers an address: its provider must, or MetalLB, or Cilium; then the same "
    "command goes on. Or say access.vpn: false, and accept again"
)
HOW_TO_TAKE_OVER: Final = (
    "a destroy left it, or somebody else made it: docs/guides/existing-cluster.md says how to take it over"
)
HOW_TO_RESUME: Final = "once the cluster answers again (kubectl get nodes), the same command goes on where it stopped"
HOW_TO_GET_PLUGINS: Final = "atoll engine status says which plugins are missing; atoll engine install gets them"
HINTS: Final = (
    ("no resource plugin", HOW_TO_GET_PLUGINS),
    ("load plugin", HOW_TO_GET_PLUGINS),
    ("download plugin", HOW_TO_GET_PLUGINS),
    ("incorrect passphrase", HOW_TO_UNLOCK),
    ("passphrase must be set", HOW_TO_UNLOCK),
    *((gone, HOW_TO_REACH) for gone in ("cluster is unreachable", "unreachable cluster", "provide credentials")),
    ("not allocated an IP address", HOW_TO_BALANCE),
    *((taken, HOW_TO_TAKE_OVER) for taken in ("already exists in the cluster", "field conflict detected")),
    *((lost, HOW_TO_RESUME) for lost in ("connection refused", "connection reset", "i/o timeout", "unexpected EOF")),
    ("PULUMI_ACCESS_TOKEN must be set", "pulumi login, or choose a backend with PULUMI_BACKEND_URL"),
    (
        "get credentials",
        "log in to the cloud whose key encrypts the secrets, or set its credentials",
    ),
    ("no credential", "log in to the cloud, or set its credentials in the environment"),
    ("pending operations", "atoll refresh STACK finds out what became of them"),
)
STOPPED_CODE: Final = 130  # as a shell reports a command that Ctrl-C ended


class OperationStoppedError(AtollError):
    """A person stopped the engine."""

    exit_code: ClassVar[int] = STOPPED_CODE


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message of the engine; `name` is the resource it is about, "" for none."""

    text: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {self.text}" if self.name else self.text


def diagnostic(message: str, *, urn: str) -> Diagnostic | None:
    """A message without its noise; None where nothing is left of it."""
    text = COLOUR.sub("", message).strip()
    text = _last_words(text) if TRACEBACK in text else text
    for pattern, shorter in SHORTER:
        text = pattern.sub(shorter, text)
    if not text or EMPTY_WORDS.fullmatch(text):
        return None
    return Diagnostic(text, urn.rsplit("::", maxsplit=1)[-1] if "::" in urn else "")


def read_engine_error(error: CommandError) -> str:
    """Why a command failed: what stands on stderr after "error:", else its last line."""
    lines = [line.strip() for line in COLOUR.sub("", _stderr(error)).splitlines() if line.strip()]
    named = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    return "; ".join(named) or (lines[-1] if lines else "it gave no reason")


def build_operation_error(
    action: str, stack: str, *, error: Exception, found: Sequence[Diagnostic], prefix: str = ""
) -> AtollError:
    """A failed command of the engine as an error of ours.

    Args:
        found: what it reported while it ran; better than its last words where there is any.
        prefix: what a person writes before `pulumi`, so that it finds the same state.
    """
    if isinstance(error, ConcurrentUpdateError):
        return _build_lock_error(stack, error, prefix=prefix)
    if isinstance(error, StackNotFoundError):
        return AtollError(f"stack {stack} was never built from here", hint=f"atoll up {stack} builds it")
    reasons = merge_reasons(found) or [read_engine_error(error) if isinstance(error, CommandError) else str(error)]
    first = WRONG_PASSPHRASE if "incorrect passphrase" in reasons[0] else reasons[0]
    more = f"; and {len(reasons) - 1} more, above" if len(reasons) > 1 else ""
    return AtollError(f"{action} of {stack} failed: {first}{more}", hint=hint_for(reasons[0]))


def hint_for(reason: str) -> str:
    """What to do about a reason; "" where only the reason says so."""
    return next((hint for mark, hint in HINTS if mark in reason), "")


def merge_reasons(found: Sequence[Diagnostic]) -> list[str]:
    """Reasons in order; one that many resources share is said once, with their number."""
    names: dict[str, list[str]] = {}
    for each in found:
        names.setdefault(each.text, []).append(each.name)
    return [_with_resources(text, [name for name in of if name]) for text, of in names.items()]


def _with_resources(text: str, names: Sequence[str]) -> str:
    if not names:
        return text
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{names[0]}{more}: {text}"


def _build_lock_error(stack: str, error: ConcurrentUpdateError, *, prefix: str) -> AtollError:
    by = re.search(r"created by (?P<who>\S+) \(pid (?P<pid>\d+)\) at (?P<when>\S+)", _stderr(error))
    who = f": {by['who']}, process {by['pid']}, since {by['when']}" if by else ""
    cancel = f"{prefix}pulumi cancel --stack {stack}"
    if by and _has_exited(int(by["pid"]), host=by["who"].rpartition("@")[2]):
        return AtollError(f"stack {stack} is locked by an update that was killed{who}", hint=f"{cancel}, then go on")
    return AtollError(
        f"stack {stack} is locked by another update{who}", hint=f"wait for it; if it is gone for good: {cancel}"
    )


def _has_exited(process: int, *, host: str) -> bool:
    """Whether a process of this machine has ended; False for another machine, where that is not known."""
    # A number of another machine's process says nothing here.
    if host != socket.gethostname() or os.name != "posix":
        return False
    try:
        # Signal 0 only asks whether the process is there.
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _last_words(text: str) -> str:
    """What a traceback ends with, and where it was raised."""
    before, _, trace = text.partition(TRACEBACK)
    lines = trace.splitlines()
    inside = [index for index, line in enumerate(lines) if line.startswith(" ")]
    ends = " ".join(line.strip() for line in lines[inside[-1] + 1 if inside else 0 :] if line.strip())
    frames = [*FRAME.finditer(trace)]
    place = f" (raised at {frames[-1]['file']}:{frames[-1]['line']})" if frames else ""
    return f"the program failed: {ends}{place}" if ends else before.strip()


def _stderr(error: CommandError) -> str:
    """The SDK keeps a command's streams only as text."""
    return str(error).rpartition(STDERR)[2]
