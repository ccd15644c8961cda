"""Support and response times, hardware upgrades, migration, and duties of the customer."""

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
    "urgent": "urgent: all work is blocked",
    "high": "high: some work is blocked",
    "normal": "normal: a question",
}
LEVELS: Final = {
    Support.NONE: "No support was bought: there is no response time.",
    Support.AS_NEEDED: "Support is on request, and paid for by use.",
    Support.BUSINESS_HOURS: "Support is available in business hours.",
    Support.ALWAYS: "Support is available at all times, also at night, at weekends and on holidays.",
}
HERE: Final = "placements.0."
# Support plans that the catalog prices, by source and item of their line; the text of the source names each.
PLANS: Final = {
    ("aws-support-page", "support_business_hours"): "AWS Support Developer",
    ("aws-support-page", "support_24x7"): "AWS Support Business",
}


def support(sides: AgreementContext) -> Iterator[Block]:
    level = sides.lock.spec.services.support
    yield Heading(2, say("Support"))
    yield Paragraph.of(LEVELS[level])
    yield from _plans(sides)
    yield from _contrary(level, sides)
    settled_now = {each.sort: at for at, each in enumerate(sides.agreement.responses)}
    if level is Support.NONE and not settled_now:
        yield Notice(_describe_self_help("The provider never has"))
        return
    if settled_now:
        head = ("severity", "first response of an engineer, minutes", "nights and weekends")
        yield Table.of(head, list(_responses(sides)))
    yield from (
        Blank.of("First response of an engineer, minutes ({})", words)
        for sort, words in SORTS.items()
        if sort not in settled_now
    )
    yield Paragraph.of(
        "Every report is a ticket with a severity that the customer chooses. The response is that of an engineer who"
        " can fix the fault; an escalation call includes that engineer and a decision-maker."
    )
    if not _weekends(sides):
        yield Notice(_describe_self_help("At night, at weekends and on holidays the provider does not have"))


def _plans(sides: AgreementContext) -> Iterator[Block]:
    for at, line in enumerate(sides.lock.bill):
        plan = PLANS.get((line.source, line.item))
        if plan is None:
            continue
        source = sides.describe_source(line.source, line.as_of)
        yield Paragraph.of(
            "The line {} prices {}: the cloud's own plan, which covers the services of the cloud and not this cluster.",
            of_lock(line.label, f"bill.{at}.label"),
            of_catalog(plan, f"sources.csv {line.source} text", source=source),
        )


def _contrary(level: Support, sides: AgreementContext) -> Iterator[Block]:
    """Response times that contradict the support level that was bought."""
    responses = sides.agreement.responses
    if not responses:
        return
    if level is Support.NONE:
        yield Notice.of("Response times are agreed below, but the price includes no support. Resolve this.")
    elif level is Support.ALWAYS and not all(each.weekends for each in responses):
        yield Notice.of("The response times below are less than what was bought. Resolve which applies.")
    elif level is not Support.ALWAYS and any(each.weekends for each in responses):
        yield Notice.of("The response times below are more than what was bought and priced. Resolve this.")


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


def _describe_self_help(when: str) -> Sentence:
    return compose(
        "{} to respond. The customer's engineers restore the cluster themselves then: each step has an API or a"
        " ticket, and they rehearse it once before the first job.",
        when,
    )


def generation(sides: AgreementContext) -> Iterator[Block]:
    if not sides.lock.contract_months or not any(pool.accelerated for pool in sides.pools):
        return
    yield Heading(2, say("Hardware upgrade"))
    months = of_lock(sides.lock.contract_months, "contract_months")
    yield Paragraph.of(
        "A new generation of accelerators is released about every {} to {} months; the term of this contract is {}.",
        sides.quote_promise("generation", 0),
        sides.quote_promise("generation", 1),
        format_count(months, "month", "months"),
    )
    yield render_term("upgrade_after_months", sides)
    yield Blank.of("Cost of the upgrade, and what happens to commitments that were bought for the term")


def migration(sides: AgreementContext) -> Iterator[Block]:
    if not sides.tiers:
        return
    by = sides.agreement.migration_by
    yield Heading(2, say("Migration"))
    yield Paragraph.of(
        "Storage has to be close to the accelerators, so a move to another region or provider includes the data. The"
        " command atoll relocate plan {} TARGET shows beforehand what moves and by which tool, the length of the write"
        " freeze, what is lost (names, permissions, file metadata), and the cost of running two clusters in parallel.",
        sides.stack,
    )
    if by is None:
        yield Blank.of("Party that moves the data")
    else:
        who = of_checklist(by, "agreement.migration_by")
        yield Paragraph.of(
            "The {} moves the data and is responsible for its integrity: nothing missing, nothing different.", who
        )
    yield Blank.of("Who pays for storage and compute while two clusters run")
    yield Blank.of("Days after the end of the contract during which the data can be read and exported")


def describe_customer_duties(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(2, say("Duties of the customer"))
    yield Bullets(tuple(_list_customer_duties(sides)))


def _list_customer_duties(sides: AgreementContext) -> Iterator[Sentence]:
    spec = sides.lock.spec
    if spec.services.operation is Operation.OURSELVES:
        yield say(
            "An administrator with experience in clusters for machine learning, and a deputy: the customer operates"
            " this cluster, including upgrades, failed nodes and full disks."
        )
    else:
        yield say("A technical contact: the cluster is operated for the customer.")
        yield say("A decision-maker for spending, access and work at night.")
    if any(each.spec.orchestration is not Orchestration.KUBERNETES for each in sides.places):
        yield say("Engineers who know Slurm, which schedules jobs here.")
    if spec.existing is not None:
        words = "The cluster itself and an administrator's kubeconfig, which {existing.kubeconfig_env} names."
        yield compose_from(sides.lock, words, at=HERE)
    if spec.network.peering is not None:
        words = "In the main cloud: acceptance of the peering with {network.peering.vpc_id}, and its routes."
        yield compose_from(sides.lock, words, at=HERE)
    if spec.network.link is not None:
        yield say("In the main cloud: the other end of the tunnel, and its routes.")
    if spec.network.domain:
        yield compose_from(sides.lock, "The zone {network.domain} delegated.", at=HERE)
    if spec.access.sso is not None:
        yield say("A client at the identity provider, and the groups that define the teams.")
    if any(pool.accelerated for pool in sides.pools) and spec.existing is None:
        yield say("Quotas for these machines in the customer's own account, requested before the build.")
    yield say("The training data, and time to learn the cluster from its handbook.")
