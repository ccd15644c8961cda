"""Objects in a cluster: they run on nodes already counted, but some ask the cloud for balancers, disks or nodes."""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from catalogs.providers import find_traits
from planning.costs.bill import BillGroup
from planning.costs.charges import find_balancer_item
from planning.costs.resources.findings import Free
from planning.costs.resources.locations import place_of
from planning.costs.resources.resource import Properties, UnreadableError
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.costs.resources.findings import CostingContext, Counter, Finding

IN_CLUSTER: Final = "runs on nodes that are counted"
OWN_SOFTWARE: Final = "runs on nodes that are counted; what it asks of the cloud its component declares"
_CLASS: Final = "kubernetes:storage.k8s.io/v1:StorageClass"
_BALANCER_TYPE: Final = "service.beta.kubernetes.io/aws-load-balancer-type"
_NETWORK_BALANCER: Final = ("external", "nlb", "nlb-ip")
_EBS: Final = {"": "", "gp3": ""}  # kind of disk: note
_DISKS: Final[dict[str, Mapping[str, str]]] = {  # provisioner: kinds of disk that are priced
    "ebs.csi.aws.com": _EBS,
    "ebs.csi.eks.amazonaws.com": _EBS,
    "pd.csi.storage.gke.io": {
        "pd-balanced": "",
        "hyperdisk-balanced": "priced as pd-balanced, which costs more",
    },
}
_NO_DISK: Final = {  # provisioner: why a claim costs nothing
    "kubernetes.io/no-provisioner": "lies on a disk that is counted already",
    "rancher.io/local-path": "lies on the node's own disk",
    "fsx.csi.aws.com": "lies on a file system that is counted by itself",
    "efs.csi.aws.com": "lies on a file system that is counted by itself",
}
_QUIET_GROUPS: Final = frozenset(
    {  # built in, or custom resources that ask nothing of a cloud
        "acme.cert-manager.io",
        "apps",
        "autoscaling",
        "batch",
        "cert-manager.io",
        "core",
        "external-secrets.io",
        "extensions.istio.io",
        "kueue.x-k8s.io",
        "meta",
        "monitoring.coreos.com",
        "networking.istio.io",
        "policy",
        "security.istio.io",
        "telemetry.istio.io",
    }
)
_LOUD: Final = (  # built in by their group, and still heard by a cloud
    "kubernetes:gateway.networking.k8s.io/v1:Gateway",
    "kubernetes:gateway.networking.k8s.io/v1beta1:Gateway",
    "kubernetes:snapshot.storage.k8s.io/v1:VolumeSnapshot",
)
_QUANTITY: Final = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)([KMGT]i|[kMGT])?")
_STEPS: Final = {"": 0, "k": 1, "M": 2, "G": 3, "T": 4, "K": 1}
_GIB: Final = Decimal(2**30)


def service(case: CostingContext) -> Iterator[Finding]:
    """A service: of type LoadBalancer it is a load balancer of the host's cloud."""
    if case.inputs.at("spec").at("type").text("ClusterIP") != "LoadBalancer":
        yield Free(IN_CLUSTER)
        return
    item = find_balancer_item(place_of(case).provider)
    if case.declares_any((item,)):
        yield Free(OWN_SOFTWARE)
        return
    if find_traits(place_of(case).provider).classic_balancer and not _is_network_balancer(case.inputs):
        raise UnreadableError("spec.loadBalancerClass does not say a network load balancer: a classic one has no price")
    note = "capacity units are extra" if item is Item.LOAD_BALANCER else ""
    yield case.hourly(item, group=BillGroup.NETWORK, own="network/load_balancer", note=note)


def claim(case: CostingContext) -> Iterator[Finding]:
    """A volume claim: a disk of the host's cloud, by its storage class."""
    yield from _count_claimed_disks(case, case.inputs.at("spec"), copies=Decimal(1))


def stateful_set(case: CostingContext) -> Iterator[Finding]:
    """A stateful set: a volume claim of each template for each replica."""
    spec = case.inputs.at("spec")
    templates = spec.at("volumeClaimTemplates").each()
    if not templates:
        yield Free(IN_CLUSTER)
    for template in templates:
        yield from _count_claimed_disks(case, template.at("spec"), copies=spec.at("replicas").number(1))


def ingress(case: CostingContext) -> Iterator[Finding]:
    """An ingress: of class alb it starts a load balancer, which several may share."""
    annotated = case.inputs.at("metadata").at("annotations").at("kubernetes.io/ingress.class").text("")
    if "alb" in (case.inputs.at("spec").at("ingressClassName").text(""), annotated):
        raise UnreadableError("an ingress of class alb starts a load balancer, or shares one: not known here")
    yield Free(IN_CLUSTER)


def in_cluster(case: CostingContext) -> Iterator[Finding]:
    """Any other object: free where it is built in, or ours, or known to ask nothing of a cloud."""
    token = case.resource.type
    group = token.split(":")[1].split("/")[0]
    if token not in _LOUD and (group in _QUIET_GROUPS or group.endswith(".k8s.io")):
        yield Free(IN_CLUSTER)
        return
    if case.owner is None:
        raise UnreadableError("may ask the cloud for nodes, disks or balancers that are not registered")
    yield Free(OWN_SOFTWARE)


def _is_network_balancer(inputs: Properties) -> bool:
    annotated = inputs.at("metadata").at("annotations").at(_BALANCER_TYPE).text("")
    return annotated in _NETWORK_BALANCER or inputs.at("spec").at("loadBalancerClass").text("") == "service.k8s.aws/nlb"


def _count_claimed_disks(case: CostingContext, spec: Properties, *, copies: Decimal) -> Iterator[Finding]:
    """The disks of `copies` equal claims."""
    storage = _class(case, spec.at("storageClassName").text(""))
    provisioner = storage.at("provisioner").text()
    if provisioner in _NO_DISK:
        yield Free(_NO_DISK[provisioner])
        return
    kind = storage.at("parameters").at("type").text("")
    notes = _DISKS.get(provisioner, {})
    if kind not in notes:
        raise UnreadableError(f"disks of provisioner {provisioner!r} and type {kind!r} have no rule")
    size = gib(spec.at("resources").at("requests").at("storage"))
    yield case.charge(Item.DISK, Range.exactly(size * copies), group=BillGroup.STORAGE, note=notes[kind])


def _class(case: CostingContext, name: str) -> Properties:
    """Inputs of the storage class of that name.

    Raises:
        UnreadableError: it is not among the resources.
    """
    for each in case.registered.by_type.get(_CLASS, ()):
        inputs = Properties(each.inputs, each.name)
        if name and inputs.at("metadata").at("name").value == name:
            return inputs
    raise UnreadableError("spec.storageClassName names no storage class among the resources given")


def gib(quantity: Properties) -> Decimal:
    """A Kubernetes quantity ("10Gi", "500M") in GiB, rounded up as disks are; a bare number is bytes.

    Raises:
        UnreadableError: unknown, or not a quantity.
    """
    if isinstance(quantity.value, int | float):
        return _ceiling(quantity.number())
    match = _QUANTITY.fullmatch(quantity.text())
    if match is None:
        raise UnreadableError(f"{quantity.path} is not a quantity")
    suffix = match[2] or ""
    factor = Decimal(1024 if suffix.endswith("i") else 1000) ** _STEPS[suffix[:1]]
    return _ceiling(Decimal(match[1]) * factor)


def _ceiling(octets: Decimal) -> Decimal:
    return (octets / _GIB).to_integral_value(ROUND_CEILING)


COUNTERS: Final[dict[str, Counter]] = {
    "kubernetes:core/v1:Service": service,
    "kubernetes:core/v1:PersistentVolumeClaim": claim,
    "kubernetes:apps/v1:StatefulSet": stateful_set,
    "kubernetes:networking.k8s.io/v1:Ingress": ingress,
}
