"""`atoll price`: what a preview, an exported stack or a plan costs, whoever wrote the program."""

from pathlib import Path
from typing import Annotated

import typer

from driver import arguments
from driver.prices import as_book, price_book
from driver.render.price import price_parts
from driver.screen import show, show_json
from planning.price_report import report
from planning.takeoff.read import read_file


def run(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="From pulumi preview --json --show-sames, pulumi stack export, or atoll plan --json.",
            show_default=False,
        ),
    ],
    *,
    prices: arguments.Book = arguments.CURRENT_BOOK,
    own: arguments.OwnBook = "",
    as_json: arguments.AsJson = False,
) -> int:
    """Price a Pulumi preview, an exported stack or a plan."""
    preview = read_file(Path(file))
    found = report(preview, as_book(price_book(prices, own=own)))
    if as_json:
        show_json(found.as_json())
    else:
        show(*price_parts(found))
    return 0
