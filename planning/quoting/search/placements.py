"""A checklist that spans places, split: what runs at home, and what runs in a cluster of its own elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from planning.checklist.model.platform import Usage
from planning.checklist.model.vocabulary import HOME, Support
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.checklist.model.checklist import Checklist, Elsewhere
    from planning.quoting.search.least_cost import ClusterPick

LEAST_USD = Decimal("0.01")  # a ceiling is more than nothing


@dataclass(frozen=True, slots=True)
class PlacementShare:
    """One placement's share of a checklist, which is a checklist itself."""

    name: str
    checklist: Checklist


@dataclass(frozen=True, slots=True)
class PlacementPick:
    """One placement's share and the cluster picked for it."""

    part: PlacementShare
    pick: ClusterPick


def parts(checklist: Checklist) -> tuple[PlacementShare, ...]:
    """The share at home, then each share elsewhere in the checklist's order; one share where nothing is elsewhere."""
    away = {name for each in checklist.where.elsewhere for name in each.workloads}
    if not away:
        return (PlacementShare(HOME, checklist),)
    staying = tuple(each for each in checklist.workloads if each.name not in away)
    where = checklist.where.model_copy(update={"elsewhere": ()})
    home = checklist.model_copy(update={"workloads": staying, "where": where})
    return (
        PlacementShare(HOME, home),
        *(PlacementShare(each.name, _away(each, checklist)) for each in checklist.where.elsewhere),
    )


def _away(each: Elsewhere, checklist: Checklist) -> Checklist:
    """People, their main cloud and their services are counted at home; storage and traffic where they are asked for."""
    where = checklist.where.model_copy(
        update={
            "wanted": each.wanted,
            "regions": each.regions,
            "existing": each.existing,
            "cidr": each.cidr,
            "elsewhere": (),
            "domain": None,
        }
    )
    return checklist.model_copy(
        update={
            "workloads": tuple(work for work in checklist.workloads if work.name in each.workloads),
            "where": where,
            "engineers": None,
            "main_cloud": None,
            "storage": each.storage,
            "traffic": each.traffic,
            "usage": Usage(),
            "support": Support.NONE,
            "support_usd_per_month": None,
            "contract": checklist.contract.model_copy(update={"onboarding_usd": ZERO}),
        }
    )


def limit_ceiling(part: PlacementShare, *, others_usd: Sequence[Decimal]) -> PlacementShare:
    """The share with what its ceiling leaves once the others cost at least `others_usd` a month."""
    ceiling = part.checklist.ceiling
    if ceiling.usd_per_month is None or not others_usd:
        return part
    left = max(ceiling.usd_per_month - sum(others_usd, ZERO), LEAST_USD)
    tight = ceiling.model_copy(update={"usd_per_month": left, "usd_per_contract": None})
    return PlacementShare(part.name, part.checklist.model_copy(update={"ceiling": tight}))
