"""The laws that hold for every target: what is kept, tagged, shut, encrypted, and owned once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import pytest
import specs
import specs_coreweave
import specs_gcp
from look import at
from platform_variants import registered as platform_run
from platform_variants import spec_of

from planning.costs.resources.resource import Resource, Secret, UnknownValue
from planning.spec.cluster import ClusterSpec, Profile

if TYPE_CHECKING:
    from operations.offline.program import OfflineRun

TARGETS: Final = ("aws", "aws_ways", "gcp", "coreweave", "existing", "existing_ways", "spanning")
CLAIM: Final = "kubernetes:core/v1:PersistentVolumeClaim"
VOLUME: Final = "kubernetes:core/v1:PersistentVolume"
ANYWHERE: Final = frozenset({"0.0.0.0/0", "::/0"})
# Type to why its deletion loses data or the key to it.
STATEFUL: Final = {
    "aws:s3/bucket:Bucket": "objects",
    "aws:fsx/lustreFileSystem:LustreFileSystem": "files",
    "aws:efs/fileSystem:FileSystem": "files",
    "aws:kms/key:Key": "the key to all of it",
    "gcp:storage/bucket:Bucket": "objects",
    "gcp:lustre/instance:Instance": "files",
    "gcp:filestore/instance:Instance": "files",
    "gcp:kms/cryptoKey:CryptoKey": "the key to all of it",
    "coreweave:index/objectStorageBucket:ObjectStorageBucket": "objects",
    CLAIM: "files",
}
# Kinds of objects inside a cluster that hold data. They are kept and not protected: the engine keeps all that a
# protected object stands on, the cluster itself among it (docs/decisions/0018).
KEPT_INSIDE: Final = {"kubernetes:postgresql.cnpg.io/v1:Cluster"}
PLATFORMS: Final = ("everything", "bare", "seaweedfs", "zero", "aws", "gcp-provider", "coreweave")
# (type, name) to why the whole internet stands there.
OPEN = {
    ("aws:ec2/route:Route", "public-out"): "the way out of the gateways' subnets",
    ("aws:ec2/route:Route", "private-0-out"): "the way out through NAT",
    ("aws:ec2/route:Route", "private-1-out"): "the way out through NAT",
    ("aws:ec2/route:Route", "private-2-out"): "the way out through NAT",
}
WIREGUARD: Final = "WireGuard answers nobody without a key, and its users are anywhere"
OPEN |= {
    ("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "gateway-wireguard"): WIREGUARD,
    ("aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule", "gateway-https"): "the gateway fetches its packages",
    ("gcp:compute/firewall:Firewall", "gateway-wireguard"): WIREGUARD,
}
POLICY: Final = "kubernetes:networking.k8s.io/v1:NetworkPolicy"
METADATA: Final = "169.254.169.254/32"
# Ports by which pods may leave for addresses that nobody knows beforehand.
WAYS_OUT: Final = {
    443: "HTTPS",
    6443: "the API server, where it is not on 443",
    22: "Argo CD reads git repositories",
    80: "packages of the GPU driver",
    9100: "metrics of nodes",
    10250: "metrics of kubelets",
}
# Type to the input that says with which key, or that it is encrypted at all.
ENCRYPTED: Final[dict[str, tuple[str | int, ...]]] = {
    "aws:eks/cluster:Cluster": ("encryptionConfig", "provider", "keyArn"),
    "aws:fsx/lustreFileSystem:LustreFileSystem": ("kmsKeyId",),
    "aws:efs/fileSystem:FileSystem": ("kmsKeyId",),
    "aws:cloudwatch/logGroup:LogGroup": ("kmsKeyId",),
    "aws:cloudtrail/trail:Trail": ("kmsKeyId",),
    "aws:sqs/queue:Queue": ("kmsMasterKeyId",),
    "aws:sns/topic:Topic": ("kmsMasterKeyId",),
    "aws:ssm/parameter:Parameter": ("keyId",),
    "aws:ec2/launchTemplate:LaunchTemplate": ("blockDeviceMappings", 0, "ebs", "kmsKeyId"),
    "aws:ec2/instance:Instance": ("rootBlockDevice", "kmsKeyId"),
    "gcp:container/cluster:Cluster": ("databaseEncryption", "keyName"),
    "gcp:container/nodePool:NodePool": ("nodeConfig", "bootDiskKmsKey"),
    "gcp:storage/bucket:Bucket": ("encryption", "defaultKmsKeyName"),
    "gcp:lustre/instance:Instance": ("kmsKey",),
    "gcp:filestore/instance:Instance": ("kmsKeyName",),
    "gcp:pubsub/topic:Topic": ("kmsKeyName",),
}
GPU_PARTS: Final = ("gpu_driver", "device_plugin", "node_feature_discovery", "dcgm_exporter", "network_plugin")
# Charts that own parts of the GPU layer, by the parts.
CHARTS: Final = {
    "gpu-operator": ("gpu_driver", "device_plugin", "dcgm_exporter"),
    "nvidia-device-plugin": ("device_plugin",),
    "node-feature-discovery": ("node_feature_discovery",),
    "dcgm-exporter": ("dcgm_exporter",),
    "aws-efa-k8s-device-plugin": ("network_plugin",),
    "network-operator": ("network_plugin",),
}
# Target to what its placements are built from, home first; the others stand below a component of their own.
BUILT: Final[dict[str, tuple[ClusterSpec, ...]]] = {
    "aws": (specs.aws_cluster(),),
    "aws_ways": (specs.aws_cluster(),),
    "gcp": (specs_gcp.gcp_cluster(),),
    "coreweave": (specs_coreweave.coreweave_cluster(),),
    "existing": (specs.existing_cluster(),),
    "existing_ways": (specs.existing_cluster(),),
    "spanning": specs.PLACEMENTS,
}
PLACES: Final = ("atoll:placement:Second", "atoll:placement:Third", "atoll:placement:Fourth")


@pytest.fixture(params=[*TARGETS, *(f"platform-{name}" for name in PLATFORMS)])
def target_run(request: pytest.FixtureRequest) -> OfflineRun:
    kind, _, variant = request.param.partition("-")
    run: OfflineRun = platform_run(variant) if kind == "platform" else request.getfixturevalue(f"{kind}_run")
    return run


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from texts(part)


def test_what_holds_data_is_protected_and_outlives_the_stack(target_run: OfflineRun) -> None:
    holding = [each for each in target_run.resources if each.type in STATEFUL and not _leads_elsewhere(each)]
    assert [each.urn for each in holding if not _kept(each)] == []


@pytest.mark.parametrize("variant", PLATFORMS)
def test_what_holds_data_inside_a_cluster_outlives_the_stack_and_keeps_nothing_else(variant: str) -> None:
    databases = [each for each in platform_run(variant).resources if each.type in KEPT_INSIDE]
    assert databases
    assert all(each.retain_on_delete and not each.protect for each in databases)


def _leads_elsewhere(resource: Resource) -> bool:
    """Whether it is a claim to a volume that is registered too, kept, and only the way to what lies outside."""
    return "volumeName" in at(resource, "spec") if resource.type == CLAIM else False


def test_each_claim_to_a_kept_volume_is_the_one_that_the_volume_is_kept_for(target_run: OfflineRun) -> None:
    by_urn = {each.urn: each for each in target_run.resources}
    volumes = {at(each, "metadata", "name"): at(each, "spec") for each in target_run.resources if each.type == VOLUME}
    claims = [each for each in target_run.resources if each.type == CLAIM and _leads_elsewhere(each)]
    assert {at(each, "spec", "volumeName") for each in claims} == set(volumes)
    for each in claims:
        volume, home = volumes[at(each, "spec", "volumeName")], by_urn[each.parent]
        assert volume["persistentVolumeReclaimPolicy"] == "Retain"
        assert volume["claimRef"] == {"name": at(each, "metadata", "name"), "namespace": at(home, "metadata", "name")}
        assert volume["storageClassName"] == at(each, "spec", "storageClassName")
        assert volume["capacity"] == at(each, "spec", "resources", "requests")


def _kept(resource: Resource) -> bool:
    return resource.protect and resource.retain_on_delete


def test_nothing_is_open_to_the_whole_internet_but_what_is_named_here(target_run: OfflineRun) -> None:
    wide = [each for each in target_run.resources if ANYWHERE & set(texts(dict(each.inputs)))]
    assert [each.urn for each in wide if (each.type, each.name) not in OPEN and not _only_out(each)] == []


def _only_out(resource: Resource) -> bool:
    """Whether it lets pods out by a few ports, never anybody in, and keeps them from the identity of their node."""
    if resource.type != POLICY or ANYWHERE & set(texts(at(resource, "spec").get("ingress", []))):
        return False
    rules = [rule for rule in at(resource, "spec", "egress") if ANYWHERE & set(texts(rule))]
    ports = {port["port"] for rule in rules for port in rule["ports"]}
    excepted = [METADATA in peer["ipBlock"]["except"] for rule in rules for peer in rule["to"]]
    return ports <= set(WAYS_OUT) and all(excepted)


def test_everything_that_can_be_encrypted_is(target_run: OfflineRun) -> None:
    bare = [each.urn for each in target_run.resources if each.type in ENCRYPTED and not _encrypted(each)]
    assert bare == []


def _encrypted(resource: Resource) -> bool:
    try:
        key: Any = at(resource, *ENCRYPTED[resource.type])
    except (KeyError, IndexError, TypeError):
        return False
    return isinstance(key, (UnknownValue, Secret)) or (isinstance(key, str) and key != "")


def test_every_cloud_tags_all_it_makes_with_customer_and_stack(target_run: OfflineRun) -> None:
    wanted = {"pulumi:providers:aws": "defaultTags", "pulumi:providers:gcp": "defaultLabels"}
    providers = [each for each in target_run.resources if each.type in wanted]
    for provider in providers:
        said = provider.inputs[wanted[provider.type]]  # a provider's nested inputs travel as JSON
        assert isinstance(said, str)
        for word in ("customer", "stack", "owner"):
            assert f"atoll:{word}" in said or f"atoll-{word}" in said, provider.urn
    named = {each.urn for each in providers}
    clouds = ("aws:", "gcp:")
    strays = [each.urn for each in target_run.resources if each.type.startswith(clouds) and each.provider not in named]
    assert strays == []


@pytest.mark.parametrize("target", TARGETS)
def test_each_gpu_part_is_installed_where_it_is_ours_and_nowhere_else(
    target: str, request: pytest.FixtureRequest
) -> None:
    run: OfflineRun = request.getfixturevalue(f"{target}_run")
    for number, spec in enumerate(BUILT[target]):
        installed = [part for each in run.resources if _place(each) == number for part in parts_of(each)]
        assert len(installed) == len(set(installed)), number
        assert {getattr(spec.profile, part) for part in installed} <= {"atoll"}, number


@pytest.mark.parametrize("variant", PLATFORMS)
def test_a_platform_installs_each_gpu_part_once_and_only_where_it_is_ours(variant: str) -> None:
    installed = [part for each in platform_run(variant).resources for part in parts_of(each)]
    profile = spec_of(variant).profile
    assert len(installed) == len(set(installed))
    assert {part for part in GPU_PARTS if getattr(profile, part) == "atoll"} >= set(installed)


def _place(resource: Resource) -> int:
    """Number of the placement that a resource is in."""
    return next((number for number, token in enumerate(PLACES, start=1) if f"{token}$" in resource.urn), 0)


def parts_of(resource: Resource) -> tuple[str, ...]:
    """Parts of the GPU layer that a chart installs."""
    if not resource.type.endswith(":Release"):
        return ()
    chart = str(resource.inputs.get("chart", "")).rpartition("/")[2]
    discovers = resource.inputs.get("values", {}).get("gfd", {}).get("enabled", False)
    return (*CHARTS.get(chart, ()), *(("node_feature_discovery",) if discovers else ()))


@pytest.mark.parametrize("spec", [specs.aws_cluster(), specs.existing_cluster()], ids=["aws", "existing"])
def test_every_gpu_part_has_at_most_one_owner(spec: ClusterSpec) -> None:
    assert {getattr(spec.profile, part) for part in GPU_PARTS} <= {"provider", "atoll", "none"}
    assert set(GPU_PARTS) <= set(Profile.model_fields)
