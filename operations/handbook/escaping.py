"""How a value gets into a page or a snippet without becoming markup or code."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from jinja2 import Undefined

from planning.values.errors import AtollError
from planning.values.printable import printable

MARKUP: Final = re.compile(r"([\\`*_\[\]{}|#])")
FIRST: Final = re.compile(r"^([+\-!>])|^(\d+)([.)])")  # what means something at the beginning of a line only
PLAIN: Final = re.compile(r"[A-Za-z0-9._:/@ +,=%\-]*")  # of a value in a snippet: nothing that any language quotes by


class Markdown(str):
    """Text that is Markdown already."""

    __slots__ = ()


def in_prose(value: object) -> str:
    """A value of a page, as people read it: numbers with their thousands apart, text without any markup.

    Raises:
        AtollError: a value that is neither.
    """
    if isinstance(value, Markdown | Undefined):
        return str(value)  # "" of an `if` without `else`; what is missing altogether raises here
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise AtollError(f"a page of the handbook shows {value!r}, which is no text and no number")
    if not isinstance(value, str):
        return amount(value)
    text = printable(" ".join(value.split())).replace("&", "&amp;").replace("<", "&lt;")
    return FIRST.sub(
        lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}", MARKUP.sub(r"\\\1", text)
    )


def amount(value: int | Decimal) -> str:
    """A number with its thousands apart and without zeros at its end: 30,400 and 2.5."""
    text = f"{value:,f}" if isinstance(value, Decimal) else f"{value:,}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def in_code(value: object) -> Markdown:
    """A value as inline code; its backticks would end it, so they are dropped.

    A bar would end the cell of a table, and no name of ours has one.
    """
    text = printable(" ".join(str(value).split())).replace("`", "").replace("|", "/")
    return Markdown(f"`{text}`" if text else "")


def in_snippet(value: object) -> str:
    """A value of a snippet, whatever language it is in.

    Raises:
        AtollError: it holds what some language would read as its own.
    """
    if isinstance(value, Markdown | bool) or not isinstance(value, str | int | Decimal):
        raise AtollError(f"a snippet of the handbook shows {value!r}, which is no plain text and no number")
    text = str(value)
    if not PLAIN.fullmatch(text):
        raise AtollError(f"{text!r} cannot stand in an example of the handbook: it holds more than letters and digits")
    return text
