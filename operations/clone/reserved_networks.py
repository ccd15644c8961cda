"""Networks that a clone must leave alone: of every stack of the project, and of the customer's main cloud."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from planning.checklist.reading.checklist_file import read_file
from planning.clone.addresses import Taken
from planning.spec.lock import read_lock
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from operations.project.workspace import Project
    from planning.checklist.model.checklist import Checklist
    from planning.spec.lock import Lock


def taken(project: Project) -> tuple[Taken, ...]:
    """Every range that a checklist or a lock of the project names; what cannot be read has none."""
    return tuple(dict.fromkeys(each for stack in project.known for each in _of(project, stack)))


def _of(project: Project, stack: str) -> Iterator[Taken]:
    with suppress(AtollError):
        yield from of_checklist(read_file(project.checklist(stack)), stack=stack)
    with suppress(AtollError):
        yield from of_lock(read_lock(project.lock(stack)))


def of_checklist(checklist: Checklist, *, stack: str) -> Iterator[Taken]:
    """Ranges that a checklist asks for, and the one its customer has."""
    main = checklist.main_cloud
    yield Taken(f"stack {stack}", checklist.where.cidr)
    yield from (Taken(f"{each.name} of stack {stack}", each.cidr) for each in checklist.where.elsewhere)
    if main is not None and main.vpc_cidr is not None:
        yield Taken(f"the main VPC of {stack}", main.vpc_cidr)


def of_lock(lock: Lock) -> Iterator[Taken]:
    """Ranges that were accepted."""
    for spec in lock.placements:
        yield Taken(f"stack {lock.stack}", spec.network.cidr)
        if spec.vpn is not None:
            yield Taken(f"the VPN of {lock.stack}", spec.vpn.cidr)
