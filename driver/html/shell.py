"""What every page has: one file that needs nothing but itself, wide enough for a phone, in the style of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driver.html.markup import Markup, element, words
from driver.html.style import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterable


def whole_page(title: str, content: Markup, *, style: str = "", metas: Iterable[Markup] = ()) -> str:
    """The whole page as text.

    Args:
        content: of its body.
        style: rules beyond those of every page.
        metas: what its head tells the browser beyond what every page does.
    """
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        *metas,
        element("title", words(title)),
        element("style", Markup(STYLE + style)),
    )
    return f"<!doctype html>\n{element('html', head, element('body', content), lang='en')}\n"
