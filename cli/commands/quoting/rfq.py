"""`atoll rfq`: ask a provider for the prices that an option lacks; the filled file is a price book."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cli.terminal import options
from cli.terminal.console import note, show
from cli.terminal.options import resolve_folder, tell_written
from operations.plans.quotation import QuotationRequest, request_quotation
from operations.plans.quote import Wanted
from operations.project.atomic_files import write_all
from operations.project.workspace import display_path, resolve_stack
from planning.agreements.quotation.document import write_request
from planning.agreements.quotation.request import group_by_provider
from planning.agreements.quotation.sheet import write_sheet

if TYPE_CHECKING:
    from datetime import date


def run_rfq(
    stack_or_file: options.StackOrFile,
    *,
    provider: options.Providers = None,
    region: options.Regions = None,
    option: Annotated[
        str,
        options.make_option(
            "--option", "ID", "Ask for this option of the quote.", default="the accepted one, else the recommended one"
        ),
    ] = "",
    output: Annotated[str, options.folder_option("Write the page (HTML, Markdown) and the CSV to fill in.")] = "",
    out: Annotated[str, options.old_option("--out", metavar="DIR")] = "",
    prices: options.Book = options.CURRENT_BOOK,
    price_book: options.OwnBook = "",
    today: options.Today = "",
) -> int:
    """Write a request for quotation: the items of an option that have no firm price.

    Those are items whose price is unknown, estimated or old, and machines for whose term only a maximum discount is
    published. --provider and --region ask as in a quote. Without -o, the page goes to standard output as Markdown.
    The filled CSV is a price book: atoll quote STACK --price-book FILE.
    """
    folder = resolve_folder(output, old=out, option="--out")
    day = options.day(today)
    asked = resolve_stack(stack_or_file)
    wanted = Wanted(providers=tuple(provider or ()), regions=tuple(region or ()))
    found = request_quotation(asked, option=option, wanted=wanted, book=prices, own=price_book, today=day)
    if not found.items:
        show(f"{found.option.option}: every item has a firm price; there is nothing to ask for")
        return 0
    _write(found, folder, stack_or_file, day=day)
    return 0


def _write(found: QuotationRequest, folder: str, asked: str, *, day: date) -> None:
    from cli.pages.documents.rendering import render_html, render_markdown  # noqa: PLC0415 - once there is a page

    by_provider = group_by_provider(found.items)
    texts: dict[Path, str] = {}
    for provider, items in by_provider.items():
        name = f"rfq-{found.option.stack}" if len(by_provider) == 1 else f"rfq-{found.option.stack}-{provider}"
        page = write_request(found.option, items, catalog=found.catalog, today=day, file=f"{name}.csv")
        texts[Path(folder) / f"{name}.md"] = render_markdown(page)
        texts[Path(folder) / f"{name}.html"] = render_html(page, styles=("quote",))
        texts[Path(folder) / f"{name}.csv"] = write_sheet(items)
    if not folder:
        sys.stdout.write("\n".join(text for path, text in texts.items() if path.suffix == ".md"))
        return
    write_all(texts)
    tell_written(texts)
    count = "1 item" if len(found.items) == 1 else f"{len(found.items)} items"
    show(f"{found.option.option}: {count} to ask for")
    sheets = [display_path(path) for path in texts if path.suffix == ".csv"]
    book = sheets[0] if len(sheets) == 1 else "FILE, which holds the rows of all"
    note(f"fill in usd, as_of and source, then: atoll quote {asked} --price-book {book}")
