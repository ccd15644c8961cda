"""Rules about the contract, the ceiling and the volumes that are paid for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.checklist.rules.rule_violation import Broken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist


def reserve_has_a_term(checklist: Checklist) -> Iterator[Broken]:
    """Machines are reserved for the months of a contract."""
    if checklist.contract.reserve == "all" and checklist.contract.months == 0:
        message = "all machines are to be reserved, but there is no contract"
        yield Broken(("contract", "reserve"), message, "write months: 12, 24 or 36")


def incentives_have_a_term(checklist: Checklist) -> Iterator[Broken]:
    """Incentives are what a provider gives for a commitment."""
    if checklist.contract.incentives and checklist.contract.months == 0:
        message = "incentives are given for a contract, and there is none"
        yield Broken(("contract", "incentives"), message, "write months: 12, 24 or 36")


def contract_ceiling_has_a_term(checklist: Checklist) -> Iterator[Broken]:
    """A ceiling for the contract needs its months."""
    if checklist.ceiling.usd_per_contract is not None and checklist.contract.months == 0:
        message = "a ceiling for the whole contract, but there is no contract"
        yield Broken(
            ("ceiling", "usd_per_contract"), message, "use usd_per_month, or write contract.months: 12, 24 or 36"
        )


def ceilings_agree(checklist: Checklist) -> Iterator[Broken]:
    """A contract's ceiling under one month's is a slip of the pen."""
    ceiling = checklist.ceiling
    if ceiling.usd_per_contract is None or ceiling.usd_per_month is None or checklist.contract.months == 0:
        return
    if ceiling.usd_per_contract < ceiling.usd_per_month:
        message = f"{checklist.contract.months} months may cost less ({ceiling.usd_per_contract} USD) than one month"
        yield Broken(("ceiling", "usd_per_contract"), message, "the contract's ceiling holds all its months")


def busy_month_is_busier(checklist: Checklist) -> Iterator[Broken]:
    """The most is not below the usual."""
    traffic = checklist.traffic
    if traffic.egress_per_month_max is not None and traffic.egress_per_month_max < traffic.egress_per_month:
        message = f"a busy month's egress is below the usual {traffic.egress_per_month.normalize():f} GB"
        yield Broken(("traffic", "egress_per_month_max"), message, "write the larger of the two here")


def burst_is_faster(checklist: Checklist) -> Iterator[Broken]:
    """The peak is not below what holds for hours."""
    traffic = checklist.traffic
    if traffic.burst is not None and traffic.sustained is not None and traffic.burst < traffic.sustained:
        message = f"the burst is below the sustained {traffic.sustained.normalize():f} Gbps"
        yield Broken(("traffic", "burst"), message, "write the larger of the two here")
