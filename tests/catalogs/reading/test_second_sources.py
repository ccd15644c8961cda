"""What another source says of the price of a service is said beside it, and never is the price."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from catalogs.integrity import collect_words
from catalogs.model import OWN_PREFIX, Method, Source
from catalogs.offers import SecondOpinion, describe_disagreement
from catalogs.prices import PriceBook

PAGE = Source(id="page", text="a page", url="", as_of=date(2026, 9, 1), method=Method.LIST)


def second(usd: str) -> SecondOpinion:
    return SecondOpinion(key="aws,shared_disk,a,list", usd=Decimal(usd), source="other", as_of=None)


@pytest.mark.parametrize(
    ("tiers", "others", "told"),
    [
        (["0.33"], ["0.36"], "sources differ by 9%"),
        (["0.33"], ["0.33"], ""),
        (["0.33"], ["0.333"], ""),  # a percent at most is rounding
        (["0.33"], ["0.33", "0.165"], "sources differ by 50%"),
        (["0.09", "0.085"], ["0.085"], ""),  # another source may quote any tier
        (["0", "0.087"], ["0.087"], ""),
        (["0"], ["0.087"], ""),  # nothing can be compared with nothing
        (["0.33"], [], ""),
    ],
)
def test_sources_are_compared_with_the_nearest_tier(tiers: list[str], others: list[str], told: str) -> None:
    assert describe_disagreement([Decimal(usd) for usd in tiers], [second(usd) for usd in others]) == told


@pytest.mark.parametrize(("source", "told"), [("page", "sources differ by 9%"), (f"{OWN_PREFIX}3", "")])
def test_a_price_of_a_service_says_it_and_an_agreed_price_does_not(source: str, told: str) -> None:
    row = f"aws,shared_disk,a,list,GB-month,0.33,0,{source},2026-09-01"
    prices = PriceBook(
        name="test",
        lines=[row],
        words=collect_words([row]),
        digest="",
        sources={"page": PAGE},
        own=None,
        seconds_of={"aws,shared_disk,a,list": [second("0.36")]}.__getitem__,
    )
    (price,) = prices.tiers(provider="aws", item="shared_disk", region="a")
    assert (price.usd, price.disagreement) == (Decimal("0.33"), told)
