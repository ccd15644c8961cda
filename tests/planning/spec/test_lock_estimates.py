"""An estimated line of a lock: its state, its range, and a basis that says it is to be confirmed."""

from __future__ import annotations

from decimal import Decimal

import hand_built
import pytest
from accepted import accepted

from planning.costs.bill import BillGroup, lock_line
from planning.spec.lock import Lock, parse, to_text
from planning.spec.lock_content import inconsistencies
from planning.values.errors import InputError

LINE = lock_line(hand_built.estimated("network/queue", BillGroup.NETWORK))


def lock_with(**changes: object) -> Lock:
    lock = accepted("demo", option=0)
    return lock.model_copy(update={"bill": (*lock.bill, LINE.model_copy(update=changes))})


def test_it_is_kept_whole() -> None:
    found = parse(to_text(lock_with()), file="quote.lock.json").bill[-1]
    assert found == LINE
    assert found.basis.startswith("to be confirmed; estimated: 12 other regions")
    assert found.usd_per_month == (Decimal(730), Decimal(1460), Decimal(2920))


def test_a_lock_without_estimates_does_not_have_the_word() -> None:
    assert '"basis"' not in to_text(accepted("demo", option=0))


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"basis": ""}, "basis"),
        ({"state": "priced"}, "basis"),
        ({"usd_per_unit": None}, "state"),
        ({"usd_per_unit": Decimal(3)}, "usd_per_month"),
        ({"usd_per_month": (Decimal(2000), Decimal(1460), Decimal(2920))}, "usd_per_month"),
        ({"usd_per_month": (Decimal(730), Decimal(1460), Decimal(1400))}, "usd_per_month"),
        ({"state": "guessed"}, "state"),
    ],
)
def test_what_contradicts_itself_is_refused_with_its_place(changes: dict[str, object], where: str) -> None:
    lock = lock_with(**changes)
    at = len(lock.bill) - 1
    assert f"bill.{at}.{where}" in {path for path, _ in inconsistencies(lock)}
    with pytest.raises(InputError, match="contradicts itself"):
        parse(to_text(lock), file="quote.lock.json")
