"""A pre-flight as tables: quota, offered, reserved, side by side and never added up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from planning.cloud_checks.cloud_reports import CATALOG
from planning.cloud_checks.pool_capacity import STANDINGS, Standing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import RenderableType

    from planning.cloud_checks.pool_capacity import OfferedFact, PlacementFacts, Preflight, QuotaFact, ReservedFact

WORDS: Final[Mapping[Standing, str]] = {
    Standing.RIGHT: "nothing is in the way",
    Standing.WRONG: "something is in the way",
    Standing.UNKNOWN: "nothing is known to be in the way, and not everything is known",
}
_STYLES: Final[Mapping[Standing, str]] = {Standing.RIGHT: "", Standing.WRONG: "bold red", Standing.UNKNOWN: "yellow"}


def preflight_parts(found: Preflight) -> Iterator[RenderableType]:
    """One table for each placement, then what is reserved for nothing, then the conclusion."""
    for each in found.placements:
        yield f"{each.placement}: {each.provider} {each.region}" + (f" ({each.silence})" if each.silence else "")
        yield placement_table(each)
        for other in each.others:
            yield f"{other.name}: {quota_text(other, silence=each.silence)}"
    for pool in found.strays:
        yield f"the stack names a reservation for pool {pool}, which it does not have"
    yield f"{found.stack}: {WORDS[found.standing]}"


def placement_table(each: PlacementFacts) -> Table:
    """The pools of one placement with their three facts."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("pool", no_wrap=True)
    table.add_column("machine")
    for heading in ("quota", "offered", "reserved"):
        table.add_column(heading, overflow="fold", ratio=1)
    for pool in each.pools:
        facts = (
            (pool.quota.state, quota_text(pool.quota, silence=each.silence)),
            (pool.offered.state, offered_text(pool.offered)),
            (pool.reserved.state, reserved_text(pool.reserved, silence=each.silence)),
        )
        cells = (_styled(text, state=state) for state, text in facts)
        table.add_row(pool.pool, f"{pool.nodes} x {pool.machine}", *cells)
    return table


def _styled(text: str, *, state: str) -> Text:
    return Text(text, style=_STYLES[STANDINGS[state]])


def quota_text(fact: QuotaFact, *, silence: str = "") -> str:
    """As in "short: 576 of 384 vCPUs, 96 used (L-417A185B)"; a reason that is `silence` has been said already."""
    reason = "" if fact.reason == silence else fact.reason
    if fact.needed is None:
        return _with_reason("none needed" if fact.state == "not_needed" else fact.state, reason)
    needed, unit = f"{fact.needed:,}", fact.unit
    figures = f"{needed} {unit} needed" if fact.limit is None else f"{needed} of {fact.limit:,} {unit}"
    used = f", {fact.used:,} used" if fact.used else ""
    return _with_reason(f"{fact.state}: {figures}{used} ({fact.code})", reason)


def offered_text(fact: OfferedFact) -> str:
    """As in "offered in use1-az4 (catalog, 2026-01-01)"."""
    words = fact.state.replace("_", " ")
    where = f"{words} in {', '.join(fact.zones)}" if fact.zones and fact.state == "offered" else words
    source = f" (catalog, {fact.as_of or 'undated'})" if fact.source == CATALOG else ""
    return _with_reason(f"{where}{source}", fact.reason)


def reserved_text(fact: ReservedFact, *, silence: str = "") -> str:
    """As in "reserved: cr-1, 4 x p5.48xlarge, active, until 2026-12-01"."""
    words = "none needed" if fact.state == "not_needed" else fact.state
    if not fact.id:
        return _with_reason(words, fact.reason)
    if fact.count is None:
        return _with_reason(f"{words}: {fact.id}", "" if fact.reason == silence else fact.reason)
    until = f", until {fact.ends}" if fact.ends else ""
    return _with_reason(f"{words}: {fact.id}, {fact.count} x {fact.machine}, {fact.status}{until}", fact.reason)


def _with_reason(text: str, reason: str) -> str:
    return f"{text}: {reason}" if reason else text
