"""Every figure of every annex is where it says it is, and the reckoned ones are right."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import cache

import pytest
from accepted import EXAMPLES, accepted, catalog, checklist, known
from hypothesis import given, settings
from hypothesis import strategies as st
from tracing import untraced

from cli.pages.documents.rendering import render_html, render_markdown
from planning.agreements.contract.annex import LAWYER, annex
from planning.checklist.model.agreement import Agreement, Contact, Credit, Response, StepTime
from planning.documents.blocks import Blank, Document, Heading, Notice, Table
from planning.spec.lock import Lock
from planning.spec.lock_content import State
from planning.values.money import to_cents

SETTLED = Agreement(
    starts=date(2026, 11, 20),
    steps=(StepTime(step="build", working_days=4),),
    credits=(
        Credit(below_percent=Decimal("99.9"), credit_percent=Decimal(5)),
        Credit(below_percent=Decimal(99), credit_percent=Decimal("12.5")),
    ),
    fix_within_days=Decimal(10),
    exit_after_days=Decimal(31),
    replace_within_hours=Decimal(24),
    provider_spares=3,
    burn_in_hours=Decimal(60),
    responses=(
        Response(sort="urgent", within_minutes=15, weekends=True),
        Response(sort="high", within_minutes=60),
        Response(sort="normal", within_minutes=1440),
    ),
    upgrade_after_months=7,
    migration_by="provider",
    maintenance_notice_hours=Decimal(72),
    contacts=(
        Contact(role="customer_lead", name="Ada 2 <b>|", email="ada2@acme.example", phone="+1 555 010 0199"),
        Contact(role="customer_engineer", name="Grace", email="grace@acme.example"),
        Contact(role="account", name="Ines", email="ines@p.example"),
        Contact(role="engineer_on_call", name="Rui", email="rui@p.example"),
        Contact(role="support", name="Desk", email="desk@p.example"),
        Contact(role="security", name="Eva", email="eva@p.example"),
    ),
)
AGREEMENTS = pytest.mark.parametrize("agreement", [Agreement(), SETTLED], ids=["open", "settled"])


@cache
def made(example: str, agreement: Agreement = SETTLED, *, option: int = -1, provider: str = "") -> Document:
    asked = checklist(example, provider=provider).model_copy(update={"agreement": agreement})
    return annex(accepted(example, option=option, provider=provider), checklist=asked, catalog=catalog())


def titles(document: Document) -> list[str]:
    return [block.title.text for block in document.blocks if isinstance(block, Heading)]


def blanks(document: Document) -> list[str]:
    return [block.label.text for block in document.blocks if isinstance(block, Blank)]


def tables(document: Document) -> list[list[list[str]]]:
    return [[[cell.text for cell in row] for row in each.rows] for each in document.blocks if isinstance(each, Table)]


def whole(document: Document) -> str:
    return "\n".join(sentence.text for sentence in document.sentences())


@AGREEMENTS
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_figure_is_where_it_says_it_is(example: str, agreement: Agreement) -> None:
    asked = checklist(example).model_copy(update={"agreement": agreement})
    assert untraced(made(example, agreement), known(accepted(example), asked)) == []


@AGREEMENTS
@pytest.mark.parametrize("example", EXAMPLES)
def test_it_is_shown_in_both_ways_with_the_lawyer_at_both_ends(example: str, agreement: Agreement) -> None:
    document = made(example, agreement)
    assert document.blocks[0] == document.blocks[-1]
    assert isinstance(document.blocks[0], Notice)
    assert document.blocks[0].sentence.text == LAWYER
    assert render_markdown(document).count(LAWYER) == 2
    page = render_html(document)
    assert page.count(LAWYER) == 2
    assert "<b>|" not in page


@pytest.mark.parametrize("example", EXAMPLES)
def test_no_chapter_is_empty_and_none_is_there_twice(example: str) -> None:
    document = made(example, Agreement())
    found = titles(document)
    assert len(set(found)) == len(found)
    for block, after in zip(document.blocks, document.blocks[1:], strict=False):
        assert not (isinstance(block, Heading) and isinstance(after, Heading) and after.level <= block.level)


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_month_is_the_sum_of_the_lock(example: str) -> None:
    lock = accepted(example)
    prices = next(table for table in tables(made(example)) if table[-1][0].startswith("all"))
    for reading in range(3):
        priced = (line for line in lock.bill if line.state != State.ESTIMATED)
        lines = [line.usd_per_month[reading] for line in priced if line.usd_per_month is not None]
        assert prices[-1][1 + reading] == f"{to_cents(sum(lines, start=Decimal(0))):,}"
        parts = sum((Decimal(row[1 + reading].replace(",", "")) for row in prices[:-1]), start=Decimal(0))
        assert abs(parts - to_cents(sum(lines, start=Decimal(0)))) < Decimal("0.01") * len(prices)


# A part of the whole term is paid up front: from half of it to 99 percent, or an unknown part of it.
@pytest.mark.parametrize(
    ("purchase", "least", "most"),
    [("reserved_12m_partial_upfront", Decimal("0.5"), Decimal("0.99")), ("reserved_12m", Decimal(0), Decimal(1))],
)
def test_what_is_paid_up_front_is_due_on_the_first_day(purchase: str, least: Decimal, most: Decimal) -> None:
    lock = buy("pretrain-7b", 0, purchase)
    asked = checklist("pretrain-7b")
    document = annex(lock, checklist=asked, catalog=catalog())
    assert due_rows(document) == [["pretrain-7b", purchase, *(due(lock, "", 0, share) for share in (least, most))]]
    assert "Due before the nodes are used" in whole(document)
    assert untraced(document, known(lock, asked)) == []


def test_a_second_cluster_has_its_own_rows_of_the_first_day() -> None:
    lock = buy("spanning-two", 1, "reserved_12m")
    asked = checklist("spanning-two")
    document = annex(lock, checklist=asked, catalog=catalog())
    prefix = f"{lock.placements[1].placement.name}/"
    assert due_rows(document) == [["weekly", "reserved_12m", "0.00", due(lock, prefix, 1, Decimal(1))]]
    assert untraced(document, known(lock, asked)) == []


@pytest.mark.parametrize("example", EXAMPLES)
def test_nothing_is_due_on_the_first_day_of_what_is_paid_by_the_hour(example: str) -> None:
    lock = accepted(example)
    if {pool.purchase for spec in lock.placements for pool in spec.pools} <= {"on_demand", "spot"}:
        assert due_rows(made(example)) == []


def buy(example: str, at: int, purchase: str) -> Lock:
    """The lock of an example whose first pool at one of its placements is bought for a term."""
    lock = accepted(example)
    spec = lock.placements[at]
    pool = spec.pools[0].model_copy(update={"purchase": purchase})
    changed = spec.model_copy(update={"pools": (pool, *spec.pools[1:])})
    return lock.model_copy(update={"placements": (*lock.placements[:at], changed, *lock.placements[at + 1 :])})


def due(lock: Lock, prefix: str, at: int, share: Decimal) -> str:
    """A share of the twelve months of all nodes, at the price in the lock."""
    pool = lock.placements[at].pools[0]
    price = next(each.usd_per_unit for each in lock.bill if each.key == f"{prefix}pool/{pool.name}/machine")
    assert price is not None
    return f"{to_cents(price * pool.max_nodes * 730 * 12 * share):,}"


def due_rows(document: Document) -> list[list[str]]:
    """Rows of the table beneath "Due on the first day"; empty where the annex has no such section."""
    pairs = zip(document.blocks, document.blocks[1:], strict=False)
    found = [
        after
        for block, after in pairs
        if isinstance(block, Heading)
        and block.title.text == "Due on the first day, in USD"
        and isinstance(after, Table)
    ]
    return [[cell.text for cell in row] for table in found for row in table.rows]


@pytest.mark.parametrize("example", EXAMPLES)
def test_what_has_no_price_is_named(example: str) -> None:
    unpriced = [line.label for line in accepted(example).bill if line.usd_per_month is None]
    text = whole(made(example))
    assert [label for label in unpriced if label not in text] == []
    assert ("No source has a price" in text) is bool(unpriced)
    estimated = [line.label for line in accepted(example).bill if line.state == State.ESTIMATED]
    assert ("all priced lines" in text) is bool(unpriced or estimated)


def test_an_estimate_is_in_no_sum_and_is_to_be_confirmed() -> None:
    lock = accepted("demo")
    at = next(at for at, line in enumerate(lock.bill) if line.key.startswith("storage/") and line.usd_per_month)
    known_line = lock.bill[at]
    assert known_line.usd_per_month is not None
    odd = Decimal("7654.32")
    update = {"state": "estimated", "basis": "to be confirmed; from 12 regions", "usd_per_month": (odd, odd, odd)}
    changed: Lock = lock.model_copy(
        update={"bill": (*lock.bill[:at], known_line.model_copy(update=update), *lock.bill[at + 1 :])}
    )
    document = annex(changed, checklist=checklist("demo"), catalog=catalog())
    text = whole(document)
    assert f"{known_line.label}: to be confirmed" in text
    assert "7,654.32" not in text
    before, after = (
        next(table for table in tables(each) if table[-1][0].startswith("all"))[-1] for each in (made("demo"), document)
    )
    difference = Decimal(before[2].replace(",", "")) - Decimal(after[2].replace(",", ""))
    assert abs(difference - known_line.usd_per_month[1]) <= Decimal("0.01")
    assert untraced(document, known(changed, checklist("demo"))) == []


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_pool_and_tier_is_delivered(example: str) -> None:
    text = whole(made(example))
    for spec in accepted(example).placements:
        assert all(pool.machine in text for pool in spec.pools)
        assert all(tier.engine in text for tier in spec.storage)


def test_eleven_examples_were_looked_at() -> None:
    assert len(EXAMPLES) >= 11


@settings(max_examples=12)
@given(
    st.lists(
        st.tuples(st.none() | st.decimals(0, 10**7, places=6), st.sampled_from(["pool/a/x", "storage/warm", "odd/7"])),
        min_size=1,
        max_size=8,
    )
)
def test_any_bill_adds_up_to_the_cent(lines: list[tuple[Decimal | None, str]]) -> None:
    lock = accepted("demo")
    bill = tuple(
        lock.bill[0].model_copy(update={"key": key, "usd_per_month": None if usd is None else (usd, usd, usd)})
        for usd, key in lines
    )
    changed: Lock = lock.model_copy(update={"bill": bill})
    document = annex(changed, checklist=checklist("demo"), catalog=catalog())
    prices = next(table for table in tables(document) if table[-1][0].startswith("all"))
    known_prices = [usd for usd, _ in lines if usd is not None]
    expected = f"{to_cents(sum(known_prices, start=Decimal(0))):,}" if known_prices else "none"
    assert prices[-1][1:] == [expected] * 3
    assert untraced(document, known(changed, checklist("demo"))) == []
