"""Which label of a node says what it costs, and what rules and dashboards know of the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.context.names import namespace
from planning.costs.node_prices import NodePrices
from planning.platform.alerts.availability import list_shared_tiers, list_slo_targets
from planning.platform.alerts.model import AlertFacts

if TYPE_CHECKING:
    from decimal import Decimal

    from components.platform.building_blocks.context import PlatformContext
    from planning.spec.cluster import Pool

POOL: Final = "atoll/pool"
MACHINE: Final = "node.kubernetes.io/instance-type"


def choose_price_label(ground: PlatformContext) -> str:
    """Nodes of ours carry their pool; those of a cluster that exists only the name of their machine."""
    return POOL if ground.labelled else MACHINE


def find_price_label_value(pool: Pool, ground: PlatformContext) -> str:
    """What that label says on the nodes of a pool."""
    return pool.name if ground.labelled else pool.machine


def by_label(ground: PlatformContext) -> dict[str, Decimal]:
    """USD per node-hour by what that label says; pools whose price nobody knows are left out."""
    hourly = (ground.prices or NodePrices()).usd_per_hour
    return {
        find_price_label_value(pool, ground): hourly[pool.name] for pool in ground.spec.pools if pool.name in hourly
    }


def build_alert_facts(ground: PlatformContext) -> AlertFacts:
    prices = ground.prices or NodePrices()
    return AlertFacts(
        parts=frozenset(part.name for part in ground.platform.parts),
        pool_label=_as_metric(choose_price_label(ground)),
        prices=by_label(ground),
        other_usd_per_month=prices.other_usd_per_month,
        ceiling_usd_per_month=ground.ceiling_usd_per_month,
        teams={namespace(work): team.name for team in ground.platform.teams for work in team.workloads},
        slo_percent=ground.platform.slo_percent,
        idle_minutes=ground.platform.idle_minutes,
        gpu_pools=tuple(
            dict.fromkeys(find_price_label_value(pool, ground) for pool in ground.spec.pools if pool.accelerators)
        ),
        owed=list_slo_targets(ground.spec),
        shared_tiers=list_shared_tiers(ground.spec),
    )


def _as_metric(label: str) -> str:
    """A label of a node as kube-state-metrics writes it."""
    return "label_" + "".join(letter if letter.isalnum() else "_" for letter in label)
