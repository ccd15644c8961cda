"""Shared resources of a cluster on AWS: provider, key, network, control plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pulumi_aws as aws

from components.clouds.aws.account.key import EncryptionKey
from components.clouds.aws.account.logs import Logs
from components.clouds.aws.cluster.control_plane import Cluster
from components.clouds.aws.network.vpc import Vpc
from components.context.naming import tags

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pulumi

    from components.context.placement import PlacementContext
    from planning.spec.cluster import ClusterSpec


@dataclass(frozen=True, kw_only=True)
class ClusterContext:
    site: PlacementContext
    provider: aws.Provider
    key: EncryptionKey
    network: Vpc
    cluster: Cluster

    @property
    def spec(self) -> ClusterSpec:
        return self.site.spec

    @property
    def region(self) -> str:
        return self.site.placement.region

    def options(self, *, depends_on: Sequence[pulumi.Resource] = ()) -> pulumi.ResourceOptions:
        return self.site.options(provider=self.provider, depends_on=depends_on)


def build_cluster_context(site: PlacementContext) -> ClusterContext:
    """Registers provider, key, network, log groups and control plane."""
    provider = aws.Provider(
        "aws", region=site.placement.region, default_tags={"tags": tags(site.spec)}, opts=site.options()
    )
    on_aws = site.options(provider=provider)
    key = EncryptionKey("key", site, opts=on_aws)
    network = Vpc("network", site, opts=on_aws)
    logs = Logs("logs", site, vpc_id=network.vpc_id, key_arn=key.arn, opts=on_aws)
    cluster = Cluster(
        "cluster",
        site,
        subnet_ids=network.private_subnets,
        key_arn=key.arn,
        opts=site.options(provider=provider, depends_on=[logs.control_plane, network]),
    )
    return ClusterContext(site=site, provider=provider, key=key, network=network, cluster=cluster)
