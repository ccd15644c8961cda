"""One stack, opened: the CLI found, its backend and secrets settled, the stack selected or made."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from pulumi import automation
from pulumi.automation import CommandError, LocalWorkspace, LocalWorkspaceOptions, StackNotFoundError

from operations.engine import binary, environment
from operations.engine.messages import build_operation_error
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Mapping
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Locked:
    """A stack whose secrets are still closed."""

    stack: str
    options: LocalWorkspaceOptions
    ask: AskPassphrase

    def unlock(self, *, new: bool) -> None:
        """Give the engine the passphrase, where that is what opens the secrets."""
        if self.options.secrets_provider == environment.BY_PASSPHRASE:
            typed = environment.passphrase_variables(new=new, stack=self.stack, ask=self.ask)
            self.options.env_vars = {**(self.options.env_vars or {}), **typed}


def workspace(root: Path) -> LocalWorkspace:
    """The project as the engine works in it, without a stack.

    Raises:
        AtollError: there is no CLI.
    """
    chosen = environment.backend(root)
    variables = {**QUIET, **chosen.variables()}
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
        env_vars={**QUIET, **chosen.variables()}, pulumi_command=command, secrets_provider=provider
    )
    locked = _Locked(stack=stack, options=options, ask=ask_passphrase)
    return _select_stack(locked, root=project.root, chosen=chosen, create=create)


def _select_stack(locked: _Locked, *, root: Path, chosen: Backend, create: bool) -> StackSession:
    """Select first: only a stack that is not there yet needs a passphrase of its own."""
    stack, options = locked.stack, locked.options
    try:
        found = automation.select_stack(stack, work_dir=str(root), opts=options)
        locked.unlock(new=False)
        found.workspace.env_vars = dict(options.env_vars or {})
        return StackSession(found, chosen)
    except StackNotFoundError as error:
        if not create:
            raise build_operation_error("selection", stack, error=error, found=()) from error
    except CommandError as error:
        raise build_operation_error("selection", stack, error=error, found=(), prefix=chosen.prefix()) from error
    locked.unlock(new=True)
    try:
        made = automation.create_stack(stack, work_dir=str(root), opts=options)
    except CommandError as error:
        raise build_operation_error("creation", stack, error=error, found=(), prefix=chosen.prefix()) from error
    return StackSession(made, chosen, is_new=True)


def _check_python(root: Path) -> None:
    """The engine would make an empty virtual environment where there is none, and fail in it.

    Raises:
        AtollError: the project has none.
    """
    if not (root / ".venv").is_dir():
        raise AtollError(f"{root} has no .venv, in which the engine runs the program", hint="make setup")
