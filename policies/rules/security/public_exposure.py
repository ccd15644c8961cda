"""Only the VPN faces the internet: checks endpoints, networks, buckets, machines and services."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import TYPE_CHECKING, Final

from pydantic import Field

from planning.costs.resources.resource import UnreadableError
from planning.quoting.assembly.network import PORT
from policies.properties import check_resources, over, walk
from policies.rule import Rule, Severity
from policies.rules.security.resource_origins import OWN_GATEWAY, is_owned_by, settings_of
from policies.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from planning.costs.resources.resource import Properties, Resource
    from policies.rule import Breach
    from policies.stack_context import StackContext


WIDEST_IPV4: Final = 8  # prefix of the largest private range (RFC 1918)
WIDEST_IPV6: Final = 16
LOCAL_IPV6: Final = IPv6Network("fc00::/7")  # RFC 4193


def is_world(at: Properties) -> bool:
    """Whether a range of addresses is the whole internet, or a large part of it.

    Raises:
        UnreadableError: unknown, secret, or no range.
    """
    try:
        network = ip_network(at.text(), strict=False)
    except ValueError:
        raise UnreadableError(f"{at.path} is no range of addresses", path=at.path) from None
    if isinstance(network, IPv4Network):
        return network.prefixlen < WIDEST_IPV4
    return network.prefixlen < WIDEST_IPV6 and not network.subnet_of(LOCAL_IPV6)


def is_open_port(protocol: Properties, first: Properties, last: Properties, *, open_ports: Collection[str]) -> bool:
    """Whether it is exactly one of the ports that may be open, as "udp/51820".

    Raises:
        UnreadableError: one of them is unknown, secret or of the wrong kind.
    """
    if not (protocol.said and first.said and last.said):
        return False
    name, low, high = protocol.text().lower(), first.number(), last.number()
    return low == high and f"{name}/{low:f}" in open_ports


EKS: Final = "aws:eks/cluster:Cluster"
GKE: Final = "gcp:container/cluster:Cluster"
GKE_POOL: Final = "gcp:container/nodePool:NodePool"
CKS: Final = "coreweave:index/cksCluster:CksCluster"
GROUP: Final = "aws:ec2/securityGroup:SecurityGroup"
GROUP_RULE: Final = "aws:ec2/securityGroupRule:SecurityGroupRule"
INGRESS_RULE: Final = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
FIREWALL: Final = "gcp:compute/firewall:Firewall"
AWS_BUCKET: Final = "aws:s3/bucket:Bucket"
AWS_SHUT: Final = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
GCP_BUCKET: Final = "gcp:storage/bucket:Bucket"
GCP_MACHINE: Final = "gcp:compute/instance:Instance"
SERVICES: Final = ("kubernetes:core/v1:Service", "kubernetes:core/v1:ServicePatch")
LIMIT: Final = "only the VPN faces the internet"
BLOCKS: Final = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
# Flags that give a machine, a network or a database a public address: type, path.
ADDRESSES: Final = (
    ("aws:ec2/subnet:Subnet", "mapPublicIpOnLaunch"),
    ("aws:ec2/instance:Instance", "associatePublicIpAddress"),
    ("aws:ec2/launchTemplate:LaunchTemplate", "networkInterfaces[].associatePublicIpAddress"),
    ("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", "spec.associatePublicIPAddress"),
    ("aws:rds/instance:Instance", "publiclyAccessible"),
    (CKS, "public"),  # CoreWeave takes no ranges for it
)
# Annotations that keep a load balancer inside: documentation of the AWS Load Balancer Controller, of Kubernetes' own
# AWS provider, and of GKE ("Create an internal load balancer"), 2026-11-21.
INTERNAL: Final = (
    ("service.beta.kubernetes.io/aws-load-balancer-scheme", "internal"),
    ("service.beta.kubernetes.io/aws-load-balancer-internal", "true"),
    ("networking.gke.io/load-balancer-type", "Internal"),
)


class ExposureSettings(Settings):
    open_ports: tuple[str, ...] = Field(default=(f"udp/{PORT}",))
    """Ports that may be open to the internet, as protocol/port; WireGuard answers only peers with a key."""


def _breaches(subject: StackContext) -> Iterator[Breach]:
    open_ports = subject.law.get(ExposureSettings).open_ports
    yield from check_resources(subject.of_types((EKS,)), _eks, limit=LIMIT)
    yield from check_resources(subject.of_types((GKE,)), _gke, limit=LIMIT)
    yield from check_resources(subject.of_types((GKE_POOL,)), _gke_pool, limit=LIMIT)
    yield from _networks(subject, open_ports)
    yield from _buckets(subject)
    yield from _addresses(subject)

    def service(resource: Resource, inputs: Properties) -> Iterator[Breach]:
        yield from _service(resource, inputs, open_ports)

    yield from check_resources(subject.of_types(SERVICES), service, limit=LIMIT)


def _eks(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    network = inputs.at("vpcConfig")
    at = network.at("endpointPublicAccess")
    if not at.flag(default=True):
        return
    ranges = network.at("publicAccessCidrs").each()
    if not ranges or any(is_world(one) for one in ranges):
        yield over(
            resource,
            at.path,
            given="its API is reachable from the whole internet",
            limit=LIMIT,
            fix="Set endpointPublicAccess to false, or name the ranges that may reach it",
        )


def _gke(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    private = inputs.at("privateClusterConfig")
    if not private.at("enablePrivateNodes").flag(default=False):
        yield _flag(
            resource, "privateClusterConfig.enablePrivateNodes", "true", given="its nodes have public addresses"
        )
    allowed = inputs.at("masterAuthorizedNetworksConfig")
    ranges = walk(allowed, "cidrBlocks[].cidrBlock")
    shut = private.at("enablePrivateEndpoint").flag(default=False)
    if any(is_world(one) for one in ranges) or not (shut or ranges):
        path = "masterAuthorizedNetworksConfig.cidrBlocks"
        fix = "Set enablePrivateEndpoint to true, or name the ranges that may reach it"
        yield over(resource, path, given="its API is reachable from the whole internet", limit=LIMIT, fix=fix)
    for path in (
        "masterAuthorizedNetworksConfig.gcpPublicCidrsAccessEnabled",
        "controlPlaneEndpointsConfig.dnsEndpointConfig.allowExternalTraffic",
    ):
        if walk(inputs, path)[0].flag(default=False):
            yield _flag(resource, path, "false", given="its API is reachable from outside its networks")


def _gke_pool(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    at = inputs.at("networkConfig").at("enablePrivateNodes")
    if not at.flag(default=True):  # default: as the cluster has it
        yield _flag(resource, at.path, "true", given="its nodes have public addresses")


def _flag(resource: Resource, path: str, wanted: str, *, given: str) -> Breach:
    return over(resource, path, given=given, limit=LIMIT, fix=f"Set {path} to {wanted}")


def _networks(subject: StackContext, open_ports: Collection[str]) -> Iterator[Breach]:
    def check(resource: Resource, inputs: Properties) -> Iterator[Breach]:
        if resource.type == FIREWALL:
            yield from _firewall(resource, inputs, open_ports)
        elif resource.type == INGRESS_RULE:
            yield from _ingress(resource, inputs, open_ports, single=("cidrIpv4", "cidrIpv6"), protocol="ipProtocol")
        elif resource.type == GROUP:
            for rule in inputs.at("ingress").each():
                yield from _ingress(resource, rule, open_ports)
        elif inputs.at("type").text("") != "egress":
            yield from _ingress(resource, inputs, open_ports)

    yield from check_resources(subject.of_types((GROUP, GROUP_RULE, INGRESS_RULE, FIREWALL)), check, limit=LIMIT)


def _ingress(
    resource: Resource,
    rule: Properties,
    open_ports: Collection[str],
    *,
    single: tuple[str, ...] = (),
    protocol: str = "protocol",
) -> Iterator[Breach]:
    lists = () if single else ("cidrBlocks[]", "ipv6CidrBlocks[]")
    ranges = [at for path in (*single, *lists) for at in walk(rule, path) if at.said]
    wide = [at for at in ranges if is_world(at)]
    if wide and not is_open_port(rule.at(protocol), rule.at("fromPort"), rule.at("toPort"), open_ports=open_ports):
        yield _wide(resource, wide[0].path)


def _wide(resource: Resource, path: str) -> Breach:
    return over(
        resource,
        path,
        given="it admits the whole internet",
        limit=LIMIT,
        fix="Name the ranges or groups that may come in",
    )


def _firewall(resource: Resource, inputs: Properties, open_ports: Collection[str]) -> Iterator[Breach]:
    # A rule without any source admits the whole internet.
    if inputs.at("direction").text("INGRESS") != "INGRESS" or inputs.at("disabled").flag(default=False):
        return
    ranges = inputs.at("sourceRanges").each()
    named = inputs.at("sourceTags").each() or inputs.at("sourceServiceAccounts").each()
    wide = any(is_world(at) for at in ranges) or not (ranges or named)
    if wide and not all(_has_open_ports_only(allowed, open_ports) for allowed in inputs.at("allows").each()):
        yield _wide(resource, "sourceRanges")


def _has_open_ports_only(allowed: Properties, open_ports: Collection[str]) -> bool:
    ports = allowed.at("ports").each()
    protocol = allowed.at("protocol").text().lower()
    return bool(ports) and all(f"{protocol}/{port.text()}" in open_ports for port in ports)


def _buckets(subject: StackContext) -> Iterator[Breach]:
    def shut(setting: Resource, inputs: Properties) -> Iterator[Breach]:
        for name in BLOCKS:
            if not inputs.at(name).flag(default=False):
                yield _flag(setting, name, "true", given="the bucket can be made public")

    for bucket in subject.of_types((AWS_BUCKET,)):
        found = settings_of(subject, bucket, AWS_SHUT)
        if not found:
            fix = "Add a public access block with all four blocks"
            yield over(bucket, "", given="nothing blocks public access", limit=LIMIT, fix=fix)
        yield from check_resources(found, shut, limit=LIMIT)
    yield from check_resources(subject.of_types((GCP_BUCKET,)), _gcp_bucket, limit=LIMIT)


def _gcp_bucket(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    if inputs.at("publicAccessPrevention").text("") != "enforced":
        yield _flag(resource, "publicAccessPrevention", "enforced", given="the bucket can be made public")
    if not inputs.at("uniformBucketLevelAccess").flag(default=False):
        yield _flag(
            resource, "uniformBucketLevelAccess", "true", given="single objects can have access lists of their own"
        )


def _addresses(subject: StackContext) -> Iterator[Breach]:
    for token, path in ADDRESSES:

        def check(resource: Resource, inputs: Properties, path: str = path) -> Iterator[Breach]:
            for at in walk(inputs, path):
                if at.flag(default=False):
                    yield _flag(resource, at.path, "false", given="it has a public address")

        yield from check_resources(subject.of_types((token,)), check, limit=LIMIT)
    machines = [one for one in subject.of_types((GCP_MACHINE,)) if not is_owned_by(subject, one, OWN_GATEWAY)]
    yield from check_resources(machines, _machine, limit=LIMIT)


def _machine(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    for at in walk(inputs, "networkInterfaces[].accessConfigs"):
        if at.each():
            fix = "Leave accessConfigs out; the VPN leads to it"
            yield over(resource, at.path, given="it has a public address", limit=LIMIT, fix=fix)


def _service(resource: Resource, inputs: Properties, open_ports: Collection[str]) -> Iterator[Breach]:
    spec = inputs.at("spec")
    if spec.at("type").text("ClusterIP") != "LoadBalancer":
        return
    marks = inputs.at("metadata").at("annotations")
    if any(marks.at(name).text("") == value for name, value in INTERNAL):
        return
    ports = spec.at("ports").each()
    if ports and all(
        f"{at.at('protocol').text('TCP').lower()}/{at.at('port').number():f}" in open_ports for at in ports
    ):
        return
    fix = "Make it ClusterIP, or annotate it as internal"
    yield over(resource, "spec.type", given="its load balancer faces the internet", limit=LIMIT, fix=fix)


RULE: Final = Rule(
    name="public-exposure",
    title="Public exposure",
    demand="No API, network, bucket, machine or service faces the internet; only the port of the VPN does.",
    why="What cannot be reached from the internet cannot be attacked from there.",
    remedy="Keep it private and reach it over the VPN, or name the ranges that may come in.",
    severity=Severity.CRITICAL,
    judge=_breaches,
    settings=ExposureSettings,
)
