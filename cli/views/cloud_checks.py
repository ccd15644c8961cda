"""A pre-flight as tables: quota, offered, reserved, side by side and never added up."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Final

from rich.text import Text

from cli.terminal.amounts import floor, usd
from cli.terminal.tables import make_table
from planning.cloud_checks.cloud_reports import CATALOG
from planning.cloud_checks.preflight import STANDINGS, FactVerdict
from planning.spec.lock_content import State
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from planning.cloud_checks.orphans import OrphanReport, PricedOrphan
    from planning.cloud_checks.preflight import (
        OfferedFact,
        PlacementFacts,
        PoolFacts,
        Preflight,
        QuotaFact,
        ReservedFact,
    )


WORDS: Final[Mapping[FactVerdict, str]] = {
    FactVerdict.RIGHT: "nothing is in the way",
    FactVerdict.WRONG: "something is in the way",
    FactVerdict.UNKNOWN: "nothing is known to be in the way, and not everything is known",
}
_STYLES: Final[Mapping[FactVerdict, str]] = {
    FactVerdict.RIGHT: "",
    FactVerdict.WRONG: "bold red",
    FactVerdict.UNKNOWN: "yellow",
}


def preflight_parts(found: Preflight) -> Iterator[RenderableType]:
    for each in found.placements:
        yield f"{each.placement}: {each.provider} {each.region}" + (f" ({each.silence})" if each.silence else "")
        yield placement_table(each)
        for other in each.quotas:
            yield f"{other.name}: {quota_text(other, silence=each.silence)}"
    for pool in found.strays:
        yield f"the stack names a reservation for pool {pool}, which it does not have"
    yield f"{found.stack}: {WORDS[FactVerdict(found.standing)]}"


def placement_table(each: PlacementFacts) -> Table:
    facts = ("quota", "offered", "reserved")
    table = make_table(
        ("pool", "machine", *facts), map(partial(_pool_row, silence=each.silence), each.pools), whole={"pool"}
    )
    for column in table.columns[-len(facts) :]:
        column.ratio = 1
    return table


def _pool_row(pool: PoolFacts, *, silence: str) -> Iterator[str | Text]:
    yield from (pool.pool, f"{pool.nodes} x {pool.machine}")
    yield _style_text(quota_text(pool.quota, silence=silence), state=pool.quota.state)
    yield _style_text(offer_text(pool.offered), state=pool.offered.state)
    yield _style_text(reservation_text(pool.reserved, silence=silence), state=pool.reserved.state)


def _style_text(text: str, *, state: str) -> Text:
    return Text(text, style=_STYLES[STANDINGS[state]])


def quota_text(fact: QuotaFact, *, silence: str = "") -> str:
    """As in "short: 576 of 384 vCPUs, 96 used (L-417A185B)"; a reason that is `silence` has been said already."""
    # A cloud that does not answer says so once, above the table, not in every row.
    reason = "" if fact.reason == silence else fact.reason
    if fact.needed is None:
        return _with_reason("none needed" if fact.state == "not_needed" else fact.state, reason)
    needed, unit = f"{fact.needed:,}", fact.unit
    figures = f"{needed} {unit} needed" if fact.limit is None else f"{needed} of {fact.limit:,} {unit}"
    used = f", {fact.used:,} used" if fact.used else ""
    return _with_reason(f"{fact.state}: {figures}{used} ({fact.code})", reason)


def offer_text(fact: OfferedFact) -> str:
    """As in "offered in use1-az4 (catalog, 2026-01-01)"."""
    words = fact.state.replace("_", " ")
    where = f"{words} in {', '.join(fact.zones)}" if fact.zones and fact.state == "offered" else words
    source = f" (catalog, {fact.as_of or 'undated'})" if fact.source == CATALOG else ""
    return _with_reason(f"{where}{source}", fact.reason)


def reservation_text(fact: ReservedFact, *, silence: str = "") -> str:
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


def leftovers_parts(left: OrphanReport) -> Iterator[RenderableType]:
    if left.forgotten:
        yield "Still there, and it costs:"
        yield leftovers_table(left.forgotten)
    if left.kept:
        yield "Kept on purpose:"
        yield leftovers_table(left.kept)
    if left.free:
        yield f"Still there, and it is free: {count_kinds(left.free)}"
    for each in left.unanswered:
        yield f"Not answered: {each.what} of {each.placement}: {each.reason}"
    yield conclusion(left)


def leftovers_table(things: Sequence[PricedOrphan]) -> Table:
    rows = (
        (found.kind, found.id, found.region, found.status, amount(each), "; ".join(notes(each)))
        for each in things
        for found in (each.found,)
    )
    amounts = {"USD/month"}
    head = ("what", "id", "where", "state", *amounts, "note")
    return make_table(head, (map(Text, row) for row in rows), right=amounts, whole=amounts)


def amount(each: PricedOrphan) -> str:
    if each.state is State.FREE:
        return "free"
    if each.usd_per_month is None:
        return "unpriced"
    return floor(usd(each.usd_per_month), unpriced=int(each.state is State.UNPRICED))


def notes(each: PricedOrphan) -> Iterator[str]:
    if each.found.kept:
        yield each.found.kept
    if each.note:
        yield each.note


def count_kinds(things: Sequence[PricedOrphan]) -> str:
    """As in "2 subnet, 1 VPC"."""
    kinds = Counter(each.found.kind for each in things)
    return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))


def conclusion(left: OrphanReport) -> str:
    things = left.forgotten
    if things:
        known = sum((each.usd_per_month or ZERO for each in things), start=ZERO)
        unpriced = sum(1 for each in things if each.state is State.UNPRICED)
        total = floor(usd(known), unpriced=unpriced)
        more = f", {unpriced} of them unpriced" if unpriced else ""
        return f"{left.stack}: {len(things)} left that cost {total} USD a month{more}"
    if left.unanswered:
        return f"{left.stack}: nothing was found, and not everything could be asked"
    return f"{left.stack}: nothing is left that costs" + (", but for what is kept" if left.kept else "")
