"""What a service item is, in the words of those who sell it; the words of a price list are ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.model import UNNAMED_MACHINE, Item

if TYPE_CHECKING:
    from collections.abc import Mapping

ITEM_WORDS: Final[Mapping[str, str]] = {
    UNNAMED_MACHINE: "CPU node of the cluster",
    Item.CONTROL_PLANE: "managed Kubernetes control plane",
    Item.NAT_GATEWAY: "NAT gateway",
    Item.NAT_DATA: "data through NAT",
    Item.LOAD_BALANCER: "load balancer for services of the cluster",
    Item.LOAD_BALANCER_UNIT: "capacity unit of a load balancer",
    Item.PUBLIC_IPV4: "public IPv4 address",
    Item.INTERFACE_ENDPOINT: "private endpoint of a service",
    Item.VPN_CONNECTION: "site-to-site VPN connection",
    Item.TRANSIT_ATTACHMENT: "attachment to a transit gateway",
    Item.TRANSIT_DATA: "data through a transit gateway",
    Item.CROSS_ZONE_DATA: "data between zones",
    Item.INTER_REGION_DATA: "data to other regions",
    Item.INTERNET_EGRESS: "data to the internet",
    Item.DISK: "network disk of nodes and volumes",
    Item.DISK_IOPS: "IOPS of network disks above what is included",
    Item.DISK_THROUGHPUT: "throughput of network disks above what is included",
    Item.DISK_FAST: "network disk with provisioned IOPS",
    Item.DISK_FAST_IOPS: "provisioned IOPS of a network disk",
    Item.SHARED_SSD: "shared file system on SSD or NVMe",
    Item.SHARED_SCRATCH: "shared scratch file system, not replicated",
    Item.SHARED_DISK: "shared file system",
    Item.OBJECT: "object storage",
    Item.OBJECT_INFREQUENT: "object storage, infrequent access",
    Item.OBJECT_ARCHIVE: "object storage, archive",
    Item.OBJECT_PUT: "write requests to object storage",
    Item.OBJECT_GET: "read requests to object storage",
    Item.ENCRYPTION_KEY: "customer-managed encryption key",
    Item.DNS_ZONE: "DNS zone",
    Item.LOG_INGEST: "log ingestion",
    Item.LOG_STORAGE: "log storage",
    Item.SUPPORT_BUSINESS_HOURS: "support in business hours",
    Item.SUPPORT_24X7: "support around the clock",
}
