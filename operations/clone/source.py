"""The stack that is cloned, and refusals that need no price: names, places and files that exist."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from operations.project.accepted_lock import read_accepted_lock
from operations.project.workspace import STACK_NAME, Project, display_path, require_stack
from planning.checklist.model.checklist import checklist_digest
from planning.checklist.model.vocabulary import HOME
from planning.checklist.reading.checklist_file import read_file
from planning.clone.addresses import ReservedNetwork
from planning.inputs.files import read_text
from planning.spec.lock import read_lock
from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.checklist.model.checklist import Checklist
    from planning.clone.target import Target
    from planning.spec.lock import Lock


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStack:
    """A stack as its files say it; its state is never opened."""

    project: Project
    stack: str
    checklist: Checklist
    text: str
    lock: Lock

    @property
    def provider(self) -> str:
        return self.lock.spec.placement.provider


def read_source(stack: str) -> SourceStack:
    """The stack, once it is accepted as its checklist is now.

    Raises:
        InputError: no such stack, faults in its files, nothing accepted, or a checklist that was changed since.
    """
    project = require_stack(stack)
    path = project.checklist(stack)
    checklist = read_file(path)
    accepted = f"atoll accept {stack} OPTION"
    if not project.lock(stack).exists():
        raise InputError(f"{stack} has no lock: a clone starts from what was accepted", hint=f"first: {accepted}")
    lock = read_accepted_lock(project, stack)
    if lock.checklist_digest != checklist_digest(checklist):
        raise InputError(
            f"{display_path(path)} has changed since {lock.option} was accepted: the clone would be of neither",
            hint=f"accept it as it is now: {accepted}; or restore the checklist",
        )
    return SourceStack(project=project, stack=stack, checklist=checklist, text=read_text(path), lock=lock)


def refuse_name(project: Project, *, source: str, new: str, placements: Sequence[str] = ()) -> None:
    """Refuse a name that cannot be the clone's.

    Args:
        placements: names of its additional placements.

    Raises:
        InputError: the source's own, no name of a stack, one that is there, or one whose resources share names.
    """
    if new == source:
        raise InputError(
            f"{new} cannot be cloned into itself: a stack that exists stays at its provider and in its region",
            hint="the engine would delete the cluster with its buckets, volumes and databases and begin again there: "
            f"name another stack, as in {source}-west, and move the data with `atoll relocate`",
        )
    if not STACK_NAME.fullmatch(new):
        raise InputError(
            f"{new!r} cannot name a stack", hint="lower case letters, digits and dashes, starting with a letter"
        )
    for path in (project.stacks / new, project.stack_config(new)):
        if path.exists():
            raise InputError(
                f"{display_path(path)} is already there", hint="choose another name; a clone is written once"
            )
    # A cluster is named after stack and placement: "a" with a placement "b" is called as the stack "a-b" is.
    mine = {f"atoll-{new}", *(f"atoll-{new}-{name}" for name in placements)}
    for stack in project.known:
        if both := sorted(mine & set(_first_names(project, stack))):
            raise InputError(
                f"{new} would share the physical name {both[0]} with a cluster of the stack {stack}",
                hint=f"choose a name that does not begin with {stack}-, nor ends in the name of a placement",
            )


def _first_names(project: Project, stack: str) -> Iterator[str]:
    """Physical names that a stack's placements begin with (`components.context.naming.build_physical_name`)."""
    yield f"atoll-{stack}"
    with suppress(AtollError):
        placements = read_lock(project.lock(stack)).placements
        yield from (f"atoll-{stack}-{each.placement.name}" for each in placements if each.placement.name != HOME)


def refuse_same_place(lock: Lock, target: Target) -> None:
    """Raises: InputError: the target is where the source is."""
    here = lock.spec.placement
    if (here.provider, here.region) != (target.provider, target.region):
        return
    if target.zones and set(target.zones) != set(here.zones):
        return
    raise InputError(
        f"{lock.stack} is at {target} already",
        hint="name another --region or --provider, or other --zones; a second stack at the same place is "
        f"`atoll init NAME --from {lock.stack}`",
    )


def zones_of(text: str) -> tuple[str, ...]:
    """Zones from "a,b,c".

    Raises:
        InputError: one is missing between two commas, or named twice.
    """
    found = tuple(part.strip() for part in text.split(",")) if text else ()
    if "" in found or len(set(found)) < len(found):
        raise InputError(f"--zones {text}: a zone is missing or named twice", hint="write each once, as in a,b,c")
    return found


def list_reserved_networks(project: Project) -> tuple[ReservedNetwork, ...]:
    """Every range that a checklist or a lock of the project names; what cannot be read has none."""
    return tuple(dict.fromkeys(each for stack in project.known for each in _of(project, stack)))


def _of(project: Project, stack: str) -> Iterator[ReservedNetwork]:
    with suppress(AtollError):
        yield from networks_of_checklist(read_file(project.checklist(stack)), stack=stack)
    with suppress(AtollError):
        yield from networks_of_lock(read_lock(project.lock(stack)))


def networks_of_checklist(checklist: Checklist, *, stack: str) -> Iterator[ReservedNetwork]:
    """Ranges that a checklist asks for, and the one its customer has."""
    main = checklist.main_cloud
    yield ReservedNetwork(f"stack {stack}", checklist.where.cidr)
    yield from (ReservedNetwork(f"{each.name} of stack {stack}", each.cidr) for each in checklist.where.elsewhere)
    if main is not None and main.vpc_cidr is not None:
        yield ReservedNetwork(f"the main VPC of {stack}", main.vpc_cidr)


def networks_of_lock(lock: Lock) -> Iterator[ReservedNetwork]:
    for spec in lock.placements:
        yield ReservedNetwork(f"stack {lock.stack}", spec.network.cidr)
        if spec.vpn is not None:
            yield ReservedNetwork(f"the VPN of {lock.stack}", spec.vpn.cidr)
