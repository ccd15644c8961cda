"""Switches names to the target and back, by table of who writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from operations.relocation.config.endpoints import NamesMove
    from operations.relocation.runner.step import Evidence, Move


class NameSwitcher(Protocol):
    """Who writes names. Every method may run twice, and after one that was cut off."""

    def switch(self, names: NamesMove, move: Move) -> Evidence:
        """Have the names point to the target, what was there remembered before.

        Raises:
            StepError: they cannot be, or what is there is neither side's.
        """
        ...

    def put_back(self, names: NamesMove, move: Move) -> Evidence:
        """Have the names point to what they pointed to; nothing where nothing was switched."""
        ...


STAR: Final = "\\052"  # how Route 53 writes one


def memory_key_of_name(name: str) -> str:
    return f"dns/{name}"


def is_same(one: str, other: str) -> bool:
    """Whether two addresses or names are the same, whatever their case and a dot at the end."""
    first, second = (each.replace(STAR, "*").rstrip(".").lower() for each in (one, other))
    return first == second


def concrete_name(name: str) -> str:
    """A name that can be asked for: some name below a star, or the name itself."""
    return f"atoll-asks.{name[2:]}" if name.startswith("*.") else name
