"""Where state is kept and what opens its secrets: from the environment, else inside the repository."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from pulumi.automation import CommandError, LocalWorkspace

from operations.engine import binary
from operations.engine.messages import read_engine_error
from operations.project.workspace import PROJECT_FILE
from planning.inputs.files import read_object
from planning.inputs.yaml_document import read_fields
from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from pulumi.automation import PulumiCommand

    AskPassphrase: TypeAlias = Callable[[str], str | None]
    """Asks the user for a secret without echo; None without a terminal."""
    from collections.abc import Callable, Iterable, Iterator


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


def find_missing_plugins(workspace: LocalWorkspace, *, wanted: Sequence[Plugin]) -> tuple[Plugin, ...]:
    """Those of `wanted` that the engine would have to download.

    Raises:
        AtollError: the engine cannot list what it has.
    """
    here = _list_installed_plugins(workspace)
    return tuple(each for each in wanted if each not in here and not shutil.which(f"pulumi-resource-{each.name}"))


def install_plugins(workspace: LocalWorkspace, *, wanted: Sequence[Plugin], say: Callable[[str], None]) -> None:
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
    """What `pulumi plugin ls` lists."""
    try:
        # The SDK's own reading of it stops at a plugin that was never used.
        listed = workspace.pulumi_command.run(["plugin", "ls", "--json"], workspace.work_dir, workspace.env_vars)
    except CommandError as error:
        raise AtollError(f"the engine cannot list its plugins: {read_engine_error(error)}") from error
    rows = cast("list[dict[str, object]]", json.loads(listed.stdout or "[]"))
    return frozenset(Plugin(str(row.get("name")), str(row.get("version") or "").removeprefix("v")) for row in rows)


STATE_FOLDER: Final = ".pulumi-state"
BACKEND: Final = "PULUMI_BACKEND_URL"
TOKEN: Final = "PULUMI_ACCESS_TOKEN"  # noqa: S105 - the name of a variable
PASSPHRASE: Final = "PULUMI_CONFIG_PASSPHRASE"  # noqa: S105 - the name of a variable
PASSPHRASE_FILE: Final = "PULUMI_CONFIG_PASSPHRASE_FILE"  # noqa: S105 - the name of a variable
PROVIDER: Final = "ATOLL_SECRETS_PROVIDER"
BY_PASSPHRASE: Final = "passphrase"  # noqa: S105 - the name of a way
BY_SERVICE: Final = "default"
SCHEMES: Final = ("awskms", "gcpkms", "azurekeyvault", "hashivault")  # pulumi.com/docs/iac/concepts/secrets, 2026-11-21


@dataclass(frozen=True, slots=True)
class Backend:
    """Where the engine keeps state.

    Args:
        url: "" where the engine itself knows (Pulumi Cloud, or what `pulumi login` wrote).
        reason: who decided so, in words.
        folder: of a backend inside the repository, else None.
    """

    url: str
    reason: str
    folder: Path | None = None

    @property
    def is_service(self) -> bool:
        """Whether it is Pulumi Cloud or a server like it, which keeps secrets by itself."""
        return self.url.startswith("https://") or not self.url

    def list_variables(self) -> dict[str, str]:
        """What an engine has to be told, and nothing that it knows."""
        return {BACKEND: self.url} if self.folder else {}

    def prefix(self) -> str:
        """What to write before a `pulumi` command so that it finds this backend too."""
        return f"{BACKEND}={self.url} " if self.folder else ""


def backend(root: Path) -> Backend:
    """The backend of the environment, the project file or `pulumi login`; else a folder of the repository."""
    if url := os.environ.get(BACKEND, ""):
        return Backend(url, f"{BACKEND} says so")
    if url := _of_project(root):
        return Backend(url, f"{PROJECT_FILE} says so")
    if os.environ.get(TOKEN):
        return Backend("", f"{TOKEN} is set: Pulumi Cloud")
    if url := _read_login():
        return Backend(url, "`pulumi login` says so")
    folder = root / STATE_FOLDER
    return Backend(f"file://{folder}", "no backend is chosen: a folder of this repository, ignored by git", folder)


def create_state_folder(chosen: Backend) -> Backend:
    """The same backend, its folder created for its owner alone where it is one of the repository."""
    if chosen.folder:
        chosen.folder.mkdir(mode=0o700, exist_ok=True)
    return chosen


def secrets_provider(settings: Path, *, asked: str, where: Backend) -> str:
    """The secrets provider of a stack: that of its settings file, else the requested one, else the backend's default.

    Args:
        settings: Pulumi.<stack>.yaml, which need not exist.
        asked: "" for none; then a new stack has that of ATOLL_SECRETS_PROVIDER.

    Raises:
        InputError: no such provider, or another one than the stack has.
    """
    has = _of_settings(settings)
    if has and asked and asked != has:
        raise InputError(
            f"{settings.name} says that {_without_query(has)} encrypts this stack's secrets, not {asked}",
            hint=f"change it with the engine: pulumi stack change-secrets-provider {asked}",
        )
    usual = BY_SERVICE if where.is_service else BY_PASSPHRASE
    return has or _check_provider(asked or os.environ.get(PROVIDER) or usual)


def passphrase_variables(*, new: bool, stack: str, ask: AskPassphrase) -> dict[str, str]:
    """Variables of the passphrase: none where the environment has it, else what the user types.

    Raises:
        InputError: there is none, and no terminal to ask at.
    """
    given = os.environ.get(PASSPHRASE)
    # An empty passphrase is never chosen for a new stack; one that exists may have been made with it.
    if given or os.environ.get(PASSPHRASE_FILE) or (given is not None and not new):
        return {}
    typed = ask(f"Passphrase of stack {stack}: ")
    if typed is None:
        raise InputError(
            f"stack {stack} keeps secrets under a passphrase, and there is none",
            hint=f"set {PASSPHRASE} or {PASSPHRASE_FILE}; for a key instead: --secrets-provider awskms://…",
        )
    if not typed:
        raise InputError("an empty passphrase protects nothing")
    if new and ask("Once more: ") != typed:
        raise InputError("the two passphrases differ")
    return {PASSPHRASE: typed}


def _check_provider(provider: str) -> str:
    schemes = tuple(f"{scheme}://" for scheme in SCHEMES)
    if provider in (BY_PASSPHRASE, BY_SERVICE) or provider.startswith(schemes):
        return provider
    raise InputError(
        f"{provider!r} is no secrets provider", hint=f"{BY_PASSPHRASE}, or a key: {', '.join(f'{s}…' for s in schemes)}"
    )


def _of_project(root: Path) -> str:
    """`backend.url` of Pulumi.yaml; "" where it has none."""
    chosen = read_fields(root / PROJECT_FILE, may_be_missing=True).get("backend")
    return str(cast("dict[str, object]", chosen).get("url") or "") if isinstance(chosen, dict) else ""


def _of_settings(path: Path) -> str:
    """The provider that a stack's settings name; "" for a stack that has none yet."""
    found = read_fields(path, may_be_missing=True)
    named = found.get("secretsprovider")
    return str(named) if named else BY_PASSPHRASE if found.get("encryptionsalt") else ""


def _read_login() -> str:
    """The backend that `pulumi login` made the current one."""
    home = Path(os.environ.get("PULUMI_HOME") or Path.home() / ".pulumi")
    path = Path(os.environ.get("PULUMI_CREDENTIALS_PATH") or home) / "credentials.json"
    try:
        return str(read_object(path).get("current") or "")
    except InputError:
        return ""


def _without_query(provider: str) -> str:
    """A provider without what follows its key's name."""
    return provider.partition("?")[0]


def cli_facts() -> tuple[PulumiCommand | None, Sequence[tuple[str, str]]]:
    """The CLI that would be used, None where there is none; and where it is, or why it is not."""
    try:
        command = binary.find_cli()
    except AtollError as error:
        return None, (("Pulumi CLI", f"missing: {error}"), ("pinned", binary.read_pinned_version()))
    version = binary.version_of(command)
    note = (
        ""
        if version == binary.read_pinned_version()
        else f" (Atoll pins {binary.read_pinned_version()}; this one works too)"
    )
    path = shutil.which(command.command) or command.command
    return command, (("Pulumi CLI", f"{version}{note}"), ("path", path))


def plugin_fact(plugin: Plugin, *, here: bool) -> tuple[str, str]:
    return f"plugin {plugin.name}", f"{plugin.version}, {'here' if here else 'missing'}"


def surroundings_facts(chosen: Backend) -> Sequence[tuple[str, str]]:
    return (
        ("backend", f"{chosen.url or 'Pulumi Cloud'} ({chosen.reason})"),
        ("secrets of a new stack", _secrets(chosen)),
    )


def _secrets(chosen: Backend) -> str:
    if provider := os.environ.get(PROVIDER):
        return f"{provider.partition('?')[0]} ({PROVIDER} says so)"
    if chosen.is_service:
        return "the backend's own key"
    given = next((name for name in (PASSPHRASE, PASSPHRASE_FILE) if os.environ.get(name)), "")
    return f"passphrase ({given} is set)" if given else f"passphrase (set {PASSPHRASE}, or be asked at a terminal)"
