"""What follows when less is delivered than was promised: time to fix, credits, what does not count, the way out."""

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

CREDIT_HEADS: Final = ("attainment of the month", "hours for which all of a part is away, more than", "paid back")


def describe_deliverables(sides: AgreementContext) -> Iterator[Block]:
    days = sides.agreed("fix_within_days")
    time = say(days, " days") if days is not None else say("the time that is settled below")
    yield Heading(2, say("What is delivered"))
    yield Paragraph.of(
        "Each part is figures that the acceptance measures before the cluster is handed over, and whenever a"
        " party asks for it later. A part that it finds below its figures is brought to them within {},"
        " counted from the report that names it. Until a part has passed for the first time it is not paid for.",
        time,
    )


def shortfall(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(2, say("When it falls short"))
    yield render_term("fix_within_days", sides)
    yield Paragraph.of(
        "Before a part has passed the acceptance, the remedy is that it is not paid for; from then on, a month in"
        " which it could not be used as promised owes the credits below, and a fault that stays opens the way out"
        " where there is a term."
    )
    yield from credits_owed(sides)
    yield from describe_storage_failures(sides)
    yield from describe_exclusions(sides)
    yield from leaving(sides)


def credits_owed(sides: AgreementContext) -> Iterator[Block]:
    steps = list(_steps(sides))
    yield Heading(3, say("Credits"))
    yield Table.of(
        CREDIT_HEADS,
        [(say("below ", below), say(_hours(below, limit)), say(paid)) for below, paid, limit in steps],
        numbers_from=1,
    )
    yield Paragraph.of(
        "A node that is away counts as its share of its pool: the same credit then takes as many times the hours as"
        " there are nodes. The hours are of the month that price lists count with; what counts is the length that"
        " the month has."
    )
    yield Paragraph.of(
        "The nodes of each pool, the fabric between them, each shared file system, the object store in the"
        " cluster and the control plane are counted for themselves, where there is one: the share of the month"
        " in which what was paid for could be used. The credit is a share of what that part costs in that"
        " month; the greatest that holds counts, and each line of the bill is credited once. The command atoll"
        " sla {} reckons it, and shows beside it what the nodes that could not be used had cost; owed is the"
        " credit.",
        sides.stack,
    )
    yield from _not_counted(sides)
    if len(sides.places) > 1:
        away = join_sentences(say(place.name) for place in sides.places[1:])
        yield Paragraph.of("At {} that command measures nothing: there the provider's own records count.", away)
    if not sides.agreement.credits:
        yield Paragraph.of("Nobody has settled other credits, so these are those of the catalog.")
    promised, figure = slo(sides)
    if steps and promised > steps[0][2]:
        yield Notice.of(
            "A month between {} and {} breaks what was promised of the control plane and owes nothing, as the"
            " table stands.",
            steps[0][0],
            figure,
        )


def _not_counted(sides: AgreementContext) -> Iterator[Block]:
    """What no month is reckoned of: provider's buckets, and fabrics that nothing in the cluster sees."""
    buckets = [tier.name for tier in sides.tiers if tier.tier.item != INCLUDED and not is_counted_tier(tier.tier)]
    if buckets:
        yield Paragraph.of(
            "Not counted by the month, but held to the provider's own terms: {} storage.", join_sentences(buckets)
        )
    local = [tier.name for tier in sides.tiers if tier.tier.item == INCLUDED]
    if local:
        yield Paragraph.of(
            "Not counted for itself, since it is part of its node and fails with it: {} storage.", join_sentences(local)
        )
    blind = [
        each.name
        for each in sides.pools
        if each.pool.fabric not in NO_FABRIC and (each.pool.role == "gpu" and not is_counted_fabric(each.pool.fabric))
    ]
    if blind:
        yield Paragraph.of(
            "Not counted by the month, but held to the acceptance, since nothing in the cluster sees whether"
            " it works: the fabric of {}.",
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
            yield sides.promise("credit_below", at, unit="%"), sides.promise("credit", at, unit="%"), below


def _hours(below: Figure, limit: Decimal) -> Figure:
    hours = (100 - limit) / 100 * HOURS_PER_MONTH
    return derive_figure(hours, "what is left to a hundred percent, of the month of all price lists: 730 hours", below)


def describe_storage_failures(sides: AgreementContext) -> Iterator[Block]:
    if not sides.tiers:
        return
    yield Heading(3, say("Storage that fails"))
    yield Paragraph.of(
        "The provider mends what it sells as storage. Of a tier that is counted, a month in which it could not be"
        " used owes the credit above."
    )
    yield Blank.of("Hours in which a storage tier that failed can be used again")
    yield Blank.of("What people work on until then, and who pays for it")


def slo(sides: AgreementContext) -> tuple[Decimal, Figure]:
    """Share of the month that is promised, as a number and as a figure: of the lock, the checklist or the catalog."""
    platform = sides.lock.spec.platform
    if platform is not None and (asked := platform.slo_percent) is not None:
        return asked, of_lock(asked, "placements.0.platform.slo_percent", text=f"{format_value(asked)}%")
    if (asked := sides.checklist.slo_percent) is not None:
        return asked, of_checklist(asked, "slo_percent", text=f"{format_value(asked)}%")
    return sides.catalog.promises["slo_uptime"].value, sides.promise("slo_uptime", unit="%")


def describe_exclusions(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(3, say("What does not count"))
    notice = sides.agreed("maintenance_notice_hours")
    yield Bullets(tuple(_list_exclusions(sides, notice)))
    if notice is None:
        yield Blank.of("Hours of notice before maintenance")
    yield Blank.of("Hours of announced maintenance in one month at most")


def _list_exclusions(sides: AgreementContext, notice: Figure | None) -> Iterator[Sentence]:
    if notice is not None:
        yield compose(
            "Maintenance that was announced at least {} hours before, for as long as was announced and no"
            " longer than the line below allows.",
            notice,
        )
    else:
        yield say(
            "Maintenance that was announced as many hours before as the line below says. While nothing stands there,"
            " maintenance counts as any failure does."
        )
    yield say("What the customer's own people did: nodes they drained, jobs and services they stopped or overloaded.")
    yield say("What neither side could prevent, as the parties' lawyers put it.")
    if any(each.pool.min_nodes < each.pool.max_nodes for each in sides.pools):
        yield say("Nodes of autoscaled pools that nobody asked for at that time.")
    if any(each.pool.kind == "spot" for each in sides.pools):
        yield say("Spot nodes that the provider took back; that they may be is what makes them cheaper.")
    if sides.lock.ceiling.usd_per_month is not None:
        yield say("Work that is held because the month has reached its ceiling.")


def leaving(sides: AgreementContext) -> Iterator[Block]:
    if not sides.has_term:
        return
    yield Heading(3, say("Leaving early"))
    yield render_term("exit_after_days", sides)
    if any(each.pool.kind == "reserved" for each in sides.pools):
        yield Blank.of("Who then pays what is left of commitments that were bought for the term")
