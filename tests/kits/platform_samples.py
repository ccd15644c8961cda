"""A platform as a small checklist asks for it, and programs that register one part of it alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pulumi
import pulumi_kubernetes as kubernetes
import specs

from components.context.placement import (
    ClusterHandle,
    Identity,
    Ingress,
    Names,
    PlatformBucket,
    ProviderObjectStore,
    StorageClasses,
)
from components.context.settings import StackSettings
from components.platform.building_blocks.context import Keyring, KeyringArgs, PlatformContext
from operations.offline.program import OfflineRun, run
from planning.checklist.model.checklist import Checklist
from planning.quoting.assembly.platform import platform as decided

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from components.platform.building_blocks.context import Builder
    from planning.spec.cluster import ClusterSpec

CHECKLIST: dict[str, Any] = {
    "customer": {"name": "lagoon-labs", "owner": "ml-lead@lagoon-labs.example"},
    "workloads": [
        {
            "kind": "fine_tuning",
            "name": "burst",
            "frameworks": ["pytorch", "mpi"],
            "model": {"parameters": "7B"},
            "tokens": "2B",
        },
        {"kind": "notebooks", "name": "notebooks", "frameworks": ["pytorch", "jax", "tensorflow"]},
    ],
    "engineers": {"count": 4, "ides": ["vscode", "jupyterlab"]},
    "access": {
        "vpn": False,
        "users": [
            {"name": "ada", "email": "ada@lagoon-labs.example", "group": "admin"},
            {"name": "grace", "email": "grace@lagoon-labs.example"},
        ],
    },
    "where": {"existing": {"provider": "lambda"}},
}
SSO = {"provider": "okta", "issuer": "https://lagoon.okta.example", "client_id": "atoll"}


def merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(old)
    for key, value in new.items():
        result[key] = merged(result[key], value) if isinstance(value, dict) and key in result else value
    return result


def checklist(**changes: Any) -> Checklist:
    """The checklist above with fields replaced, mappings merged: `checklist(platform={"size": "full"})`."""
    return Checklist.model_validate(merged(CHECKLIST, changes))


def spec_with(base: ClusterSpec | None = None, **changes: Any) -> ClusterSpec:
    """A cluster (an existing one if none is given) with the platform that the changed checklist asks for."""
    cluster = base or specs.existing_cluster()
    asked = checklist(**changes)
    platform = decided(asked, profile=cluster.profile, pools=cluster.pools)
    return cluster.model_copy(update={"platform": platform, "access": asked.access})


BUCKET = PlatformBucket(
    name="atoll-sample-platform", endpoint="https://s3.us-east-1.amazonaws.com", region="us-east-1", scheme="s3"
)


def handle_of(
    spec: ClusterSpec, *, bucket: PlatformBucket | None = None, domain: str = "", **changes: Any
) -> ClusterHandle:
    fields: dict[str, Any] = {
        "placement": spec.placement,
        "profile": spec.profile,
        "provider": kubernetes.Provider("cluster", kubeconfig="{}"),
        "classes": StorageClasses(disk="disk", hot="hot", shared="shared", cold=""),
        "objects": ProviderObjectStore(endpoint="", scheme="s3", buckets={}),
        "identity": Identity(kind="none"),
        "ingress": Ingress(),
        "names": Names(domain=domain),
        "kubeconfigs": {},
        "bucket": bucket,
    }
    return ClusterHandle(**{**fields, **changes})


def run_part(
    name: str,
    build: Builder,
    spec: ClusterSpec,
    *,
    bucket: PlatformBucket | None = None,
    domain: str = "",
    ceiling: Any = None,
    settings: Mapping[str, Any] | None = None,
    handle: Callable[[ClusterSpec], ClusterHandle] | None = None,
) -> OfflineRun:
    """What one part registers, alone."""
    assert spec.platform is not None

    def program() -> None:
        platform = spec.platform
        assert platform is not None
        assert platform.part(name), f"{name} is not chosen: {[each.name for each in platform.parts]}"
        cluster = handle(spec) if handle else handle_of(spec, bucket=bucket, domain=domain)
        ground = PlatformContext(
            spec=spec,
            platform=platform,
            handle=cluster,
            settings=StackSettings(offline=True, allow_destroy=False, reservations={}, **(settings or {})),
            keyring=Keyring("keyring", KeyringArgs()),
            ceiling_usd_per_month=ceiling,
        )
        built = build(ground, [], pulumi.ResourceOptions(provider=cluster.provider))
        for output, value in built.outputs.items():
            pulumi.export(output, value)

    return run("sample", program=program)
