"""Which quota of its cloud a pool counts against, and by how much: one table for each target."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from catalogs.providers import find_traits
from planning.inputs.fact_tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from planning.spec.cluster import ClusterSpec, Pool

VCPUS: Final = "vCPUs"
GPUS: Final = "GPUs"
NODES: Final = "nodes"
ADDRESSES: Final = "addresses"
ON_DEMAND: Final = "on_demand"  # a purchase, and the kind of pool that it makes

_STANDARD: Final = "standard"
_CLASS_OF: Final[Mapping[str, str]] = {"vt": "g", "gr": "g"}
_STANDARD_LETTERS: Final = frozenset("acdhimrtz")
ELASTIC_IPS: Final = ("L-0263D0A3", "EC2-VPC Elastic IPs")
NETWORKS: Final = ("L-F678F1CE", "VPCs per Region")  # docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html
VPCS: Final = "VPCs"

# Names of `compute_v1.Quota.Metric`, which regions.get reports (google-cloud-compute 1.57; 1.48, which is installed,
# names all but NVIDIA_H100_GPUS).
_GCP_GPUS: Final[Mapping[str, str]] = {
    "A100-SXM-40GB": "NVIDIA_A100_GPUS",
    "A100-SXM-80GB": "NVIDIA_A100_80GB_GPUS",
    "L4-PCIe-24GB": "NVIDIA_L4_GPUS",
}
# Spot only: on demand, H100 is counted by Cloud Quotas, which regions.get does not report.
_GCP_SPOT_GPUS: Final[Mapping[str, str]] = {**_GCP_GPUS, "H100-SXM-80GB": "NVIDIA_H100_GPUS"}
_GCP_CPUS: Final[Mapping[str, str]] = {
    "n1": "CPUS", "e2": "CPUS", "n2": "N2_CPUS", "n2d": "N2D_CPUS", "c2": "C2_CPUS", "c2d": "C2D_CPUS",
    "c3": "C3_CPUS", "t2d": "T2D_CPUS", "t2a": "T2A_CPUS", "m1": "M1_CPUS", "m2": "M2_CPUS", "m3": "M3_CPUS",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaClaim:
    """What one pool, or the network, takes of one quota when it is as large as it may get.

    Args:
        code: what the cloud calls the quota; "" where none is claimed or none is known.
        amount: in `unit`.
        not_needed: why no quota is claimed; "" where one is.
        unknown: why the quota or the amount is unknown; "" where it is known.
    """

    code: str = ""
    name: str = ""
    unit: str = ""
    amount: int = 0
    not_needed: str = ""
    unknown: str = ""


def claim(pool: Pool, *, target: str) -> QuotaClaim:
    return _nodes(pool) if target == "existing" else _CLAIMS[find_traits(target).quota_api](pool)


def network_claims(spec: ClusterSpec) -> tuple[QuotaClaim, ...]:
    """Public addresses of the gateways of a placement, and its VPC; none where its cloud has no such quota."""
    if find_traits(spec.placement.target).quota_api != "service_quotas":
        return ()
    gateways = spec.network.nat_gateways + (spec.vpn is not None and spec.vpn.kind == "machine")
    addresses = QuotaClaim(code=ELASTIC_IPS[0], name=ELASTIC_IPS[1], unit=ADDRESSES, amount=gateways)
    network = QuotaClaim(code=NETWORKS[0], name=NETWORKS[1], unit=VPCS, amount=1)
    return (addresses, network) if gateways else (network,)


def fallback_claims(spec: ClusterSpec) -> tuple[QuotaClaim, ...]:
    """What spot pools claim once all of their nodes had to be bought on demand."""
    return tuple(
        claim(pool.model_copy(update={"kind": pool.fallback}), target=spec.placement.target)
        for pool in spec.pools
        if pool.fallback == ON_DEMAND
    )


def codes(spec: ClusterSpec) -> frozenset[str]:
    """Codes of every quota that anything of a placement claims."""
    pools = (claim(pool, target=spec.placement.target) for pool in spec.pools)
    every = (*pools, *fallback_claims(spec), *network_claims(spec))
    return frozenset(each.code for each in every if each.code)


@cache
def _read_aws_quotas() -> dict[tuple[str, str], tuple[str, str]]:
    """Code and name of a quota, by family class and purchase, as Service Quotas lists them for "ec2".

    docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html, UserGuide/using-spot-limits.html; 2026-11-21.
    """
    # Older accounts have P5 spot apart (L-C4BD4855): the fact shows what the account itself calls the quota.
    rows = read_rows("resources/aws_quotas.csv")
    return {(row["family"], row["purchase"]): (row["code"], row["name"]) for row in rows}


def aws_class(machine: str, *, spot: bool) -> tuple[str, str] | None:
    """Code and name of the quota of an EC2 machine; None where its family has none that we know."""
    quotas, purchase = _read_aws_quotas(), "spot" if spot else ON_DEMAND
    letters = re.match(r"[a-z]+", machine)
    family = letters[0] if letters else ""
    found = quotas.get((_CLASS_OF.get(family, family), purchase))
    if found is not None:
        return found
    standard = (family, ON_DEMAND) not in quotas and family[:1] in _STANDARD_LETTERS
    return quotas[_STANDARD, purchase] if standard else None


def _aws(pool: Pool) -> QuotaClaim:
    if pool.kind == "capacity_block":
        # docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html, considerations
        return QuotaClaim(not_needed="instances in a capacity block do not count against the on-demand limits")
    found = aws_class(pool.machine, spot=pool.kind == "spot")
    if found is None:
        return QuotaClaim(unknown=f"no quota code is known for {pool.kind.replace('_', ' ')} {pool.machine}")
    if pool.vcpus is None:
        return QuotaClaim(unknown=f"the vCPUs of {pool.machine} are not known")
    code, name = found
    return QuotaClaim(code=code, name=name, unit=VCPUS, amount=pool.vcpus * pool.max_nodes)


def _gcp(pool: Pool) -> QuotaClaim:
    spot = pool.kind in {"spot", "flex"}
    if pool.accelerator is not None:
        metric = (_GCP_SPOT_GPUS if spot else _GCP_GPUS).get(pool.accelerator)
        amount, unit = pool.accelerators * pool.max_nodes, GPUS
    else:
        metric = "CPUS" if spot else _GCP_CPUS.get(pool.machine.partition("-")[0])
        amount, unit = (pool.vcpus or 0) * pool.max_nodes, VCPUS
    if metric is None or not amount:
        what = pool.accelerator or pool.machine
        return QuotaClaim(unknown=f"the region reports no quota for {what}: look under IAM & Admin, Quotas")
    code = f"PREEMPTIBLE_{metric}" if spot else metric
    return QuotaClaim(code=code, name=code, unit=unit, amount=amount)


def nodes_code(accelerators: int) -> str:
    """What we call the nodes of a cluster that is there already, by their accelerators."""
    return f"nodes-with-{accelerators}-gpus"


def _nodes(pool: Pool) -> QuotaClaim:
    name = f"nodes with {pool.accelerators} GPUs" if pool.accelerators else "nodes without GPUs"
    return QuotaClaim(code=nodes_code(pool.accelerators), name=name, unit=NODES, amount=pool.max_nodes)


def _coreweave(_: Pool) -> QuotaClaim:
    return QuotaClaim(unknown="CoreWeave tells no quota by an API that we know: ask its support")


def _none(_: Pool) -> QuotaClaim:
    return QuotaClaim(unknown="nothing of ours builds there, so no quota is known")


_CLAIMS: Final[Mapping[str, Callable[[Pool], QuotaClaim]]] = {
    "service_quotas": _aws,
    "compute_engine": _gcp,
    "none": _coreweave,
    "": _none,
}
