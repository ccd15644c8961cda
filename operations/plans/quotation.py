"""What `atoll rfq` asks for: the items without a firm price of the accepted option, or of one of a quote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from operations.plans.price_book import price_book
from operations.plans.quote import Wanted, option_named, quote_subject
from operations.project.workspace import find_project
from planning.agreements.quotation.request import QuotedOption, list_requested_items
from planning.costs.bill import lock_line
from planning.spec.lock import read_lock
from planning.values.errors import InputError

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    from catalogs.catalog import Catalog
    from operations.project.workspace import StackRef
    from planning.agreements.quotation.request import RequestedItem


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotationRequest:
    """An option, and what of it a provider is asked to price."""

    option: QuotedOption
    items: tuple[RequestedItem, ...]
    catalog: Catalog


def request_quotation(
    asked: StackRef, *, option: str, wanted: Wanted, book: str, own: str, today: date
) -> QuotationRequest:
    """The request for the accepted option where nothing else is named, else for one of a quote of today.

    Args:
        option: id or view of an option; "" for the accepted one, else the recommended one.
        wanted: who is asked, and where; empty for every provider of the option. Where the accepted option is not there,
            another is quoted.

    Raises:
        InputError: faults in the checklist, the lock or the price book, or no such option or provider.
        NothingFitsError: nothing on sale satisfies the checklist there.
    """
    found = None if option else _find_accepted(asked, wanted)
    if found is None:
        found, catalog = _quote(asked, option=option, wanted=wanted, book=book, own=own, today=today)
    else:
        catalog = price_book(book, own=own, today=today)
    items = list_requested_items(found, catalog=catalog, today=today)
    mine = tuple(each for each in items if not wanted.providers or each.provider in wanted.providers)
    return QuotationRequest(option=found, items=mine, catalog=catalog)


def _find_accepted(asked: StackRef, wanted: Wanted) -> QuotedOption | None:
    """The option of the stack's lock; None without one, or where it is at another place than is asked about."""
    path = _find_lock(asked)
    if path is None or not path.exists():
        return None
    lock = read_lock(path, stack=asked.stack)
    places = [each.placement for each in lock.placements]
    is_there = {*wanted.providers} <= {each.provider for each in places}
    if not is_there or not {*wanted.regions} <= {each.region for each in places}:
        return None
    return QuotedOption(
        stack=lock.stack,
        option=lock.option,
        placements=lock.placements,
        lines=lock.bill,
        contract_months=lock.contract_months,
    )


def _find_lock(asked: StackRef) -> Path | None:
    """Where the lock of a stack lies; None for a checklist outside a project."""
    try:
        project = find_project()
    except InputError:
        return None
    path = project.lock(asked.stack)
    # A checklist elsewhere may have the name of a stack, and nothing else in common with it.
    return path if path.parent == asked.checklist.resolve().parent else None


def _quote(
    asked: StackRef, *, option: str, wanted: Wanted, book: str, own: str, today: date
) -> tuple[QuotedOption, Catalog]:
    answer = quote_subject(asked, book=book, own=own, today=today, allow_stale=True, wanted=wanted)
    chosen = option_named(answer.quote, option) if option else answer.quote.recommended
    found = QuotedOption(
        stack=asked.stack,
        option=chosen.id,
        placements=chosen.placements,
        lines=tuple(map(lock_line, chosen.bill.lines)),
        contract_months=answer.checklist.contract.months,
    )
    return found, answer.catalog
