"""For price lists that are made up of one region: there is nothing to estimate from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from catalogs.model import Price


class NoOtherRegions:
    def list_prices(self, *, provider: str, item: str) -> tuple[Price, ...]:
        del provider, item
        return ()

    def places(self) -> frozenset[tuple[str, str]]:
        return frozenset()
