"""Settings of a stack on Google Cloud: project, billing account, and zones of pools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import pulumi

from components.clouds.gcp.account.names import FILESTORE, LUSTRE
from components.clouds.gcp.cluster.machines import fabric_of
from components.context.settings import SECTION
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.context.placement import PlacementContext
    from planning.spec.cluster import ClusterSpec, Pool

ZONES_KEY: Final = "poolZones"
BILLING_KEY: Final = "billingAccount"


@dataclass(frozen=True, kw_only=True)
class GcpSettings:
    """Configuration of one stack on Google Cloud.

    Args:
        project: `gcp:project`; "" for the one of the environment.
        zones: `atoll:poolZones`, pool name to zone.
        billing_account: `atoll:billingAccount`, "" where no budget is wanted.
    """

    project: str
    zones: Mapping[str, str]
    billing_account: str


def read_gcp_settings() -> GcpSettings:
    """The settings of the current stack.

    Raises:
        InputError: `poolZones` is not a mapping of pool names to zones.
    """
    config = pulumi.Config(SECTION)
    zones = cast("object", config.get_object(ZONES_KEY, {}))
    if not isinstance(zones, dict):
        raise InputError(f"{SECTION}:{ZONES_KEY} must map pool names to zones")
    return GcpSettings(
        project=pulumi.Config("gcp").get("project") or "",
        zones={str(pool): str(zone) for pool, zone in cast("dict[object, object]", zones).items()},
        billing_account=config.get(BILLING_KEY) or "",
    )


def zone_of(pool: Pool, *, site: PlacementContext, settings: GcpSettings) -> pulumi.Input[str] | None:
    """The one zone of a pool whose nodes must be close together or are reserved; None where several will do.

    Raises:
        InputError: one zone is needed and none is named, or it is in another region.
    """
    close = pool.placement_group or fabric_of(pool) is not None
    reserved = pool.kind == "capacity_block" or pool.name in site.settings.reservations
    # The lock's zone is the first that sells the machine; that of a reservation is known only to the stack.
    locked = pool.zones[:1] if len(pool.zones) == 1 or (close and not reserved) else ()
    named = settings.zones.get(pool.name) or next(iter(locked), None)
    if named is not None:
        if not named.startswith(f"{site.placement.region}-"):
            raise InputError(f"pool {pool.name} may start in {named}, which is not in {site.placement.region}")
        return named
    if not close and not reserved:
        return None
    if site.settings.offline:
        return pulumi.Output.from_input(pulumi.UNKNOWN).apply(str)
    why = "holds its reservation" if reserved else f"sells {pool.machine}"
    raise InputError(
        f"the nodes of pool {pool.name} start in one zone, and the stack does not say which {why}",
        hint=f"pulumi config set --path 'atoll:{ZONES_KEY}.{pool.name}' {site.placement.region}-a",
    )


def pool_zones(pool: Pool, zone: pulumi.Input[str] | None) -> tuple[pulumi.Input[str], ...]:
    """Zones of a pool: its one zone, else all that sell its machine; empty where GKE chooses."""
    return pool.zones if zone is None else (zone,)


def reservation_of(pool: Pool, *, site: PlacementContext) -> pulumi.Input[str] | None:
    """Name of the pool's reservation; None where it needs none and the stack names none.

    Raises:
        InputError: the capacity is booked, but the stack names no reservation.
    """
    named = site.settings.reservations.get(pool.name)
    if named is not None or pool.kind != "capacity_block":
        return named
    if site.settings.offline:
        return pulumi.Output.from_input(pulumi.UNKNOWN).apply(str)
    raise InputError(
        f"pool {pool.name} runs in capacity that was booked, and the stack does not say under which reservation",
        hint=f"pulumi config set --path 'atoll:capacityReservations.{pool.name}' <reservation>",
    )


def find_file_system_item(spec: ClusterSpec) -> str:
    return next((tier.item for tier in spec.storage if tier.item in {LUSTRE, FILESTORE}), "")
