"""Which places the catalog can quote: every one with accelerators on sale, for the reference checklists."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import catalogs
from planning.checklist.reading.checklist_file import read_file
from planning.quoting.candidates.market import Market
from planning.quoting.coverage import judge_place, list_places
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date

    from catalogs.catalog import Catalog
    from planning.quoting.coverage import PlaceCoverage

REFERENCES: Final = Path(catalogs.__file__ or "").parent / "checklist" / "coverage"
# What a team does first, then what it keeps beside it: the order of every table and picture.
KINDS: Final = ("training", "notebooks", "inference")


def measure_coverage(
    catalog: Catalog, *, providers: Sequence[str], today: date, told: Callable[[str], None] = lambda _: None
) -> tuple[PlaceCoverage, ...]:
    """Every place and kind, place by place.

    Args:
        providers: only these; empty for all.
        told: called with the place that is looked at.

    Raises:
        InputError: a provider that sells no accelerators, or does not exist.
    """
    market = Market(catalog)
    places = list_places(market, providers=providers)
    if strange := sorted(set(providers) - {provider for provider, _ in places}):
        known = sorted({provider for provider, _ in list_places(market)})
        raise InputError(
            f"--provider: no price of an accelerator at {', '.join(strange)}", hint=f"one of: {', '.join(known)}"
        )
    references = {kind: read_file(REFERENCES / f"{kind}.yaml") for kind in KINDS}
    found: list[PlaceCoverage] = []
    for number, place in enumerate(places, start=1):
        told(f"{number} of {len(places)}: {' '.join(place)}")
        found += (
            judge_place(checklist, place, kind=kind, market=market, today=today)
            for kind, checklist in references.items()
        )
    return tuple(found)
