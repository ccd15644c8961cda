"""A stack as its program registers it, counted, compared with what was accepted, and judged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from catalogs.providers import find_traits
from planning.ceilings.verdict import judge
from planning.costs.json_shapes import bill_form, range_form
from planning.platform.base_layer_software import list_base_layer_software
from planning.platform.digests import LeftOutForm, SoftwareLock, build_pinned_form
from planning.quoting.candidates.market import Market
from planning.quoting.option import whole_bill
from planning.quoting.quote import usd_per_node_hour
from planning.quoting.quote_form import judgement_form
from planning.values.json_format import SCHEMA_VERSION, fill_form
from planning.values.money import NOTHING, to_cents
from policies.evaluation import PolicyReport, build_finding_forms, evaluate_rules, exemption_forms
from policies.rules.money.spend_limits import bill_of
from policies.settings import PolicySettings
from policies.stack_context import RuleCatalog, StackContext
from policies.table import RULES
from policies.unknown_names import list_unmatched

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date
    from decimal import Decimal

    from catalogs.catalog import Catalog
    from operations.plans.plan_form import BillDifferenceForm, PlanForm, ResourceForm
    from planning.ceilings.verdict import Judgement
    from planning.costs.bill import Bill, LineItem
    from planning.costs.resources.resource import Resource
    from planning.platform.digests import PinnedForm
    from planning.spec.cluster import ClusterSpec
    from planning.spec.lock import Lock
    from planning.values.money import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class BillDifference:
    """One line on which they do not agree; None: the line is missing on that side, or has no price there."""

    key: str
    bill: Range | None
    takeoff: Range | None
    reason: str


def differences(bill: Bill, takeoff: Bill) -> tuple[BillDifference, ...]:
    """Every line whose amounts differ by a cent, or that only one side has; in the order of the bill."""
    ours, theirs = _by_key(bill), _by_key(takeoff)
    keys = dict.fromkeys((*ours, *theirs))
    return tuple(found for key in keys for found in _compare(key, ours.get(key, ()), theirs.get(key, ())))


def _by_key(bill: Bill) -> Mapping[str, tuple[LineItem, ...]]:
    """Lines under the key of their charge: tiers and equal keys of several resources together."""
    found: dict[str, tuple[LineItem, ...]] = {}
    for line in bill.lines:
        key = line.key.partition("#")[0].partition("~")[0]
        found[key] = (*found.get(key, ()), line)
    return found


def _compare(key: str, ours: tuple[LineItem, ...], theirs: tuple[LineItem, ...]) -> Iterator[BillDifference]:
    bill, takeoff = _amount(ours), _amount(theirs)
    reason = _reason(ours, theirs, equal=_cents(bill) == _cents(takeoff))
    if reason:
        yield BillDifference(key=key, bill=bill, takeoff=takeoff, reason=reason)


def _reason(ours: tuple[LineItem, ...], theirs: tuple[LineItem, ...], *, equal: bool) -> str:
    """Why two sides of one key differ; "" where they do not."""
    if not theirs:
        return "no resource is counted for it" if any(_weighs(line) for line in ours) else ""
    if not ours:
        return "the accepted cluster does not have it" if any(_weighs(line) for line in theirs) else ""
    if equal:
        return ""
    unpriced = [line.note for line in theirs if line.usd_per_month is None]
    return unpriced[0] if unpriced else "the amounts differ"


def _weighs(line: LineItem) -> bool:
    """Whether a line is more than a zero: an amount, or something that has no price."""
    return line.usd_per_month is None or line.usd_per_month.max > 0


def _amount(lines: tuple[LineItem, ...]) -> Range | None:
    """What lines of one key cost together; None where there are none or one has no price."""
    amounts = [line.usd_per_month for line in lines]
    known = [amount for amount in amounts if amount is not None]
    # A sum without the line that has no price would look like all of it.
    if not lines or len(known) < len(amounts):
        return None
    return sum(known, start=NOTHING)


def _cents(amount: Range | None) -> tuple[Decimal, Decimal, Decimal] | None:
    if amount is None:
        return None
    return to_cents(amount.min), to_cents(amount.expected), to_cents(amount.max)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What a program would build.

    Args:
        bill: counted from the resources.
        accepted: counted from the lock's spec, at the same prices.
        config: what tells resources where they are.
        software: digests that are known.
        report: policy results.
        unmatched: settings of the rules that match nothing today, a sentence each.
    """

    lock: Lock
    resources: tuple[Resource, ...]
    bill: Bill
    accepted: Bill
    differences: tuple[BillDifference, ...]
    judgement: Judgement
    config: Mapping[str, str]
    software: SoftwareLock = field(default_factory=SoftwareLock)
    report: PolicyReport = field(default_factory=lambda: PolicyReport(stack="", found=()))
    unmatched: tuple[str, ...] = ()


def plan_stack(
    lock: Lock,
    resources: Sequence[Resource],
    *,
    catalog: Catalog,
    today: date,
    law: PolicySettings | None = None,
    software: SoftwareLock | None = None,
    is_whole: bool = True,
    estimated: bool = True,
) -> Planned:
    """Count the resources, compare them with the lock's spec, and judge them by the ceiling and by every rule.

    Args:
        is_whole: False where the program was told to stop short of the cluster's inside: money is then judged as the
            whole cluster that was accepted.
        estimated: whether services without a price are estimated where the rule allows it.
    """
    accepted = whole_bill(lock.placements, Market(catalog, estimated=estimated))
    subject = StackContext(
        lock=lock,
        ceilings=lock.ceiling,
        resources=tuple(resources),
        today=today,
        catalog=cast("RuleCatalog", cast("object", catalog)),
        law=law or PolicySettings(),
        software=software,
        whole=None if is_whole else accepted,
        estimated=estimated,
    )
    counted, region = subject.taken.bill, subject.default_region
    return Planned(
        lock=lock,
        resources=subject.resources,
        bill=counted if is_whole else accepted,
        accepted=accepted,
        differences=tuple(found for found in differences(accepted, counted) if is_whole or found.takeoff is not None),
        judgement=judge(
            bill_of(subject),
            lock.ceiling,
            contract_months=lock.contract_months,
            usd_per_gpu_hour=most_expensive_gpu_hour(lock.placements, accepted),
        ),
        report=evaluate_rules(subject, RULES),
        unmatched=tuple(list_unmatched(subject)),
        config={setting: region}
        if region and (setting := find_traits(lock.spec.placement.target).region_setting)
        else {},
        software=software or SoftwareLock(),
    )


def most_expensive_gpu_hour(placements: Sequence[ClusterSpec], accepted: Bill) -> Decimal | None:
    """USD of one accelerator for an hour in the pool where that is most; None where no such price is known."""
    hours = [
        usd / pool.accelerators
        for spec in placements
        for pool in spec.pools
        if pool.accelerators and (usd := usd_per_node_hour(pool, accepted, placement=spec.placement.name)) is not None
    ]
    return max(hours, default=None)


def plan_form(plan: Planned, *, resources: Sequence[ResourceForm]) -> PlanForm:
    """`atoll plan --json`; `resources` from `operations.offline.plan_json`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "stack": plan.lock.stack,
        "option": plan.lock.option,
        "config": dict(plan.config),
        "resources": list(resources),
        "software": software_forms(plan),
        "not_installed": build_left_out_forms(plan),
        "counts": dict(sorted(Counter(resource.type for resource in plan.resources).items())),
        "bill": bill_form(plan.bill),
        "differences": [_difference_form(each) for each in plan.differences],
        "verdict": judgement_form(plan.judgement),
        "policies": build_finding_forms(plan.report),
        "exemptions": exemption_forms(plan.report),
    }


def software_forms(plan: Planned) -> list[PinnedForm]:
    """Every part of the platform and of what is beneath it, and how far it is pinned."""
    decided = plan.lock.spec.platform
    chosen = (*(decided.parts if decided else ()), *list_base_layer_software(plan.lock.placements))
    return [build_pinned_form(part, plan.software) for part in chosen]


def build_left_out_forms(plan: Planned) -> list[LeftOutForm]:
    """Every part that is not installed, and why."""
    decided = plan.lock.spec.platform
    return [fill_form(LeftOutForm, part) for part in decided.skipped] if decided else []


def _difference_form(each: BillDifference) -> BillDifferenceForm:
    return {
        "key": each.key,
        "bill_usd_per_month": None if each.bill is None else range_form(each.bill),
        "takeoff_usd_per_month": None if each.takeoff is None else range_form(each.takeoff),
        "reason": each.reason,
    }
