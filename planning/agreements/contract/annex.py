"""The annex of the contract: a document about this stack, with every figure from lock, checklist or catalog."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.agreements.contract.compute import compute, describe_scaling, fabric
from planning.agreements.contract.context import AgreementContext, format_count, provider_title
from planning.agreements.contract.node_lifecycle import allocation, burn_in, spares
from planning.agreements.contract.remedies import describe_deliverables, shortfall
from planning.agreements.contract.storage import control, storage
from planning.agreements.contract.support import describe_customer_duties, generation, migration, support
from planning.agreements.onboarding.plan import cite_contact, steps, title_of
from planning.ceilings.verdict import COSTS
from planning.checklist.model.checklist import checklist_digest
from planning.checklist.model.vocabulary import HOME, Operation
from planning.costs.upfront import list_upfront
from planning.documents.blocks import Blank, Bullets, Document, Heading, Notice, Paragraph, Table
from planning.documents.figures import compose_from, derive_figure, of_lock, read_figure, say
from planning.spec.lock_content import TO_BE_CONFIRMED, State
from planning.values.money import to_cents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from catalogs.catalog import Catalog
    from planning.agreements.contract.context import LockPlacement
    from planning.checklist.model.checklist import Checklist
    from planning.costs.upfront import Upfront
    from planning.documents.blocks import Block
    from planning.documents.figures import Figure, Sentence
    from planning.spec.lock import Lock, LockedLine


ANY_REGION: Final = "any"
ROLES: Final = {
    "customer_lead": "customer: who decides",
    "customer_engineer": "customer: engineer in charge",
    "account": "provider: account",
    "engineer_on_call": "provider: engineer on call",
    "support": "provider: support",
    "security": "provider: security",
}


def parties(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(2, say("Parties"))
    customer = compose_from(sides.lock, "{name}, {owner}", at="placements.0.customer.")
    rows = [(say("customer"), customer), *((_what(place), _provider(place, sides)) for place in sides.places)]
    yield Table.of(("party", "who"), rows)
    yield Blank.of("Signatory of the provider, if not named above")
    if customer_is_served(sides):
        yield Blank.of("Operator of the cluster, if not the provider")
    yield from _contacts(sides)


def customer_is_served(sides: AgreementContext) -> bool:
    return sides.lock.spec.services.operation is Operation.FOR_US


def _what(place: LockPlacement) -> Sentence:
    return say("provider of ", place.name) if place.is_named else say("provider")


def _provider(place: LockPlacement, sides: AgreementContext) -> Sentence:
    is_named = place.spec.placement.region != ANY_REGION
    region = compose_from(sides.lock, "{placement.region}" if is_named else "to be agreed", at=f"{place.at}.")
    rented = ", on an existing cluster" if place.spec.existing is not None else ""
    return say(provider_title(place, sides), ", region ", region, rented)


def _contacts(sides: AgreementContext) -> Iterator[Block]:
    found = {each.role: at for at, each in enumerate(sides.agreement.contacts)}
    rows = [(say(ROLES[role]), *cite_contact(sides.checklist, found[role], "")) for role in ROLES if role in found]
    yield Paragraph.of("Support contacts:")
    if rows:
        yield Table.of(("for", "name", "e-mail", "telephone"), rows)
    yield from (Blank.of(words) for role, words in ROLES.items() if role not in found)


def describe_accepted_option(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(2, say("Accepted option"))
    if sides.changed:
        yield Notice.of(
            "The checklist has changed since this option was accepted. This annex describes the accepted option;"
            " changes apply once an option is accepted again."
        )
    yield Table.of(("what", "which"), list(_facts(sides)))
    yield from _describe_start(sides)


def _describe_start(sides: AgreementContext) -> Iterator[Block]:
    day, starts = sides.agreement.starts, sides.quote_term("starts")
    if day is None or starts is None:
        yield Blank.of("Start date")
        return
    yield Paragraph.of("The start date is {}.", starts)
    if day > sides.lock.valid_until:
        words = (
            "The prices are valid until {valid_until}, which is before the start date: have them confirmed in writing."
        )
        yield Notice(compose_from(sides.lock, words))
    if day < sides.lock.priced_at:
        yield Notice(compose_from(sides.lock, "The start date is before {priced_at}, when the option was priced."))


def _facts(sides: AgreementContext) -> Iterator[tuple[Sentence, Sentence]]:
    lock = sides.lock
    yield say("option"), compose_from(lock, "{option}, of the stack {stack}")
    yield say("digest of the lock"), say(sides.lock_digest)
    yield say("digest of the checklist at acceptance"), compose_from(lock, "{checklist_digest}")
    yield say("priced on"), compose_from(lock, "{priced_at}")
    yield say("prices valid until"), compose_from(lock, "{valid_until}")
    term = "{contract_months} months" if lock.contract_months else "none"
    yield say("term of the contract"), compose_from(lock, term)
    yield from _ceiling(sides)


def _ceiling(sides: AgreementContext) -> Iterator[tuple[Sentence, Sentence]]:
    ceiling = sides.lock.ceiling
    amounts = (
        (ceiling.usd_per_month, "{usd_per_month} a month"),
        (ceiling.usd_per_contract, "{usd_per_contract} for the whole contract"),
        (ceiling.usd_per_gpu_hour, "{usd_per_gpu_hour} for an accelerator an hour"),
    )
    for usd, words in amounts:
        if usd is not None:
            said = compose_from(sides.lock, f"USD {words}, which applies to {{}}", COSTS[ceiling.binds], at="ceiling.")
            yield say("ceiling"), said


# Chapter of a line of the bill, by the first word of its key after the name of the placement.
CHAPTERS: Final = {
    "pool": "nodes",
    "control_plane": "control plane",
    "storage": "storage",
    "platform": "platform",
    "network": "network",
    "access": "access",
    "security": "security",
    "logs": "logs",
    "services": "services",
}
READINGS: Final = ("least", "expected", "most")
SUM: Final = "sum of these lines of the bill, rounded to cents"
Numbered = tuple[int, "LockedLine"]


def price(sides: AgreementContext) -> Iterator[Block]:
    every = list(enumerate(sides.lock.bill))
    unpriced = [each for each in every if each[1].usd_per_month is None]
    estimated = [each for each in every if each[1].state == State.ESTIMATED]
    priced = [each for each in every if each not in unpriced and each not in estimated]
    rows = [(say(title), *_sums(lines)) for title, lines in _chapters(priced, sides).items()]
    whole = "all priced lines" if unpriced or estimated else "all"
    yield Heading(3, say("Monthly price, in USD"))
    yield Table.of(("for", *READINGS), [*rows, (say(whole), *_sums(priced))], numbers_from=1)
    yield Paragraph.of(
        "Least: everything autoscaled is at its minimum. Most: the most that the workloads of the checklist can use."
        " The lock holds each line with its unit price and source."
    )
    yield from _due_first(sides)
    if unpriced:
        yield Notice.of("No source has a price for these lines, so the sums are incomplete. Agree a price for each:")
        yield Bullets(tuple(say(of_lock(line.label, f"bill.{at}.label")) for at, line in unpriced))
    if estimated:
        yield Notice.of(
            "The price of these lines is to be confirmed: the quote estimated it. No sum above includes it, and nobody"
            " has agreed to it. Support that is a share of the bill changes with it. Agree a price for each:"
        )
        yield Bullets(
            tuple(say(of_lock(line.label, f"bill.{at}.label"), f": {TO_BE_CONFIRMED}") for at, line in estimated)
        )
    if customer_is_served(sides):
        yield Notice.of(
            "The cluster is operated for the customer, and this price does not include the operator's fee. Agree it:"
        )
        yield Blank.of("Monthly fee of the operator, in USD")


def _due_first(sides: AgreementContext) -> Iterator[Block]:
    """What is paid on the first day: information beside the sums of a month, which hold its part already."""
    numbers = {line.key: at for at, line in enumerate(sides.lock.bill)}
    prices = {line.key: line.usd_per_unit for line in sides.lock.bill if line.usd_per_unit is not None}
    due = list(
        list_upfront(
            sides.lock.placements,
            prices,
            term_of=lambda provider, purchase: sides.catalog.find_term(provider=provider, purchase=purchase),
        )
    )
    if not due:
        return
    yield Heading(3, say("Due on the first day, in USD"))
    rows = [_due(each, sides, numbers) for each in due]
    yield Table.of(("pool", "purchase", "least", "most"), rows, numbers_from=2)
    yield Paragraph.of(
        "Due before the nodes are used. The monthly price above already includes the share of each month."
    )


def _due(each: Upfront, sides: AgreementContext, numbers: Mapping[str, int]) -> tuple[Sentence, ...]:
    spec = sides.lock.placements[each.placement]
    pool, at = spec.pools[each.pool], f"placements.{each.placement}.pools.{each.pool}"
    prefix = "" if spec.placement.name == HOME else f"{spec.placement.name}/"
    line = numbers[f"{prefix}pool/{pool.name}/machine"]
    hour, nodes = read_figure(sides.lock, f"bill.{line}.usd_per_unit"), read_figure(sides.lock, f"{at}.max_nodes")
    formula = f"up-front share ({each.term.upfront}) of {each.term.months or 1} months of all nodes"
    amounts = (_usd(usd, formula, hour, nodes) for usd in (each.usd.min, each.usd.max))
    names = (read_figure(sides.lock, f"{at}.{field}") for field in ("name", "purchase"))
    return (*map(say, names), *map(say, amounts))


def _chapters(lines: list[Numbered], sides: AgreementContext) -> Mapping[str, list[Numbered]]:
    away = {place.spec.placement.name for place in sides.places[1:]}
    found: dict[str, list[Numbered]] = {title: [] for title in CHAPTERS.values()}
    for at, line in lines:
        words = line.key.split("/")
        first = words[1] if words[0] in away and len(words) > 1 else words[0]
        found.setdefault(CHAPTERS.get(first, "other"), []).append((at, line))
    return {title: each for title, each in found.items() if each}


def _sums(lines: list[Numbered]) -> Iterator[Sentence]:
    for reading in range(len(READINGS)):
        parts = [(at, line.usd_per_month[reading]) for at, line in lines if line.usd_per_month is not None]
        inputs = [of_lock(usd, f"bill.{at}.usd_per_month.{reading}") for at, usd in parts]
        yield say(_usd(sum((usd for _, usd in parts), Decimal(0)), SUM, *inputs)) if inputs else say("none")


def onboarding(sides: AgreementContext) -> Iterator[Block]:
    services = sides.lock.spec.services
    if services.onboarding_usd_per_month <= 0:
        return
    each = read_figure(sides.lock, "placements.0.services.onboarding_usd_per_month")
    months = read_figure(sides.lock, "placements.0.services.contract_months")
    month = _usd(services.onboarding_usd_per_month, "the lock's amount a month, rounded to cents", each)
    whole = _usd(
        services.onboarding_usd_per_month * services.contract_months, "amount a month times months", each, months
    )
    yield Heading(2, say("Onboarding"))
    yield Paragraph.of(
        "Onboarding costs USD {}, paid as USD {} in each of {}. The sums above include it.",
        whole,
        month,
        format_count(months, "month", "months"),
    )
    yield Blank.of("Who pays the remainder if the customer leaves earlier")


def _usd(usd: Decimal, formula: str, *inputs: Figure) -> Figure:
    return derive_figure(usd, formula, *inputs, text=f"{to_cents(usd):,}")


SIGNERS: Final = ("customer", "provider")


def timeline(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(2, say("Timeline"))
    yield Table.of(
        ("step", "owner", "duration"),
        [
            (title_of(each, sides.catalog), each.owner, each.takes)
            for each in steps(sides.lock, sides.checklist, sides.catalog)
        ],
        caption=say("Each step starts when the one above is done."),
    )
    yield Paragraph.of("The command atoll onboard {} turns it into calendar dates.", sides.stack)


def signatures(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(2, say("Signatures"))
    signers = [say("customer"), *(say("provider of ", place.name) for place in sides.places)]
    for who in signers if len(sides.places) > 1 else map(say, SIGNERS):
        yield Paragraph.of("For the {}:", who)
        yield from (Blank.of(each) for each in ("Name", "Date", "Signature"))


LAWYER: Final = "This is not legal advice. Have a lawyer review it before anyone signs."
SECTIONS: Final[tuple[Callable[[AgreementContext], Iterator[Block]], ...]] = (
    parties,
    describe_accepted_option,
    price,
    describe_deliverables,
    compute,
    fabric,
    storage,
    control,
    shortfall,
    burn_in,
    spares,
    allocation,
    describe_scaling,
    support,
    generation,
    migration,
    onboarding,
    timeline,
    describe_customer_duties,
    signatures,
)


def annex(lock: Lock, *, checklist: Checklist, catalog: Catalog) -> Document:
    """The annex for the stack of a lock.

    Args:
        checklist: as it is now; its agreement holds the agreed terms.
        catalog: of today's promises, sources and hardware.

    Raises:
        KeyError: the catalog lacks a promise or a source that a figure is from; a fault of ours.
    """
    changed = checklist_digest(checklist) != lock.checklist_digest
    sides = AgreementContext(lock=lock, checklist=checklist, catalog=catalog, changed=changed)
    return Document(
        title=compose_from(lock, "Annex to the contract of {placements.0.customer.name}"),
        subtitle=compose_from(lock, "For the stack {stack}, at prices of {priced_at}"),
        blocks=(
            Notice.of(LAWYER),
            Paragraph.of(
                "Figures come from the accepted option, the agreement in the checklist, and the catalog, whose sources"
                " are listed at the end. A blank line is an open term."
            ),
            *(block for section in SECTIONS for block in section(sides)),
            Notice.of(LAWYER),
        ),
    )
