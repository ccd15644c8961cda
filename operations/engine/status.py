"""What is here of the engine, in words."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from operations.engine import binary
from operations.engine.environment import PASSPHRASE, PASSPHRASE_FILE, PROVIDER
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pulumi.automation import PulumiCommand

    from operations.engine.environment import Backend
    from operations.engine.plugins import Plugin


def cli_facts() -> tuple[PulumiCommand | None, Sequence[tuple[str, str]]]:
    """The CLI that would be used, None where there is none; and where it is, or why it is not."""
    try:
        command = binary.found()
    except AtollError as error:
        return None, (("Pulumi CLI", f"missing: {error}"), ("pinned", binary.pinned()))
    version = binary.version_of(command)
    note = "" if version == binary.pinned() else f" (Atoll pins {binary.pinned()}; this one works too)"
    path = shutil.which(command.command) or command.command
    return command, (("Pulumi CLI", f"{version}{note}"), ("path", path))


def plugin_fact(plugin: Plugin, *, here: bool) -> tuple[str, str]:
    """One plugin, and whether it is here."""
    return f"plugin {plugin.name}", f"{plugin.version}, {'here' if here else 'missing'}"


def surroundings_facts(chosen: Backend) -> Sequence[tuple[str, str]]:
    """Backend, and what encrypts secrets."""
    return (
        ("backend", f"{chosen.url or 'Pulumi Cloud'} ({chosen.reason})"),
        ("secrets of a new stack", _secrets(chosen)),
    )


def _secrets(chosen: Backend) -> str:
    """What would encrypt the secrets of a new stack."""
    if provider := os.environ.get(PROVIDER):
        return f"{provider.partition('?')[0]} ({PROVIDER} says so)"
    if chosen.is_service:
        return "the backend's own key"
    given = next((name for name in (PASSPHRASE, PASSPHRASE_FILE) if os.environ.get(name)), "")
    return f"passphrase ({given} is set)" if given else f"passphrase (set {PASSPHRASE}, or be asked at a terminal)"
