"""What Atoll does not move by itself: each such thing by name, why, and the ways that people have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.relocation.inventory.assets import Kind, Treatment
from planning.relocation.methods.manual_procedures import ways

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from planning.relocation.inventory.assets import Thing
    from planning.relocation.inventory.stack_inventory import Inventory
    from planning.relocation.methods.data_loss import Choice
    from planning.relocation.methods.manual_procedures import Way

STRANGE: Final = "strange/"  # what keys of resources begin with that no row of ours knows
# What still changes until writers stand still: what was looked at before is looked at again after.
WRITTEN: Final = frozenset({Kind.BUCKET, Kind.POSTGRESQL, Kind.MYSQL, Kind.FILE_SYSTEM, Kind.VOLUME})


@dataclass(frozen=True, slots=True, kw_only=True)
class ByHand:
    """One thing that somebody must see to.

    Args:
        key: as the inventory has it, or `STRANGE` and what was registered.
        why: why Atoll does not.
    """

    key: str
    title: str
    why: str
    ways: tuple[Way, ...] = ()


def reason(kind: Kind, treatment: Treatment, *, runs: str, covered: bool | None) -> str:
    """Why somebody must see to a thing; "" where nobody must.

    Args:
        runs: who runs its mover: "atoll", "provider", "you"; "" where it has none.
        covered: whether a relocation.yaml names it; None where none was read.
    """
    if kind is Kind.REGISTRY and treatment is Treatment.MADE_ANEW:
        return "the target must reach it, or have one of its own that was filled"
    if treatment is not Treatment.MOVED or covered:
        return ""
    if runs == "atoll":
        return "" if covered is None else "no relocation.yaml names it"
    if runs == "provider":
        return "the provider's service moves it once you start it"
    return "you move it" if runs else "nothing of ours moves it"


def by_hand(
    inventory: Inventory, chosen: Sequence[tuple[Thing, Choice | None]], *, covered: Collection[str] | None
) -> tuple[ByHand, ...]:
    """Every thing that somebody must see to.

    Args:
        covered: keys of what relocation.yaml names; None where no such file was read.
    """
    choices = {thing.key: choice for thing, choice in chosen}

    def found() -> Iterator[ByHand]:
        for thing in inventory.things:
            choice = choices.get(thing.key)
            named = None if covered is None else thing.key in covered
            runs = choice.mover.runs if choice else ""
            if why := reason(thing.kind, thing.treatment, runs=runs, covered=named):
                yield ByHand(key=thing.key, title=thing.title, why=why, ways=ways(thing))
        for each in inventory.strange:
            yield ByHand(key=f"{STRANGE}{each}", title=each, why="no row of ours knows what becomes of it")

    return tuple(found())
