"""The inputs of the annex: lock, checklist and catalog, and figures of each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from planning.acceptance.expectations import build_expectations
from planning.acceptance.limits import plain
from planning.agents.measurement_records import CHECKS
from planning.documents.blocks import Blank, Paragraph
from planning.documents.figures import (
    derive_figure,
    format_value,
    join_sentences,
    of_catalog,
    of_checklist,
    of_lock,
    say,
    source_text,
)
from planning.platform.accelerators import list_eligible_pools
from planning.spec.lock import to_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date
    from decimal import Decimal

    from catalogs.catalog import Catalog
    from catalogs.model import Term
    from planning.acceptance.expectations import Expectations
    from planning.acceptance.limits import AcceptanceLimit
    from planning.acceptance.node_limits import ExpectedPool
    from planning.checklist.model.agreement import Agreement
    from planning.checklist.model.checklist import Checklist
    from planning.documents.blocks import Block
    from planning.documents.figures import Figure, Sentence, Value
    from planning.spec.cluster import ClusterSpec, Pool, Tier
    from planning.spec.lock import Lock


@dataclass(frozen=True, slots=True, kw_only=True)
class LockPlacement:
    """One cluster of the lock.

    Args:
        at: path of it in the lock, "placements.0".
        is_named: whether documents name it, because there are several.
    """

    spec: ClusterSpec
    at: str
    is_named: bool

    @property
    def name(self) -> Figure:
        return of_lock(self.spec.placement.name, f"{self.at}.placement.name")

    @property
    def built(self) -> bool:
        return self.spec.existing is None and self.spec.placement.target != "none"

    def list_pools(self) -> Iterator[PoolAt]:
        for number, pool in enumerate(self.spec.pools):
            yield PoolAt(pool=pool, at=f"{self.at}.pools.{number}", place=self)

    def list_tiers(self) -> Iterator[TierAt]:
        for number, tier in enumerate(self.spec.storage):
            yield TierAt(tier=tier, at=f"{self.at}.storage.{number}", place=self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolAt:
    pool: Pool
    at: str
    place: LockPlacement

    @property
    def name(self) -> Sentence:
        name = of_lock(self.pool.name, f"{self.at}.name")
        return say(self.place.name, ": ", name) if self.place.is_named else say(name)

    def count(self, field: str) -> Figure:
        """A whole number of it: "working", "spares", "min_nodes", "max_nodes", "accelerators"."""
        value: int = getattr(self.pool, field)
        return of_lock(value, f"{self.at}.{field}")

    @property
    def accelerated(self) -> bool:
        return self.pool.accelerators > 0

    @property
    def burned_in(self) -> bool:
        return self.pool in list_eligible_pools(self.place.spec)


@dataclass(frozen=True, slots=True, kw_only=True)
class TierAt:
    tier: Tier
    at: str
    place: LockPlacement

    @property
    def name(self) -> Sentence:
        return say(self.place.name, ": ", self.tier.tier) if self.place.is_named else say(self.tier.tier)

    def quote_cell(self, field: str) -> Sentence:
        value: Value = getattr(self.tier, field)
        return say(of_lock(value, f"{self.at}.{field}"))


NO: Final = "no"
UNKNOWN: Final = "unknown"
# Purchases that commit to a term; whether they reserve capacity is a fact of each (terms.csv).
BINDING: Final = frozenset({"reserved", "capacity_block"})


@dataclass(frozen=True, kw_only=True)
class AgreementContext:
    """What the sections of the annex are written from.

    Args:
        changed: whether the checklist has changed since the option was accepted.
    """

    lock: Lock
    checklist: Checklist
    catalog: Catalog
    changed: bool

    @property
    def agreement(self) -> Agreement:
        return self.checklist.agreement

    @cached_property
    def places(self) -> tuple[LockPlacement, ...]:
        several = len(self.lock.placements) > 1
        return tuple(
            LockPlacement(spec=spec, at=f"placements.{number}", is_named=several)
            for number, spec in enumerate(self.lock.placements)
        )

    @property
    def pools(self) -> tuple[PoolAt, ...]:
        return tuple(pool for place in self.places for pool in place.list_pools())

    @property
    def tiers(self) -> tuple[TierAt, ...]:
        return tuple(tier for place in self.places for tier in place.list_tiers())

    def is_together(self, pool: PoolAt) -> bool:
        """Whether nodes of a pool work on one job: those between which the acceptance measures an all-reduce."""
        found = self.find_expected_pool(pool)
        return found is not None and bool(found.all_reduce)

    @property
    def has_term(self) -> bool:
        return self.lock.contract_months > 0 or any(each.pool.kind == "reserved" for each in self.pools)

    @cached_property
    def expected(self) -> Expectations:
        return build_expectations(self.lock, self.catalog, self.checklist)

    def find_expected_pool(self, pool: PoolAt) -> ExpectedPool | None:
        """What a pool is held to; None for one without accelerators."""
        return self.expected.find_pool(placement=pool.place.spec.placement.name, name=pool.pool.name)

    @cached_property
    def lock_digest(self) -> Figure:
        return of_lock(str(json.loads(to_text(self.lock))["digest"]), "digest")

    @property
    def stack(self) -> Figure:
        return of_lock(self.lock.stack, "stack")

    def find_term(self, pool: PoolAt) -> Term | None:
        """What the catalog says of a pool's purchase at its provider; None where it explains no such word."""
        provider = pool.place.spec.placement.provider
        return self.catalog.find_term(provider=provider, purchase=pool.pool.purchase)

    def holds(self, pool: PoolAt) -> str:
        """Whether a pool's nodes are held for the customer while they do not run: "yes", "no", "unknown"."""
        if pool.pool.kind not in BINDING:
            return NO
        term = self.find_term(pool)
        return UNKNOWN if term is None else term.holds

    def quote_term(self, field: str) -> Figure | None:
        """A term of the checklist's agreement; None for an open one."""
        value: Value | None = getattr(self.agreement, field)
        return None if value is None else of_checklist(value, f"agreement.{field}")

    def quote_promise(self, name: str, at: int = 0, *, unit: str = "") -> Figure:
        """One value of a promise of promises.csv, with its unit: "10%"."""
        promise = self.catalog.promises[name]
        source = self.describe_source(promise.source, promise.as_of)
        value = promise.values[at]
        return of_catalog(value, f"promises.csv {name} value", source=source, text=f"{format_value(value)}{unit}")

    def describe_source(self, name: str, as_of: date | None) -> str:
        return source_text(self.catalog, name, as_of=as_of)


def describe_measurement(sides: AgreementContext, *checks: str) -> Paragraph:
    """How a deliverable is measured.

    Raises:
        KeyError: the acceptance has no such check; a fault of ours.
    """
    titles = {each.id: each.title for each in CHECKS}
    which = join_sentences(say(check, " (", titles[check], ")") for check in checks)
    return Paragraph.of("Measured by atoll accept-test {}: {}.", sides.stack, which)


# Terms of the agreement: the label of the blank line while a term is open, and its sentence once it is agreed.
TERMS: Final = {
    "fix_within_days": (
        "Days to bring a deliverable up to its figures",
        (
            "A deliverable that was measured below its figures is brought up to them within {} days of the report that"
            " names it."
        ),
    ),
    "exit_after_days": (
        "Days of one fault after which the customer may terminate without a charge",
        (
            "If a deliverable stays below its figures for {} days, the customer may terminate the contract without a"
            " charge."
        ),
    ),
    "replace_within_hours": (
        "Hours to replace a failed node",
        ("A failed node is replaced within {} hours of the report; until then it counts as unavailable."),
    ),
    "provider_spares": (
        "Spare nodes that the provider keeps beyond those that are paid for",
        "Spare nodes that the provider keeps for this customer beyond those that are paid for: {}.",
    ),
    "upgrade_after_months": (
        "Months after which the customer may upgrade before the term ends",
        "The customer may upgrade before the term ends, after {} months.",
    ),
}


def render_term(field: str, sides: AgreementContext) -> Block:
    figure = sides.quote_term(field)
    label, agreed = TERMS[field]
    return Blank.of(label) if figure is None else Paragraph.of(agreed, figure)


def format_count(figure: Figure, one: str, many: str) -> Sentence:
    """A number and its noun: "1 node", "2 nodes"."""
    return say(figure, " ", one if figure.text == "1" else many)


OPEN: Final = "to be agreed"


def render_limit(limit: AcceptanceLimit, *inputs: Figure) -> Sentence:
    """The lower bound of a limit; "none" where there cannot be one.

    "to be agreed" where no source has it, or where a lower figure would not prove a fault.
    """
    if limit.least is None or limit.beyond or not inputs:
        return say("none" if limit.optional else OPEN)
    return say(derive_figure(limit.least, limit.why, *inputs, text=plain(limit.least)))


def build_agreed_figure(limit: AcceptanceLimit) -> Figure | None:
    """The lower bound of a limit that was agreed; None for a derived one."""
    return of_checklist(limit.least, limit.agreed_at) if limit.agreed_at and limit.least is not None else None


def theory(limit: AcceptanceLimit, *inputs: Figure) -> Sentence:
    if limit.theory is None or not inputs:
        return say("none" if limit.optional else OPEN)
    return say(
        derive_figure(
            limit.theory,
            "the slowest link of a node: Gbps / 8, or the links of one accelerator",
            *inputs,
            text=plain(limit.theory),
        )
    )


def accelerator_facts(sides: AgreementContext, pool: PoolAt, *columns: str) -> tuple[Figure, ...]:
    """Columns of accelerators.csv that the catalog knows: "memory_gb", "nvlink_gb_per_s", or a precision."""
    facts = sides.catalog.accelerators.get(pool.pool.accelerator or "")
    if facts is None:
        return ()
    known: dict[str, Decimal | int | None] = {
        **facts.tflops,
        "memory_gb": facts.memory_gb,
        "nvlink_gb_per_s": facts.nvlink_gb_per_s,
    }
    source = sides.describe_source(facts.source, facts.as_of)
    found = ((column, known.get(column)) for column in columns)
    return tuple(
        of_catalog(value, f"accelerators.csv {facts.name} {column}", source=source)
        for column, value in found
        if value is not None
    )


def network_fact(sides: AgreementContext, pool: PoolAt) -> tuple[Figure, ...]:
    provider = pool.place.spec.placement.provider
    machine = sides.catalog.machines.get((provider, pool.pool.machine))
    if machine is None or machine.network_gbps is None:
        return ()
    at = f"machines.csv {provider} {machine.name} network_gbps"
    return (of_catalog(machine.network_gbps, at, source=sides.describe_source(machine.source, machine.as_of)),)


def accelerator_name(pool: PoolAt) -> Sentence:
    name = pool.pool.accelerator
    return say(of_lock(name, f"{pool.at}.accelerator")) if name else say("none")


def provider_title(place: LockPlacement, sides: AgreementContext) -> Figure:
    name = place.spec.placement.provider
    known = sides.catalog.providers.get(name)
    if known is None:
        return of_lock(name, f"{place.at}.placement.provider")
    return of_catalog(
        known.title, f"providers.csv {known.name} title", source=sides.describe_source(known.source, None)
    )
