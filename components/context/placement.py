"""What every builder gets and gives back: one placement in, a cluster behind one interface out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, final

import pulumi

from planning.costs.bill import to_inputs
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    import pulumi_kubernetes as kubernetes

    from components.context.settings import StackSettings
    from planning.costs.bill import Charge
    from planning.costs.node_prices import NodePrices
    from planning.spec.cluster import ClusterSpec, Placement, Profile


@dataclass(frozen=True, kw_only=True)
class PlacementContext:
    """One placement to be built.

    Args:
        within: parent of everything in it; None at home, whose components are the stack's own children.
        ceiling_usd_per_month: what the whole stack may cost, where this placement has the cloud watch it.
        first: whether no placement before it is at the same cloud: what an account has once is made there.
        made: platform parts by name, as they are registered.
        prices: what its nodes cost by the accepted bill; None where nothing on it shows money.
        home_mirror: that of the platform at home, which every placement beside it takes its software from too.
    """

    spec: ClusterSpec
    ledger: ChargeLedger
    settings: StackSettings
    within: pulumi.Resource | None = None
    ceiling_usd_per_month: Decimal | None = None
    first: bool = True
    made: dict[str, pulumi.Resource] = field(default_factory=dict[str, pulumi.Resource])
    prices: NodePrices | None = None
    home_mirror: str = ""

    @property
    def placement(self) -> Placement:
        """Where it is."""
        return self.spec.placement

    @property
    def mirror(self) -> str:
        """Where charts and images are taken from instead of their own sources; "" for those."""
        return self.spec.platform.mirror if self.spec.platform is not None else self.home_mirror

    def describe(self, **more: object) -> dict[str, object]:
        """Inputs of a component: where it is, and what else policies and the takeoff read of it."""
        return {"provider": self.placement.provider, "region": self.placement.region, **more}

    def options(
        self,
        *,
        provider: pulumi.ProviderResource | None = None,
        depends_on: Sequence[pulumi.Resource] = (),
    ) -> pulumi.ResourceOptions:
        """Options of a component at the top of the placement."""
        return pulumi.ResourceOptions(parent=self.within, provider=provider, depends_on=list(depends_on))


@dataclass(frozen=True, kw_only=True)
class StorageClasses:
    """Names of storage classes by what they are for; "" where the cluster has none.

    Args:
        disk: network disks, one pod each.
        hot: local NVMe of the nodes.
        shared: the parallel file system, many pods at once.
        cold: a shared file system that is slow and cheap.
    """

    disk: str = ""
    hot: str = ""
    shared: str = ""
    cold: str = ""


@dataclass(frozen=True, kw_only=True)
class WorkloadVolume:
    """A volume that is kept for each workload, named after its claim and the workload: "shared-train".

    What it holds lies outside the cluster and stays when the claim goes.

    Args:
        claim: name of the claim in every workload's namespace.
        storage_class: class of the volume.
        gib: its size, which says nothing more than that the claim asks for no more.
        shut: whether root alone may write at its top, whatever group a pod asks for; the system then has a volume too.
    """

    claim: str
    storage_class: str
    gib: int
    shut: bool = False

    def name(self, owner: str) -> str:
        """Name of the volume that the claim of a workload, or of the system's namespace, gets."""
        return f"{self.claim}-{owner}"


@dataclass(frozen=True, kw_only=True)
class ProviderObjectStore:
    """The provider's object store.

    Args:
        endpoint: URL of its S3-compatible API; "" where the provider's own SDK is the way.
        scheme: of its URIs: "s3" or "gs".
        buckets: bucket names by purpose.
    """

    endpoint: pulumi.Input[str]
    scheme: str
    buckets: Mapping[str, pulumi.Input[str]]


@dataclass(frozen=True, kw_only=True)
class PlatformBucket:
    """The provider's bucket of the platform itself: backups, and what must outlive the cluster.

    Who may use it is in `components.platform.building_blocks.names.BUCKET_USERS`; each has the prefix of its own name.

    Args:
        endpoint: URL of its S3-compatible API.
        region: as that API wants it in signatures.
        scheme: of its URIs: "s3" or "gs".
        annotations: what the service account of each user carries, by user.
        access_key: with secret_key, where pods have no identity of their own there; "" else.
    """

    name: pulumi.Input[str]
    endpoint: str
    region: str
    scheme: str = "s3"
    annotations: Mapping[str, Mapping[str, pulumi.Input[str]]] = field(
        default_factory=dict[str, "Mapping[str, pulumi.Input[str]]"]
    )
    access_key: pulumi.Input[str] = ""
    secret_key: pulumi.Input[str] = field(default="", repr=False)


@dataclass(frozen=True, kw_only=True)
class Identity:
    """How a pod's service account gets rights at the provider, without a key in any secret.

    Args:
        kind: "pod_identity" (EKS), "workload_identity" (GKE), "federation" (OIDC trust), "none".
        annotations: what the service account `workload` of a workload's namespace carries.
    """

    kind: str
    annotations: Mapping[str, pulumi.Input[str]] = field(default_factory=dict[str, "pulumi.Input[str]"])


@dataclass(frozen=True, kw_only=True)
class Ingress:
    """How services of type LoadBalancer are asked for.

    Args:
        load_balancer_class: `spec.loadBalancerClass`; "" for the cluster's default.
        internal: annotations that keep a load balancer inside the network.
        public: annotations of one that faces the internet.
        offered: whether the cluster gives load balancers at all.
    """

    load_balancer_class: str = ""
    internal: Mapping[str, str] = field(default_factory=dict[str, str])
    public: Mapping[str, str] = field(default_factory=dict[str, str])
    offered: bool = True


@dataclass(frozen=True, kw_only=True)
class Names:
    """DNS.

    Args:
        domain: zone of the services; "" for none.
        zone_id: id of that zone at the provider, where it is ours.
        name_servers: what the parent zone delegates to.
        certificate: id of a wildcard certificate for it, where the provider makes one.
    """

    domain: str = ""
    zone_id: pulumi.Input[str] = ""
    name_servers: pulumi.Input[Sequence[str]] = ()
    certificate: pulumi.Input[str] = ""


@dataclass(frozen=True, kw_only=True)
class AccessMethods:
    """How people reach a cluster that is made on a cloud.

    Args:
        kubeconfigs: role to kubeconfig, none of which holds a credential.
        gateway: public address of the VPN; "" where there is none.
        door: what leads to the private API; whatever is put into the cluster goes before it does.
        outputs: what the stack says of it.
    """

    kubeconfigs: Mapping[str, pulumi.Output[str]]
    gateway: pulumi.Input[str] = ""
    door: Sequence[pulumi.Resource] = ()
    outputs: Mapping[str, pulumi.Input[object]]


@dataclass(frozen=True, kw_only=True)
class ClusterHandle:
    """A cluster as what runs on top of it sees it: the same on every target.

    Args:
        provider: Kubernetes provider of everything put into it.
        ready: what waits for nodes, add-ons and storage waits for these.
        volumes: what is kept for each workload, and claimed in its namespace.
        registry: prefix of the registry for the customer's own images; "" for none.
        kubeconfigs: role to kubeconfig; those of a cluster that exists hold credentials and are secret.
        gateway: address of the WireGuard gateway where it is a machine of the cloud; "" elsewhere.
        bucket: the provider's bucket of the platform; None where no bucket can be made.
    """

    placement: Placement
    profile: Profile
    provider: kubernetes.Provider
    ready: Sequence[pulumi.Resource] = ()
    classes: StorageClasses
    volumes: Sequence[WorkloadVolume] = ()
    objects: ProviderObjectStore
    identity: Identity
    ingress: Ingress
    names: Names
    registry: pulumi.Input[str] = ""
    kubeconfigs: Mapping[str, pulumi.Output[str]]
    gateway: pulumi.Input[str] = ""
    bucket: PlatformBucket | None = None


@dataclass(frozen=True, kw_only=True)
class BuiltCluster:
    """A cluster and what its stack says of it."""

    handle: ClusterHandle
    outputs: Mapping[str, pulumi.Input[object]]


@final
class ChargeLedger:
    """Charges by the component that declares them (`planning.costs.charges.list_declared_charges`)."""

    def __init__(self, declared: Mapping[str, Sequence[Charge]]) -> None:
        self._left = dict(declared)

    def claim(self, owner: str) -> list[dict[str, object]]:
        """The charges of `owner` as plain inputs; nothing where it has none, or has them already."""
        return [to_inputs(charge) for charge in self._left.pop(owner, ())]

    def close(self) -> None:
        """End of the program.

        Raises:
            AtollError: charges that no component declares, which the takeoff would never see.
        """
        lost = sorted(owner for owner, charges in self._left.items() if charges)
        if lost:
            raise AtollError(f"no component declares the charges of: {', '.join(lost)}")


def declare_contract(site: PlacementContext, kind: str, name: str) -> None:
    """Registers what is paid for by contract and is no resource of any provider, with its declared charges.

    Args:
        kind: type of the component.
        name: of the component, and of the owner of its charges.
    """
    facts = site.describe(charges=site.ledger.claim(name))
    pulumi.ComponentResource(kind, name, facts, site.options()).register_outputs({})
