"""The Pulumi CLI: where it is, which version belongs to this Atoll, and how it gets here."""

from __future__ import annotations

import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pulumi.automation import InvalidVersionError, PulumiCommand

from operations.offline.adapter import OLDEST
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

INSTALL_HINT: Final = "atoll engine install gets it, or put `pulumi` on PATH"
ARCHIVES: Final = "https://www.pulumi.com/docs/install/versions/"


def read_pinned_version() -> str:
    """The CLI version that belongs to the installed SDK."""
    # SDK and CLI are released together, under one version.
    return version("pulumi")


def install_root() -> Path:
    """Where the SDK itself puts a CLI that it downloads (`PulumiCommand.install`)."""
    return Path.home() / ".pulumi" / "versions" / read_pinned_version()


def find_cli() -> PulumiCommand:
    """The CLI on PATH, else the one that `atoll engine install` put in place.

    Raises:
        AtollError: there is none, or only one that is too old to be trusted.
    """
    old: list[str] = []
    for root in (None, str(install_root())):
        command = _start_cli(root)
        if command is None:
            continue
        if _is_tested(command):
            return command
        old.append(version_of(command))
    raise _absent(old)


def version_of(command: PulumiCommand) -> str:
    """The version a CLI says it has; "unknown" for a build without one."""
    return str(command.version or "unknown")


def find_or_install(warn: Callable[[str], None]) -> PulumiCommand:
    """The pinned CLI, downloaded where it is not here; one that works too where that fails.

    Raises:
        AtollError: there is none, and it cannot be downloaded.
    """
    here = _here()
    if here and version_of(here) == read_pinned_version():
        return here
    try:
        return install()
    except AtollError as error:
        if here is None:
            raise
        warn(f"warning: {error}; {version_of(here)}, which is here, is used")
        return here


def install() -> PulumiCommand:
    """Download the pinned CLI as the SDK does; nothing happens where it is in place already.

    Raises:
        AtollError: it cannot be downloaded or does not run; says how to get it by hand.
    """
    root = install_root()
    try:
        return PulumiCommand.install(root=str(root))
    except (OSError, subprocess.CalledProcessError, InvalidVersionError) as error:
        raise AtollError(
            f"the Pulumi CLI {read_pinned_version()} could not be installed: {_reason(error)}",
            hint=f"by hand: unpack the archive of {read_pinned_version()} from {ARCHIVES} so that "
            f"{root}/bin/pulumi is there",
        ) from error


def _here() -> PulumiCommand | None:
    try:
        return find_cli()
    except AtollError:
        return None


def _start_cli(root: str | None) -> PulumiCommand | None:
    """The CLI under a root, or on PATH; None where none runs."""
    try:
        return PulumiCommand(root=root)
    except (OSError, subprocess.CalledProcessError, InvalidVersionError):
        return None


def _is_tested(command: PulumiCommand) -> bool:
    """Whether a CLI is recent enough."""
    known = command.version
    # Without a version it is a developer's own build, and trusted.
    return known is None or (known.major, known.minor) >= OLDEST


def _absent(old: Sequence[str]) -> AtollError:
    if not old:
        return AtollError("the Pulumi CLI is not on PATH, and none was installed by Atoll", hint=INSTALL_HINT)
    oldest = ".".join(str(part) for part in OLDEST)
    return AtollError(
        f"the Pulumi CLI here is {' and '.join(old)}; at least {oldest} is needed, "
        f"{read_pinned_version()} is what Atoll pins",
        hint="atoll engine install gets the pinned one",
    )


def _reason(error: Exception) -> str:
    """Why an installation failed: the last line of the installer, or what the system said."""
    if isinstance(error, subprocess.CalledProcessError):
        said = bytes(error.output or b"").decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(said) if line.strip()), str(error))
    cause: object = getattr(error, "reason", error)  # of a download: what the network said
    return str(getattr(cause, "strerror", None) or cause)
