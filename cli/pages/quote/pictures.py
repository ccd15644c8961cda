"""The charts of a quote document, by the chapter that they stand in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from cli.pages.charts.axes import element, escape_text
from cli.pages.charts.bars import bill_chart, legend
from cli.pages.charts.lines import owning_chart, run_chart
from cli.pages.charts.market import market_chart
from cli.pages.charts.ranges import range_chart, rate_chart, rate_rows
from cli.pages.quote.comparison import buyings, deadline_days, workloads_run
from cli.views.quote.options import letter
from planning.quoting.price_performance import compare_ownership

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from catalogs.catalog import Catalog
    from planning.checklist.model.checklist import Checklist
    from planning.quoting.price_performance import MarketRank
    from planning.quoting.quote import Quote


def draw(
    quote: Quote, *, checklist: Checklist, catalog: Catalog, standings: Sequence[MarketRank]
) -> Mapping[str, Markup]:
    """The charts of each chapter that has some, and below them the letters of the options."""
    if not quote.options:
        return {}
    ceiling = checklist.ceiling.usd_per_month
    found = {
        "options": [range_chart(quote.options, ceiling=ceiling)],
        "lines": [legend(quote.options), bill_chart(quote.options, ceiling=ceiling)],
        "time": list(_runs(quote, checklist)),
        "market": [market_chart(each, catalog.providers) for each in standings],
        "buying": list(_owning(quote)),
    }
    if found["market"] and rate_rows(quote.options):
        found["market"].append(rate_chart(quote.options))
    key = _key("; ".join(f"{letter(at)}: {option.id}" for at, option in enumerate(quote.options)))
    return {name: Markup("\n").join([*parts, key]) for name, parts in found.items() if parts}


def _key(words: str) -> Markup:
    return element("p", escape_text(words), class_="key")


def _runs(quote: Quote, checklist: Checklist) -> Iterator[Markup]:
    for name in workloads_run(quote):
        yield _key(name)
        yield run_chart(quote.options, workload=name, deadline_days=deadline_days(checklist, name))


def _owning(quote: Quote) -> Iterator[Markup]:
    for buying, every in buyings(quote):
        known = compare_ownership(buying)
        if known is None:
            continue
        yield _key(", ".join(letter(at) for at in every))
        yield element(
            "p",
            element("span", element("i", class_="rented"), escape_text("rented, a full line")),
            element("span", element("i", class_="owned"), escape_text("bought, a broken line")),
            class_="legend",
        )
        yield owning_chart(buying, known, every=every)
