"""The warm tier on Google Cloud: Managed Lustre, or Filestore where the lock says a plain shared disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import LUSTRE, build_gcp_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.spec.cluster import Placement, Tier

MBPS_PER_TIB: Final = "1000"  # the tier whose steps catalogs/tiers.csv knows
LUSTRE_NAME: Final = "atoll"  # what clients mount; eight letters or digits at most
FILESTORE_TIER: Final = "BASIC_HDD"  # the tier that the catalog prices; only dearer ones take a key of the customer's
SHARE: Final = "atoll"


@dataclass(frozen=True, kw_only=True)
class SharedFileSystemArgs:
    """The tier, and the one zone it is in.

    Args:
        managed_range: name of the range that Google's managed services get.
    """

    placement: Placement
    tier: Tier
    zone: pulumi.Input[str]
    network_id: pulumi.Input[str]
    managed_range: pulumi.Input[str] | None
    key_id: pulumi.Input[str]
    labels: Mapping[str, str]


@final
class SharedFileSystem(pulumi.ComponentResource):
    """A file system that every node mounts.

    Attributes:
        mount: "address:/name", what a client mounts.
        driver: that of its volumes in the cluster.
        handle: begins what the driver calls a volume of it.
        attributes: where the driver finds it.
    """

    mount: pulumi.Output[str]
    size_gib: int
    driver: str
    handle: pulumi.Output[str]
    attributes: Mapping[str, pulumi.Input[str]]

    def __init__(self, name: str, args: SharedFileSystemArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"provider": args.placement.provider, "region": args.placement.region, "tier": args.tier.tier}
        super().__init__("atoll:storage:SharedFileSystem", name, facts, opts)
        self.size_gib = args.tier.provisioned_gb
        if args.tier.item == LUSTRE:
            self._use_lustre(_lustre(args, parent=self), args)
        else:
            self._use_filestore(_filestore(args, parent=self), args)
        self.register_outputs({"mount": self.mount})

    def _use_lustre(self, made: gcp.lustre.Instance, args: SharedFileSystemArgs) -> None:
        """Volumes that are there already (Cluster Toolkit at 10470803, modules/file-system/gke-persistent-volume)."""
        self.mount = made.mount_point
        self.driver = "lustre.csi.storage.gke.io"
        self.handle = pulumi.Output.concat(made.project, "/", args.zone, "/", made.instance_id, "/default-pool")
        address = made.mount_point.apply(lambda mount: mount.partition("@")[0].partition(":")[0])
        self.attributes = {"ip": address, "filesystem": LUSTRE_NAME}

    def _use_filestore(self, made: gcp.filestore.Instance, args: SharedFileSystemArgs) -> None:
        """Volumes that are there already (the same module of the Toolkit)."""
        address = made.networks.apply(lambda found: (found[0].ip_addresses or [""])[0])
        self.mount = pulumi.Output.concat(address, f":/{SHARE}")
        self.driver = "filestore.csi.storage.gke.io"
        self.handle = pulumi.Output.concat("modeInstance/", args.zone, "/", made.name, f"/{SHARE}")
        self.attributes = {"ip": address, "volume": SHARE}


def _lustre(args: SharedFileSystemArgs, *, parent: SharedFileSystem) -> gcp.lustre.Instance:
    return gcp.lustre.Instance(
        "shared",
        instance_id=build_gcp_name(args.placement, "shared"),
        location=args.zone,
        filesystem=LUSTRE_NAME,
        capacity_gib=str(args.tier.provisioned_gb),
        per_unit_storage_throughput=MBPS_PER_TIB,
        network=args.network_id,
        kms_key=args.key_id,
        labels=dict(args.labels),
        opts=pulumi.ResourceOptions(parent=parent, protect=True, retain_on_delete=True),
    )


def _filestore(args: SharedFileSystemArgs, *, parent: SharedFileSystem) -> gcp.filestore.Instance:
    return gcp.filestore.Instance(
        "shared",
        name=build_gcp_name(args.placement, "shared"),
        location=args.zone,
        tier=FILESTORE_TIER,
        file_shares={"name": SHARE, "capacity_gb": args.tier.provisioned_gb},
        networks=[
            {
                "network": args.network_id,
                "modes": ["MODE_IPV4"],
                "connect_mode": "PRIVATE_SERVICE_ACCESS",
                "reserved_ip_range": args.managed_range,
            }
        ],
        labels=dict(args.labels),
        opts=pulumi.ResourceOptions(parent=parent, protect=True, retain_on_delete=True),
    )
