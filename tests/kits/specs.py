"""Two accepted clusters, written out by hand: the programs under test are built from them."""

from __future__ import annotations

from decimal import Decimal
from ipaddress import IPv4Network

from planning.checklist.model.checklist import Customer
from planning.checklist.model.people import Access, User
from planning.checklist.model.vocabulary import Ide, Operation, Orchestration, Support
from planning.spec.cluster import (
    Amounts,
    ClusterSpec,
    ExistingCluster,
    Gateway,
    Link,
    Network,
    Peering,
    Placement,
    Pool,
    Profile,
    Services,
    Tier,
)

HOURS = Decimal(730)


def amounts(low: int, expected: int, high: int) -> Amounts:
    return Amounts(min=Decimal(low), expected=Decimal(expected), max=Decimal(high))


def pool(name: str, **changes: object) -> Pool:
    fields: dict[str, object] = {
        "name": name,
        "role": "gpu",
        "workload": name,
        "machine": "p5.48xlarge",
        "accelerator": "H100-SXM-80GB",
        "accelerators": 8,
        "vcpus": 192,
        "memory_gib": Decimal(2048),
        "architecture": "x86_64",
        "purchase": "on_demand",
        "kind": "on_demand",
        "working": 2,
        "spares": 0,
        "min_nodes": 0,
        "max_nodes": 2,
        "node_hours": amounts(0, 600, 1460),
        "disk_gb": 500,
        "local_nvme_gb": 30400,
        "fabric": "efa",
        "efa_interfaces": 32,
        "placement_group": True,
        "zones": (),
        "burn_in": True,
    }
    return Pool.model_validate({**fields, **changes})


def system_pool() -> Pool:
    return pool(
        "system",
        role="system",
        workload=None,
        machine="m7i.2xlarge",
        accelerator=None,
        accelerators=0,
        vcpus=8,
        memory_gib=Decimal(32),
        working=3,
        min_nodes=3,
        max_nodes=3,
        node_hours=amounts(2190, 2190, 2190),
        disk_gb=100,
        local_nvme_gb=0,
        fabric="ethernet",
        efa_interfaces=0,
        placement_group=False,
        burn_in=False,
    )


POOLS = (
    system_pool(),
    pool("train", kind="reserved", purchase="savings_plan_12m_no_upfront", spares=1, min_nodes=3, max_nodes=3,
         placement_group=False, node_hours=amounts(2190, 2190, 2190), zones=("use1-az4",)),
    pool("burst"),
    pool("serve", machine="g6.2xlarge", accelerator="L4-PCIe-24GB", accelerators=1, kind="spot", purchase="spot",
         efa_interfaces=0, placement_group=False, fabric="ethernet", working=4, max_nodes=4, local_nvme_gb=450,
         node_hours=amounts(0, 1000, 2920), burn_in=False),
    pool("block", kind="capacity_block", purchase="capacity_block", placement_group=False, workload="train"),
)  # fmt: skip

STORAGE = (
    Tier(tier="hot", engine="local NVMe", item="included", asked_gb=Decimal(9000), provisioned_gb=9000, purpose="data"),
    Tier(tier="warm", engine="FSx for Lustre", item="shared_ssd", asked_gb=Decimal(3000), provisioned_gb=4800,
         purpose="checkpoints"),
    Tier(tier="cold", engine="S3 Standard", item="object", asked_gb=Decimal(20000), provisioned_gb=20000,
         purpose="data"),
    Tier(tier="archive", engine="S3 Glacier Flexible Retrieval", item="object_archive", asked_gb=Decimal(90000),
         provisioned_gb=90000, purpose="archive"),
)  # fmt: skip

COLD_DISK = Tier(
    tier="cold", engine="EFS", item="shared_disk", asked_gb=Decimal(500), provisioned_gb=500, purpose="code base"
)

PEERING = Peering(
    vpc_id="vpc-0123456789abcdef0",
    vpc_cidr=IPv4Network("10.0.0.0/16"),
    region="us-east-1",
    account=None,
    route_table_ids=("rtb-0123456789abcdef0",),
    gb_per_month=amounts(100, 100, 100),
)


PROFILE = Profile(
    provider="aws",
    title="EKS",
    gpu_driver="provider",
    device_plugin="atoll",
    node_feature_discovery="none",
    dcgm_exporter="atoll",
    network_plugin="atoll",
    node_repair="provider",
    autoscaler="atoll",
    rdma_resource="vpc.amazonaws.com/efa",
)


RENTED = Profile(
    provider="lambda",
    title="1-Click Clusters",
    gpu_driver="provider",
    device_plugin="provider",
    node_feature_discovery="provider",
    dcgm_exporter="provider",
    network_plugin="provider",
    node_repair="provider",
    autoscaler="none",
)


def aws_cluster(**changes: object) -> ClusterSpec:
    fields: dict[str, object] = {
        "customer": Customer(name="acme", owner="ml@acme.example"),
        "placement": Placement(
            provider="aws",
            region="us-east-1",
            zones=("use1-az4", "use1-az6", "use1-az2"),
            target="aws",
        ),
        "network": Network(
            cidr=IPv4Network("10.64.0.0/16"),
            zone_count=3,
            nat_gateways=1,
            api_cidrs=(),
            egress_gb=amounts(500, 500, 900),
            nat_gb=amounts(1000, 1000, 1000),
            load_balancers=amounts(1, 1, 1),
            peering=PEERING,
        ),
        "pools": POOLS,
        "storage": STORAGE,
        "logs_gb": amounts(50, 50, 50),
        "services": Services(
            support=Support.BUSINESS_HOURS,
            support_usd_per_month=Decimal(900),
            operation=Operation.FOR_US,
            onboarding_usd_per_month=Decimal("291.67"),
            contract_months=12,
        ),
        "access": Access(users=(User(name="ada", email="ada@acme.example", group="admin"),)),
        "ides": (Ide.VSCODE,),
        "engineers": 4,
        "tracker": "mlflow",
        "schedulers": (),
        "orchestration": Orchestration.KUBERNETES,
        "kubernetes_version": "1.34",
        "existing": None,
        "profile": PROFILE,
    }
    return ClusterSpec.model_validate({**fields, **changes})


def existing_cluster(**changes: object) -> ClusterSpec:
    placement = Placement(provider="lambda", region="us-south-2", zones=(), target="existing")
    reached = ExistingCluster(kubeconfig_env="ATOLL_TEST_KUBECONFIG", context="lambda")
    network = aws_cluster().network.model_copy(update={"peering": None})
    whole: dict[str, object] = {
        "placement": placement,
        "existing": reached,
        "network": network,
        "pools": (POOLS[0], POOLS[2]),
        "storage": STORAGE[:2],
        "profile": RENTED,
    }
    return aws_cluster(**{**whole, **changes})


def beside(spec: ClusterSpec, name: str, cidr: str) -> ClusterSpec:
    """The same cluster as another placement, without what only home has."""
    network = spec.network.model_copy(update={"cidr": IPv4Network(cidr), "peering": None})
    placement = spec.placement.model_copy(update={"name": name})
    pools = [
        pool.model_copy(update={"workload": f"{name}-{pool.workload}"}) if pool.workload else pool
        for pool in spec.pools
    ]
    return spec.model_copy(update={"placement": placement, "network": network, "pools": tuple(pools)})


PLACEMENTS = (
    aws_cluster(),
    beside(aws_cluster(), "west", "10.80.0.0/16"),
    beside(existing_cluster(), "far", "10.96.0.0/16"),
    beside(existing_cluster(), "north", "10.112.0.0/16"),
)


LINK = Link(
    provider="aws",
    region="us-east-1",
    vpc_id="vpc-0123456789abcdef0",
    vpc_cidr=IPv4Network("10.0.0.0/16"),
    account="111122223333",
    route_table_ids=("rtb-0123456789abcdef0",),
    gb_per_month=amounts(200, 200, 200),
)
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleKeyOfAda0000000000000000000000000 ada"
PEOPLE = (
    User(name="ada", email="ada@acme.example", group="admin", ssh_key=KEY),
    User(name="grace", email="grace@acme.example", workloads=("burst",)),
)


def with_ways(spec: ClusterSpec, *, kind: str) -> ClusterSpec:
    """The same cluster with a VPN, SSH, and on a cluster that exists a tunnel to the main cloud."""
    machine = kind == "machine"
    vpn = Gateway.model_validate(
        {
            "kind": kind,
            "machine": "t4g.micro" if machine else "",
            "disk_gb": 10 if machine else 0,
            "port": 51820,
            "cidr": "172.27.0.0/16",
        }
    )
    network = spec.network if machine else spec.network.model_copy(update={"link": LINK})
    access = Access(vpn=True, ssh=True, users=PEOPLE)
    return spec.model_copy(update={"vpn": vpn, "access": access, "network": network})
