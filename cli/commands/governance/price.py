"""`atoll price`: what a preview, an exported stack or a plan costs, whoever wrote the program."""

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Final

import typer

from cli.terminal import options
from cli.terminal.console import note
from cli.terminal.options import deliver
from cli.views.price import price_parts
from operations.plans.price_book import as_book, describe_unused_rows, price_book
from planning.checklist.model.units import QuantityError, parse_number
from planning.costs.resources.formats.file import read_file
from planning.quoting.price_report import report
from planning.values.errors import OverCeilingError, UndeterminedError
from planning.values.verdict import Verdict

CEILING_OPTION: Final = "--ceiling"
EXIT_CODES: Final = {
    Verdict.WITHIN: 0,
    Verdict.OVER: OverCeilingError.exit_code,
    Verdict.UNDETERMINED: UndeterminedError.exit_code,
}


def run_price(
    file: Annotated[
        str,
        options.make_argument(
            "FILE", "From pulumi preview --json --show-sames, pulumi stack export, or atoll plan --json."
        ),
    ],
    *,
    ceiling: Annotated[str, options.make_option(CEILING_OPTION, "USD", "Judge the expected month by this limit.")] = "",
    prices: options.Book = options.CURRENT_BOOK,
    own: options.OwnBook = "",
    as_json: options.AsJson = False,
    output: options.Output = None,
) -> int:
    """Price a Pulumi preview, an exported stack or a plan.

    With --ceiling the exit code is the verdict: 0 within it, 10 over it, 11 where something has no price or is not in
    the file.
    """
    limit = _usd(ceiling) if ceiling else None
    preview, catalog = read_file(Path(file)), price_book(prices, own=own, today=options.day(""))
    found = report(preview, as_book(catalog))
    for unused in describe_unused_rows(catalog, (each.bill for each in (found.old, found.new) if each is not None)):
        note(unused)
    judgement = found.judge_ceiling(limit) if limit is not None else None
    verdict = (f"{judgement.verdict}: {judgement.reason}",) if judgement else ()
    deliver(found.as_json(judgement), as_json=as_json, output=output, parts=lambda: (*price_parts(found), *verdict))
    return EXIT_CODES[judgement.verdict] if judgement else 0


def _usd(text: str) -> Decimal:
    try:
        found = parse_number(text)
    except QuantityError as error:
        raise typer.BadParameter(f"{error}; {error.hint}", param_hint=CEILING_OPTION) from error
    if found <= 0:
        raise typer.BadParameter("a ceiling is more than nothing", param_hint=CEILING_OPTION)
    return found
