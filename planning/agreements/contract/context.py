"""What the annex is made from: lock, checklist and catalog, and figures of each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from catalogs.offers import known_term
from planning.acceptance.expectations import expected
from planning.agents.measurement_records import CHECKS
from planning.agreements.contract.lock_references import Place
from planning.documents.blocks import Blank, Paragraph
from planning.documents.figures import listed, say
from planning.documents.sources import of_catalog, of_checklist, of_lock, shown, source_text
from planning.spec.lock import to_text

if TYPE_CHECKING:
    from datetime import date

    from catalogs.catalog import Catalog
    from catalogs.model import Term
    from planning.acceptance.expectations import Expected, ExpectedPool
    from planning.agreements.contract.lock_references import PoolAt, TierAt
    from planning.checklist.model.agreement import Agreement
    from planning.checklist.model.checklist import Checklist
    from planning.documents.blocks import Block
    from planning.documents.figures import Figure, Sentence
    from planning.documents.sources import Value
    from planning.spec.lock import Lock


NO: Final = "no"
UNKNOWN: Final = "unknown"
BINDING: Final = frozenset({"reserved", "capacity_block"})
"""Kinds of purchase that bind: what they hold is a matter of each purchase."""


@dataclass(frozen=True, kw_only=True)
class Sides:
    """All three.

    Args:
        changed: whether the checklist asks for something else than when the option was accepted.
    """

    lock: Lock
    checklist: Checklist
    catalog: Catalog
    changed: bool

    @property
    def agreement(self) -> Agreement:
        """What was settled beyond the option."""
        return self.checklist.agreement

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Every cluster of the lock."""
        several = len(self.lock.placements) > 1
        return tuple(
            Place(spec=spec, at=f"placements.{number}", told=several)
            for number, spec in enumerate(self.lock.placements)
        )

    @property
    def pools(self) -> tuple[PoolAt, ...]:
        """Every node pool of every cluster."""
        return tuple(pool for place in self.places for pool in place.pools())

    @property
    def tiers(self) -> tuple[TierAt, ...]:
        """Every storage tier of every cluster."""
        return tuple(tier for place in self.places for tier in place.tiers())

    def together(self, pool: PoolAt) -> bool:
        """Whether nodes of a pool work on one job: those between which the acceptance measures an all-reduce."""
        found = self.expected_pool(pool)
        return found is not None and bool(found.all_reduce)

    @property
    def has_term(self) -> bool:
        """Whether the customer is bound for a time."""
        return self.lock.contract_months > 0 or any(each.pool.kind == "reserved" for each in self.pools)

    @cached_property
    def expected(self) -> Expected:
        """What the acceptance holds the cluster to."""
        return expected(self.lock, self.catalog, self.checklist)

    def expected_pool(self, pool: PoolAt) -> ExpectedPool | None:
        """What a pool is held to; None for one without accelerators."""
        return self.expected.pool(placement=pool.place.spec.placement.name, name=pool.pool.name)

    @cached_property
    def lock_digest(self) -> Figure:
        """Digest of the lock, as it stands in its file."""
        return of_lock(str(json.loads(to_text(self.lock))["digest"]), "digest")

    @property
    def stack(self) -> Figure:
        """The stack's name."""
        return of_lock(self.lock.stack, "stack")

    def term(self, pool: PoolAt) -> Term | None:
        """What the catalog says of a pool's purchase at its provider; None where it explains no such word."""
        provider = pool.place.spec.placement.provider
        return known_term(self.catalog, provider=provider, purchase=pool.pool.purchase)

    def holds(self, pool: PoolAt) -> str:
        """Whether a pool's nodes are held for the customer while they do not run: "yes", "no", "unknown"."""
        if pool.pool.kind not in BINDING:
            return NO
        term = self.term(pool)
        return UNKNOWN if term is None else term.holds

    def agreed(self, field: str) -> Figure | None:
        """A settled figure of the checklist's agreement; None where nobody settled it."""
        value: Value | None = getattr(self.agreement, field)
        return None if value is None else of_checklist(value, f"agreement.{field}")

    def promise(self, name: str, at: int = 0, *, unit: str = "") -> Figure:
        """One value of a promise of promises.csv, with its unit where that stands close: "10%"."""
        promise = self.catalog.promises[name]
        source = self.source(promise.source, promise.as_of)
        value = promise.values[at]
        return of_catalog(value, f"promises.csv {name} value", source=source, text=f"{shown(value)}{unit}")

    def source(self, name: str, as_of: date | None) -> str:
        """What a footnote says of a source: text, page and date."""
        return source_text(self.catalog, name, as_of=as_of)


def measured(sides: Sides, *checks: str) -> Paragraph:
    """How a deliverable is measured; what follows where it falls short is said once, for all.

    Raises:
        KeyError: the acceptance has no such check; a fault of ours.
    """
    titles = {each.id: each.title for each in CHECKS}
    which = listed(say(check, " (", titles[check], ")") for check in checks)
    return Paragraph(say("Measured by atoll accept-test ", sides.stack, ": ", which, "."))


def settled(label: Sentence, figure: Figure | None, *, before: str, after: str) -> Block:
    """A term: the sentence with its figure, or a line to be filled in."""
    return Blank(label) if figure is None else Paragraph(say(before, figure, after))


def counted(figure: Figure, one: str, many: str) -> Sentence:
    """A number and its noun: "1 node", "2 nodes"."""
    return say(figure, " ", one if figure.text == "1" else many)
