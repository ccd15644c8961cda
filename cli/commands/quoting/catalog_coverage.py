"""`atoll catalog coverage`: which places can be quoted, and what is missing at the others."""

from typing import Annotated

import typer

from cli.terminal import options
from cli.terminal.console import progress
from cli.terminal.options import deliver
from operations.plans.price_book import price_book

Providers = Annotated[
    list[str] | None,
    typer.Option("--provider", metavar="NAME", help="Only this provider; may be given several times."),
]


def show_coverage(
    *,
    provider: Providers = None,
    prices: options.Book = options.CURRENT_BOOK,
    own: options.OwnBook = "",
    today: options.Today = "",
    as_json: options.AsJson = False,
    output: options.Output = None,
) -> int:
    """Quote training, notebooks and inference in every region with accelerators, and say what is missing.

    Each of three reference checklists (catalogs/checklist/coverage) is quoted at each place alone.
    """
    # The other commands of `catalog` need no search.
    from cli.views.quote.coverage import coverage_parts  # noqa: PLC0415 - see above
    from operations.plans.coverage import measure_coverage  # noqa: PLC0415 - see above
    from planning.quoting.coverage import coverage_form  # noqa: PLC0415 - see above

    day = options.day(today)
    catalog = price_book(prices, own=own, today=day)
    with progress("quoting every place") as tell:
        cells = measure_coverage(catalog, providers=provider or (), today=day, told=tell)
    deliver(
        coverage_form(cells, prices=catalog.prices.name, today=day),
        as_json=as_json,
        output=output,
        parts=lambda: coverage_parts(cells),
    )
    return 0
