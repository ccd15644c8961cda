"""Whole platforms on every target: what each is like, and what it registers, once for all tests."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pulumi
import specs
import specs_coreweave
import specs_gcp
from platform_samples import CHECKLIST, SSO, spec_with

from components.stack.targets import build
from operations.offline.program import OfflineRun, run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from planning.spec.cluster import ClusterSpec

OURS = {
    **dict.fromkeys(
        ("gpu_driver", "device_plugin", "node_feature_discovery", "dcgm_exporter", "network_plugin"), "atoll"
    ),
    "node_repair": "none",
}


def bare() -> ClusterSpec:
    """A cluster whose provider brings nothing for its accelerators, mends no node, and whose fabric is InfiniBand."""
    rented = specs.existing_cluster()
    pools = tuple(pool.model_copy(update={"fabric": "infiniband", "efa_interfaces": 0}) for pool in rented.pools)
    return specs.existing_cluster(profile=specs.RENTED.model_copy(update=OURS), pools=pools)


BASES: Mapping[str, Callable[[], ClusterSpec]] = {
    "existing": specs.existing_cluster,
    "bare": bare,
    "aws": specs.aws_cluster,
    "gcp": specs_gcp.gcp_cluster,
    "coreweave": specs_coreweave.coreweave_cluster,
}
SLEEPER = {"kind": "inference", "name": "serve", "model": {"parameters": "7B"}, "scale_to_zero": True}
MAIN = {"provider": "aws", "region": "us-east-1", "logs_and_metrics": True}
CEILING = {"usd_per_month": 250_000}
VARIANTS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "small": ("existing", {"platform": {"size": "small"}}),
    "standard": ("existing", {"platform": {"size": "standard"}, "access": {"sso": SSO}}),
    "full": ("existing", {"platform": {"size": "full"}, "main_cloud": MAIN, "ceiling": CEILING}),
    "seaweedfs": ("existing", {"platform": {"size": "standard", "object_store": "seaweedfs"}}),
    "everything": (
        "existing",
        {
            "platform": {"size": "full", "handover": "argo_cd", "sharing": "time_slicing", "idle_minutes": 30},
            "schedulers": ["airflow"],
            "orchestration": "both",
            "access": {"sso": SSO},
        },
    ),
    "zero": ("existing", {"workloads": [*CHECKLIST["workloads"], SLEEPER]}),
    "bare": ("bare", {"platform": {"size": "small"}}),
    "aws": ("aws", {"platform": {"size": "full"}, "main_cloud": MAIN, "ceiling": CEILING}),
    "aws-provider": ("aws", {"platform": {"size": "full", "object_store": "provider"}, "schedulers": ["airflow"]}),
    "gcp-provider": (
        "gcp",
        {"platform": {"size": "full", "object_store": "provider", "without": ["pipelines"]}, "schedulers": ["airflow"]},
    ),
    "coreweave": ("coreweave", {"platform": {"size": "full"}, "orchestration": "both"}),
}


def spec_of(variant: str) -> ClusterSpec:
    base, changes = VARIANTS[variant]
    return spec_with(BASES[base](), **changes)


@cache
def registered(variant: str) -> OfflineRun:
    spec = spec_of(variant)

    def program() -> None:
        pulumi.runtime.set_config("atoll:billingAccount", "000000-000000-000000")
        build((spec,), ceiling=specs_gcp.CEILING)

    return run("sample", program=program)
