"""Compares an exported state with its lock, today's prices and the policies; no value of the state is passed on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from operations.plans.plan import plan_form, plan_stack
from planning.costs.json_shapes import line_form
from planning.costs.resources.resource import OWN_PREFIX
from planning.diff.bill_lines import amount_of, delta_of, has_change, read_expected
from planning.spec.lock import read_lock
from planning.spec.lock_content import State
from planning.values.errors import (
    AtollError,
    InputError,
    OverCeilingError,
    StalePricesError,
    UndeterminedError,
    in_one_line,
)
from planning.values.json_format import decimal_text
from planning.values.money import ZERO, to_cents
from planning.values.verdict import Verdict
from policies.evaluation import build_finding_forms, exemption_forms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import date
    from decimal import Decimal
    from pathlib import Path

    from catalogs.catalog import Catalog
    from operations.plans.plan import Planned
    from operations.plans.plan_form import MovedPriceForm, WatchedForm, WatchForm
    from planning.costs.bill import Bill, LineItem
    from planning.costs.json_shapes import RangeForm
    from planning.costs.resources.formats.values import Preview
    from planning.costs.resources.resource import Resource
    from planning.diff.form import AmountForm, JudgedForm
    from planning.spec.lock import Lock, LockedLine
    from policies.settings import PolicySettings

SCHEMA_VERSION: Final = 1
ROOT_TYPE: Final = "pulumi:pulumi:Stack"
FAILED: Final = AtollError.exit_code
WORST_FIRST: Final = (OverCeilingError.exit_code, FAILED, StalePricesError.exit_code, UndeterminedError.exit_code)


def check_stack(
    stack: str,
    *,
    lock: Path,
    state: Callable[[], Preview],
    catalog: Catalog,
    law: PolicySettings,
    today: date,
    is_whole: bool,
    estimated: bool,
) -> tuple[WatchedForm, int]:
    """One stack, and the exit code that it leads to."""
    try:
        found = state()
        # A state of another stack would be judged by this one's lock, and look wrong in every line.
        if found.stack and found.stack != stack:
            raise InputError(f"the state is of stack {found.stack!r}, not of {stack!r}")
        resources = tuple(_as_registered(found.new))
        # An empty state would be within every limit.
        if not resources:
            raise InputError("the state holds no resource: nothing runs, so there is nothing to judge")
        plan = plan_stack(
            read_lock(lock, stack=stack),
            resources,
            catalog=catalog,
            today=today,
            law=law,
            is_whole=is_whole,
            estimated=estimated,
        )
        plan, blind = _without_blind(plan)
    except AtollError as error:
        # One stack of which nothing is known hides no other.
        return _build_failure(stack, in_one_line(error)), FAILED
    code = plan.report.exit_code or (FAILED if plan.differences else 0)
    return _form(stack, plan, code=code, notes=(*found.notes, *plan.report.notes, *blind)), code


def watch_form(stacks: Sequence[tuple[WatchedForm, int]], *, catalog: Catalog, prices: str, today: date) -> WatchForm:
    """Everything that was looked at, what fails or stops first."""
    codes = {code for _, code in stacks}
    order = (*WORST_FIRST, 0)
    newest = catalog.prices.newest
    return {
        "schema_version": SCHEMA_VERSION,
        "day": today.isoformat(),
        "prices": prices,
        "prices_as_of": newest.isoformat() if newest else None,
        "stacks": [form for form, _ in sorted(stacks, key=lambda each: (order.index(each[1]), each[0]["stack"]))],
        "exit_code": next((code for code in WORST_FIRST if code in codes), 0),
    }


def _as_registered(resources: Sequence[Resource]) -> Iterator[Resource]:
    """What the program registers: the stack itself is no resource of its own."""
    # The engine writes the stack itself into the state; a program registers no such resource.
    roots = {each.urn for each in resources if each.type == ROOT_TYPE}
    for each in resources:
        if each.type != ROOT_TYPE:
            yield replace(each, parent=None) if each.parent in roots else each


def _without_blind(plan: Planned) -> tuple[Planned, tuple[str, ...]]:
    """The plan without undetermined findings on remote components, and a note for each policy instead.

    A state does not hold the inputs of such components, only their children: `operations.offline` and the policy pack
    see the inputs.
    """
    unseen = {
        each.urn for each in plan.resources if not (each.custom or each.inputs or each.type.startswith(OWN_PREFIX))
    }
    found = plan.report.found
    blind = [each for each in found if each.breach.verdict is Verdict.UNDETERMINED and each.breach.urn in unseen]
    names: dict[str, list[str]] = {}
    for each in blind:
        names.setdefault(each.rule.title, []).append(each.breach.resource)
    report = replace(plan.report, found=tuple(each for each in found if each not in blind))
    return replace(plan, report=report), tuple(
        f"{title} not judged for {', '.join(sorted(those))}: a state does not hold their inputs; "
        f"atoll plan {plan.lock.stack} judges it"
        for title, those in names.items()
    )


def _build_failure(stack: str, failure: str) -> WatchedForm:
    return {
        "stack": stack,
        "failure": failure,
        "accepted_on": "",
        "accepted": None,
        "repriced": None,
        "running": None,
        "by_prices": None,
        "by_resources": None,
        "moved_prices": [],
        "differences": [],
        "verdict": None,
        "breaches": [],
        "exemptions": [],
        "notes": [],
    }


def _form(stack: str, plan: Planned, *, code: int, notes: Sequence[str]) -> WatchedForm:
    accepted, repriced, running = _sum_accepted(plan.lock), _amount(plan.accepted), _amount(plan.bill)
    return {
        "stack": stack,
        "failure": "",
        "accepted_on": plan.lock.priced_at.isoformat(),
        "accepted": accepted,
        "repriced": repriced,
        "running": running,
        "by_prices": delta_of(accepted, repriced),
        "by_resources": delta_of(repriced, running),
        "moved_prices": sorted(_list_moved_prices(plan), key=lambda each: -abs(read_expected(each["delta"]))),
        "differences": plan_form(plan, resources=())["differences"],
        "verdict": _verdict(plan, code),
        "breaches": build_finding_forms(plan.report),
        "exemptions": exemption_forms(plan.report),
        "notes": list(notes),
    }


def _verdict(plan: Planned, code: int) -> JudgedForm:
    """What decides it: the first breach that stops, else the ceiling's own sentence."""
    stopping = plan.report.stopping
    reason = stopping[0].sentence if stopping else plan.judgement.reason
    return {"verdict": plan.report.verdict.value, "reason": reason, "exit_code": code}


def _amount(bill: Bill) -> AmountForm:
    return amount_of(map(line_form, bill.lines))


def _sum_accepted(lock: Lock) -> AmountForm:
    return _of_locked(lock.bill)


def _list_moved_prices(plan: Planned) -> Iterator[MovedPriceForm]:
    """Lines of the accepted bill that cost something else today; lines of equal key together."""
    then: dict[str, list[LockedLine]] = {}
    today: dict[str, list[LineItem]] = {}
    for line in plan.lock.bill:
        then.setdefault(_charge(line.key), []).append(line)
    for line in plan.accepted.lines:
        today.setdefault(_charge(line.key), []).append(line)
    for key, lines in then.items():
        now = today.get(key, [])
        old, new = _of_locked(lines), amount_of(map(line_form, now))
        delta = delta_of(old, new)
        if now and (has_change(delta) or old["unpriced"] != new["unpriced"]):
            yield {
                "key": key,
                "label": lines[0].label,
                "usd_per_unit": [_unit_price(lines), _unit_price(now)],
                "unit": lines[0].unit,
                "delta": delta,
            }


def _charge(key: str) -> str:
    """The key of a line without the number of its tier."""
    return key.partition("#")[0].partition("~")[0]


def _of_locked(lines: Sequence[LockedLine]) -> AmountForm:
    known = [line.usd_per_month for line in lines if line.usd_per_month is not None]
    low, expected, high = (str(to_cents(sum((each[at] for each in known), start=ZERO))) for at in range(3))
    readings: RangeForm = {"min": low, "expected": expected, "max": high}
    estimated = sum(line.state == State.ESTIMATED for line in lines)
    return {"usd_per_month": readings, "unpriced": len(lines) - len(known), "estimated": estimated}


def _unit_price(lines: Sequence[LockedLine] | Sequence[LineItem]) -> str:
    """The unit price where there is one line, "" where tiers have several."""
    price: Decimal | None = lines[0].usd_per_unit if len(lines) == 1 else None
    return "" if price is None else decimal_text(price)
