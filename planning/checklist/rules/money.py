"""Rules about the contract, the ceiling and the volumes that are paid for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.checklist.model.platform import Requests, Volume
from planning.checklist.rules.rule_violation import RuleViolation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist


_WRITE_MONTHS: Final = "write months: 12, 24 or 36"
# What only a contract gives a meaning: the field, what is said of it, what to do.
_NEEDS_TERM: Final = (
    ("contract", "reserve", "all machines are to be reserved, but there is no contract", _WRITE_MONTHS),
    ("contract", "incentives", "incentives are given for a contract, and there is none", _WRITE_MONTHS),
    (
        "ceiling",
        "usd_per_contract",
        "a ceiling for the whole contract, but there is no contract",
        "use usd_per_month, or write contract.months: 12, 24 or 36",
    ),
    (
        "agreement",
        "exit_after_days",
        "there is no term to leave early",
        'write contract.months, or delete "exit_after_days"',
    ),
)


def commitments_have_a_term(checklist: Checklist) -> Iterator[RuleViolation]:
    """Reserving all machines, incentives, a ceiling of the contract and leaving early need the months of one."""
    wanted = {
        "reserve": checklist.contract.reserve == "all",
        "incentives": checklist.contract.incentives,
        "usd_per_contract": checklist.ceiling.usd_per_contract is not None,
        "exit_after_days": checklist.agreement.exit_after_days is not None,
    }
    for section, field, message, hint in _NEEDS_TERM if checklist.contract.months == 0 else ():
        if wanted[field]:
            yield RuleViolation((section, field), message, hint)


def ceilings_agree(checklist: Checklist) -> Iterator[RuleViolation]:
    """A contract's ceiling under one month's is a slip of the pen."""
    ceiling = checklist.ceiling
    if ceiling.usd_per_contract is None or ceiling.usd_per_month is None or checklist.contract.months == 0:
        return
    if ceiling.usd_per_contract < ceiling.usd_per_month:
        message = f"{checklist.contract.months} months may cost less ({ceiling.usd_per_contract} USD) than one month"
        yield RuleViolation(("ceiling", "usd_per_contract"), message, "the contract's ceiling holds all its months")


def busy_month_is_busier(checklist: Checklist) -> Iterator[RuleViolation]:
    """The most is not below the usual."""
    traffic = checklist.traffic
    if traffic.egress_per_month_max is not None and traffic.egress_per_month_max < traffic.egress_per_month:
        message = f"a busy month's egress is below the usual {traffic.egress_per_month.normalize():f} GB"
        yield RuleViolation(("traffic", "egress_per_month_max"), message, "write the larger of the two here")


def burst_is_faster(checklist: Checklist) -> Iterator[RuleViolation]:
    """The peak is not below what holds for hours."""
    traffic = checklist.traffic
    if traffic.burst is not None and traffic.sustained is not None and traffic.burst < traffic.sustained:
        message = f"the burst is below the sustained {traffic.sustained.normalize():f} Gbps"
        yield RuleViolation(("traffic", "burst"), message, "write the larger of the two here")


OF_COLD: Final = ("growth", "writes", "reads")


def usage_rises(checklist: Checklist) -> Iterator[RuleViolation]:
    """A busy month is not below a usual one, nor that below a quiet one."""
    for name in type(checklist.usage).model_fields:
        spread: object = getattr(checklist.usage, name)
        if isinstance(spread, Volume | Requests) and not spread.low <= spread.expected <= spread.high:
            message = f"usage.{name} does not rise from low over expected to high"
            yield RuleViolation(("usage", name), message, "order the three")


def usage_has_its_place(checklist: Checklist) -> Iterator[RuleViolation]:
    """What is used of something needs the thing."""
    usage = checklist.usage
    for name in OF_COLD:
        if getattr(usage, name) is not None and checklist.storage.cold is None:
            message = f"usage.{name} is about the cold tier, and there is none"
            yield RuleViolation(("usage", name), message, "ask for storage.cold, or leave this out")
    if usage.peering is not None and (checklist.main_cloud is None or checklist.main_cloud.vpc_id is None):
        message = "usage.peering is about a peering, and there is none"
        yield RuleViolation(("usage", "peering"), message, "name main_cloud.vpc_id, or leave this out")


def usage_said_once(checklist: Checklist) -> Iterator[RuleViolation]:
    """A busy month's egress stands in one place."""
    if checklist.usage.egress is not None and checklist.traffic.egress_per_month_max is not None:
        message = "the egress of a busy month stands here and in usage.egress"
        yield RuleViolation(("traffic", "egress_per_month_max"), message, "keep usage.egress")
