"""What is paid by use, from the checklist: ranges where it gives them, else its single figures."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.money import ZERO, Range
from planning.spec import Amounts
from planning.tiers import OBJECT_ITEMS

if TYPE_CHECKING:
    from planning.checklist.model import Checklist
    from planning.spec import Tier

MONTHS_WITHOUT_CONTRACT: Final = 12


def egress(checklist: Checklist) -> Range:
    """GB to the internet in a month."""
    if checklist.usage.egress is not None:
        return checklist.usage.egress.as_range()
    traffic = checklist.traffic
    usual = traffic.egress_per_month
    return Range(usual, usual, traffic.egress_per_month_max or usual)


def ingress(checklist: Checklist) -> Range:
    """GB from the internet in a month."""
    asked = checklist.usage.ingress
    return Range.exactly(checklist.traffic.ingress_per_month) if asked is None else asked.as_range()


def peering(checklist: Checklist) -> Range:
    """GB over the peering in a month."""
    asked, main = checklist.usage.peering, checklist.main_cloud
    if asked is not None:
        return asked.as_range()
    return Range.exactly((main.peering_per_month if main else None) or ZERO)


def logs(checklist: Checklist) -> Range:
    """GB of logs taken in."""
    asked = checklist.usage.logs
    return Range.exactly(checklist.traffic.logs_per_month) if asked is None else asked.as_range()


def used(tier: Tier, checklist: Checklist) -> Tier:
    """A tier with its growth and its requests; only the cold one has any, and only objects are asked for by request."""
    if tier.tier != "cold":
        return tier
    asked = checklist.usage
    requests = {"writes_thousands": asked.writes, "reads_thousands": asked.reads} if tier.item in OBJECT_ITEMS else {}
    counted = {name: Amounts.of(each.thousands()) for name, each in requests.items() if each is not None}
    return tier.model_copy(update={"grown_gb": growth(checklist), **counted})


def growth(checklist: Checklist) -> Amounts | None:
    """GB by which the cold tier lies above its first month: none, the average of the contract, and its last month."""
    asked = checklist.usage.growth
    if asked is None:
        return None
    later = Decimal((checklist.contract.months or MONTHS_WITHOUT_CONTRACT) - 1)
    return Amounts(min=ZERO, expected=asked.expected * later / 2, max=asked.high * later)
