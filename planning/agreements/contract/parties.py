"""Who agrees with whom, on what, and for how long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.ceilings.verdict import COSTS
from planning.checklist.model.vocabulary import Operation
from planning.documents.blocks import Blank, Heading, Notice, Paragraph, Table
from planning.documents.figures import compose, of_catalog, of_checklist, of_lock, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.agreements.contract.context import AgreementContext, LockPlacement
    from planning.checklist.model.agreement import Contact
    from planning.documents.blocks import Block
    from planning.documents.figures import Figure, Sentence

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
    customer = sides.lock.spec.customer
    yield Heading(2, say("Parties"))
    rows = [
        (
            say("customer"),
            compose(
                "{}, {}",
                of_lock(customer.name, "placements.0.customer.name"),
                of_lock(customer.owner, "placements.0.customer.owner"),
            ),
        )
    ]
    rows += [(_what(place), _provider(place, sides)) for place in sides.places]
    yield Table.of(("party", "who"), rows)
    yield Blank.of("Who signs as the provider, where it is somebody else than named here")
    if customer_is_served(sides):
        yield Blank.of("Who runs the cluster for the customer, where it is not the provider")
    yield from _contacts(sides)


def customer_is_served(sides: AgreementContext) -> bool:
    return sides.lock.spec.services.operation is Operation.FOR_US


def _what(place: LockPlacement) -> Sentence:
    return say("provider of ", place.name) if place.told else say("provider")


def _provider(place: LockPlacement, sides: AgreementContext) -> Sentence:
    where = place.spec.placement
    at = f"{place.at}.placement"
    named = of_lock(where.region, f"{at}.region")
    region = say(", region ", named) if where.region != ANY_REGION else say(", region to be agreed")
    rented = say(", on a cluster that is there already") if place.spec.existing is not None else say()
    return say(provider_title(place, sides), region, rented)


def provider_title(place: LockPlacement, sides: AgreementContext) -> Figure:
    name = place.spec.placement.provider
    known = sides.catalog.providers.get(name)
    if known is None:
        return of_lock(name, f"{place.at}.placement.provider")
    return of_catalog(known.title, f"providers.csv {known.name} title", source=sides.source(known.source, None))


def _contacts(sides: AgreementContext) -> Iterator[Block]:
    found = {each.role: (at, each) for at, each in enumerate(sides.agreement.contacts)}
    rows = tuple(_contact(*found[role]) for role in ROLES if role in found)
    yield Paragraph.of("Support contacts:")
    if rows:
        yield Table.of(("for", "name", "e-mail", "telephone"), rows)
    yield from (Blank.of(words) for role, words in ROLES.items() if role not in found)


def _contact(at: int, person: Contact) -> tuple[Sentence, ...]:
    where = f"agreement.contacts.{at}"
    return (
        say(ROLES[person.role]),
        say(of_checklist(person.name, f"{where}.name")),
        say(of_checklist(person.email, f"{where}.email")),
        say(of_checklist(person.phone, f"{where}.phone")) if person.phone else say(),
    )


def describe_accepted_option(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(2, say("What was accepted"))
    if sides.changed:
        yield Notice.of(
            "The checklist has changed since this option was accepted. What follows is the accepted option; what"
            " was changed comes in when an option is accepted again."
        )
    yield Table.of(("what", "which"), list(_facts(sides)))
    yield from _start(sides)


def _start(sides: AgreementContext) -> Iterator[Block]:
    day, starts = sides.agreement.starts, sides.agreed("starts")
    if day is None or starts is None:
        yield Blank.of("Day on which the work begins")
        return
    yield Paragraph.of("The work begins on {}.", starts)
    if day > sides.lock.valid_until:
        until = of_lock(sides.lock.valid_until, "valid_until")
        yield Notice.of("That is after {}, until which the prices hold: have them confirmed in writing.", until)
    if day < sides.lock.priced_at:
        yield Notice.of("That is before {}, when the option was priced.", of_lock(sides.lock.priced_at, "priced_at"))


def _facts(sides: AgreementContext) -> Iterator[tuple[Sentence, Sentence]]:
    lock = sides.lock
    yield say("option"), say(of_lock(lock.option, "option"), ", of the stack ", sides.stack)
    yield say("digest of the lock"), say(sides.lock_digest)
    yield say("digest of the checklist then"), say(of_lock(lock.checklist_digest, "checklist_digest"))
    yield say("priced on"), say(of_lock(lock.priced_at, "priced_at"))
    yield say("the prices hold until"), say(of_lock(lock.valid_until, "valid_until"))
    term = say(of_lock(lock.contract_months, "contract_months"), " months") if lock.contract_months else say("none")
    yield say("term of the contract"), term
    yield from _ceiling(sides)


def _ceiling(sides: AgreementContext) -> Iterator[tuple[Sentence, Sentence]]:
    ceiling = sides.lock.ceiling
    amounts = (
        (ceiling.usd_per_month, "usd_per_month", "a month"),
        (ceiling.usd_per_contract, "usd_per_contract", "for the whole contract"),
        (ceiling.usd_per_gpu_hour, "usd_per_gpu_hour", "for an accelerator an hour"),
    )
    for usd, field, words in amounts:
        if usd is not None:
            limit = of_lock(usd, f"ceiling.{field}")
            yield say("ceiling"), say("USD ", limit, " ", words, ", which applies to ", COSTS[ceiling.binds])
