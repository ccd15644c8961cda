"""Interface of every cloud's builder: a placement as input, a cluster behind one handle as result."""

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
        within: parent of its components; None for the primary placement, whose components are the stack's children.
        ceiling_usd_per_month: of the whole stack, where this placement's cloud has the budget.
        first: whether it is the first placement on its cloud, which has the resources that an account has once.
        made: platform components by name, as they are registered.
        prices: of its nodes, from the accepted bill; None where nothing in the cluster shows cost.
        home_mirror: mirror of the primary placement, which additional placements use too.
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
        return self.spec.placement

    @property
    def mirror(self) -> str:
        """Registry of charts and images; "" for their own sources."""
        return self.spec.platform.mirror if self.spec.platform is not None else self.home_mirror

    def describe(self, **more: object) -> dict[str, object]:
        """Inputs of a component: its place, and what policies and the resource costs read of it."""
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
    """Names of storage classes; "" where the cluster has none.

    Args:
        disk: network disks, one pod each.
        hot: local NVMe of the nodes.
        shared: the parallel file system, for many pods.
        cold: a slow and cheap shared file system.
    """

    disk: str = ""
    hot: str = ""
    shared: str = ""
    cold: str = ""


@dataclass(frozen=True, kw_only=True)
class WorkloadVolume:
    """A persistent volume of each workload, named after its claim and the workload: "shared-train".

    Its data is outside the cluster and remains when the claim is deleted.

    Args:
        claim: name of the claim in every workload's namespace.
        gib: nominal size, which the claim may not exceed.
        shut: whether only root may write at its top, whatever a pod's group; the system then has a volume too.
    """

    claim: str
    storage_class: str
    gib: int
    shut: bool = False

    def name(self, owner: str) -> str:
        """Name of the volume of a workload, or of the system's namespace."""
        return f"{self.claim}-{owner}"


@dataclass(frozen=True, kw_only=True)
class ProviderObjectStore:
    """The provider's object store.

    Args:
        endpoint: URL of its S3-compatible API; "" where only the provider's own SDK works.
        scheme: of its URIs: "s3" or "gs".
        buckets: bucket names by purpose.
    """

    endpoint: pulumi.Input[str]
    scheme: str
    buckets: Mapping[str, pulumi.Input[str]]


@dataclass(frozen=True, kw_only=True)
class PlatformBucket:
    """The platform's bucket at the provider, for backups and other data that outlives the cluster.

    Its users are in `components.platform.building_blocks.names.BUCKET_USERS`; each has a prefix of its own name.

    Args:
        endpoint: URL of its S3-compatible API.
        region: in request signatures.
        scheme: of its URIs: "s3" or "gs".
        annotations: of the service account of each user, by user.
        access_key: with secret_key, where pods have no identity at the provider; else "".
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
    """How a pod's service account gets rights at the provider, without keys.

    Args:
        kind: "pod_identity" (EKS), "workload_identity" (GKE), "federation" (OIDC trust), "none".
        annotations: of the service account `workload` of a workload's namespace.
    """

    kind: str
    annotations: Mapping[str, pulumi.Input[str]] = field(default_factory=dict[str, "pulumi.Input[str]"])


@dataclass(frozen=True, kw_only=True)
class Ingress:
    """Properties of services of type LoadBalancer.

    Args:
        load_balancer_class: `spec.loadBalancerClass`; "" for the cluster's default.
        internal: annotations that keep a load balancer inside the network.
        public: annotations of one that faces the internet.
        offered: whether the cluster supports load balancers.
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
        name_servers: for the delegation by the parent zone.
        certificate: id of a wildcard certificate for it, where the provider makes one.
    """

    domain: str = ""
    zone_id: pulumi.Input[str] = ""
    name_servers: pulumi.Input[Sequence[str]] = ()
    certificate: pulumi.Input[str] = ""


@dataclass(frozen=True, kw_only=True)
class AccessMethods:
    """Access to a cluster that is created on a cloud.

    Args:
        kubeconfigs: role to kubeconfig, without credentials.
        gateway: public address of the VPN; "" without one.
        door: resources that lead to the private API; the contents of the cluster are destroyed before them.
        outputs: of the stack.
    """

    kubeconfigs: Mapping[str, pulumi.Output[str]]
    gateway: pulumi.Input[str] = ""
    door: Sequence[pulumi.Resource] = ()
    outputs: Mapping[str, pulumi.Input[object]]


@dataclass(frozen=True, kw_only=True)
class ClusterHandle:
    """A cluster as its contents see it, the same on every target.

    Args:
        provider: Kubernetes provider of everything inside.
        ready: nodes, add-ons and storage; the contents wait for them.
        volumes: persistent volumes of each workload.
        registry: prefix of the registry for the customer's own images; "" for none.
        kubeconfigs: role to kubeconfig; those of an existing cluster hold credentials and are secret.
        gateway: address of the WireGuard gateway where it is a machine of the cloud, else "".
        bucket: the platform's bucket; None where none can be created.
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
    """A cluster and the outputs of its stack."""

    handle: ClusterHandle
    outputs: Mapping[str, pulumi.Input[object]]


@final
class ChargeLedger:
    """Charges by the component that declares them (`planning.costs.charges.list_declared_charges`)."""

    def __init__(self, declared: Mapping[str, Sequence[Charge]]) -> None:
        self._left = dict(declared)

    def claim(self, owner: str) -> list[dict[str, object]]:
        """The charges of `owner` as plain inputs; empty where it has none, or has claimed them already."""
        return [to_inputs(charge) for charge in self._left.pop(owner, ())]

    def close(self) -> None:
        """Raises AtollError for charges that no component claimed."""
        # They would be missing from the bill without a word.
        lost = sorted(owner for owner, charges in self._left.items() if charges)
        if lost:
            raise AtollError(f"no component declares the charges of: {', '.join(lost)}")


def declare_contract(site: PlacementContext, kind: str, name: str) -> None:
    """Registers a component for charges by contract, which are no resource of any provider.

    Args:
        kind: type of the component.
        name: of the component and of the owner of its charges.
    """
    facts = site.describe(charges=site.ledger.claim(name))
    pulumi.ComponentResource(kind, name, facts, site.options()).register_outputs({})
