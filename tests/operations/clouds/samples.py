"""Accepted stacks, written out by hand, that the clouds under test are asked about."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from ipaddress import IPv4Network
from typing import Any

from operations.clouds.registry import Asked
from planning.checklist.model.checklist import Customer
from planning.checklist.model.people import Access
from planning.checklist.model.vocabulary import Operation, Orchestration, Support
from planning.spec.cluster import Amounts, ClusterSpec, ExistingCluster, Network, Placement, Pool, Profile, Services
from planning.spec.lock import SCHEMA_VERSION, Ceilings, Lock

STACK = "demo"
TODAY = date(2026, 11, 21)
NOTHING = Amounts(min=Decimal(0), expected=Decimal(0), max=Decimal(0))


def pool(name: str, **changes: object) -> Pool:
    fields: dict[str, object] = {
        "name": name,
        "role": "gpu",
        "workload": name,
        "machine": "p5.48xlarge",
        "accelerator": "H100-SXM-80GB",
        "accelerators": 8,
        "vcpus": 192,
        "memory_gib": Decimal(2048),
        "architecture": "x86_64",
        "purchase": "on_demand",
        "kind": "on_demand",
        "working": 2,
        "spares": 0,
        "min_nodes": 0,
        "max_nodes": 2,
        "node_hours": NOTHING,
        "disk_gb": 500,
        "local_nvme_gb": 30400,
        "fabric": "efa",
        "efa_interfaces": 32,
        "placement_group": True,
        "zones": ("use1-az4",),
        "burn_in": True,
    }
    whole = {**fields, **changes}
    spare = {} if "spares" in changes else {"spares": int(str(whole["max_nodes"])) - int(str(whole["working"]))}
    return Pool.model_validate({**whole, **spare})


def cpu_pool(name: str = "system", **changes: object) -> Pool:
    plain: dict[str, object] = {
        "role": "system",
        "workload": None,
        "machine": "m7i.2xlarge",
        "accelerator": None,
        "accelerators": 0,
        "vcpus": 8,
        "efa_interfaces": 0,
        "fabric": "ethernet",
        "placement_group": False,
        "zones": (),
        "max_nodes": 3,
    }
    return pool(name, **{**plain, **changes})


def placement(**changes: object) -> Placement:
    fields: dict[str, object] = {
        "provider": "aws",
        "region": "us-east-1",
        "zones": ("use1-az4", "use1-az6", "use1-az2"),
        "target": "aws",
    }
    return Placement.model_validate({**fields, **changes})


def profile(**changes: object) -> Profile:
    owners = ("gpu_driver", "device_plugin", "node_feature_discovery", "dcgm_exporter", "network_plugin")
    fields: dict[str, object] = dict.fromkeys((*owners, "node_repair", "autoscaler"), "provider")
    return Profile.model_validate({"provider": "aws", "title": "EKS", **fields, **changes})


def cluster(**changes: object) -> ClusterSpec:
    fields: dict[str, object] = {
        "customer": Customer(name="acme", owner="ml@acme.example"),
        "placement": placement(),
        "network": Network(
            cidr=IPv4Network("10.64.0.0/16"),
            zone_count=3,
            nat_gateways=1,
            api_cidrs=(),
            egress_gb=NOTHING,
            nat_gb=NOTHING,
            load_balancers=NOTHING,
            peering=None,
        ),
        "pools": (cpu_pool(), pool("train")),
        "storage": (),
        "logs_gb": NOTHING,
        "services": Services(
            support=Support.NONE,
            support_usd_per_month=None,
            operation=Operation.OURSELVES,
            onboarding_usd_per_month=Decimal(0),
            contract_months=12,
        ),
        "access": Access(),
        "ides": (),
        "engineers": 1,
        "tracker": "mlflow",
        "schedulers": (),
        "orchestration": Orchestration.KUBERNETES,
        "kubernetes_version": "1.34",
        "existing": None,
        "profile": profile(),
    }
    return ClusterSpec.model_validate({**fields, **changes})


def existing_cluster(**changes: object) -> ClusterSpec:
    there: dict[str, object] = {
        "placement": placement(provider="lambda", region="us-south-2", zones=(), target="existing"),
        "existing": ExistingCluster(kubeconfig_env="ATOLL_TEST_KUBECONFIG", context=None),
        "profile": profile(provider="lambda", title="1-Click Clusters", autoscaler="none"),
        "pools": (cpu_pool(machine="cpu"), pool("train", machine="gpu_8x_h100_sxm5", zones=(), efa_interfaces=0)),
    }
    return cluster(**{**there, **changes})


def asked(spec: ClusterSpec | None = None, **changes: Any) -> Asked:
    fields: dict[str, Any] = {"stack": STACK, "spec": spec or cluster(), "reservations": {}, "config": {}}
    return Asked(**{**fields, **changes})


def lock(*placements: ClusterSpec) -> Lock:
    there = placements or (cluster(),)
    home = there[0].placement
    return Lock(
        schema_version=SCHEMA_VERSION,
        stack=STACK,
        option=f"{home.provider}-{home.region}-a",
        views=("cheapest",),
        checklist_digest="sha256:0",
        prices="current",
        prices_digest="0",
        prices_as_of=TODAY,
        priced_at=TODAY,
        valid_until=TODAY,
        ceiling=Ceilings(usd_per_month=None, usd_per_contract=None, usd_per_gpu_hour=None, binds="max"),
        contract_months=12,
        placements=there,
        joined=False,
        bill=(),
    )
