"""Names in stacks/policies.yaml that match nothing today: warnings, since a name may be meant for the future."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from planning.costs.bill import component_of
from planning.inputs.faults import nearest
from policies.rules.money.ceilings import COMPONENT_CEILINGS, ComponentCeilings, is_of
from policies.rules.money.prices import UNPRICED
from policies.rules.money.spend_limits import MayStayUnpriced, bill_of
from policies.rules.placement.machines import ALLOWED_MACHINES, MachineSettings
from policies.rules.placement.places import ALLOWED_PLACES, PlaceSettings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from policies.stack_context import StackContext

RESOURCE: Final = ":"  # in a resource type, which a project may register later


def list_unmatched(subject: StackContext) -> Iterator[str]:
    """One sentence for each pattern and name that has no effect on the stack today."""
    yield from _list_machines(subject)
    yield from _list_places(subject)
    yield from _list_parts(subject)
    yield from _list_bounds(subject)


def _list_machines(subject: StackContext) -> Iterator[str]:
    """Patterns that match neither a machine of the catalog nor one of the lock."""
    law = subject.law.get(MachineSettings)
    pools = [pool for spec in subject.lock.placements for pool in spec.pools]
    settings = (
        ("machine type", {"allow": law.allow, "deny": law.deny}),
        ("accelerator", {"allow_accelerators": law.allow_accelerators, "deny_accelerators": law.deny_accelerators}),
    )
    for what, patterns in settings:
        if not any(patterns.values()):
            continue
        if what == "accelerator":
            names = {*subject.catalog.accelerators, *(pool.accelerator or "" for pool in pools)}
        else:
            names = {*(name for _, name in subject.catalog.machines), *(pool.machine for pool in pools)}
        for field, each in patterns.items():
            strange = (pattern for pattern in each if not any(fnmatchcase(name, pattern) for name in names))
            yield from _name(strange, rule=ALLOWED_MACHINES.name, field=field, of=what, known=names)


def _list_places(subject: StackContext) -> Iterator[str]:
    law = subject.law.get(PlaceSettings)
    rule, specs = ALLOWED_PLACES.name, subject.lock.placements
    if law.providers:
        known = {*subject.catalog.providers, *(spec.placement.provider for spec in specs)}
        strange = [name for name in law.providers if name not in known]
        yield from _name(strange, rule=rule, field="providers", of="provider", known=known)
    if law.regions:
        known = {*(name for _, name in subject.catalog.regions), *(spec.placement.region for spec in specs)}
        strange = [name for name in law.regions if name not in known]
        yield from _name(strange, rule=rule, field="regions", of="region", known=known)


def _list_parts(subject: StackContext) -> Iterator[str]:
    """Components with a ceiling that no line of the stack's bill belongs to."""
    law = subject.law.get(ComponentCeilings)
    limits = {**law.usd_per_month, **law.stacks.get(subject.lock.stack, {})}
    if not limits:
        return
    keys = [line.key for line in bill_of(subject).lines]
    components = {component_of(key) for key in keys}
    strange = [part for part in limits if not any(is_of(each, part) for each in components)]
    yield from _name(
        strange,
        rule=COMPONENT_CEILINGS.name,
        field="usd_per_month",
        of=f"component in the bill of {subject.lock.stack}",
        known=components,
    )


def _list_bounds(subject: StackContext) -> Iterator[str]:
    stated = subject.law.get(MayStayUnpriced).at_most_usd_per_month
    if stated:
        known = {*Item, *(line.key for line in bill_of(subject).lines)}
        strange = [name for name in stated if name not in known and RESOURCE not in name]
        yield from _name(
            strange,
            rule=UNPRICED.name,
            field="at_most_usd_per_month",
            of=f"word of the price list and no line in the bill of {subject.lock.stack}",
            known=known,
        )


def _name(names: Iterable[str], *, rule: str, field: str, of: str, known: Collection[str]) -> Iterator[str]:
    for name in names:
        near = nearest(name, sorted(map(str, known)))
        hint = f'; did you mean "{near}"?' if near else ""
        yield f'stacks/policies.yaml: {rule}.{field}: "{name}" matches no {of} today, so it has no effect{hint}'
