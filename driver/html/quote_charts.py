"""Every chart of a quote by its name; a name without a chart is shown by its table alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driver.html.bars import bill_chart, legend
from driver.html.dots import rate_chart, rate_rows
from driver.html.markup import Markup, element, words
from driver.html.quote_market import market_chart
from driver.html.quote_owning import owning_chart
from driver.html.quote_ranges import range_chart
from driver.html.quote_runs import run_chart
from driver.render.quote_compare import deadline_days, workloads_run
from driver.render.quote_money import buyings
from driver.render.quote_names import letter
from planning.owning import spent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from catalogs.reader import Catalog
    from planning.checklist.model import Checklist
    from planning.quote import Quote
    from planning.standing import Standing

Drawn = tuple[str, tuple[Markup, ...]]


def charts(
    quote: Quote, *, checklist: Checklist, catalog: Catalog, standings: Sequence[Standing]
) -> Mapping[str, tuple[Markup, ...]]:
    """The charts that there is something to draw for."""
    if not quote.options:
        return {}
    return dict(
        (
            *_money(quote, checklist),
            *_runs(quote, checklist),
            *((f"market-{each.precision}", (market_chart(each, catalog.providers),)) for each in standings),
            *_owning(quote),
        )
    )


def _money(quote: Quote, checklist: Checklist) -> Iterator[Drawn]:
    ceiling = checklist.ceiling.usd_per_month
    yield "ranges", (range_chart(quote.options, ceiling=ceiling),)
    yield "bill", (legend(quote.options), bill_chart(quote.options, ceiling=ceiling))
    if rate_rows(quote.options):
        yield "rates", (rate_chart(quote.options),)


def _runs(quote: Quote, checklist: Checklist) -> Iterator[Drawn]:
    for name in workloads_run(quote):
        deadline = deadline_days(checklist, name)
        drawn = run_chart(quote.options, workload=name, deadline_days=deadline)
        yield f"run-{name}", (element("p", words(name), class_="key"), drawn)


def _owning(quote: Quote) -> Iterator[Drawn]:
    for buying, every in buyings(quote):
        known = spent(buying)
        if known is None:
            continue
        key = element(
            "p",
            element("span", element("i", class_="rented"), words("rented, a full line")),
            element("span", element("i", class_="owned"), words("bought, a broken line")),
            class_="legend",
        )
        options = ", ".join(letter(at) for at in every)
        yield (
            f"buying-{letter(every[0])}",
            (element("p", words(options), class_="key"), key, owning_chart(buying, known, every=every)),
        )
