"""Small services of AWS around a cluster: free where a component of ours keeps their use small, else not known here.

Source: the pricing pages of the services, from memory; none was opened again in 2026-11. Parameters of Systems Manager:
aws.amazon.com/systems-manager/pricing (standard ones are free).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from planning.costs.bill import BillGroup
from planning.costs.resources.context import VOLUME_UNKNOWN
from planning.costs.resources.findings import Free
from planning.costs.resources.resource import UnreadableError
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.context import CostingContext
    from planning.costs.resources.findings import Counter, Finding

QUEUE: Final = "one reader that waits 20 seconds a request stays below the first million requests of a month"
TRAIL: Final = "the first copy of management events is not charged; an account with a trail leaves this one out"
ACTION: Final = "the first two budgets with actions of an account are not charged, each later one is 0.10 USD a day"
STANDARD_TIER: Final = "Standard"


def ours(case: CostingContext, *, rule: str) -> Iterator[Finding]:
    """Free by a rule that holds for what our components make of it."""
    if case.owner is None:
        raise UnreadableError(VOLUME_UNKNOWN)
    yield Free(rule)


def trail(case: CostingContext) -> Iterator[Finding]:
    """A trail of management events; data events and insights are paid for."""
    for name in ("eventSelectors", "advancedEventSelectors", "insightSelectors"):
        if case.inputs.at(name).said:
            raise UnreadableError(f"{name} is paid for by use and has no price here")
    yield from ours(case, rule=TRAIL)


def zone(case: CostingContext) -> Iterator[Finding]:
    """A hosted zone of Route 53."""
    yield case.charge(Item.DNS_ZONE, Range.exactly(1), group=BillGroup.NETWORK, own="network/dns_zone")


def certificate(case: CostingContext) -> Iterator[Finding]:
    """A certificate: public ones are not charged."""
    if case.inputs.at("certificateAuthorityArn").said:
        raise UnreadableError("certificateAuthorityArn: certificates of a private authority have no price here")
    yield Free("public certificates are not charged")


def parameter(case: CostingContext) -> Iterator[Finding]:
    tier = case.inputs.at("tier").text(STANDARD_TIER)
    if tier != STANDARD_TIER:
        raise UnreadableError(f"tier {tier!r} has no price here")
    yield Free("standard parameters are not charged")


COUNTERS: Final[dict[str, Counter]] = {
    "aws:sqs/queue:Queue": partial(ours, rule=QUEUE),
    "aws:cloudtrail/trail:Trail": trail,
    "aws:budgets/budgetAction:BudgetAction": partial(ours, rule=ACTION),
    "aws:route53/zone:Zone": zone,
    "aws:acm/certificate:Certificate": certificate,
    "aws:ssm/parameter:Parameter": parameter,
}
