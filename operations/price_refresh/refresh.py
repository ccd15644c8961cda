"""The whole of `atoll catalog refresh`: read the sources, hold their prices against the old ones, write what passes."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from catalogs.catalog import load
from operations.price_refresh.catalog_files import hold_catalog, write_catalog
from operations.price_refresh.collection import CollectedPrices, PriceCollection, RefreshScope
from operations.price_refresh.gates import JudgedSection, PriceGates
from operations.price_refresh.merge import merge_texts, pick_prices
from operations.price_refresh.model import PriceRefreshError
from operations.price_refresh.price_file import RANK, read_price_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date
    from pathlib import Path

    from catalogs.catalog import Catalog
    from catalogs.refreshed.layers import CatalogLayers
    from operations.price_refresh.merge import PickedPrices
    from operations.price_refresh.model import SilentSection


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshOrder:
    """What is asked for.

    Args:
        file: prices of a file instead of those of the readers.
        accept: whether prices that moved far are taken.
        dry_run: whether nothing is written.
    """

    scope: RefreshScope = field(default_factory=RefreshScope)
    file: Path | None = None
    accept: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshOutcome:
    """What came of it.

    Args:
        catalog: as it was before.
        picked: the prices that count from now on, or would without `dry_run`, and what other sources say of them.
        written: whether the catalog on disk is a new one.
    """

    order: RefreshOrder
    today: date
    catalog: Catalog
    judged: tuple[JudgedSection, ...]
    silent: tuple[SilentSection, ...]
    picked: PickedPrices
    written: bool


def refresh_catalog(
    order: RefreshOrder,
    *,
    layers: CatalogLayers,
    today: date,
    environment: Mapping[str, str],
    tell: Callable[[str], None],
) -> RefreshOutcome:
    """Refresh the catalog of some folders; whatever stops it, they hold the old catalog or the new one, whole.

    Raises:
        PriceRefreshError: nothing of it may be written; the old catalog stays.
        InputError: faults in the file.
    """
    with nullcontext() if order.dry_run else hold_catalog(layers):
        catalog = load(root=layers.root, layers=layers)
        _refuse_clock(catalog, today)
        collected = _collect(order, catalog=catalog, today=today, environment=environment, tell=tell)
        gates = PriceGates(catalog=catalog, today=today, accept=order.accept)
        judged = tuple(gates.judge(section, rank=rank) for rank, section in collected.sections)
        picked = pick_prices(judged)
        texts = merge_texts(layers, picked)
        if texts and not order.dry_run:
            tell("checking the new catalog")
            write_catalog(layers, texts)
    return RefreshOutcome(
        order=order,
        today=today,
        catalog=catalog,
        judged=judged,
        silent=tuple(collected.silent),
        picked=picked,
        written=bool(texts) and not order.dry_run,
    )


def _refuse_clock(catalog: Catalog, today: date) -> None:
    """Where this machine's clock is behind the catalog, every date that the run would write is wrong."""
    newest = catalog.prices.newest
    if newest and newest > today:
        raise PriceRefreshError(
            f"today is {today} on this machine, and the catalog has a price of {newest}",
            hint="set the clock right; nothing was read",
        )


def _collect(
    order: RefreshOrder,
    *,
    catalog: Catalog,
    today: date,
    environment: Mapping[str, str],
    tell: Callable[[str], None],
) -> CollectedPrices:
    if order.file is None:
        collection = PriceCollection(catalog=catalog, today=today, environment=environment, tell=tell)
        return collection.collect(order.scope)
    scope = order.scope
    return CollectedPrices(
        sections=[
            (RANK, section)
            for section in read_price_file(order.file, catalog=catalog)
            if (not scope.providers or section.provider in scope.providers)
            and (not scope.regions or section.region in (*scope.regions, "*"))
            and section.kind in scope.kinds
        ]
    )
