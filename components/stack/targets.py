"""The builder of each placement's target; a cloud's SDK is imported only when chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi

from components.context.placement import ChargeLedger, PlacementContext
from components.context.settings import read_settings
from components.platform.scheduling.multikueue import End, join
from components.stack.cluster_contents import register_cluster_contents
from planning.costs.charges import list_declared_charges
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from decimal import Decimal

    from components.context.placement import BuiltCluster
    from components.context.settings import StackSettings
    from planning.costs.node_prices import NodePrices
    from planning.spec.cluster import ClusterSpec


# Types of additional placements, in their order.
TYPES: Final = ("atoll:placement:Second", "atoll:placement:Third", "atoll:placement:Fourth")


def _aws(site: PlacementContext) -> BuiltCluster:
    from components.clouds.aws.builder import build  # noqa: PLC0415 - only the chosen cloud's SDK is imported

    return build(site)


def _gcp(site: PlacementContext) -> BuiltCluster:
    from components.clouds.gcp.builder import build  # noqa: PLC0415 - only the chosen cloud's SDK is imported

    return build(site)


def _coreweave(site: PlacementContext) -> BuiltCluster:
    from components.clouds.coreweave.builder import build  # noqa: PLC0415 - only the chosen cloud's SDK is imported

    return build(site)


def _existing(site: PlacementContext) -> BuiltCluster:
    from components.clouds.existing.builder import build  # noqa: PLC0415 - only the chosen cloud's SDK is imported

    return build(site)


def _none(site: PlacementContext) -> BuiltCluster:
    raise AtollError(
        f"nothing builds clusters on {site.placement.provider} yet: this option can be quoted, not built",
        hint="accept an option on AWS, or set where.existing in the checklist to build on an existing cluster",
    )


BUILDERS: Final[Mapping[str, Callable[[PlacementContext], BuiltCluster]]] = {
    "aws": _aws,
    "gcp": _gcp,
    "coreweave": _coreweave,
    "existing": _existing,
    "none": _none,
}


def build(
    placements: Sequence[ClusterSpec],
    *,
    joined: bool = False,
    ceiling: Decimal | None = None,
    prices: NodePrices | None = None,
) -> dict[str, pulumi.Input[object]]:
    """Registers every cluster of a lock; the stack's outputs, with those of additional placements by placement.

    Args:
        prices: of the primary placement's nodes, from the accepted bill.

    Raises:
        AtollError: a target cannot be built, or no component claims a charge.
    """
    home, *others = placements
    if len(others) > len(TYPES):
        raise AtollError(f"a stack holds {len(TYPES) + 1} placements at most, not {len(placements)}")
    settings = read_settings()
    # Each cloud has one budget of the whole ceiling: what it bills cannot exceed it either.
    watches = {spec.placement.target: (spec.placement.name, ceiling) for spec in reversed(placements)}
    mirror = home.platform.mirror if home.platform is not None else ""
    end, outputs = _cluster(home, settings, within=None, watches=watches, prices=prices)
    ends: list[End] = []
    beside: dict[str, pulumi.Input[object]] = {}
    for spec, kind in zip(others, TYPES, strict=False):
        name, placement = spec.placement.name, spec.placement
        # Line keys of everything below begin with the placement's name.
        facts = {"placement": name, "provider": placement.provider, "region": placement.region}
        within = pulumi.ComponentResource(kind, f"placement-{name}", facts)
        within.register_outputs({})
        there, beside[name] = _cluster(spec, settings, within=within, watches=watches, mirror=mirror)
        ends.append(there)
    if joined and ends and settings.inside:
        join(end, ends)
    return {**outputs, "placements": beside} if beside else outputs


def _cluster(
    spec: ClusterSpec,
    settings: StackSettings,
    *,
    within: pulumi.Resource | None,
    watches: Mapping[str, tuple[str, Decimal | None]],
    prices: NodePrices | None = None,
    mirror: str = "",
) -> tuple[End, dict[str, pulumi.Input[object]]]:
    """One placement with its contents; every charge of it is claimed by a component."""
    watcher, ceiling = watches[spec.placement.target]
    site = PlacementContext(
        spec=spec,
        ledger=ChargeLedger(list_declared_charges(spec)),
        settings=settings,
        within=within,
        ceiling_usd_per_month=ceiling if watcher == spec.placement.name else None,
        first=watcher == spec.placement.name,
        prices=prices,
        home_mirror=mirror,
    )
    built = BUILDERS[spec.placement.target](site)
    outputs = {**built.outputs, **register_cluster_contents(site, built.handle)}
    if settings.inside:
        site.ledger.close()
    options = site.options(provider=built.handle.provider, depends_on=built.handle.ready)
    end = End(spec=spec, handle=built.handle, options=options, queues=site.made.get("kueue"), site=site)
    return end, outputs
