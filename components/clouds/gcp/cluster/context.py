"""What every part of a cluster on Google Cloud stands on: project, key, network, labels, zones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.key import EncryptionKey, EncryptionKeyArgs
from components.clouds.gcp.account.names import FILESTORE, LUSTRE, LUSTRE_PORTS, labels
from components.clouds.gcp.cluster.settings import read_gcp_settings, zone_of
from components.clouds.gcp.network.vpc import Vpc, VpcArgs
from planning.values.addresses import LUSTRE_PREFIX, GkeRanges, ranges
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from components.clouds.gcp.cluster.settings import GcpSettings
    from components.context.placement import PlacementContext
    from planning.spec.cluster import ClusterSpec


@dataclass(frozen=True, kw_only=True)
class ClusterContext:
    """What every part stands on.

    Args:
        zones: pool name to its one zone, None where any zone will do.
    """

    site: PlacementContext
    settings: GcpSettings
    gcp: gcp.Provider
    project: pulumi.Output[str]
    number: pulumi.Output[str]
    ranges: GkeRanges
    key: EncryptionKey
    network: Vpc
    labels: dict[str, str]
    zones: Mapping[str, pulumi.Input[str] | None]

    @property
    def watched(self) -> Decimal | None:
        """The ceiling that a budget watches; None where there is none."""
        return _find_budget_ceiling(self.site, self.settings)


def build_cluster_context(site: PlacementContext) -> ClusterContext:
    """Registers provider, key and network.

    Raises:
        InputError: the range cannot be cut, or the stack's settings are not usable.
    """
    spec, settings = site.spec, read_gcp_settings()
    cloud = gcp.Provider(
        "gcp",
        project=settings.project or None,
        region=spec.placement.region,
        default_labels=labels(spec),
        # A person's own sign-in is refused by the API of budgets unless a project pays for the call (provider docs).
        billing_project=settings.project or None if settings.billing_account else None,
        user_project_override=True if settings.billing_account else None,
        opts=site.options(),
    )
    project = gcp.organizations.get_project_output(
        project_id=settings.project or None, opts=pulumi.InvokeOutputOptions(provider=cloud)
    )
    parts = _ranges(spec)
    key_args = EncryptionKeyArgs(placement=spec.placement, number=project.number, users=_key_users(site, settings))
    return ClusterContext(
        site=site,
        settings=settings,
        gcp=cloud,
        project=project.project_id.apply(str),
        number=project.number,
        ranges=parts,
        key=EncryptionKey("key", key_args, opts=site.options(provider=cloud)),
        network=_network(site, parts, cloud=cloud),
        labels=labels(spec),
        zones={pool.name: zone_of(pool, site=site, settings=settings) for pool in spec.pools},
    )


def find_file_system_item(spec: ClusterSpec) -> str:
    """Item of the shared file system; "" where there is none."""
    return next((tier.item for tier in spec.storage if tier.item in {LUSTRE, FILESTORE}), "")


def _network(site: PlacementContext, parts: GkeRanges, *, cloud: gcp.Provider) -> Vpc:
    spec = site.spec
    args = VpcArgs(
        placement=spec.placement,
        cidr=spec.network.cidr,
        ranges=parts,
        addresses=spec.network.nat_gateways,
        managed=bool(find_file_system_item(spec)),
        called_back=LUSTRE_PORTS if find_file_system_item(spec) == LUSTRE else (),
        charges=site.ledger.claim("network"),
    )
    return Vpc("network", args, opts=site.options(provider=cloud))


def _ranges(spec: ClusterSpec) -> GkeRanges:
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


def _key_users(site: PlacementContext, settings: GcpSettings) -> tuple[str, ...]:
    vpn = site.spec.vpn
    wanted = {
        "lustre": find_file_system_item(site.spec) == LUSTRE,
        "secret": vpn is not None and vpn.kind == "machine",
        "topics": _find_budget_ceiling(site, settings) is not None,
    }
    return ("secrets", "disks", "buckets", *(user for user, asked in wanted.items() if asked))


def _find_budget_ceiling(site: PlacementContext, settings: GcpSettings) -> Decimal | None:
    """The ceiling, where a billing account is named to watch it on."""
    return site.ceiling_usd_per_month if settings.billing_account else None
