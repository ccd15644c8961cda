"""Which changes make a provider replace a resource: the inputs that it cannot change in place, of the types we build.

Offline nobody can ask the provider, so the list holds what loses data or GPU nodes; anything else reads "updated".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.costs.resources.resource import Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.costs.resources.resource import Resource, Value

KUBERNETES: Final = "kubernetes:"
# Identity of an object in its cluster (kubernetes.io/docs/concepts/overview/working-with-objects/names, 2026-11-21).
OBJECT_IDENTITY: Final = ("apiVersion", "kind", "metadata.name", "metadata.namespace")
# `ForceNew` of the Terraform schemas beneath the Pulumi providers, read 2026-11-21; names as Pulumi has them.
# hashicorp/terraform-provider-aws: internal/service/{efs/file_system,eks/node_group,fsx/lustre_file_system}.go;
# hashicorp/terraform-provider-google: google/services/{container/node_config,lustre/resource_lustre_instance}.go.
# Of the docstrings of the installed SDKs: initialNodeCount, purpose and hostPrefix.
FORCES: Final[Mapping[str, tuple[str, ...]]] = {
    "aws:efs/fileSystem:FileSystem": (
        "availabilityZoneName",
        "creationToken",
        "encrypted",
        "kmsKeyId",
        "performanceMode",
    ),
    "aws:eks/nodeGroup:NodeGroup": (
        "amiType",
        "capacityType",
        "clusterName",
        "diskSize",
        "instanceTypes",
        "launchTemplate.id",
        "launchTemplate.name",
        "nodeGroupName",
        "nodeRoleArn",
        "remoteAccess",
        "subnetIds",
    ),
    "aws:fsx/lustreFileSystem:LustreFileSystem": (
        "backupId",
        "copyTagsToBackups",
        "deploymentType",
        "driveCacheType",
        "fileSystemTypeVersion",
        "kmsKeyId",
        "securityGroupIds",
        "storageType",
        "subnetIds",
    ),
    "coreweave:index/networkingVpc:NetworkingVpc": ("hostPrefix",),
    "gcp:container/nodePool:NodePool": (
        "initialNodeCount",
        "nodeConfig.bootDiskKmsKey",
        "nodeConfig.ephemeralStorageLocalSsdConfig",
        "nodeConfig.guestAccelerators",
        "nodeConfig.localNvmeSsdBlockConfig",
        "nodeConfig.localSsdCount",
        "nodeConfig.metadata",
        "nodeConfig.minCpuPlatform",
        "nodeConfig.oauthScopes",
        "nodeConfig.preemptible",
        "nodeConfig.reservationAffinity",
        "nodeConfig.sandboxConfig",
        "nodeConfig.secondaryBootDisks",
        "nodeConfig.serviceAccount",
        "nodeConfig.shieldedInstanceConfig",
        "nodeConfig.spot",
    ),
    "gcp:kms/cryptoKey:CryptoKey": ("purpose",),
    "gcp:lustre/instance:Instance": ("filesystem", "instanceId", "location", "network", "project"),
}
# As above: a file system shrinks by being made anew only.
SHRINKS: Final[Mapping[str, tuple[str, ...]]] = {"aws:fsx/lustreFileSystem:LustreFileSystem": ("storageCapacity",)}


def forced(changed: Sequence[str], old: Resource, new: Resource) -> list[str]:
    """Paths of the inputs that force a replacement, sorted; none where the provider changes the resource in place.

    Args:
        changed: names of the inputs that differ.
    """
    paths = OBJECT_IDENTITY if old.type.startswith(KUBERNETES) else FORCES.get(old.type, ())
    touched = [path for path in paths if path.partition(".")[0] in changed]
    different = [path for path in touched if not same(_at(old, path), _at(new, path))]
    smaller = [path for path in SHRINKS.get(old.type, ()) if _less(_at(new, path), _at(old, path))]
    return sorted({*different, *smaller})


def same(old: Value, new: Value) -> bool:
    """Whether two values say the same, wherever the stack that an unknown comes from is called otherwise.

    Two secrets are taken for equal: nobody can see them.
    """
    if isinstance(old, Unknown) and isinstance(new, Unknown):
        return old.output == new.output and identity(old.urn) == identity(new.urn)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(same, old, new))
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(same(value, new[name]) for name, value in old.items())
    return type(old) is type(new) and old == new


def identity(urn: str) -> str:
    """A URN without "urn:pulumi:<stack>"."""
    return urn.partition("::")[2]


def _at(resource: Resource, path: str) -> Value:
    """What stands at a path of a resource's inputs; None where nothing does."""
    first, *rest = path.split(".")
    value = resource.inputs.get(first)
    for step in rest:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _less(one: Value, other: Value) -> bool:
    return isinstance(one, int | float) and isinstance(other, int | float) and one < other
