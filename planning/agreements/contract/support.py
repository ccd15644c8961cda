"""People and change: support and its times, the next generation, a move, and what the customer's engineers bring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.agreements.contract.context import format_count, render_term
from planning.checklist.model.vocabulary import Operation, Orchestration, Support
from planning.documents.blocks import Blank, Bullets, Heading, Notice, Paragraph, Table
from planning.documents.figures import compose, compose_from, of_catalog, of_checklist, of_lock, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.agreements.contract.context import AgreementContext
    from planning.documents.blocks import Block
    from planning.documents.figures import Sentence

SORTS: Final = {
    "urgent": "urgent: nobody can work",
    "high": "high: some cannot work",
    "normal": "normal: a question",
}
LEVELS: Final = {
    Support.NONE: "No support was bought: nobody has to answer.",
    Support.AS_NEEDED: "Support is asked for as it is needed, and paid for by use.",
    Support.BUSINESS_HOURS: "Support answers in business hours.",
    Support.ALWAYS: "Support answers at any hour of any day, at night, at weekends and on holidays.",
}
HERE: Final = "placements.0."
PLANS: Final = {
    ("aws-support-page", "support_business_hours"): "AWS Support Developer",
    ("aws-support-page", "support_24x7"): "AWS Support Business",
}
"""Plans that the catalog prices, by the source and the item of their line; each is named in its source's text."""


def support(sides: AgreementContext) -> Iterator[Block]:
    level = sides.lock.spec.services.support
    yield Heading(2, say("Support"))
    yield Paragraph.of(LEVELS[level])
    yield from _plans(sides)
    yield from _contrary(level, sides)
    settled_now = {each.sort: at for at, each in enumerate(sides.agreement.responses)}
    if level is Support.NONE and not settled_now:
        yield Notice(_drill("At no hour does anybody of the provider have"))
        return
    if settled_now:
        head = ("how bad", "first answer of an engineer, minutes", "nights and weekends too")
        yield Table.of(head, list(_responses(sides)))
    yield from (
        Blank.of("First answer of an engineer, minutes ({})", words)
        for sort, words in SORTS.items()
        if sort not in settled_now
    )
    yield Paragraph.of(
        "Every report is a ticket with one of these words, which the customer chooses. The answer is that of an"
        " engineer who can change what is broken; a call about it needs that engineer and one who decides."
    )
    if not _weekends(sides):
        yield Notice(_drill("At night, at weekends and on holidays nobody of the provider has"))


def _plans(sides: AgreementContext) -> Iterator[Block]:
    for at, line in enumerate(sides.lock.bill):
        plan = PLANS.get((line.source, line.item))
        if plan is None:
            continue
        source = sides.source(line.source, line.as_of)
        yield Paragraph.of(
            "What is priced as {} is {}: the cloud's own plan, which looks after what the cloud sells and not"
            " after this cluster.",
            of_lock(line.label, f"bill.{at}.label"),
            of_catalog(plan, f"sources.csv {line.source} text", source=source),
        )


def _contrary(level: Support, sides: AgreementContext) -> Iterator[Block]:
    """Times to answer that were settled beside a level that was bought, where both cannot hold."""
    responses = sides.agreement.responses
    if not responses:
        return
    if level is Support.NONE:
        yield Notice.of("The times below were settled all the same: the price holds nothing for them. Settle it.")
    elif level is Support.ALWAYS and not all(each.weekends for each in responses):
        yield Notice.of("The times below say less than what was bought: settle which holds.")
    elif level is not Support.ALWAYS and any(each.weekends for each in responses):
        yield Notice.of("The times below say more than what was bought, and the price holds no more. Settle it.")


def _responses(sides: AgreementContext) -> Iterator[tuple[Sentence, ...]]:
    found = {each.sort: (at, each) for at, each in enumerate(sides.agreement.responses)}
    for sort, words in SORTS.items():
        if sort in found:
            at, each = found[sort]
            minutes = of_checklist(each.within_minutes, f"agreement.responses.{at}.within_minutes")
            yield say(words), say(minutes), say("yes" if each.weekends else "no")


def _weekends(sides: AgreementContext) -> bool:
    urgent = [each for each in sides.agreement.responses if each.sort == "urgent"]
    return any(each.weekends for each in urgent) if urgent else sides.lock.spec.services.support is Support.ALWAYS


def _drill(nobody: str) -> Sentence:
    return compose(
        "{} to answer. The customer's engineers bring the cluster back by themselves then: they have an API or"
        " a ticket for each step, and try it once before the first job.",
        nobody,
    )


def generation(sides: AgreementContext) -> Iterator[Block]:
    if not sides.lock.contract_months or not any(pool.accelerated for pool in sides.pools):
        return
    yield Heading(2, say("The next generation"))
    months = of_lock(sides.lock.contract_months, "contract_months")
    yield Paragraph.of(
        "A new generation of accelerators comes about every {} to {} months; the term of this contract is {}.",
        sides.promise("generation", 0),
        sides.promise("generation", 1),
        format_count(months, "month", "months"),
    )
    yield render_term("upgrade_after_months", sides)
    yield Blank.of("What the customer pays for that move, and what becomes of what was bought for the term")


def migration(sides: AgreementContext) -> Iterator[Block]:
    if not sides.tiers:
        return
    by = sides.agreement.migration_by
    yield Heading(2, say("When the cluster has to move"))
    yield Paragraph.of(
        "Storage has to stand where the accelerators are, so another region or provider means that the data"
        " moves. The command atoll relocate plan {} TARGET says beforehand what moves, by what, how long"
        " people cannot write, what is lost on the way (names, rights, metadata of files), and what two"
        " clusters at once cost.",
        sides.stack,
    )
    if by is None:
        yield Blank.of("Who moves the data")
    else:
        who = of_checklist(by, "agreement.migration_by")
        yield Paragraph.of(
            "The data is moved by the {}, who answers for its being whole: nothing missing, nothing different.", who
        )
    yield Blank.of("Who pays for storage and compute while there are two clusters")
    yield Blank.of("Days after the end of the contract for which the data can still be read and taken away")


def describe_customer_duties(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(2, say("What the customer brings"))
    yield Bullets(tuple(_list_customer_duties(sides)))


def _list_customer_duties(sides: AgreementContext) -> Iterator[Sentence]:
    spec = sides.lock.spec
    if spec.services.operation is Operation.OURSELVES:
        yield say(
            "An administrator who has run clusters for machine learning, and somebody in their place: the customer runs"
            " this cluster, so upgrades, failed nodes and full disks are theirs to see to."
        )
    else:
        yield say("One engineer who speaks for the others: the cluster is run for the customer.")
        yield say("Somebody who decides when money, access or a night's work are in question.")
    if any(each.spec.orchestration is not Orchestration.KUBERNETES for each in sides.places):
        yield say("Engineers who know Slurm, which schedules jobs here.")
    if spec.existing is not None:
        words = "The cluster itself and an administrator's kubeconfig, which {existing.kubeconfig_env} names."
        yield compose_from(sides.lock, words, at=HERE)
    if spec.network.peering is not None:
        words = "In the main cloud: the peering of {network.peering.vpc_id} accepted, and its routes."
        yield compose_from(sides.lock, words, at=HERE)
    if spec.network.link is not None:
        yield say("In the main cloud: the other end of the tunnel, and its routes.")
    if spec.network.domain:
        yield compose_from(sides.lock, "The zone {network.domain} delegated.", at=HERE)
    if spec.access.sso is not None:
        yield say("A client at the identity provider, and the groups that teams are made of.")
    if any(pool.accelerated for pool in sides.pools) and spec.existing is None:
        yield say("Quotas for these machines in the customer's own account, asked for before the cluster is built.")
    yield say("The training data, and people's time to learn the cluster from its handbook.")
