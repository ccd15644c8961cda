"""Figures of the three things that may be quoted from, shown as people read them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from planning.documents.figures import Figure, Origin

if TYPE_CHECKING:
    from catalogs.catalog import Catalog
    from catalogs.commitments import Promise

Value = str | int | Decimal | date


def shown(value: Value) -> str:
    """A value as people read it: thousands apart, no trailing zeros, "2 TB" is for the caller to say."""
    if isinstance(value, Decimal):
        return f"{value.normalize():,f}" if value else "0"
    return f"{value:,}" if isinstance(value, int) else str(value)


def of_lock(value: Value, at: str, *, text: str = "") -> Figure:
    """A figure of quote.lock.json.

    Args:
        at: its path, "placements.0.pools.1.max_nodes".
        text: how it is shown, where not as `shown` does; it must hold the same value.
    """
    return Figure(text=text or shown(value), origin=Origin.LOCK, at=at)


def of_checklist(value: Value, at: str, *, text: str = "") -> Figure:
    """A figure of checklist.yaml, at its path."""
    return Figure(text=text or shown(value), origin=Origin.CHECKLIST, at=at)


def of_catalog(value: Value, at: str, *, source: str, text: str = "") -> Figure:
    """A figure of the catalog.

    Args:
        at: file, key and column: "accelerators.csv H100-SXM-80GB bf16".
        source: text, page and date of the row, as `source_text` says them.
    """
    return Figure(text=text or shown(value), origin=Origin.CATALOG, at=at, source=source)


def source_text(catalog: Catalog, source: str, *, as_of: date | None = None) -> str:
    """What a footnote says of a source of the catalog: its text, its page and its date, "undated" without one.

    Args:
        as_of: the row's own date, which goes before the source's.

    Raises:
        KeyError: the catalog has no such source; a fault of ours.
    """
    known = catalog.sources[source]
    return ", ".join(part for part in (known.text, known.url, str(as_of or known.as_of or "undated")) if part)


def of_promise(promise: Promise, *, source: str, text: str = "") -> Figure:
    """A figure of promises.csv."""
    return of_catalog(promise.value, f"promises.csv {promise.name} value", source=source, text=text)


def reckoned(value: Value, formula: str, *inputs: Figure, text: str = "") -> Figure:
    """A figure that follows from others.

    Args:
        formula: in words: "working nodes times accelerators of one node".
    """
    return Figure(text=text or shown(value), origin=Origin.RECKONED, at=formula, inputs=inputs)
