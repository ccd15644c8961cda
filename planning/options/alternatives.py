"""When the views agree on fewer than three clusters: the next best ones that differ in what matters, the provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.options.field import anything
from planning.options.search import cheapest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from planning.options.candidate import Candidate
    from planning.options.field import Field
    from planning.options.market import Place
    from planning.options.search import Pick

    Keep = Callable[[Candidate], bool]
    Only = Callable[[Place], bool]


def elsewhere(field: Field, picks: Sequence[Pick], *, wanted: int) -> Iterator[tuple[Pick, str]]:
    """Up to `wanted` picks and why each is shown: other providers first, then other regions, then other machines."""
    shown = list(picks)
    for _ in range(max(wanted, 0)):
        found = _next(field, shown)
        if found is None:
            return
        shown.append(found[0])
        yield found


def _next(field: Field, shown: Sequence[Pick]) -> tuple[Pick, str] | None:
    providers = {pick.place[0] for pick in shown}
    places = {pick.place for pick in shown}
    machines = {each.machine.name for pick in shown for each in pick.candidates if each.accelerator}
    goals: tuple[tuple[str, Keep, Only], ...] = (
        ("at another provider", anything, lambda place: place[0] not in providers),
        ("in another region", anything, lambda place: place not in places),
        ("on other machines", lambda each: each.machine.name not in machines, lambda place: place in places),
    )
    for words, keep, only in goals:
        pick = cheapest(field, keep, only=only)
        if pick is not None:
            return pick, f"alternative: the cheapest {words}"
    return None
