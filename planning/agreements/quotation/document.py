"""A request for quotation as a document: what is asked, how to answer, and blank lines for who answers.

It goes to a provider, so it says nothing of the ceiling, of estimates, or of what others ask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.parsing import spell_unit
from planning.agreements.quotation.request import Reason
from planning.agreements.quotation.sheet import format_quantity
from planning.costs.bill import LIST_PRICE
from planning.documents.blocks import Blank, Bullets, Document, Heading, Paragraph, Table
from planning.documents.figures import Footnote, cite, say
from planning.values.json_format import decimal_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date
    from decimal import Decimal

    from catalogs.catalog import Catalog
    from planning.agreements.quotation.request import QuotedOption, RequestedItem
    from planning.documents.blocks import Block
    from planning.documents.figures import Sentence

HEAD: Final = ("item", "for", "quantity a month", "bought", "known price", "your price, USD")
ANY_REGION: Final = "any"
HOW_TO_ANSWER: Final = (
    "Prices are in USD without taxes, of the day that you state.",
    "Fill in usd, as_of and source (the number of your quotation) in the CSV file that comes with this page.",
    "Where you sell by another unit, change it: month for hour, GPU-hour for a machine's hour, TB or GiB for GB.",
    "A discount on your published price is written with its sign: -35%.",
    "Write 0 where a service is included. Leave a price empty where you do not sell the item.",
    "Prices that hold until a day have that day in valid_until.",
)
BLANKS: Final = ("Number of the quotation", "Date of the prices", "Valid until", "Name and role", "Signature")


def write_request(
    option: QuotedOption, items: Sequence[RequestedItem], *, catalog: Catalog, today: date, file: str
) -> Document:
    """The page for one provider.

    Args:
        items: of this provider.
        file: name of the CSV file that comes with it.
    """
    customer = option.placements[0].customer
    return Document(
        title=say("Request for quotation"),
        subtitle=cite(f"{customer.name}, {today.isoformat()}"),
        blocks=(
            Paragraph(cite(_introduce(items))),
            Table(head=(), rows=tuple(_facts(option, today, file)), style="sheet plain", wide=0),
            *_section(items, option, catalog=catalog),
            Heading(2, say("How to answer"), "answer"),
            Bullets(tuple(cite(each) for each in HOW_TO_ANSWER)),
            Heading(2, say("Answered by"), "answered"),
            *(Blank(say(each)) for each in BLANKS),
        ),
        page_title=f"Request for quotation: {customer.name}",
    )


def _introduce(items: Sequence[RequestedItem]) -> str:
    count = "this item" if len(items) == 1 else f"these {len(items)} items"
    return f"Please quote {count} for a GPU cluster. Quantities are those of one month."


def _facts(option: QuotedOption, today: date, file: str) -> Iterator[tuple[Sentence, Sentence]]:
    customer = option.placements[0].customer
    is_alone = len({each.placement.provider for each in option.placements}) == 1  # an option's id names all of them
    rows = (
        ("requested by", f"{customer.name}, {customer.owner}"),
        ("date", today.isoformat()),
        ("our reference", f"{option.stack}, {option.option}" if is_alone else option.stack),
        ("contract", f"{option.contract_months} months" if option.contract_months else "no commitment asked for"),
        ("file to fill in", file),
    )
    yield from ((cite(name, tone="faint"), cite(said)) for name, said in rows)


def _section(items: Sequence[RequestedItem], option: QuotedOption, *, catalog: Catalog) -> Iterator[Block]:
    provider = items[0].provider
    places = {each.placement.region for each in option.placements if each.placement.provider == provider}
    named = sorted(place for place in places if place != ANY_REGION)
    yield Heading(2, cite(", ".join((catalog.providers[provider].title, *named))), provider)
    yield Table(
        head=tuple(map(cite, HEAD)),
        rows=tuple(_row(each, catalog=catalog) for each in items),
        style="sheet stacked",
        wide=46,
        notes_at_head=False,
    )


def _row(each: RequestedItem, *, catalog: Catalog) -> tuple[Sentence, ...]:
    name = each.item if each.title == each.item else f"{each.what}: {each.item}"
    return (
        cite(name),
        cite("; ".join(each.uses)),
        cite(_describe_quantity(each)),
        cite(_describe_purchase(each)),
        _cite_known(each, catalog=catalog),
        cite(f"per {spell_unit(each.unit)}: ____________"),
    )


def _describe_quantity(each: RequestedItem) -> str:
    least, expected, most = map(format_quantity, each.quantity.readings)
    unit = spell_unit(each.unit, expected)
    if least == most:
        return f"{_apart(expected)} {unit}"
    return f"{_apart(expected)} {unit} expected, {_apart(least)} to {_apart(most)}"


def _apart(amount: str) -> str:
    whole, point, rest = amount.partition(".")
    return f"{int(whole):,}{point}{rest}"


def _describe_purchase(each: RequestedItem) -> str:
    term = f"{each.months} months" if each.months else "no commitment"
    return term if each.purchase == LIST_PRICE else f"{each.purchase.replace('_', ' ')}, {term}"


def _cite_known(each: RequestedItem, *, catalog: Catalog) -> Sentence:
    """What the provider publishes, with its source; why that is not enough. Our own estimates are not told."""
    if each.known_usd is None:
        return cite("none known" if each.reason is not Reason.DISCOUNT else each.note)
    known = catalog.sources.get(each.known_source)
    day = each.known_as_of.isoformat() if each.known_as_of else "undated"
    note = Footnote(known.text, known.url, day) if known else ""
    price = f"{_format_price(each.known_usd)} USD per {spell_unit(each.unit)}"
    said = f"{price} on demand; {each.note}" if each.reason is Reason.DISCOUNT else f"{price}, {day}: please confirm"
    return cite(said, source=note)


def _format_price(usd: Decimal) -> str:
    """A price with the digits of its source, two at least."""
    whole, _, decimals = decimal_text(usd).partition(".")
    return f"{int(whole):,}.{decimals:0<2}"
