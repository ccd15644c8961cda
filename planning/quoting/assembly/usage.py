"""What is paid by use, from the checklist: ranges where it gives them, else its single figures."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from catalogs.providers import find_traits
from planning.costs.charges import OBJECT_ITEMS
from planning.spec.cluster import Amounts
from planning.values.money import HOURS_PER_MONTH, NOTHING, ZERO, Range

if TYPE_CHECKING:
    from planning.checklist.model.checklist import Checklist
    from planning.spec.cluster import Tier

MONTHS_WITHOUT_CONTRACT: Final = 12
PART_MB: Final = 8  # of one request: the AWS CLI's multipart_chunksize, and boto3's
DAYS: Final = HOURS_PER_MONTH / 24


def egress(checklist: Checklist) -> Range:
    if checklist.usage.egress is not None:
        return checklist.usage.egress.as_range()
    traffic = checklist.traffic
    usual = traffic.egress_per_month
    return Range(usual, usual, traffic.egress_per_month_max or usual)


def is_service(checklist: Checklist) -> bool:
    return any(workload.kind == "inference" for workload in checklist.workloads)


def estimate_answer_traffic(checklist: Checklist) -> Range:
    """GB that leave through the load balancer: where a service answers, data to the internet are its answers."""
    return egress(checklist) if is_service(checklist) else NOTHING


def through_nat(checklist: Checklist) -> Range:
    """GB through the NAT gateway: what comes in, and what jobs send out.

    Answers leave through the load balancer. Beside a service jobs may send everything, which only the busiest month
    counts; without one they send all of it.
    """
    found, out = ingress(checklist), egress(checklist)
    if not is_service(checklist):
        return found + out
    alone = all(workload.kind == "inference" for workload in checklist.workloads)
    return found if alone else Range(found.min, found.expected, found.max + out.max)


def between_zones(checklist: Checklist, *, provider: str, zones: int, nat_gateways: int) -> Range | None:
    """GB paid for crossing zones; None where that costs nothing.

    Logs to their store, answers from the balancer to a replica, and what goes to a NAT gateway in another zone: none
    of it crosses in a quiet month, evenly spread zones are expected, and everything crosses at most.
    """
    traits = find_traits(provider)
    paid = traits.zone_crossings_paid
    if not paid or zones < 2:  # noqa: PLR2004 - one zone has no other
        return None
    inside = logs(checklist) + estimate_answer_traffic(checklist)
    if traits.nat_scope == "zone" and nat_gateways < zones:
        inside += through_nat(checklist)
    return Range(ZERO, inside.expected * paid * (zones - 1) / zones, inside.max * paid)


def ingress(checklist: Checklist) -> Range:
    asked = checklist.usage.ingress
    return Range.exactly(checklist.traffic.ingress_per_month) if asked is None else asked.as_range()


def peering(checklist: Checklist) -> Range:
    asked, main = checklist.usage.peering, checklist.main_cloud
    if asked is not None:
        return asked.as_range()
    return Range.exactly((main.peering_per_month if main else None) or ZERO)


def logs(checklist: Checklist) -> Range:
    asked = checklist.usage.logs
    return Range.exactly(checklist.traffic.logs_per_month) if asked is None else asked.as_range()


def with_usage(tier: Tier, checklist: Checklist, *, provider: str = "") -> Tier:
    """A tier with its growth and its requests; only the cold one has any, and only objects are asked for by request."""
    if tier.tier != "cold":
        return tier
    asked = checklist.usage
    foreseen = _requests(tier, checklist) if find_traits(provider).paid_requests else {}
    named = {"writes_thousands": asked.writes, "reads_thousands": asked.reads} if tier.item in OBJECT_ITEMS else {}
    counted = {name: Amounts.of(each.thousands()) for name, each in named.items() if each is not None}
    return tier.model_copy(update={"grown_gb": growth(checklist), **foreseen, **counted})


def _requests(tier: Tier, checklist: Checklist) -> dict[str, Amounts]:
    """Thousands of requests that the data set makes where the checklist states none; nothing for any other tier.

    It is written once in the contract. It is read once a month where a faster tier holds it for the jobs, else as
    often as they pass over it; each file is a request, of a large one each part.
    """
    data = checklist.dataset
    if data is None or tier.item not in OBJECT_ITEMS or tier.purpose != "data":
        return {}
    thousands = max(data.file_count or ZERO, data.size * 1000 / PART_MB) / 1000
    months = checklist.contract.months or MONTHS_WITHOUT_CONTRACT
    most = thousands * max(data.passes_per_day * DAYS, Decimal(1))
    staged = checklist.storage.hot is not None or checklist.storage.warm is not None
    return {
        "writes_thousands": Amounts(min=ZERO, expected=thousands / months, max=thousands),
        "reads_thousands": Amounts(min=ZERO, expected=thousands if staged else most, max=most),
    }


def growth(checklist: Checklist) -> Amounts | None:
    """GB by which the cold tier lies above its first month: none, the average of the contract, and its last month."""
    asked = checklist.usage.growth
    if asked is None:
        return None
    later = Decimal((checklist.contract.months or MONTHS_WITHOUT_CONTRACT) - 1)
    return Amounts(min=ZERO, expected=asked.expected * later / 2, max=asked.high * later)
