"""The table of a clone: fields of the checklist, and facts of the lock that depend on the placement, before and after.

catalogs/clone_fields.yaml has the policy of each field.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Final, cast

from pydantic import BaseModel, ConfigDict
from pydantic.dataclasses import dataclass

from planning.clone.decisions.decision import DROP, Need
from planning.inputs.fact_tables import read_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.checklist.model.checklist import Checklist
    from planning.clone.decisions.decision import CloneDecision
    from planning.spec.cluster import ClusterSpec, Pool
    from planning.spec.lock import Lock


class FieldHandling(StrEnum):
    KEPT = "kept"
    DERIVED = "re-derived"
    DECISION = "needs a decision"


@dataclass(frozen=True, slots=True)
class FieldPolicy:
    care: FieldHandling
    why: str


_CLOSED: Final = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, config=_CLOSED)
class _FieldsAlike:
    """Names of fields by section, treated alike for one reason."""

    why: str
    of: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, config=_CLOSED)
class MadeAnew:
    """Something that the program creates for each stack and that is not in the lock."""

    name: str
    made: str
    why: str


@dataclass(frozen=True, slots=True, config=_CLOSED)
class _CloneTable:
    fields: Mapping[FieldHandling, tuple[_FieldsAlike, ...]]
    spec: Mapping[str, str]
    made_for_each_stack: tuple[MadeAnew, ...]


_TABLE: Final = read_table("clone_fields.yaml", _CloneTable)
TREATMENTS: Final[Mapping[str, FieldPolicy]] = {
    f"{section}.{name}".removeprefix("."): FieldPolicy(care, row.why)
    for care, rows in _TABLE.fields.items()
    for row in rows
    for section, names in row.of.items()
    for name in names
}
SPEC: Final = _TABLE.spec
MADE: Final = _TABLE.made_for_each_stack


def find_field_policy(pattern: str) -> FieldPolicy:
    """The policy of a field; a section without a row is kept."""
    return TREATMENTS.get(pattern, FieldPolicy(FieldHandling.KEPT, "not asked for"))


# Fields that identify an entry of a list, the first that a section has; people may share a name, not a role.
KEYS: Final = (("role",), ("sort",), ("step",), ("placement", "tier"), ("below_percent",), ("name",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One field.

    Args:
        path: with names in place of positions, "workloads.finetune-7b.deadline".
        pattern: without them, "workloads.deadline".
        text: value as in the file; "none" without one.
    """

    path: str
    pattern: str
    text: str
    is_default: bool


def list_leaves(checklist: Checklist) -> dict[str, Leaf]:
    """Every field by its path."""
    return {leaf.path: leaf for leaf in _leaves(checklist, at="", pattern="")}


def _leaves(section: BaseModel, *, at: str, pattern: str) -> Iterator[Leaf]:
    shown = cast("dict[str, object]", section.model_dump(mode="json"))
    for name, field in type(section).model_fields.items():
        value: object = getattr(section, name)
        path, generic = f"{at}.{name}".removeprefix("."), f"{pattern}.{name}".removeprefix(".")
        if isinstance(value, BaseModel):
            yield from _leaves(value, at=path, pattern=generic)
        elif isinstance(value, tuple) and value and isinstance(value[0], BaseModel):
            for each in cast("tuple[BaseModel, ...]", value):
                yield from _leaves(each, at=f"{path}.{_name_entry(each)}", pattern=generic)
        else:
            default = field.get_default(call_default_factory=True)
            yield Leaf(path=path, pattern=generic, text=text_of(shown[name]), is_default=value == default)


def _name_entry(entry: BaseModel) -> str:
    """Identifying values of an entry of a list."""
    fields = type(entry).model_fields
    names = next((names for names in KEYS if all(name in fields for name in names)), ())
    return "/".join(str(getattr(entry, name)) for name in names)


def text_of(value: object) -> str:
    if value is None or value == []:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(text_of(each) for each in cast("list[object]", value))
    return str(value)


ABSENT = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """One field.

    Args:
        field: path, with names in place of positions.
        is_said: whether the source's checklist has the field; defaults are kept too.
        answer: decided or assumed; "" where no decision was needed.
    """

    field: str
    care: FieldHandling
    old: str
    new: str
    why: str
    is_said: bool = True
    answer: str = ""


def checklist_rows(
    old: Checklist, new: Checklist, *, decisions: Sequence[CloneDecision], answers: Mapping[str, str]
) -> tuple[FieldRow, ...]:
    before, after = list_leaves(old), list_leaves(new)
    by_path = {each.path: each for each in decisions}
    paths = (*before, *(each for each in after if each not in before))
    return tuple(_row(path, before.get(path), after.get(path), by_path=by_path, answers=answers) for path in paths)


def _row(
    path: str,
    old: Leaf | None,
    new: Leaf | None,
    *,
    by_path: Mapping[str, CloneDecision],
    answers: Mapping[str, str],
) -> FieldRow:
    leaf = old or new
    pattern = leaf.pattern if leaf is not None else path
    was, now = (each.text if each is not None else ABSENT for each in (old, new))
    is_asked = find_field_policy(pattern).care is FieldHandling.DECISION and (was, now) != (ABSENT, ABSENT)
    decision = _decision_of(path, by_path) if is_asked else None
    care, why, answer = _care(pattern, decision, answers, changed=was != now)
    said = old is not None and not old.is_default
    return FieldRow(field=path, care=care, old=was, new=now, why=why, is_said=said, answer=answer)


def _care(
    pattern: str, decision: CloneDecision | None, answers: Mapping[str, str], *, changed: bool
) -> tuple[FieldHandling, str, str]:
    """Handling of a field, the reason, and the answer that led to it."""
    known = find_field_policy(pattern)
    answer = answers.get(decision.path, decision.assumed) if decision is not None else ""
    stands = decision is not None and decision.need is not Need.OFFERED and answer != DROP
    if decision is not None and answer and (changed or stands):
        return FieldHandling.DECISION, known.why if decision.need is Need.OFFERED else decision.why, answer
    if changed:
        return (
            FieldHandling.DERIVED,
            known.why if known.care is FieldHandling.DERIVED else "follows from what was decided",
            "",
        )
    return (
        FieldHandling.KEPT,
        known.why if known.care is FieldHandling.KEPT else "nothing at the new place changes it",
        "",
    )


def _decision_of(path: str, by_path: Mapping[str, CloneDecision]) -> CloneDecision | None:
    """The decision on a field: its own, or that of a section around it."""
    while path and path not in by_path:
        path = path.rpartition(".")[0]
    return by_path.get(path)


def build_placement_rows(old: Lock, new: Lock) -> tuple[FieldRow, ...]:
    """Rows of every placement, of parts created for each stack, and of the prices."""
    before = {each.placement.name: each for each in old.placements}
    rows = [row for each in new.placements for row in _cluster(before.get(each.placement.name), each)]
    rows += [
        FieldRow(field=each.name, care=FieldHandling.DERIVED, old=f"of {old.stack}", new=each.made, why=each.why)
        for each in MADE
    ]
    rows += [
        FieldRow(field=name, care=FieldHandling.DERIVED, old=was, new=now, why=why)
        for name, was, now, why in (
            ("names", f"atoll-{old.stack}", f"atoll-{new.stack}", "every name has the stack's in it"),
            ("prices", _book(old), _book(new), "counted at the new place, at the prices of the day"),
        )
    ]
    return tuple(rows)


def _book(lock: Lock) -> str:
    return f"{lock.prices}, newest {lock.prices_as_of}" if lock.prices_as_of else lock.prices


def _cluster(old: ClusterSpec | None, new: ClusterSpec) -> Iterator[FieldRow]:
    at = new.placement.name
    for (name, was), (_, now) in zip(_facts(old), _facts(new), strict=True):
        yield _build_row(f"{at}: {name}", was, now, SPEC[_SECTION[name]])
    pools = {each.name: each for each in old.pools} if old is not None else {}
    for pool in new.pools:
        yield _build_row(f"{at}: pool {pool.name}", _pool(pools.pop(pool.name, None)), _pool(pool), SPEC["pools"])
    for gone in pools.values():
        yield _build_row(f"{at}: pool {gone.name}", _pool(gone), ABSENT, SPEC["pools"])
    tiers = {each.tier: each for each in old.storage} if old is not None else {}
    for tier in new.storage:
        was = tiers.get(tier.tier)
        said = ABSENT if was is None else f"{was.engine}, {was.provisioned_gb} GB"
        yield _build_row(
            f"{at}: storage {tier.tier}", said, f"{tier.engine}, {tier.provisioned_gb} GB", SPEC["storage"]
        )


_SECTION: Final = {
    "place": "placement",
    "zones": "placement",
    "addresses": "network",
    "way to the main VPC": "network",
    "NAT gateways": "network",
    "Kubernetes": "profile",
    "Kubernetes version": "kubernetes_version",
    "VPN gateway": "vpn",
    "reached by": "existing",
}


def _facts(spec: ClusterSpec | None) -> tuple[tuple[str, str], ...]:
    if spec is None:
        return tuple((name, ABSENT) for name in _SECTION)
    place, net = spec.placement, spec.network
    vpn = ABSENT if spec.vpn is None else f"{spec.vpn.machine or 'in the cluster'}, {spec.vpn.cidr}"
    return (
        ("place", f"{place.provider} {place.region}"),
        ("zones", ", ".join(place.zones) or "the first available"),
        ("addresses", str(net.cidr)),
        ("way to the main VPC", _way(spec)),
        ("NAT gateways", str(net.nat_gateways)),
        ("Kubernetes", spec.profile.title),
        ("Kubernetes version", spec.kubernetes_version),
        ("VPN gateway", vpn),
        ("reached by", spec.existing.kubeconfig_env if spec.existing is not None else "its own kubeconfig"),
    )


def _way(spec: ClusterSpec) -> str:
    peering, link = spec.network.peering, spec.network.link
    if peering is not None:
        within = peering.region == spec.placement.region
        return "peering within the region" if within else f"peering with {peering.region}, paid by the GB"
    return f"tunnel to {link.provider} {link.region}" if link is not None else ABSENT


def _pool(pool: Pool | None) -> str:
    if pool is None:
        return ABSENT
    zones = f" in {', '.join(pool.zones)}" if pool.zones else ""
    return f"{pool.working} x {pool.machine}, {pool.kind.replace('_', ' ')}{zones}"


def _build_row(field: str, old: str, new: str, why: str) -> FieldRow:
    care = FieldHandling.KEPT if old == new else FieldHandling.DERIVED
    return FieldRow(field=field, care=care, old=old, new=new, why=why if old != new else "the same there")
