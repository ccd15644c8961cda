"""Every chart of a quote by its name; a name without a chart is shown by its table alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.pages.charts.bars import bill_chart, legend
from cli.pages.charts.dots import rate_chart, rate_rows
from cli.pages.charts.market import market_chart
from cli.pages.charts.ownership import owning_chart
from cli.pages.charts.ranges import range_chart
from cli.pages.charts.run_costs import run_chart
from cli.pages.documents.markup import Markup, element, words
from cli.pages.quote.comparison import deadline_days, workloads_run
from cli.pages.quote.market import buyings
from cli.views.quote.labels import letter
from planning.quoting.rent_or_buy import spent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from catalogs.catalog import Catalog
    from planning.checklist.model.checklist import Checklist
    from planning.quoting.market_rank import Standing
    from planning.quoting.quote import Quote

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
