"""What every part of a cluster on AWS stands on: provider, key, network, control plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pulumi_aws as aws

from components.clouds.aws.account.key import EncryptionKey, EncryptionKeyArgs
from components.clouds.aws.account.logs import Logs, LogsArgs
from components.clouds.aws.cluster.control_plane import Cluster, ClusterArgs
from components.clouds.aws.network.vpc import Vpc, VpcArgs
from components.context.naming import tags

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pulumi

    from components.context.placement import PlacementContext
    from planning.spec.cluster import ClusterSpec


@dataclass(frozen=True, kw_only=True)
class ClusterContext:
    """What every part stands on."""

    site: PlacementContext
    provider: aws.Provider
    key: EncryptionKey
    network: Vpc
    cluster: Cluster

    @property
    def spec(self) -> ClusterSpec:
        return self.site.spec

    def options(self, *, depends_on: Sequence[pulumi.Resource] = ()) -> pulumi.ResourceOptions:
        return self.site.options(provider=self.provider, depends_on=depends_on)


def build_cluster_context(site: PlacementContext) -> ClusterContext:
    spec = site.spec
    tagged = tags(spec)
    provider = aws.Provider("aws", region=spec.placement.region, default_tags={"tags": tagged}, opts=site.options())
    on_aws = site.options(provider=provider)
    key = EncryptionKey("key", EncryptionKeyArgs(placement=spec.placement), opts=on_aws)
    within = VpcArgs(placement=spec.placement, network=spec.network, charges=site.ledger.claim("network"))
    network = Vpc("network", within, opts=on_aws)
    cluster = _cluster(site, provider, key=key, network=network)
    return ClusterContext(site=site, provider=provider, key=key, network=network, cluster=cluster)


def _cluster(site: PlacementContext, provider: aws.Provider, *, key: EncryptionKey, network: Vpc) -> Cluster:
    """The control plane, once the groups that it logs to are there."""
    spec = site.spec
    logs = Logs(
        "logs",
        LogsArgs(
            placement=spec.placement,
            vpc_id=network.vpc_id,
            key_arn=key.arn,
            charges=site.ledger.claim("cluster"),
            audit=site.settings.audit_trail and site.first,
        ),
        opts=site.options(provider=provider),
    )
    return Cluster(
        "cluster",
        ClusterArgs(
            placement=spec.placement,
            kubernetes_version=spec.kubernetes_version,
            subnet_ids=network.private_subnets,
            key_arn=key.arn,
            api_cidrs=spec.network.api_cidrs,
            deletion_protection=not site.settings.allow_destroy,
        ),
        opts=site.options(provider=provider, depends_on=[logs.control_plane, network]),
    )
