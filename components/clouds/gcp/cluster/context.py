"""Shared resources of a cluster on Google Cloud: project, key, network, control plane, zones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.key import EncryptionKey
from components.clouds.gcp.account.logs import Logs
from components.clouds.gcp.account.names import LUSTRE, labels
from components.clouds.gcp.cluster.control_plane import Cluster
from components.clouds.gcp.cluster.settings import find_file_system_item, read_gcp_settings, zone_of
from components.clouds.gcp.network.vpc import Vpc
from planning.values.addresses import LUSTRE_PREFIX, GkeRanges, ranges
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    from components.clouds.gcp.cluster.settings import GcpSettings
    from components.context.placement import PlacementContext
    from planning.spec.cluster import ClusterSpec


@dataclass(frozen=True, kw_only=True)
class ClusterContext:
    """`zones` maps a pool's name to its one zone, None where several will do."""

    site: PlacementContext
    settings: GcpSettings
    gcp: gcp.Provider
    project: pulumi.Output[str]
    number: pulumi.Output[str]
    key: EncryptionKey
    network: Vpc
    cluster: Cluster
    labels: dict[str, str]
    zones: Mapping[str, pulumi.Input[str] | None]

    @property
    def spec(self) -> ClusterSpec:
        return self.site.spec

    @property
    def budget_ceiling(self) -> Decimal | None:
        return _find_budget_ceiling(self.site, self.settings)

    @property
    def after_cluster(self) -> pulumi.ResourceOptions:
        # Rights of pods need the workload identity pool, which exists once the project has a cluster.
        return self.options(depends_on=[self.cluster.resource])

    def options(self, *, depends_on: Sequence[pulumi.Resource] = ()) -> pulumi.ResourceOptions:
        return self.site.options(provider=self.gcp, depends_on=depends_on)


def build_cluster_context(site: PlacementContext) -> ClusterContext:
    """Registers provider, key, network and control plane.

    Raises:
        InputError: the range cannot be split, or the stack's settings are invalid.
    """
    spec, settings = site.spec, read_gcp_settings()
    cloud = gcp.Provider(
        "gcp",
        project=settings.project or None,
        region=spec.placement.region,
        default_labels=labels(spec),
        # The budget API refuses a user's own credentials unless a project is billed for the call (provider docs).
        billing_project=settings.project or None if settings.billing_account else None,
        user_project_override=True if settings.billing_account else None,
        opts=site.options(),
    )
    found = gcp.organizations.get_project_output(
        project_id=settings.project or None, opts=pulumi.InvokeOutputOptions(provider=cloud)
    )
    project, parts, on_gcp = found.project_id.apply(str), _split_range(spec), site.options(provider=cloud)
    key = EncryptionKey("key", site, number=found.number, users=_list_key_users(site, settings), opts=on_gcp)
    shared = find_file_system_item(spec)
    network = Vpc("network", site, parts, managed=bool(shared), lustre=shared == LUSTRE, opts=on_gcp)
    zones = {pool.name: zone_of(pool, site=site, settings=settings) for pool in spec.pools}
    logs = Logs("logs", site, project=project, key_id=key.id, opts=on_gcp)
    cluster = Cluster(
        "cluster",
        site,
        project=project,
        network=network,
        ranges=parts,
        key_id=key.id,
        opts=site.options(provider=cloud, depends_on=[*key.granted, logs]),
    )
    return ClusterContext(
        site=site,
        settings=settings,
        gcp=cloud,
        project=project,
        number=found.number,
        key=key,
        network=network,
        cluster=cluster,
        labels=labels(spec),
        zones=zones,
    )


def _split_range(spec: ClusterSpec) -> GkeRanges:
    hint = "choose another where.cidr in the checklist"
    try:
        found = ranges(spec.network.cidr, nodes=sum(pool.max_nodes for pool in spec.pools))
    except ValueError as error:
        raise InputError(str(error), hint=hint) from error
    if find_file_system_item(spec) == LUSTRE and found.services.prefixlen > LUSTRE_PREFIX:
        raise InputError(
            f"{spec.network.cidr} leaves Managed Lustre a /{found.services.prefixlen}, and it needs a /{LUSTRE_PREFIX}",
            hint=hint,
        )
    return found


def _list_key_users(site: PlacementContext, settings: GcpSettings) -> tuple[str, ...]:
    vpn = site.spec.vpn
    wanted = {
        "lustre": find_file_system_item(site.spec) == LUSTRE,
        "secret": vpn is not None and vpn.kind == "machine",
        "topics": _find_budget_ceiling(site, settings) is not None,
    }
    return ("secrets", "disks", "buckets", *(user for user, asked in wanted.items() if asked))


def _find_budget_ceiling(site: PlacementContext, settings: GcpSettings) -> Decimal | None:
    """USD a month, where a billing account is named to watch it on."""
    return site.ceiling_usd_per_month if settings.billing_account else None
