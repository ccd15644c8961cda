"""Which places can be quoted, as tables: each place by kind, what is missing where, and why nothing is on sale."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from cli.terminal.tables import make_table
from planning.quoting.coverage import PLACE, Coverage, summarize
from planning.values.money import round_to

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from planning.quoting.coverage import PlaceCoverage

NONE: Final = "-"
LEGEND: Final = (
    "priced: every line has a price; ~2, 1%: two items are estimated, and from least to most make up 1% of the month; "
    "2 open: two items have no price; -: nothing on sale that fits"
)
STATE_WORDS: Final = {
    Coverage.PRICED: "fully priced",
    Coverage.ESTIMATED: "with estimates",
    Coverage.INCOMPLETE: "incomplete",
    Coverage.NOTHING: "nothing on sale",
}


def coverage_parts(cells: Sequence[PlaceCoverage]) -> Iterator[RenderableType]:
    yield places_table(cells)
    yield LEGEND
    yield counts_table(cells)
    missing = list(group_missing(cells))
    if missing:
        yield "What has no price"
        yield make_table(("provider", "item", "for", "in"), missing, whole=("provider",))
    nothing = list(group_nothing(cells))
    if nothing:
        yield "Where nothing is on sale, and why"
        yield make_table(("for", "in", "because"), nothing, whole=("for",))


def list_kinds(cells: Iterable[PlaceCoverage]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.kind for each in cells))


def places_table(cells: Sequence[PlaceCoverage]) -> Table:
    kinds = list_kinds(cells)
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for each in cells:
        rows.setdefault((each.provider, each.region), {})[each.kind] = describe_cell(each)
    body = ((*place, *(words.get(kind, NONE) for kind in kinds)) for place, words in rows.items())
    return make_table(("provider", "region", *kinds), body, whole=kinds)


def describe_cell(cell: PlaceCoverage) -> str:
    """As in "priced", "~2, 1%" and "1 open, ~2"."""
    if cell.state is Coverage.NOTHING:
        return NONE
    if cell.state is Coverage.PRICED:
        return "priced"
    about = f"~{len(cell.estimated)}" if cell.estimated else ""
    if cell.state is Coverage.ESTIMATED:
        return f"{about}, {describe_width(cell)}"
    return ", ".join(part for part in (f"{len(cell.open_items)} open", about) if part)


def describe_width(cell: PlaceCoverage) -> str:
    """In whole percent; what is less than one is no more than that."""
    width = round_to(cell.width_percent, Decimal(1))
    return f"{width}%" if width else "<1%"


def counts_table(cells: Sequence[PlaceCoverage]) -> Table:
    counts = summarize(cells)
    titles = {kind: kind for kind in counts} | {PLACE: "whole place"}
    rows = ((titles[kind], *(str(counts[kind][state]) for state in Coverage)) for kind in counts)
    heads = tuple(STATE_WORDS.values())
    return make_table(("places", *heads), rows, right=heads)


def group_missing(cells: Sequence[PlaceCoverage]) -> Iterator[tuple[str, str, str, str]]:
    """Provider, item, kinds and regions of what has no price, the most common first."""
    sold: dict[str, dict[str, None]] = {}
    for each in cells:
        if each.state is not Coverage.NOTHING:
            sold.setdefault(each.provider, {})[each.region] = None
    found: dict[tuple[str, str], dict[str, dict[str, None]]] = {}
    for each in cells:
        for item in each.open_items:
            words = f"{item.item} (bounded)" if item.bounded else item.item
            by = found.setdefault((each.provider, words), {"kinds": {}, "regions": {}})
            by["kinds"][each.kind] = None
            by["regions"][each.region] = None
    for (provider, item), by in sorted(found.items(), key=lambda each: -len(each[1]["regions"])):
        yield provider, item, ", ".join(by["kinds"]), _name_regions(list(by["regions"]), sold[provider])


def _name_regions(regions: Sequence[str], sold: Collection[str]) -> str:
    """The regions, or those that are left where there are fewer of them."""
    others = [each for each in sold if each not in regions]
    if len(others) >= len(regions):
        return ", ".join(regions)
    if not others:
        return f"all {len(regions)} regions" if len(regions) > 1 else regions[0]
    return f"all {len(regions)} regions with a quote but {', '.join(others)}"


def group_nothing(cells: Iterable[PlaceCoverage]) -> Iterator[tuple[str, str, str]]:
    """Kind, places and reason where nothing is on sale."""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for each in cells:
        if each.state is Coverage.NOTHING:
            found.setdefault((each.kind, each.reason), {}).setdefault(each.provider, []).append(each.region)
    for (kind, reason), places in found.items():
        yield kind, "; ".join(f"{provider} {', '.join(regions)}" for provider, regions in places.items()), reason
