"""The way that bytes take from one side to the other, which decides what each of them costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Self

from catalogs.providers import find_traits

if TYPE_CHECKING:
    from planning.spec.lock import Lock

Exit = Literal["gateway_endpoint", "nat", "direct"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """From one place to another.

    Args:
        leaves_by: through NAT every byte is paid again; through a gateway endpoint, or a public address of the mover's
            own, it is not.
        reads_back: whether the mover stands at the source, so that what is verified at the target comes back over the
            same way; else each side reads its own.
    """

    provider: str
    region: str
    to_provider: str
    to_region: str
    leaves_by: Exit = "gateway_endpoint"
    reads_back: bool = False

    @classmethod
    def between(cls, source: Lock, target: Lock, *, leaves_by: Exit | None = None, reads_back: bool = False) -> Self:
        """The way between the homes of two locks.

        Args:
            leaves_by: None for the way that pods of a cluster of ours have, which is the dear one across regions.
        """
        old, new = source.spec.placement, target.spec.placement
        way = cls(
            provider=old.provider,
            region=old.region,
            to_provider=new.provider,
            to_region=new.region,
            reads_back=reads_back,
        )
        return replace(way, leaves_by=leaves_by or usual_exit(way, built=old.target))

    @property
    def inside(self) -> bool:
        return self.provider == self.to_provider

    @property
    def stays(self) -> bool:
        return self.inside and self.region == self.to_region


def usual_exit(way: Route, *, built: str) -> Exit:
    """How bytes of pods leave where nobody said.

    Args:
        built: what builds the source: a provider with NAT of ours; others are taken to have public addresses.
    """
    traits = find_traits(built)
    if not traits.nat_scope:
        return "direct"
    if way.stays or (way.inside and traits.bucket_route != "region"):
        return "gateway_endpoint"
    return "nat"
