"""What every page has: one file that needs nothing but itself, wide enough for a phone, in the style of all of them."""

from __future__ import annotations

from typing import Final

from cli.pages.documents.markup import Markup, element, words
from cli.pages.documents.style import STYLE

ALONE: Final = "default-src 'none'; style-src 'unsafe-inline'"  # the browser refuses whatever is not in the page


def whole_page(title: str, content: Markup, *, style: str = "") -> str:
    """The whole page as text.

    Args:
        content: of its body.
        style: rules beyond those of every page.
    """
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=ALONE),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", words(title)),
        element("style", Markup(STYLE + style)),
    )
    return f"<!doctype html>\n{element('html', head, element('body', content), lang='en')}\n"
