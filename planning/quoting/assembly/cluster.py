"""From picked machines to a whole cluster: the spec that a lock would hold."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from catalogs.model import UNNAMED_MACHINE, Item, PurchaseKind
from catalogs.providers import PARTS, find_traits
from catalogs.providers import profile as catalogued
from planning.checklist.model.vocabulary import HOME
from planning.quoting.assembly import usage
from planning.quoting.assembly.network import cluster_zones, gateway, link, pool_zones
from planning.quoting.assembly.platform import platform
from planning.quoting.assembly.teams import people
from planning.quoting.candidates.candidate import node_disk_gb
from planning.quoting.candidates.market import CPU_ARCHITECTURE
from planning.sizing.workloads.storage import calculate_provisioned_gb
from planning.spec.cluster import (
    Amounts,
    ClusterSpec,
    ExistingCluster,
    Network,
    Peering,
    Placement,
    Pool,
    Profile,
    Services,
    Tier,
)
from planning.values.money import HOURS_PER_MONTH, NOTHING, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from catalogs.catalog import Catalog
    from planning.checklist.model.checklist import Checklist, TierAsk
    from planning.quoting.candidates.candidate import Candidate, OfferShare
    from planning.quoting.candidates.market import Market, Place
    from planning.sizing.demand import Demand


def profile_of(provider: str, catalog: Catalog) -> Profile:
    """The profile of a provider's Kubernetes; of a self-managed cluster where it sells none."""
    found = catalogued(provider)
    sold = catalog.providers[provider].kubernetes
    return Profile.model_validate(
        {
            "provider": provider,
            "title": found.title if found.provider == provider or not sold else sold,
            **{part: getattr(found, part) for part in PARTS},
            "forbidden": found.forbidden,
            "disk_class": found.disk_class,
            "shared_class": found.shared_class,
            "rdma_resource": found.rdma_resource,
            "oldest_kubernetes": found.oldest_kubernetes,
            "notes": (found.notes,) if found.notes else (),
        }
    )


# Newest minor in EKS standard support (until 2027-03-27, endoflife.date/amazon-eks) that Kubeflow 26.03 asks for
# (1.35 and later, its release note).
KUBERNETES_VERSION: Final = "1.35"
# What a role of storage is paid as where the catalog does not say how the provider sells it.
TIER_ITEMS: Final[Mapping[str, Item | str]] = {
    "hot": "included",
    "warm": Item.SHARED_SSD,
    "cold": Item.OBJECT,
    "archive": Item.OBJECT_ARCHIVE,
}
ONBOARDING_MONTHS: Final = 12  # without a contract the onboarding is spread over the shortest one there is
SLO_ZONES: Final = 3
FEWEST_ZONES: Final = 2  # EKS asks for subnets in two zones at least (its network requirements page)
UNNAMED_VCPUS: Final = 8
UNNAMED_NODES: Final = 3
LOAD_BALANCER: Final = Range.exactly(1)  # the one ingress that all services share


def target(provider: str, checklist: Checklist) -> str:
    """What builds a cluster at a provider: clouds of ours, else on a cluster that the provider hands over."""
    return "existing" if checklist.where.existing is not None or not find_traits(provider).builder else provider


def spec(
    checklist: Checklist,
    *,
    place: Place,
    candidates: Sequence[Candidate],
    market: Market,
    missing: Sequence[Demand] = (),
    name: str = HOME,
) -> ClusterSpec:
    """The whole cluster at one place; `missing` are CPU nodes that the provider sells under no name known here."""
    zones = cluster_zones(place, candidates=candidates, market=market, wanted=count_zones(checklist))
    built_by = target(place[0], checklist)
    profile = profile_of(place[0], market.catalog)
    pools = (
        *(build_unnamed_pool(demand, provider=place[0]) for demand in missing),
        *(
            _pool(each, part, name=name, zones=zones, checklist=checklist, market=market)
            for each in candidates
            for name, part in name_offer_shares(each)
        ),
    )
    return ClusterSpec(
        customer=checklist.customer,
        placement=Placement.model_validate(
            {"name": name, "provider": place[0], "region": place[1], "zones": zones, "target": built_by}
        ),
        network=_network(checklist, place=place, zone_count=max(len(zones), FEWEST_ZONES), name=name),
        pools=pools,
        storage=_storage(checklist, place=place, market=market),
        logs_gb=Amounts.of(usage.logs(checklist)),
        services=_services(checklist),
        access=people(checklist),
        ides=checklist.engineers.ides if checklist.engineers else (),
        engineers=checklist.engineers.count if checklist.engineers else 0,
        tracker=checklist.tracker,
        schedulers=checklist.schedulers,
        orchestration=checklist.orchestration,
        kubernetes_version=KUBERNETES_VERSION,
        existing=_existing(built_by, checklist),
        profile=profile,
        vpn=gateway(checklist, target=built_by, profile=profile),
        platform=platform(checklist, profile=profile, pools=pools) if name == HOME else None,
    )


def count_zones(checklist: Checklist) -> int:
    """Zones that a cluster spans at least, where its region has so many."""
    return FEWEST_ZONES if checklist.slo_percent is None else SLO_ZONES


def _existing(built_by: str, checklist: Checklist) -> ExistingCluster | None:
    asked = checklist.where.existing
    if asked is not None:
        return ExistingCluster(kubeconfig_env=asked.kubeconfig_env, context=asked.context)
    return ExistingCluster(kubeconfig_env="KUBECONFIG", context=None) if built_by == "existing" else None


def _network(checklist: Checklist, *, place: Place, zone_count: int, name: str) -> Network:
    zones = count_zones(checklist)
    nat_gateways = 1 if checklist.slo_percent is None else min(zone_count, SLO_ZONES)
    crossing = usage.between_zones(checklist, provider=place[0], zones=zones, nat_gateways=min(nat_gateways, zones))
    return Network(
        cidr=checklist.where.cidr,
        zone_count=zone_count,
        nat_gateways=nat_gateways,
        api_cidrs=checklist.where.api_cidrs,
        egress_gb=Amounts.of(usage.egress(checklist)),
        nat_gb=Amounts.of(usage.through_nat(checklist)),
        load_balancers=Amounts.of(LOAD_BALANCER if name == HOME or usage.is_service(checklist) else NOTHING),
        balanced_gb=Amounts.of(usage.estimate_answer_traffic(checklist)),
        crossing_gb=None if crossing is None else Amounts.of(crossing),
        peering=_peering(checklist, place=place),
        link=link(checklist, place=place),
        domain=checklist.where.domain or "",
    )


def _peering(checklist: Checklist, *, place: Place) -> Peering | None:
    main = checklist.main_cloud
    if main is None or main.vpc_id is None or main.provider != place[0] or checklist.where.existing is not None:
        return None
    volume = usage.peering(checklist)
    near = main.region == place[1]
    # Inside one region each GB is paid on both sides when it crosses zones and is free when it does not.
    quantity = Range(ZERO, volume.expected * 2, volume.max * 2) if near else volume
    return Peering(
        vpc_id=main.vpc_id,
        vpc_cidr=main.vpc_cidr,
        region=main.region,
        account=main.account,
        route_table_ids=main.route_table_ids,
        gb_per_month=Amounts.of(quantity),
    )


def name_offer_shares(each: Candidate) -> tuple[tuple[str, OfferShare], ...]:
    """The parts of a candidate with the names of their pools: the workload's, and a burst beside a reserved base."""
    names = (each.demand.workload, f"{each.demand.workload}-burst")
    return tuple(zip(names, each.parts, strict=False))


def _pool(
    each: Candidate, part: OfferShare, *, name: str, zones: tuple[str, ...], checklist: Checklist, market: Market
) -> Pool:
    machine, demand = each.machine, each.demand
    joined = part.working > 1 and demand.rdma
    kind = part.offer.term.kind
    return Pool(
        name=name,
        role="system" if demand.kind == "system" else "gpu" if each.accelerator else "cpu",
        workload=None if demand.kind == "system" else demand.workload,
        machine=machine.name,
        accelerator=machine.accelerator,
        accelerators=machine.accelerators,
        vcpus=machine.vcpus,
        memory_gib=machine.memory_gib,
        architecture=machine.architecture,
        purchase=part.offer.price.purchase,
        fallback=part.fallback.purchase if part.fallback is not None else "",
        kind=kind.value,
        working=part.working,
        spares=part.spares,
        min_nodes=part.min_nodes,
        max_nodes=part.nodes,
        node_hours=Amounts.of(part.node_hours),
        disk_gb=each.disk_gb,
        local_nvme_gb=machine.local_nvme_gb,
        fabric=machine.fabric.value,
        efa_interfaces=machine.efa_interfaces,
        placement_group=joined and machine.placement_group and _close(demand, kind=kind),
        zones=pool_zones(each, joined=joined, zones=zones, market=market),
        burn_in=checklist.burn_in and each.accelerator is not None,
    )


def _close(demand: Demand, *, kind: PurchaseKind) -> bool:
    """Whether a placement group is wanted: as asked, else where nothing is reserved, with which it clashes."""
    asked = demand.hardware.placement_group if demand.hardware is not None else None
    return kind in (PurchaseKind.ON_DEMAND, PurchaseKind.SPOT) if asked is None else asked


def build_unnamed_pool(demand: Demand, *, provider: str) -> Pool:
    """CPU nodes that are needed, at a provider whose CPU machines are not in the catalog."""
    nodes = max(UNNAMED_NODES, -(-demand.vcpus // UNNAMED_VCPUS))
    return Pool(
        name=demand.workload,
        role="system",
        workload=None,
        machine=UNNAMED_MACHINE,
        accelerator=None,
        accelerators=0,
        vcpus=UNNAMED_VCPUS,
        memory_gib=None,
        architecture=CPU_ARCHITECTURE,
        purchase=PurchaseKind.ON_DEMAND,
        kind="on_demand",
        working=nodes,
        spares=0,
        min_nodes=nodes,
        max_nodes=nodes,
        node_hours=Amounts.of(Range.exactly(HOURS_PER_MONTH * nodes)),
        disk_gb=node_disk_gb(provider, accelerated=False),
        local_nvme_gb=None,
        fabric="unknown",
        efa_interfaces=0,
        placement_group=False,
        zones=(),
        burn_in=False,
    )


def _storage(checklist: Checklist, *, place: Place, market: Market) -> tuple[Tier, ...]:
    asked = checklist.storage
    named = (("hot", asked.hot), ("warm", asked.warm), ("cold", asked.cold), ("archive", asked.archive))
    found = tuple(_tier(name, ask, place=place, market=market) for name, ask in named if ask is not None)
    return tuple(usage.with_usage(tier, checklist, provider=place[0]) for tier in found)


def _tier(name: str, ask: TierAsk, *, place: Place, market: Market) -> Tier:
    sold = market.catalog.tiers.get((place[0], name))
    share = sold.usable_share if sold else Decimal(1)
    return Tier.model_validate(
        {
            "tier": name,
            "engine": sold.engine if sold else f"how {place[0]} sells it is not known",
            "item": sold.item if sold else TIER_ITEMS[name],
            "asked_gb": ask.size,
            "provisioned_gb": calculate_provisioned_gb(
                ask.size, share, minimum_gb=sold.minimum_gb if sold else 0, step_gb=sold.step_gb if sold else 1
            ),
            "purpose": ask.purpose,
        }
    )


def _services(checklist: Checklist) -> Services:
    months = checklist.contract.months or ONBOARDING_MONTHS
    return Services(
        support=checklist.support,
        support_usd_per_month=checklist.support_usd_per_month,
        operation=checklist.operation,
        onboarding_usd_per_month=checklist.contract.onboarding_usd / months,
        contract_months=months,
    )
