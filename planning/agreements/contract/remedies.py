"""Remedies where less is delivered than promised: time to fix, service credits, exclusions, early exit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.agreements.contract.context import render_term
from planning.documents.blocks import Blank, Bullets, Heading, Notice, Paragraph, Table
from planning.documents.figures import compose, derive_figure, format_value, join_sentences, of_checklist, of_lock, say
from planning.platform.alerts.availability import INCLUDED, NO_FABRIC, is_counted_fabric, is_counted_tier
from planning.values.money import HOURS_PER_MONTH

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from planning.agreements.contract.context import AgreementContext
    from planning.documents.blocks import Block
    from planning.documents.figures import Figure, Sentence

CREDIT_HEADS: Final = ("availability of the month", "hours of full outage, more than", "credit")


def describe_deliverables(sides: AgreementContext) -> Iterator[Block]:
    days = sides.quote_term("fix_within_days")
    time = say(days, " days") if days is not None else say("the time agreed below")
    yield Heading(2, say("Deliverables"))
    yield Paragraph.of(
        "The acceptance test measures the figures of each part before handover, and later whenever a party asks for"
        " it. A part that falls below its figures is brought up to them within {} of the report that names it. A"
        " part is not paid for until it has passed for the first time.",
        time,
    )


def shortfall(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(2, say("Remedies"))
    yield render_term("fix_within_days", sides)
    yield Paragraph.of(
        "Before a part has passed the acceptance test, the remedy is that it is not paid for. After that, a month in"
        " which its availability is below the promise earns the credits below, and where the contract has a term, a"
        " lasting fault gives a right to leave early."
    )
    yield from service_credits(sides)
    yield from describe_storage_failures(sides)
    yield from describe_exclusions(sides)
    yield from leaving(sides)


def service_credits(sides: AgreementContext) -> Iterator[Block]:
    steps = list(_steps(sides))
    yield Heading(3, say("Service credits"))
    yield Table.of(
        CREDIT_HEADS,
        [(say("below ", below), say(_hours(below, limit)), say(paid)) for below, paid, limit in steps],
        numbers_from=1,
    )
    yield Paragraph.of(
        "An unavailable node counts as its share of its pool, so the outage of one node earns the same credit after"
        " the hours above times the number of nodes. The hours above are of a month of average length; the actual"
        " length of the month counts."
    )
    yield Paragraph.of(
        "Availability is measured separately for the nodes of each pool, the fabric between them, each shared file"
        " system, the object store in the cluster and the control plane: the share of the month in which what was"
        " paid for could be used. The credit is a share of what that part costs in that month. The largest credit"
        " that applies counts, and each line of the bill is credited once. The command atoll sla {} calculates it"
        " and shows the cost of the unusable nodes for comparison; only the credit is due.",
        sides.stack,
    )
    yield from _not_counted(sides)
    if len(sides.places) > 1:
        away = join_sentences(say(place.name) for place in sides.places[1:])
        yield Paragraph.of("That command does not measure {}: there the provider's own records count.", away)
    if not sides.agreement.credits:
        yield Paragraph.of("No other credits were agreed, so these are the defaults of the catalog.")
    promised, figure = slo(sides)
    if steps and promised > steps[0][2]:
        yield Notice.of(
            "A month between {} and {} misses the promised availability of the control plane and earns no credit by"
            " this table.",
            steps[0][0],
            figure,
        )


def _not_counted(sides: AgreementContext) -> Iterator[Block]:
    """What has no monthly availability: the provider's buckets, and fabrics that nothing in the cluster observes."""
    buckets = [tier.name for tier in sides.tiers if tier.tier.item != INCLUDED and not is_counted_tier(tier.tier)]
    if buckets:
        yield Paragraph.of(
            "Not measured monthly, but covered by the provider's own terms: {} storage.", join_sentences(buckets)
        )
    local = [tier.name for tier in sides.tiers if tier.tier.item == INCLUDED]
    if local:
        yield Paragraph.of(
            "Not measured separately, since it is part of its node and fails with it: {} storage.",
            join_sentences(local),
        )
    blind = [
        each.name
        for each in sides.pools
        if each.pool.fabric not in NO_FABRIC and (each.pool.role == "gpu" and not is_counted_fabric(each.pool.fabric))
    ]
    if blind:
        yield Paragraph.of(
            "Not measured monthly, but by the acceptance test, since nothing in the cluster observes it continuously:"
            " the fabric of {}.",
            join_sentences(blind),
        )


def _steps(sides: AgreementContext) -> Iterator[tuple[Figure, Figure, Decimal]]:
    for at, each in enumerate(sides.agreement.credits):
        where = f"agreement.credits.{at}"
        yield (
            of_checklist(each.below_percent, f"{where}.below_percent", text=f"{format_value(each.below_percent)}%"),
            of_checklist(each.credit_percent, f"{where}.credit_percent", text=f"{format_value(each.credit_percent)}%"),
            each.below_percent,
        )
    if not sides.agreement.credits:
        for at, below in enumerate(sides.catalog.promises["credit_below"].values):
            yield sides.quote_promise("credit_below", at, unit="%"), sides.quote_promise("credit", at, unit="%"), below


def _hours(below: Figure, limit: Decimal) -> Figure:
    hours = (100 - limit) / 100 * HOURS_PER_MONTH
    return derive_figure(hours, "hours of an average month (730) outside the availability", below)


def describe_storage_failures(sides: AgreementContext) -> Iterator[Block]:
    if not sides.tiers:
        return
    yield Heading(3, say("Storage failures"))
    yield Paragraph.of(
        "The provider repairs the storage that it sells. For a tier that is measured, a month below the promised"
        " availability earns the credit above."
    )
    yield Blank.of("Hours until a failed storage tier is usable again")
    yield Blank.of("Interim storage, and who pays for it")


def slo(sides: AgreementContext) -> tuple[Decimal, Figure]:
    """Share of the month that is promised, as a number and as a figure: of the lock, the checklist or the catalog."""
    platform = sides.lock.spec.platform
    if platform is not None and (asked := platform.slo_percent) is not None:
        return asked, of_lock(asked, "placements.0.platform.slo_percent", text=f"{format_value(asked)}%")
    if (asked := sides.checklist.slo_percent) is not None:
        return asked, of_checklist(asked, "slo_percent", text=f"{format_value(asked)}%")
    return sides.catalog.promises["slo_uptime"].value, sides.quote_promise("slo_uptime", unit="%")


def describe_exclusions(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(3, say("Exclusions"))
    notice = sides.quote_term("maintenance_notice_hours")
    yield Bullets(tuple(_list_exclusions(sides, notice)))
    if notice is None:
        yield Blank.of("Hours of notice before maintenance")
    yield Blank.of("Maximum hours of announced maintenance in a month")


def _list_exclusions(sides: AgreementContext, notice: Figure | None) -> Iterator[Sentence]:
    if notice is not None:
        yield compose(
            "Maintenance announced at least {} hours ahead, for the announced duration, up to the maximum below.",
            notice,
        )
    else:
        yield say(
            "Maintenance announced as many hours ahead as the line below says. While that line is blank, maintenance"
            " counts as a failure."
        )
    yield say("Actions of the customer: drained nodes, stopped or overloaded jobs and services.")
    yield say("Force majeure, as the parties' lawyers define it.")
    if any(each.pool.min_nodes < each.pool.max_nodes for each in sides.pools):
        yield say("Nodes of autoscaled pools that were not requested at that time.")
    if any(each.pool.kind == "spot" for each in sides.pools):
        yield say("Spot interruptions.")
    if sides.lock.ceiling.usd_per_month is not None:
        yield say("Work that is held because the monthly ceiling is reached.")


def leaving(sides: AgreementContext) -> Iterator[Block]:
    if not sides.has_term:
        return
    yield Heading(3, say("Early exit"))
    yield render_term("exit_after_days", sides)
    if any(each.pool.kind == "reserved" for each in sides.pools):
        yield Blank.of("Who then pays the remaining commitments that were bought for the term")
