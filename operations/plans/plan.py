"""A stack as its program registers it, counted, compared with what was accepted, and judged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast

from operations.plans.price_book import as_book
from operations.plans.reconciliation import Difference, differences
from planning.ceilings.verdict import judge
from planning.costs.resources.stack_cost import take_off
from planning.platform.base_layer_software import beneath
from planning.platform.digests import SoftwareLock
from planning.platform.software_form import left_out_form, pinned_form
from planning.quoting.candidates.market import Market
from planning.quoting.option import whole_bill
from planning.quoting.quote_form import bill_form, judgement_form, range_form, usd_per_node_hour
from planning.values.json_format import SCHEMA_VERSION
from policies.evaluation import Report, judged
from policies.forms import exemption_forms, found_forms
from policies.rules.money.spend_limits import bill_of
from policies.settings import Law
from policies.stack_context import Subject
from policies.table import RULES
from policies.unknown_names import list_unmatched

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date
    from decimal import Decimal

    from catalogs.catalog import Catalog
    from operations.plans.plan_form import DifferenceForm, PlanForm, ResourceForm
    from planning.ceilings.verdict import Judgement
    from planning.costs.bill import Bill
    from planning.costs.resources.resource import Resource
    from planning.platform.software_shapes import LeftOutForm, PinnedForm
    from planning.spec.cluster import ClusterSpec
    from planning.spec.lock import Lock
    from policies.stack_context import Facts

CLOUD_TARGETS: Final = ("aws", "gcp")  # whose resources may leave their region to the provider


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What a program would build.

    Args:
        bill: counted from the resources.
        accepted: counted from the lock's spec, at the same prices.
        config: what tells resources where they are.
        software: digests that are known.
        report: what the rules say.
        unmatched: settings of the rules that match nothing today, a sentence each.
    """

    lock: Lock
    resources: tuple[Resource, ...]
    bill: Bill
    accepted: Bill
    differences: tuple[Difference, ...]
    judgement: Judgement
    config: Mapping[str, str]
    software: SoftwareLock = field(default_factory=SoftwareLock)
    report: Report = field(default_factory=lambda: Report(stack="", found=()))
    unmatched: tuple[str, ...] = ()


def planned(
    lock: Lock,
    resources: Sequence[Resource],
    *,
    catalog: Catalog,
    today: date,
    law: Law | None = None,
    software: SoftwareLock | None = None,
    is_whole: bool = True,
) -> Planned:
    """Count the resources, compare them with the lock's spec, and judge them by the ceiling and by every rule.

    Args:
        is_whole: False where the program was told to stop short of the cluster's inside: money is then judged as the
            whole cluster that was accepted.
    """
    spec = lock.spec
    region = spec.placement.region if spec.placement.target in CLOUD_TARGETS else None
    counted = take_off(resources, catalog=as_book(catalog), default_region=region).bill
    accepted = whole_bill(lock.placements, Market(catalog))
    found = differences(accepted, counted)
    bill = counted if is_whole else accepted
    subject = Subject(
        lock=lock,
        ceilings=lock.ceiling,
        resources=tuple(resources),
        today=today,
        catalog=cast("Facts", cast("object", catalog)),
        law=law or Law(),
        software=software,
        whole=None if is_whole else accepted,
    )
    return Planned(
        lock=lock,
        resources=tuple(resources),
        bill=bill,
        accepted=accepted,
        differences=found if is_whole else tuple(each for each in found if each.takeoff is not None),
        judgement=judge(
            bill_of(subject),
            lock.ceiling,
            contract_months=lock.contract_months,
            usd_per_gpu_hour=dearest_gpu_hour(lock.placements, accepted),
        ),
        report=judged(subject, RULES),
        unmatched=tuple(list_unmatched(subject)),
        config={"aws:region": region} if spec.placement.target == "aws" and region else {},
        software=software or SoftwareLock(),
    )


def dearest_gpu_hour(placements: Sequence[ClusterSpec], accepted: Bill) -> Decimal | None:
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
        "not_installed": left_out_forms(plan),
        "counts": dict(sorted(Counter(resource.type for resource in plan.resources).items())),
        "bill": bill_form(plan.bill),
        "differences": [_difference_form(each) for each in plan.differences],
        "verdict": judgement_form(plan.judgement),
        "policies": found_forms(plan.report),
        "exemptions": exemption_forms(plan.report),
    }


def software_forms(plan: Planned) -> list[PinnedForm]:
    """Every part of the platform and of what is beneath it, and how far it is pinned."""
    decided = plan.lock.spec.platform
    chosen = (*(decided.parts if decided else ()), *beneath(plan.lock.placements))
    return [pinned_form(part, plan.software) for part in chosen]


def left_out_forms(plan: Planned) -> list[LeftOutForm]:
    """Every part that is not installed, and why."""
    decided = plan.lock.spec.platform
    return [left_out_form(part) for part in decided.skipped] if decided else []


def _difference_form(each: Difference) -> DifferenceForm:
    return {
        "key": each.key,
        "bill_usd_per_month": None if each.bill is None else range_form(each.bill),
        "takeoff_usd_per_month": None if each.takeoff is None else range_form(each.takeoff),
        "reason": each.reason,
    }
