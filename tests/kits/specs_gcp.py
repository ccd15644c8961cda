"""An accepted cluster on Google Cloud, written out by hand."""

from __future__ import annotations

from decimal import Decimal
from ipaddress import IPv4Network

import specs

from planning.spec.cluster import ClusterSpec, Gateway, Network, Peering, Placement, Profile, Tier

REGION = "us-central1"
CEILING = Decimal("250000.50")
OFF = {"efa_interfaces": 0, "placement_group": False, "fabric": "ethernet", "burn_in": False, "local_nvme_gb": 0}
POOLS = (
    specs.pool("system", role="system", workload=None, machine="n4-standard-8", accelerator=None, accelerators=0,
               working=3, min_nodes=3, max_nodes=3, node_hours=specs.amounts(2190, 2190, 2190), disk_gb=100, **OFF),
    specs.pool("train", machine="a3-megagpu-8g", efa_interfaces=0, fabric="gpudirect", local_nvme_gb=6000,
               purchase="cud_12m", kind="reserved", placement_group=False, spares=1, min_nodes=3, max_nodes=3,
               node_hours=specs.amounts(2190, 2190, 2190)),
    specs.pool("burst", machine="a3-ultragpu-8g", accelerator="H200-SXM-141GB", efa_interfaces=0, fabric="roce",
               local_nvme_gb=12000, workload="train"),
    specs.pool("serve", machine="g2-standard-8", accelerator="L4-PCIe-24GB", accelerators=1, kind="spot",
               purchase="spot", working=4, max_nodes=4, node_hours=specs.amounts(0, 1000, 2920), **OFF),
    specs.pool("queue", machine="a4-highgpu-8g", accelerator="B200-SXM-180GB", kind="flex", purchase="dws_flex_start",
               workload="train", **{**OFF, "local_nvme_gb": 12000}),
    specs.pool("block", machine="a4-highgpu-8g", accelerator="B200-SXM-180GB", efa_interfaces=0, fabric="roce",
               local_nvme_gb=12000, placement_group=False, kind="capacity_block", purchase="dws_calendar",
               workload="train", working=1, max_nodes=1, node_hours=specs.amounts(0, 300, 730)),
)  # fmt: skip

STORAGE = (
    Tier(tier="hot", engine="local SSD", item="included", asked_gb=Decimal(9000), provisioned_gb=9000, purpose="data"),
    Tier(tier="warm", engine="Managed Lustre, 1000 MB/s/TiB", item="shared_ssd", asked_gb=Decimal(9000),
         provisioned_gb=18000, purpose="checkpoints"),
    Tier(tier="cold", engine="Cloud Storage Standard", item="object", asked_gb=Decimal(20000), provisioned_gb=20000,
         purpose="data"),
    Tier(tier="archive", engine="Cloud Storage Archive", item="object_archive", asked_gb=Decimal(90000),
         provisioned_gb=90000, purpose="archive"),
)  # fmt: skip

PEERING = Peering(
    vpc_id="projects/acme-main/global/networks/main",
    vpc_cidr=IPv4Network("10.0.0.0/16"),
    region=REGION,
    account=None,
    route_table_ids=(),
    gb_per_month=specs.amounts(100, 100, 100),
)

GATEWAY = Gateway(kind="machine", machine="e2-micro", disk_gb=10, port=51820, cidr=IPv4Network("172.27.0.0/16"))

PROFILE = Profile(
    provider="gcp",
    title="GKE",
    gpu_driver="provider",
    device_plugin="provider",
    node_feature_discovery="provider",
    dcgm_exporter="provider",
    network_plugin="provider",
    node_repair="provider",
    autoscaler="provider",
)


def network(**changes: object) -> Network:
    fields: dict[str, object] = {
        "cidr": IPv4Network("10.64.0.0/16"),
        "zone_count": 2,
        "nat_gateways": 2,
        "api_cidrs": (),
        "egress_gb": specs.amounts(500, 500, 900),
        "nat_gb": specs.amounts(1000, 1000, 1000),
        "load_balancers": specs.amounts(1, 1, 1),
        "peering": PEERING,
        "domain": "ml.acme.example",
    }
    return Network.model_validate({**fields, **changes})


def gcp_cluster(**changes: object) -> ClusterSpec:
    fields: dict[str, object] = {
        "placement": Placement(provider="gcp", region=REGION, zones=(), target="gcp"),
        "network": network(),
        "pools": POOLS,
        "storage": STORAGE,
        "kubernetes_version": "1.35",
        "profile": PROFILE,
        "vpn": GATEWAY,
    }
    return specs.aws_cluster(**{**fields, **changes})
