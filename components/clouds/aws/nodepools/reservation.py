"""Where the machines of a pool may start: in which zones, and in which capacity that was reserved beforehand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pulumi

from components.clouds.aws.nodepools.launch_template import has_fabric
from planning.values.errors import InputError

if TYPE_CHECKING:
    from components.clouds.aws.network.vpc import Network
    from components.context.settings import Settings
    from planning.spec.cluster import Pool


ID: Final = re.compile(r"cr-[0-9a-z]+")  # as Karpenter's node class takes it


def reservation(pool: Pool, settings: Settings) -> pulumi.Input[str] | None:
    """Id of the pool's capacity reservation or block; None where it needs none and the stack names none.

    Raises:
        InputError: a capacity block is needed and the stack's settings name none, or what they name is no id.
    """
    named = settings.reservations.get(pool.name)
    if named is not None and not ID.fullmatch(named):
        raise InputError(
            f"pool {pool.name} starts in {named!r}, which is no id of a capacity reservation",
            hint="an id looks like cr-0123456789abcdef0; aws ec2 describe-capacity-reservations lists them",
        )
    if named is not None or pool.kind != "capacity_block":
        return named
    if settings.offline:
        return pulumi.Output.from_input(pulumi.UNKNOWN).apply(str)
    raise InputError(
        f"pool {pool.name} runs in a capacity block, and the stack does not say which",
        hint=f"pulumi config set --path 'atoll:capacityReservations.{pool.name}' cr-...",
    )


def subnets(pool: Pool, *, network: Network) -> tuple[int, ...]:
    """Private subnets the pool may start in, by their number; one only where its nodes must be close together.

    A capacity block is in one zone, which Karpenter knows and the lock may not: it may start in any of them.

    Raises:
        InputError: the pool names a zone that the network does not span.
    """
    found = tuple(range(len(network.private_subnets)))
    if pool.zones:
        unknown = sorted(set(pool.zones) - set(network.zones))
        if unknown:
            raise InputError(f"pool {pool.name} may start in {', '.join(unknown)}, which the network does not span")
        found = tuple(network.zones.index(zone) for zone in pool.zones)
    close = (has_fabric(pool) or pool.placement_group) and pool.kind != "capacity_block"
    return found[:1] if close else found
