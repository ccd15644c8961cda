"""No accelerator costs more for an hour than the ceiling, whichever pool it is in and however it came there."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.checklist.model.vocabulary import HOME
from planning.costs.bill import BillGroup, placement_of
from planning.spec.lock_content import State
from planning.values.money import round_to
from planning.values.verdict import Verdict
from policies.breach import Breach, Severity
from policies.rule import MONEY, Rule
from policies.rules.money.spend_limits import at_least, lines_of, usd

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalogs.model import Machine
    from planning.costs.bill import LineItem
    from policies.stack_context import StackContext

EXACT: Final = Decimal("1e-9")  # USD: finer than any price list, coarser than what division leaves


@dataclass(frozen=True, slots=True)
class Hour:
    """A line of machines with what an hour of one of their accelerators costs; None where nobody knows."""

    urn: str
    line: LineItem
    usd: Decimal | None
    accelerators: int = 0


def hours(subject: StackContext) -> Iterator[Hour]:
    """Every line of machines that have accelerators, or that may have some."""
    for urn, _, line in lines_of(subject):
        if line.group is not BillGroup.COMPUTE or line.state is State.FREE:
            continue
        machine = _machine(subject, line)
        if machine is None or (machine.accelerators and line.usd_per_unit is None):
            yield Hour(urn, line, None)
        elif machine.accelerators:
            yield Hour(urn, line, _usd_per_hour(line) / machine.accelerators, machine.accelerators)


def _machine(subject: StackContext, line: LineItem) -> Machine | None:
    """The machine of a line: of its cluster's provider, else of whoever sells one of that name."""
    place = placement_of(line.key) or HOME
    providers = [spec.placement.provider for spec in subject.lock.placements if spec.placement.name == place]
    machines = subject.catalog.machines
    here = next((machines[each, line.item] for each in providers if (each, line.item) in machines), None)
    others = (machine for (_, name), machine in machines.items() if name == line.item)
    return here or max(others, key=lambda machine: -machine.accelerators, default=None)


def _usd_per_hour(line: LineItem) -> Decimal:
    """Of one node; of several kinds or purchases that it may be the dearest."""
    unit, month = line.usd_per_unit, line.usd_per_month
    if unit is None or month is None:
        raise ValueError(f"{line.key} has no price")
    return max(unit, round_to(month.max / line.quantity.max, EXACT)) if line.quantity.max > 0 else unit


def _breaches(subject: StackContext) -> Iterator[Breach]:
    limit = subject.ceilings.usd_per_gpu_hour
    if limit is None:
        return
    words = f"the ceiling is {usd(limit)} for an accelerator and hour"
    for each in hours(subject):
        if each.usd is None:
            yield Breach(
                verdict=Verdict.CANNOT_TELL,
                urn=each.urn,
                given=f"nobody knows what an accelerator of {each.line.label} costs: {each.line.note or 'no machine'}",
                limit=words,
                fix="Name the machine in plain words, and give it a price (--price-book FILE) if it has none",
            )
        elif each.usd > limit:
            node = limit * each.accelerators
            yield Breach(
                verdict=Verdict.OVER,
                urn=each.urn,
                given=f"an accelerator of {each.line.item} costs up to {usd(each.usd)} an hour",
                limit=words,
                fix=f"Take a machine or a purchase of at most {usd(node)} an hour for {each.accelerators} accelerators,"
                f" or raise ceiling.usd_per_gpu_hour to at least {at_least(each.usd)}",
            )


RULE = Rule(
    name="gpu-hour-ceiling",
    title="Ceiling of an accelerator's hour",
    demand="No accelerator costs more for an hour than ceiling.usd_per_gpu_hour.",
    why="The same accelerator costs several times as much at one provider or purchase as at another.",
    remedy="Accept an option with a cheaper machine or purchase, or let the owner of the budget raise "
    "ceiling.usd_per_gpu_hour.",
    severity=Severity.HIGH,
    judge=_breaches,
    exit_code=MONEY,
)
