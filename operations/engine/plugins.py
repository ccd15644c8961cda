"""The engine's plugins: which versions belong to this Atoll, which are here, and getting those that are not."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final, cast

from pulumi.automation import CommandError, LocalWorkspace

from operations.engine.messages import read_engine_error
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

OF_PROVIDERS: Final = "pulumi:providers:"
PROVIDERS: Final = ("aws", "azure", "coreweave", "gcp", "kubernetes", "random")


@dataclass(frozen=True, slots=True)
class Plugin:
    """A provider's plugin at the version of its Python package."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def list_pinned_plugins() -> tuple[Plugin, ...]:
    """The plugins of every provider whose Python package is installed: package and plugin share their version."""
    return tuple(_iterate_pinned_plugins())


def select_plugins(types: Iterable[str]) -> tuple[Plugin, ...]:
    names = {token.removeprefix(OF_PROVIDERS).split(":")[0] for token in types}
    return tuple(each for each in list_pinned_plugins() if each.name in names)


def missing(workspace: LocalWorkspace, *, wanted: Sequence[Plugin]) -> tuple[Plugin, ...]:
    """Those of `wanted` that the engine would have to download.

    Raises:
        AtollError: the engine cannot list what it has.
    """
    here = _list_installed_plugins(workspace)
    return tuple(each for each in wanted if each not in here and not shutil.which(f"pulumi-resource-{each.name}"))


def install(workspace: LocalWorkspace, *, wanted: Sequence[Plugin], say: Callable[[str], None]) -> None:
    """Download plugins, all that can be had.

    Raises:
        AtollError: names those that could not be had, and why the first could not.
    """
    failed: list[Plugin] = []
    reason = ""
    for plugin in wanted:
        say(f"getting plugin {plugin}")
        try:
            workspace.install_plugin(plugin.name, f"v{plugin.version}")
        except CommandError as error:
            failed.append(plugin)
            reason = reason or read_engine_error(error)
    if failed:
        raise AtollError(
            f"these plugins could not be installed: {', '.join(map(str, failed))}: {reason}",
            hint="on a machine with network: pulumi plugin install resource NAME vVERSION;"
            " then copy ~/.pulumi/plugins here",
        )


def _iterate_pinned_plugins() -> Iterator[Plugin]:
    for name in PROVIDERS:
        try:
            yield Plugin(name, version(f"pulumi-{name}"))
        except PackageNotFoundError:
            continue


def _list_installed_plugins(workspace: LocalWorkspace) -> frozenset[Plugin]:
    """What `pulumi plugin ls` lists; the SDK's own reading of it stops at a plugin that was never used."""
    try:
        listed = workspace.pulumi_command.run(["plugin", "ls", "--json"], workspace.work_dir, workspace.env_vars)
    except CommandError as error:
        raise AtollError(f"the engine cannot list its plugins: {read_engine_error(error)}") from error
    rows = cast("list[dict[str, object]]", json.loads(listed.stdout or "[]"))
    return frozenset(Plugin(str(row.get("name")), str(row.get("version") or "").removeprefix("v")) for row in rows)
