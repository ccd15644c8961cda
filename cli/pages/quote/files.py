"""A quote as files: one page of HTML, one text of Markdown, both of the same sheets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cli.pages.quote.document import sheets
from cli.pages.quote.html import page
from cli.pages.quote.markdown import markdown as written
from cli.views.quote.labels import order_options
from planning.quoting.market_rank import standings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operations.plans.quote import Answer


def documents(answer: Answer, *, html: str, markdown: str) -> Mapping[Path, str]:
    """The files asked for and what is to stand in them; "" for one that is not."""
    quote, checklist, catalog = order_options(answer.quote), answer.checklist, answer.catalog
    found = standings(quote, checklist, catalog)
    said = sheets(quote, checklist=checklist, catalog=catalog, standings=found)
    texts: dict[Path, str] = {}
    if html:
        texts[Path(html)] = page(said, quote, checklist=checklist, catalog=catalog, standings=found)
    if markdown:
        texts[Path(markdown)] = written(said)
    return texts
