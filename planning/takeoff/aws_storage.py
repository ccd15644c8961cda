"""Storage of AWS: disks and file systems by their size; what is paid by use is counted where it is declared."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from planning.bill import Group
from planning.money import HOURS_PER_MONTH, Range
from planning.takeoff import aws_disks
from planning.takeoff.case import VOLUME_UNKNOWN
from planning.takeoff.findings import Free
from planning.takeoff.properties import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from planning.takeoff.case import Case
    from planning.takeoff.findings import Counter, Finding

_OBJECTS: Final = (Item.OBJECT, Item.OBJECT_INFREQUENT, Item.OBJECT_ARCHIVE)
_SHARED: Final = (Item.SHARED_DISK, Item.SHARED_SSD)
_LOGS: Final = (Item.LOG_INGEST, Item.LOG_STORAGE)
_KEPT: Final = (*_OBJECTS, *_LOGS)  # what a bucket holds: data, or logs whose volume is declared as such
_LUSTRE: Final = {  # deployment type and MB/s per TiB; any other pair has a price of its own, which nobody read yet
    ("SCRATCH_1", 0): Item.SHARED_SCRATCH,
    ("SCRATCH_2", 0): Item.SHARED_SCRATCH,
    ("PERSISTENT_2", 125): Item.SHARED_SSD,
}
_LUSTRE_EXTRAS: Final = ("metadataConfiguration", "dataReadCacheConfiguration")
_BACKUPS_EXTRA: Final = "backups are extra"


def volume(case: Case) -> Iterator[Finding]:
    """An EBS volume."""
    counted = aws_disks.units(case.inputs, kind="type", size="size")
    yield from aws_disks.charges(case, counted, hours=Range.exactly(HOURS_PER_MONTH), key=case.key)


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
    yield case.charge(item, capacity, group=Group.STORAGE, own=f"storage/{_tier(case)}", note=note)


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


def by_use(case: Case, *, items: Collection[str]) -> Iterator[Finding]:
    """Something paid for by use, which only a component above can foresee."""
    if not case.declared(items):
        raise UnreadableError(VOLUME_UNKNOWN)
    yield Free("paid by use, counted as its component declares")


def _tier(case: Case) -> str:
    """Name of the storage tier: what the component above says, else the resource's own name."""
    tier = None if case.owner is None else case.owner.inputs.get("tier")
    return tier if isinstance(tier, str) else case.resource.name


COUNTERS: Final[dict[str, Counter]] = {
    "aws:ebs/volume:Volume": volume,
    "aws:fsx/lustreFileSystem:LustreFileSystem": lustre,
    "aws:kms/key:Key": key,
    "aws:kms/replicaKey:ReplicaKey": key,
    "aws:kms/externalKey:ExternalKey": key,
    "aws:s3/bucket:Bucket": partial(by_use, items=_KEPT),
    "aws:s3/bucketV2:BucketV2": partial(by_use, items=_KEPT),
    "aws:efs/fileSystem:FileSystem": elastic,
    "aws:cloudwatch/logGroup:LogGroup": partial(by_use, items=_LOGS),
    "aws:ec2/flowLog:FlowLog": partial(by_use, items=_LOGS),
}
