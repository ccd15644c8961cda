"""Any valid set of places: providers wanted and excluded, regions, residency, clusters that exist, and elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from any_workload import Body
from chance import Chance

from catalogs.model import Region
from catalogs.providers import regions
from planning.checklist.model.vocabulary import CloudName, Residency

_CLOUDS = tuple(each.value for each in CloudName)
_REGIONS = tuple(regions())
_RANGES = ("10.64.0.0/16", "10.80.0.0/16", "10.96.0.0/18", "172.20.0.0/16", "192.168.128.0/20", "10.120.8.0/24")
_VPC_RANGE = "10.0.0.0/16"
_DOORS = ("203.0.113.0/24", "198.51.100.7/32", "192.0.2.0/28")
_VPC_IDS = {
    "aws": "vpc-0a1b2c3d4e5f60718",
    "gcp": "projects/acme-core/global/networks/main",
    "azure": (
        "/subscriptions/0a1b2c3d-0000-4000-8000-000000000000/resourceGroups/core"
        "/providers/Microsoft.Network/virtualNetworks/main"
    ),
}
_ACCOUNTS = {"aws": "111122223333", "gcp": "acme-core", "azure": "0a1b2c3d-0000-4000-8000-000000000000"}
_MOST_ELSEWHERE = 3


def any_where(chance: Chance, workloads: Sequence[Body]) -> Body:
    """Where home and the other clusters may be, for these workloads."""
    residency = chance.among((Residency.US, Residency.EU, *Residency)).value if chance.flag(0.3) else "any"
    excluded = chance.some(_CLOUDS, least=1, most=10) if chance.flag(0.15) else []
    allowed = [each for each in _CLOUDS if each not in excluded]
    ranges = chance.some(_RANGES, least=len(_RANGES))
    body = _placed(chance, allowed, residency=residency)
    body |= chance.fields(
        no_lock_in=(0.2, lambda: True),
        joined=(0.2, lambda: False),
        cidr=(0.3, lambda: ranges[0]),
        domain=(0.3, lambda: chance.among(("ml.acme.example", "a.b.c.acme.example"))),
        api_cidrs=(0.2, lambda: chance.some(_DOORS, least=1)),
    )
    if residency != "any":
        body["residency"] = residency
    if excluded:
        body["excluded"] = excluded
    if elsewhere := _elsewhere(chance, workloads, allowed=allowed, residency=residency):
        body["elsewhere"] = [each | {"cidr": ranges[at + 1]} for at, each in enumerate(elsewhere)]
        body["cidr"] = ranges[0]
    return body


def any_main_cloud(chance: Chance) -> Body:
    """The cloud the customer lives in; most have one of the three that a VPC can be peered in."""
    cloud = chance.among(("aws", "gcp", "azure", *_CLOUDS))
    body: Body = {"provider": cloud, "region": chance.among(_regions_of({cloud}, "any"))}
    if cloud not in _VPC_IDS:
        return body | chance.fields(account=(0.3, lambda: "acme-main"))
    body |= chance.fields(account=(0.5, lambda: _ACCOUNTS[cloud]), logs_and_metrics=(0.3, lambda: True))
    if chance.flag(0.5):
        body |= {"vpc_id": _VPC_IDS[cloud], "vpc_cidr": _VPC_RANGE}
        body |= chance.fields(
            route_table_ids=(0.3, lambda: ["rtb-0a1b2c3d4e5f60718"]),
            peering_per_month=(0.5, chance.gigabytes),
        )
    return body


def any_storage(chance: Chance, *, accelerated: bool) -> Body:
    """Tiers of storage; the hot one only where some node has accelerators."""
    purposes = ("data", "checkpoints", "code", "models", "archive")

    def tier() -> Body:
        size = chance.gigabytes(1, 1e6)
        return {"size": size} | chance.fields(purpose=(0.6, lambda: chance.among(purposes)))

    hot = 0.1 if accelerated else 0.0
    return chance.fields(hot=(hot, tier), warm=(0.5, tier), cold=(0.5, tier), archive=(0.3, tier))


def any_traffic(chance: Chance) -> Body:
    """What crosses the edge of a cluster."""
    usual, busy = sorted((chance.scaled_whole(1, 10**6), chance.scaled_whole(1, 10**6)))
    steady, peak = sorted((chance.scaled_whole(1, 400), chance.scaled_whole(1, 400)))
    body = chance.fields(
        direction=(0.4, lambda: chance.among(("egress", "ingress"))),
        sustained=(0.4, lambda: f"{steady}Gbps"),
        burst=(0.4, lambda: f"{peak}Gbps"),
        egress_per_month=(0.6, lambda: f"{usual}GB"),
        ingress_per_month=(0.5, chance.gigabytes),
        logs_per_month=(0.5, lambda: chance.gigabytes(0.1, 1e5)),
    )
    if "egress_per_month" in body and chance.flag(0.5):
        body["egress_per_month_max"] = f"{busy}GB"
    return body


def fixed_provider(place: Body, excluded: Collection[str]) -> str | None:
    """The one provider that a cluster can be at; None while several may be chosen."""
    existing, wanted = place.get("existing"), place.get("wanted")
    if isinstance(existing, dict):
        return str(existing["provider"])
    left = set(wanted if isinstance(wanted, list) else ()) - set(excluded)
    return next(iter(left)) if len(left) == 1 else None


def _placed(chance: Chance, allowed: Sequence[str], *, residency: str) -> Body:
    match chance.among(("anywhere", "anywhere", "anywhere", "anywhere", "anywhere", "wanted", "regions", "existing")):
        case "wanted":
            return {"wanted": chance.some(allowed, least=1, most=4)}
        case "regions":
            wanted = chance.some(allowed, least=1, most=3) if chance.flag() else []
            names = _regions_of(set(wanted or allowed), residency)
            return ({"wanted": wanted} if wanted else {}) | ({"regions": chance.some(names, most=4)} if names else {})
        case "existing":
            cloud = chance.among(allowed)
            named = chance.fields(
                region=(0.5, lambda: chance.among(_regions_of({cloud}, "any"))),
                kubeconfig_env=(0.3, lambda: "ACME_KUBECONFIG"),
                context=(0.3, lambda: "admin@acme"),
            )
            return {"existing": {"provider": cloud} | named}
        case _:
            return {}


def _regions_of(clouds: Collection[str], residency: str) -> list[str]:
    def fits(region: Region) -> bool:
        return region.provider in clouds and residency in ("any", region.residency)

    return list(dict.fromkeys(region.name for region in _REGIONS if fits(region)))


def _elsewhere(chance: Chance, workloads: Sequence[Body], *, allowed: Sequence[str], residency: str) -> list[Body]:
    movable = [str(each["name"]) for each in workloads if each["kind"] != "notebooks"]
    if len(movable) == len(workloads):
        movable = movable[1:]
    if not movable or chance.flag(0.7):
        return []
    names = chance.some(movable, least=1)
    count = chance.whole(1, min(_MOST_ELSEWHERE, len(names)))
    accelerated = {str(each["name"]) for each in workloads if each["kind"] != "batch" or each.get("accelerators")}
    places: list[Body] = []
    for at in range(count):
        here = names[at::count]
        place: Body = {"name": f"site-{at + 1}", "workloads": here} | _placed(chance, allowed, residency=residency)
        gpus = bool(accelerated & set(here))
        place |= chance.fields(
            storage=(0.4, lambda gpus=gpus: any_storage(chance, accelerated=gpus)),
            traffic=(0.4, lambda: any_traffic(chance)),
        )
        places.append(place)
    return places
