"""What is true of providers whatever the prices: traits, what their Kubernetes brings along, regions, promises."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from catalogs import parsing
from catalogs.model import KubernetesProfile, Promise, Region

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalogs.model import Accelerator


ROOT: Final = Path(__file__).parent
OWNERS: Final = ("provider", "atoll", "none")
PARTS: Final = (
    "gpu_driver",
    "device_plugin",
    "node_feature_discovery",
    "dcgm_exporter",
    "network_plugin",
    "node_repair",
    "autoscaler",
)
OWN_CLUSTER: Final = "on_premises"


@cache
def profiles() -> Mapping[str, KubernetesProfile]:
    """Every profile, by provider.

    Raises:
        CatalogError: a row cannot be read.
    """
    return {each.provider: each for each in parsing.read_facts(ROOT / "profiles.csv", KubernetesProfile)}


def profile(provider: str) -> KubernetesProfile:
    """The profile of a provider; of an unmanaged cluster where it sells no Kubernetes."""
    found = profiles()
    return found.get(provider) or found[OWN_CLUSTER]


@cache
def regions() -> tuple[Region, ...]:
    """Every region of the current catalog.

    Raises:
        CatalogError: a row cannot be read.
    """
    return tuple(parsing.read_facts(ROOT / "regions.csv", Region))


@cache
def accelerators() -> tuple[Accelerator, ...]:
    """Every accelerator of the catalog; dated price books share it.

    Raises:
        CatalogError: a row cannot be read.
    """
    return tuple(parsing.read_rows(ROOT / "accelerators.csv", parsing.accelerator))


@cache
def promises() -> Mapping[str, Promise]:
    """What providers can be held to, by name.

    Raises:
        CatalogError: a row cannot be read.
    """
    return {each.name: each for each in parsing.read_facts(ROOT / "promises.csv", Promise)}


FORBIDDABLE: Final[Mapping[str, str]] = {  # word: what is said of a provider that forbids it
    "gpu_operator": "the NVIDIA GPU Operator must not be installed: the provider runs what it would bring",
    "autoscaling": "the number of nodes is fixed",
    "spot": "no spot machines are sold",
    "ssh": "nodes have no SSH",
    "api_ranges": "the API cannot be opened to a range of addresses",
    "load_balancer": "services have no load balancers",
    "vpn": "no UDP port can be opened for a VPN",
    "burn_in": "no privileged pods, which test accelerators, may run",
}
# Of clusters that nobody here makes: sidecar containers are stable since Kubernetes 1.33 (KEP-753), and what Istio puts
# beside a job ends with it only so. Kubeflow 26.03 is tested with 1.35 and later.
OLDEST_KUBERNETES: Final = "1.33"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderTraits:
    """What sets a provider apart where we quote, build or move: columns of providers.csv, empty where nothing does.

    Code asks for a trait, never for the name of a provider, so that a cloud is one row here and its own folders.
    """

    tier: Literal["", "big_three", "micro_cloud"] = ""
    # Whether a builder of ours makes its clusters; elsewhere we build on a cluster that is handed over
    builder: bool = False
    # By the hour of a "gateway" (AWS, Azure) or of each "node" behind it (Cloud NAT, up to 32 of them; cluster_prices,
    # 2026-09-20 and 2026-10-16)
    nat_billing: Literal["", "gateway", "node"] = ""
    # What one NAT gateway serves, a "zone" (AWS NAT gateway documentation) or a "region", where nodes of our clusters
    # stand behind one
    nat_scope: Literal["", "zone", "region"] = ""
    # "one" where a cluster lies in one zone, nodes and all (pulumi-coreweave 1.0.3); "region" where its subnets span
    # the region, so that a pool starts wherever its machine is offered; else zones are chosen
    zone_span: Literal["", "one", "region"] = ""
    # How often a GB from zone to zone is paid, at AWS at both ends (EC2 on-demand pricing, data transfer; Google Cloud
    # VPC network pricing)
    zone_crossings_paid: int = 0
    narrowest_range: int = 32  # longest prefix of a whole cluster: CoreWeave's hosts take a /18, its pods a /17
    node_ranges: bool = False  # each node takes a block of the cluster's own range
    private_api: bool = False  # pods reach the API inside the cluster's network
    # What our end of a tunnel to it as the main cloud is paid by: "connection" (AWS gives the address along), "tunnel"
    # with an address, or "gateway" with an address
    site_vpn: Literal["", "connection", "tunnel", "gateway"] = ""
    # Smallest machine that holds a WireGuard server: 1 GiB (EC2 and Compute Engine machine tables)
    vpn_machine: str = ""
    dns_zone: bool = False  # the stack makes the DNS zone of its services
    cluster_dns: Literal["", "kube_dns"] = ""  # "kube_dns" where it is not CoreDNS
    # Which buckets private nodes reach without NAT: those of the own "region" (S3 gateway endpoints,
    # docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-s3.html, 2026-11-22) or "everywhere"
    # (cloud.google.com/vpc/docs/private-google-access, as remembered)
    bucket_route: Literal["", "region", "everywhere"] = ""
    # A load balancer is paid by capacity units too, each a GB an hour (Elastic Load Balancing pricing page);
    # connections of a service with few, long answers stay below that
    balancer_units: bool = False
    balancer_tls: bool = False  # a load balancer ends TLS with a certificate of the provider
    # What a service of type LoadBalancer is paid by: "" by the hours of a load balancer; "address" where the cluster
    # balances by itself, so that only its public address is paid (CoreWeave documentation, Expose a Service, and
    # Public IPv4, 2026-11-10: docs.coreweave.com/products/networking/ip/public-ipv4; Nebius' package for Nginx, "you
    # will be charged for using this IP address": github.com/nebius/nebius-k8s-applications)
    balancer_billing: Literal["", "address"] = ""
    # A service gets a classic load balancer, which has no price, unless its class says another
    classic_balancer: bool = False
    istio_overlay: str = ""  # overlay of Istio's release where nodes differ: GKE's have CNI plugins in another folder
    # First letters of machines that are throttled without CPU credits: EC2 T family, Azure B series, Google's
    # shared-core E2, F1 and G1 (machine-family pages)
    burstable: tuple[str, ...] = ()
    # Bare metal that starts into memory and keeps images on its own NVMe (docs.coreweave.com, Nodes and Node Pools)
    diskless_nodes: bool = False
    shared_volumes: bool = False  # no network disks in the price list: what a claim gets lies on the shared file system
    # Its Kubernetes runs on machines sold in clusters only; single ones are plain servers ("ML: A Hardware
    # Perspective", and Lambda's page of 1-Click Clusters)
    kubernetes_on_clusters: bool = False
    one_node_group: bool = False  # nodes that stand and those a scaler adds are one group, so that a taint shuts both
    # The fabric, and what jobs over it have in their environment. AWS: libfabric picks EFA where it is said to, and the
    # pod's own interfaces carry the sockets (aws/sagemaker-hyperpod-cli issue 306 shows both; prefixes as
    # docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html wants them). CoreWeave:
    # docs.coreweave.com/products/networking/hpc-interconnect/nccl-configuration-reference. GKE: its gIB plugin brings a
    # script of its own, so nothing stands there. All read 2026-11-21
    fabric_environment: tuple[str, ...] = ()
    spot_fallback: bool = False  # the autoscaler buys on demand what spot does not give
    region_labels: bool = False  # nodes are labelled with the region in the words of the lock
    # Labels of nodes that tell how near they are, from far to near. EKS:
    # docs.aws.amazon.com/eks/latest/userguide/ml-workload-topology.html; GKE:
    # docs.cloud.google.com/ai-hypercomputer/docs/nccl/test-gke-custom-a3-mega-high; CKS:
    # docs.coreweave.com/products/networking/hpc-interconnect/infiniband-roce-labels; all read 2026-11-21
    topology_labels: tuple[str, ...] = ()
    # What is done with a node that failed: its "instance" is ended, or a "host_report" is made
    node_replacement: Literal["", "instance", "host_report"] = ""
    # Who tells quotas
    quota_api: Literal["", "service_quotas", "compute_engine", "none"] = ""
    bucket: bool = False  # the stack makes a bucket for the platform
    # The bucket speaks S3 to whoever has a pod's identity. Google Cloud's does so with keys only
    # (docs.cloud.google.com/storage/docs/interoperability), CoreWeave's asks for a label on service accounts, which
    # the profile controller makes without
    s3_by_identity: bool = False
    store_kind: str = ""  # word of its object store in a relocation
    store_endpoint: str = ""  # address of its object store in a region
    virtual_hosts: bool = False  # buckets there have host names of their own
    paid_requests: bool = False  # its object store charges for requests
    # A bucket key spares up to 99 of 100 requests to the key service:
    # see docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-key.html, 2026-11-22
    requests_per_key_request: int = 1
    # Who makes the key that data is encrypted with
    encryption_keys: Literal["", "customer", "provider"] = ""
    files_billing: Literal["", "used"] = ""  # "used" where a plain file system is paid by what lies in it
    # Where the claim on a shared file system stands: in the "system" namespace, in each "workload"'s, or in one of the
    # "tier"
    shared_claims: Literal["", "system", "workload", "tier"] = ""
    snapshot_driver: str = ""  # driver of disks of which the cluster takes snapshots
    # Where logs of clusters and of the main cloud go; "" where logs stay in the cluster, and nobody is paid for them
    log_service: Literal["", "cloudwatch", "google_cloud", "azure_monitor"] = ""
    # Its clusters give the collector an identity with the right to write logs and metrics there
    log_identity: bool = False
    kubeconfig: Literal["", "role", "cluster"] = ""  # what people get: one of their "role", or the "cluster"'s
    regional_default: bool = False  # resources may leave their region to the provider
    region_setting: str = ""  # key of the region in a stack's configuration
    reference_region: str = ""  # of the big three, where prices are best known
    zones_source: str = ""  # id in sources.csv of its zones.csv
    # "always" where the program makes a budget, "billing_account" where it does if told one
    budget: Literal["", "always", "billing_account"] = ""
    free_ingress: str = ""  # page that says that data coming in is free (read 2026-11-22)
    free_in_region: str = ""  # page that says the same of data between a bucket and machines of its region
    egress_tiers: str = ""  # page of the tiers of data going out
    egress_waiver: str = ""  # who waives the cost of data out for customers who leave for good
    # Carries data to other clouds of the same customer from the Union (Data Transfer Essentials)
    eu_transfer: bool = False
    # Small charges that no line holds, with why, "|" between them. Bucket keys and disks ask a key a few times an hour
    # at most (S3 user guide, Bucket Keys; 20,000 requests a month are free, then 0.03 USD for 10,000: AWS KMS
    # pricing). Snapshots live only while they are copied into the bucket (Velero's snapshotMoveData), which the
    # bucket's line counts. Google asks for data that comes in through a load balancer (Infracost golden test
    # compute_forwarding_rule_test, 2024), Azure for all data through one; no field says how much of the traffic that
    # is: data sets come in beside it
    not_counted: str = ""

    @property
    def is_hyperscaler(self) -> bool:
        return self.tier == "big_three"


NO_TRAITS: Final = ProviderTraits()


@cache
def provider_traits() -> Mapping[str, ProviderTraits]:
    """The traits of every provider, by name.

    Raises:
        CatalogError: a row cannot be read.
    """
    return dict(
        parsing.read_rows(ROOT / "providers.csv", lambda row: (row["name"], parsing.build_fact(ProviderTraits, row)))
    )


def find_traits(name: str) -> ProviderTraits:
    """Traits of a provider, or of what builds a cluster there; none for "existing" and other words of no provider."""
    return provider_traits().get(name, NO_TRAITS)


ONLY_S3: Final = ("pipelines",)  # parts that know no other language
REASON: Final = "it keeps artifacts over S3, which this provider's bucket does not speak to pods without keys"


def unreachable(part: str, *, store: str, provider: str) -> str:
    """Why a part cannot use the chosen store there; "" where it can.

    Args:
        store: word of `platform.object_store`.
    """
    refused = store == "provider" and part in ONLY_S3 and not find_traits(provider).s3_by_identity
    return REASON if refused else ""
