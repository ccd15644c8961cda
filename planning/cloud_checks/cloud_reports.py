"""What a cloud, or the catalog in its place, says about quotas, offers and reservations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

CLOUD: Final = "cloud"
CATALOG: Final = "catalog"


@final
@dataclass(frozen=True, slots=True)
class Unknown:
    """Something nobody told us, and why."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaTold:
    """A quota as the cloud tells it.

    Args:
        name: as the account calls it; "" where it does not say.
        used: by others than this stack; None where it could not be counted.
        grows: nothing forbids more than `limit`, it is only what is there now.
        own_included: `used` counts what this stack runs, too, and nobody can tell it apart.
    """

    limit: int
    used: int | None
    name: str = ""
    grows: bool = False
    own_included: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferTold:
    """Where a machine is offered.

    Args:
        zones: those of the region that offer it; empty where only the region is known.
        offered: whether the region offers it at all.
        efa_interfaces: at most; None where it was not said.
        source: CLOUD or CATALOG.
        as_of: day of a catalog's fact.
        reason: why it is not offered, where the place itself does not say it all.
    """

    zones: tuple[str, ...]
    offered: bool
    efa_interfaces: int | None
    source: str
    as_of: date | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservationTold:
    """A reservation as the cloud tells it."""

    id: str
    status: str
    machine: str
    zone: str
    count: int
    ends: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Everything a cloud said about one placement; what is not in a mapping was not said.

    Args:
        quotas: by code.
        offers: by machine.
        reservations: by id; None where the cloud has no such reservation.
        silence: why nothing was said about the rest.
    """

    quotas: Mapping[str, QuotaTold | Unknown] = field(default_factory=dict[str, "QuotaTold | Unknown"])
    offers: Mapping[str, OfferTold | Unknown] = field(default_factory=dict[str, "OfferTold | Unknown"])
    reservations: Mapping[str, ReservationTold | Unknown | None] = field(
        default_factory=dict[str, "ReservationTold | Unknown | None"]
    )
    silence: str = ""
