"""Opens a stack with the engine: CLI, backend, secrets provider; and reads its outputs."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from pulumi import automation
from pulumi.automation import CommandError, LocalWorkspace, LocalWorkspaceOptions, StackNotFoundError

from operations.engine import binary, environment
from operations.engine.messages import build_operation_error
from operations.project.atomic_files import write_all
from planning.values.errors import AtollError, InputError
from planning.values.json_format import to_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from operations.engine.environment import AskPassphrase, Backend
    from operations.project.workspace import Project


QUIET: Final[Mapping[str, str]] = {"PULUMI_SKIP_UPDATE_CHECK": "true"}


@dataclass(frozen=True, slots=True)
class StackSession:
    """A stack that the engine knows.

    Args:
        is_new: nothing was ever built in it.
    """

    stack: automation.Stack
    backend: Backend
    is_new: bool = False

    @property
    def name(self) -> str:
        return self.stack.name

    def ask(self, *arguments: str) -> str:
        """What a command of the engine prints about this stack.

        Raises:
            AtollError: it failed.
        """
        workspace = cast("LocalWorkspace", self.stack.workspace)
        command = [*arguments, "--stack", self.name]
        try:
            return workspace.pulumi_command.run(command, workspace.work_dir, workspace.env_vars).stdout
        except CommandError as error:
            words = " ".join(arguments[:2])
            raise build_operation_error(
                f"pulumi {words}", self.name, error=error, found=(), prefix=self.backend.prefix()
            ) from error

    def ask_json(self, *arguments: str) -> dict[str, object]:
        loaded: object = json.loads(self.ask(*arguments) or "{}")
        return cast("dict[str, object]", loaded) if isinstance(loaded, dict) else {}


def workspace(root: Path) -> LocalWorkspace:
    """The project as the engine works in it, without a stack.

    Raises:
        AtollError: there is no CLI.
    """
    chosen = environment.backend(root)
    variables = {**QUIET, **chosen.list_variables()}
    return LocalWorkspace(work_dir=str(root), env_vars=variables, pulumi_command=binary.find_cli())


def open_stack(
    project: Project, stack: str, *, ask_passphrase: AskPassphrase, create: bool = False, asked_provider: str = ""
) -> StackSession:
    """The stack, selected; made where it is not there and `create` allows it.

    Args:
        ask_passphrase: asks a person, where the environment has no passphrase and one is needed.
        asked_provider: what shall encrypt the secrets of a new stack; "" for the environment's or the default one.

    Raises:
        AtollError: no CLI, no virtual environment, no passphrase, or no such stack.
    """
    command = binary.find_cli()
    _check_python(project.root)
    chosen = environment.backend(project.root)
    provider = environment.secrets_provider(project.stack_config(stack), asked=asked_provider, where=chosen)
    if create:
        environment.create_state_folder(chosen)
    elif chosen.folder and not chosen.folder.is_dir():
        raise AtollError(f"stack {stack} was never built from here", hint=f"atoll up {stack} builds it")
    options = LocalWorkspaceOptions(
        env_vars={**QUIET, **chosen.list_variables()}, pulumi_command=command, secrets_provider=provider
    )
    work_dir, prefix = str(project.root), chosen.prefix()
    try:  # only a stack that is not there yet needs a passphrase of its own
        found = automation.select_stack(stack, work_dir=work_dir, opts=options)
        _unlock(options, stack, ask=ask_passphrase, new=False)
        found.workspace.env_vars = dict(options.env_vars or {})
        return StackSession(found, chosen)
    except StackNotFoundError as error:
        if not create:
            raise build_operation_error("selection", stack, error=error, found=()) from error
    except CommandError as error:
        raise build_operation_error("selection", stack, error=error, found=(), prefix=prefix) from error
    _unlock(options, stack, ask=ask_passphrase, new=True)
    try:
        made = automation.create_stack(stack, work_dir=work_dir, opts=options)
    except CommandError as error:
        raise build_operation_error("creation", stack, error=error, found=(), prefix=prefix) from error
    return StackSession(made, chosen, is_new=True)


def _unlock(options: LocalWorkspaceOptions, stack: str, *, ask: AskPassphrase, new: bool) -> None:
    """Give the engine the passphrase, where that is what opens the secrets."""
    if options.secrets_provider == environment.BY_PASSPHRASE:
        typed = environment.passphrase_variables(new=new, stack=stack, ask=ask)
        options.env_vars = {**(options.env_vars or {}), **typed}


def _check_python(root: Path) -> None:
    """Refuse a project without a virtual environment.

    Raises:
        AtollError: the project has none.
    """
    # The engine would make an empty virtual environment there, and fail in it.
    if not (root / ".venv").is_dir():
        raise AtollError(f"{root} has no .venv, in which the engine runs the program", hint="make setup")


FILES: Final[Mapping[str, str]] = {
    "kubeconfig": "{}.kubeconfig",
    "kubeconfigs": "{}.kubeconfig",
    "vpnProfiles": "{}.conf",
}
PLACEMENTS: Final = "placements"  # outputs of every additional placement, by its name
ADMIN: Final = "admin"  # whose the one kubeconfig without a role is
FILE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,100}")


@dataclass(frozen=True, slots=True)
class StackOutputs:
    """Outputs by name.

    Args:
        masked: every secret, however deep, replaced by "[secret]".
        plain: the same with secrets; empty until somebody asks to see them.
    """

    masked: Mapping[str, object]
    plain: Mapping[str, object]

    def show(self, *, secrets: bool) -> Mapping[str, object]:
        return self.plain if secrets else self.masked


def read_outputs(opened: StackSession, *, secrets: bool) -> StackOutputs:
    """The outputs of the last update; secrets are decrypted only when they are wanted.

    Raises:
        AtollError: the engine cannot read them.
    """
    # Secrets are decrypted only when they are wanted.
    masked = opened.ask_json("stack", "output", "--json")
    return StackOutputs(masked, opened.ask_json("stack", "output", "--json", "--show-secrets") if secrets else {})


def list_output_rows(values: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Outputs by dotted name, mappings taken apart: "kubeconfigs.engineer"."""
    for name, value in values.items():
        if isinstance(value, dict) and value:
            inner = cast("dict[str, object]", value)
            yield from ((f"{name}.{below}", leaf) for below, leaf in list_output_rows(inner))
        else:
            yield name, value


def build_output_files(plain: Mapping[str, object]) -> dict[str, str]:
    """Paths and texts of every kubeconfig and VPN profile; those of an additional placement in a folder of its name.

    Raises:
        InputError: a name that cannot be a file's.
    """
    found = _files_of(plain)
    for placement, outputs in to_mapping(plain.get(PLACEMENTS)).items():
        below = _files_of(to_mapping(outputs))
        found |= {f"{_file_name(placement, of=PLACEMENTS)}/{name}": text for name, text in below.items()}
    return found


def write_private(folder: Path, texts: Mapping[str, str]) -> tuple[Path, ...]:
    """Write files that only their owner may read, all of them or none.

    Raises:
        OSError: the folder or a file cannot be written.
    """
    # Sorted, so that a folder is made with its mode before one inside of it makes it without.
    for place in sorted({folder, *((folder / name).parent for name in texts)}):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    whole = {folder / name: text if text.endswith("\n") else text + "\n" for name, text in sorted(texts.items())}
    write_all(whole, private=True)
    return tuple(whole)


def _files_of(outputs: Mapping[str, object]) -> dict[str, str]:
    found: dict[str, str] = {}
    for output, pattern in FILES.items():
        for owner, text in _texts(outputs.get(output)):
            found.setdefault(pattern.format(_file_name(owner, of=output)), text)
    return found


def _file_name(text: str, *, of: str) -> str:
    if not FILE_NAME.fullmatch(text):
        raise InputError(f"output {of} has an entry {text!r}, which cannot name a file")
    return text


def _texts(value: object) -> Iterator[tuple[str, str]]:
    """Owners and texts of one output."""
    if isinstance(value, str):
        yield ADMIN, value
        return
    entries = to_mapping(value)
    if "apiVersion" in entries:
        # A kubeconfig may be an object; JSON is YAML, so kubectl reads it as it is.
        yield ADMIN, json.dumps(entries, indent=2)
        return
    for owner, text in entries.items():
        yield owner, text if isinstance(text, str) else json.dumps(text, indent=2)
