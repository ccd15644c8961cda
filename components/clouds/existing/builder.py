"""Atoll on an existing cluster: what its provider bills is declared as charges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi

from components.clouds.existing.cluster.control_plane import AttachedCluster
from components.context.placement import (
    BuiltCluster,
    ClusterHandle,
    Identity,
    Ingress,
    Names,
    PlatformBucket,
    ProviderObjectStore,
    StorageClasses,
    declare_contract,
)
from planning.values.errors import InputError

if TYPE_CHECKING:
    from components.context.placement import PlacementContext
    from components.context.settings import StackSettings


def build(site: PlacementContext) -> BuiltCluster:
    """Raises AtollError where the lock does not say how to reach the cluster, or it cannot be reached."""
    spec = site.spec
    if spec.existing is None:
        raise InputError("the lock builds on an existing cluster but does not say how to reach it")
    cluster = AttachedCluster("cluster", spec.existing, site=site, opts=site.options())
    # Machines, disks and traffic of the cluster: its provider bills them, and the stack creates none of them.
    declare_contract(site, "atoll:contract:Rented", "rented")
    handle = ClusterHandle(
        placement=spec.placement,
        profile=spec.profile,
        provider=cluster.provider,
        classes=StorageClasses(disk=spec.profile.disk_class, shared=spec.profile.shared_class),
        objects=ProviderObjectStore(endpoint="", scheme="s3", buckets={}),
        identity=Identity(kind="none"),
        ingress=Ingress(offered="load_balancer" not in spec.profile.forbidden),
        names=Names(domain=spec.network.domain),
        kubeconfigs={"admin": pulumi.Output.secret(cluster.kubeconfig)},
        bucket=_bucket(site.settings),
    )
    return BuiltCluster(handle=handle, outputs={"provider": spec.placement.provider, "region": spec.placement.region})


def _bucket(settings: StackSettings) -> PlatformBucket | None:
    """The customer's own bucket; None where the stack names none."""
    if not settings.backup_bucket:
        return None
    return PlatformBucket(
        name=settings.backup_bucket,
        endpoint=settings.backup_endpoint or f"https://s3.{settings.backup_region}.amazonaws.com",
        region=settings.backup_region,
        access_key=settings.backup_access_key,
        secret_key=settings.backup_secret_key,
    )
