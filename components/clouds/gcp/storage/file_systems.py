"""The warm tier on Google Cloud: Managed Lustre, or Filestore for a plain shared disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import FILESTORE, LUSTRE, build_gcp_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.clouds.gcp.cluster.context import ClusterContext
    from planning.spec.cluster import Tier

MBPS_PER_TIB: Final = "1000"  # the tier in catalogs/tiers.csv
LUSTRE_NAME: Final = "atoll"  # what clients mount; eight letters or digits at most
FILESTORE_TIER: Final = "BASIC_HDD"  # the tier that the catalog prices; only more expensive ones take a customer key
SHARE: Final = "atoll"


def register_file_systems(here: ClusterContext) -> tuple[SharedFileSystem, ...]:
    network = here.network
    waits = [*here.key.granted, *([network.managed] if network.managed is not None else [])]
    return tuple(
        SharedFileSystem(f"tier-{tier.tier}", tier, here, opts=here.options(depends_on=waits))
        for tier in here.spec.storage
        if tier.item in {LUSTRE, FILESTORE}
    )


def _select_zone(here: ClusterContext) -> pulumi.Input[str]:
    """The zone of the first pool with a fixed one; else any."""
    bound = [zone for zone in here.zones.values() if zone is not None]
    # Near its readers: traffic between zones is slower, and paid for.
    if bound:
        return bound[0]
    region = here.site.placement.region
    found = gcp.compute.get_zones_output(region=region, opts=pulumi.InvokeOutputOptions(provider=here.gcp))
    return found.names.apply(lambda names: names[0])


@final
class SharedFileSystem(pulumi.ComponentResource):
    """A file system that every node mounts.

    Attributes:
        mount: "address:/name".
        driver: CSI driver of its volumes.
        handle: prefix of its volume handles.
        attributes: volume attributes of the driver.
    """

    mount: pulumi.Output[str]
    size_gib: int
    driver: str
    handle: pulumi.Output[str]
    attributes: Mapping[str, pulumi.Input[str]]

    def __init__(self, name: str, tier: Tier, here: ClusterContext, *, opts: pulumi.ResourceOptions) -> None:
        super().__init__("atoll:storage:SharedFileSystem", name, here.site.describe(tier=tier.tier), opts)
        self.size_gib = tier.provisioned_gb
        create = self._create_lustre if tier.item == LUSTRE else self._create_filestore
        create(tier, here, _select_zone(here))
        self.register_outputs({"mount": self.mount})

    def _create_lustre(self, tier: Tier, here: ClusterContext, zone: pulumi.Input[str]) -> None:
        # Handle of static volumes: Cluster Toolkit at 10470803, modules/file-system/gke-persistent-volume.
        instance = gcp.lustre.Instance(
            "shared",
            instance_id=build_gcp_name(here.site.placement, "shared"),
            location=zone,
            filesystem=LUSTRE_NAME,
            capacity_gib=str(tier.provisioned_gb),
            per_unit_storage_throughput=MBPS_PER_TIB,
            network=here.network.id,
            kms_key=here.key.id,
            labels=here.labels,
            opts=pulumi.ResourceOptions(parent=self, protect=True, retain_on_delete=True),
        )
        self.mount = instance.mount_point
        self.driver = "lustre.csi.storage.gke.io"
        self.handle = pulumi.Output.concat(instance.project, "/", zone, "/", instance.instance_id, "/default-pool")
        address = instance.mount_point.apply(lambda mount: mount.partition("@")[0].partition(":")[0])
        self.attributes = {"ip": address, "filesystem": LUSTRE_NAME}

    def _create_filestore(self, tier: Tier, here: ClusterContext, zone: pulumi.Input[str]) -> None:
        # Handle of static volumes: the same module of the Cluster Toolkit.
        instance = gcp.filestore.Instance(
            "shared",
            name=build_gcp_name(here.site.placement, "shared"),
            location=zone,
            tier=FILESTORE_TIER,
            file_shares={"name": SHARE, "capacity_gb": tier.provisioned_gb},
            networks=[
                {
                    "network": here.network.id,
                    "modes": ["MODE_IPV4"],
                    "connect_mode": "PRIVATE_SERVICE_ACCESS",
                    "reserved_ip_range": here.network.managed_range,
                }
            ],
            labels=here.labels,
            opts=pulumi.ResourceOptions(parent=self, protect=True, retain_on_delete=True),
        )
        address = instance.networks.apply(lambda found: (found[0].ip_addresses or [""])[0])
        self.mount = pulumi.Output.concat(address, f":/{SHARE}")
        self.driver = "filestore.csi.storage.gke.io"
        self.handle = pulumi.Output.concat("modeInstance/", zone, "/", instance.name, f"/{SHARE}")
        self.attributes = {"ip": address, "volume": SHARE}
