"""The laws that hold for every target: what is kept, tagged, shut, encrypted, and owned once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import pytest
import specs
from look import at

from planning.spec import ClusterSpec, Profile
from planning.takeoff.resource import Resource, Secret, Unknown

if TYPE_CHECKING:
    from driver.offline.program import Run

TARGETS: Final = ("aws", "aws_ways", "gcp", "coreweave", "existing", "existing_ways", "spanning")
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
    "kubernetes:core/v1:PersistentVolumeClaim": "files",
}
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
EXCEPT_IN_CLUSTER: Final = "allow-https"  # egress of pods on port 443, the nodes' metadata excepted
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
# Charts that would own a part of the GPU layer, by the part.
CHARTS: Final = {
    "gpu-operator": "gpu_driver",
    "nvidia-device-plugin": "device_plugin",
    "dcgm-exporter": "dcgm_exporter",
}


@pytest.fixture(params=TARGETS)
def target_run(request: pytest.FixtureRequest) -> Run:
    run: Run = request.getfixturevalue(f"{request.param}_run")
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


def test_what_holds_data_is_protected_and_outlives_the_stack(target_run: Run) -> None:
    lost = [each.urn for each in target_run.resources if each.type in STATEFUL and not _kept(each)]
    assert lost == []


def _kept(resource: Resource) -> bool:
    return resource.protect and resource.retain_on_delete


def test_nothing_is_open_to_the_whole_internet_but_what_is_named_here(target_run: Run) -> None:
    wide = [each for each in target_run.resources if ANYWHERE & set(texts(dict(each.inputs)))]
    unnamed = [each.urn for each in wide if (each.type, each.name) not in OPEN and EXCEPT_IN_CLUSTER not in each.name]
    assert unnamed == []


def test_everything_that_can_be_encrypted_is(target_run: Run) -> None:
    bare = [each.urn for each in target_run.resources if each.type in ENCRYPTED and not _encrypted(each)]
    assert bare == []


def _encrypted(resource: Resource) -> bool:
    try:
        key: Any = at(resource, *ENCRYPTED[resource.type])
    except (KeyError, IndexError, TypeError):
        return False
    return isinstance(key, (Unknown, Secret)) or (isinstance(key, str) and key != "")


def test_every_cloud_tags_all_it_makes_with_customer_and_stack(target_run: Run) -> None:
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


def test_no_chart_installs_a_gpu_part_that_somebody_else_owns(target_run: Run) -> None:
    charts = [str(each.inputs.get("chart", "")) for each in target_run.resources if each.type.endswith(":Release")]
    owners = [part for chart in charts for word, part in CHARTS.items() if word in chart]
    assert len(owners) == len(set(owners))


@pytest.mark.parametrize("spec", [specs.aws_cluster(), specs.existing_cluster()], ids=["aws", "existing"])
def test_every_gpu_part_has_at_most_one_owner(spec: ClusterSpec) -> None:
    assert {getattr(spec.profile, part) for part in GPU_PARTS} <= {"provider", "atoll", "none"}
    assert set(GPU_PARTS) <= set(Profile.model_fields)
