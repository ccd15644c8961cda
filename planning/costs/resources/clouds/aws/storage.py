"""Storage of AWS: disks and file systems by their size; what is paid by use is counted where it is declared."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from planning.costs.bill import Group
from planning.costs.resources.clouds.aws import disks
from planning.costs.resources.properties import UnreadableError
from planning.costs.resources.storage_use import LOGS, OBJECTS, by_use, tier_key
from planning.values.money import HOURS_PER_MONTH, Range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.context import Case
    from planning.costs.resources.findings import Counter, Finding

_SHARED: Final = (Item.SHARED_DISK, Item.SHARED_SSD)
_KEPT: Final = (*OBJECTS, *LOGS)  # what a bucket holds: data, or logs whose volume is declared as such
_LUSTRE: Final = {  # deployment type and MB/s per TiB; any other pair has a price of its own, which nobody read yet
    ("SCRATCH_1", 0): Item.SHARED_SCRATCH,
    ("SCRATCH_2", 0): Item.SHARED_SCRATCH,
    ("PERSISTENT_2", 125): Item.SHARED_SSD,
}
_LUSTRE_EXTRAS: Final = ("metadataConfiguration", "dataReadCacheConfiguration")
_BACKUPS_EXTRA: Final = "backups are extra"


def volume(case: Case) -> Iterator[Finding]:
    """An EBS volume."""
    counted = disks.units(case.inputs, kind="type", size="size")
    yield from disks.charges(case, counted, hours=Range.exactly(HOURS_PER_MONTH), key=case.key)


def lustre(case: Case) -> Iterator[Finding]:
    """An FSx for Lustre file system. Its GB-month is sold as GiB, so capacity is taken as it stands."""
    inputs = case.inputs
    deployment = inputs.at("deploymentType").text("SCRATCH_1")
    throughput = int(inputs.at("perUnitStorageThroughput").number(0))
    storage = inputs.at("storageType").text("SSD")
    item = _LUSTRE.get((deployment, throughput))
    if item is None or storage != "SSD":
        raise UnreadableError(f"{deployment} {storage} with {throughput} MB/s per TiB has no price here")
    for extra in _LUSTRE_EXTRAS:
        if inputs.at(extra).at("mode").text("AUTOMATIC") != "AUTOMATIC" or inputs.at(extra).at("sizingMode").said:
            raise UnreadableError(f"{extra} is paid for and has no price here")
    capacity = Range.exactly(inputs.at("storageCapacity").number())
    note = _BACKUPS_EXTRA if inputs.at("automaticBackupRetentionDays").value else ""
    yield case.charge(item, capacity, group=Group.STORAGE, own=tier_key(case), note=note)


def key(case: Case) -> Iterator[Finding]:
    """A KMS key."""
    note = "each of the first two rotations adds as much" if case.inputs.at("enableKeyRotation").value else ""
    yield case.charge(Item.ENCRYPTION_KEY, Range.exactly(1), group=Group.SECURITY, own="security/keys", note=note)


def elastic(case: Case) -> Iterator[Finding]:
    """An EFS file system, paid for by use unless its throughput is provisioned."""
    mode = case.inputs.at("throughputMode").text("bursting")
    if mode == "provisioned":
        raise UnreadableError("provisionedThroughputInMibps is paid for and has no price here")
    yield from by_use(case, items=_SHARED)


COUNTERS: Final[dict[str, Counter]] = {
    "aws:ebs/volume:Volume": volume,
    "aws:fsx/lustreFileSystem:LustreFileSystem": lustre,
    "aws:kms/key:Key": key,
    "aws:kms/replicaKey:ReplicaKey": key,
    "aws:kms/externalKey:ExternalKey": key,
    "aws:s3/bucket:Bucket": partial(by_use, items=_KEPT),
    "aws:s3/bucketV2:BucketV2": partial(by_use, items=_KEPT),
    "aws:efs/fileSystem:FileSystem": elastic,
    "aws:cloudwatch/logGroup:LogGroup": partial(by_use, items=LOGS),
    "aws:ec2/flowLog:FlowLog": partial(by_use, items=LOGS),
}
