"""Storage of AWS: disks and file systems by their size; what is paid by use is counted where it is declared."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from planning.costs.bill import BillGroup, Charge, gb_months
from planning.costs.resources.findings import LOGS, OBJECTS, by_use, tier_key
from planning.costs.resources.resource import UnreadableError
from planning.values.money import HOURS_PER_MONTH, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from decimal import Decimal

    from planning.costs.resources.findings import CostingContext, Counter, Finding
    from planning.costs.resources.resource import Properties


GP3_IOPS: Final = 3000  # included in gp3 (docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html)
GP3_MBPS: Final = 125  # included in gp3, MiB/s (same page)


def gp3(disk: Properties, *, size: Decimal) -> dict[str, Decimal]:
    """Units a month of one gp3 disk of `size` GB: what it holds, and what it does above the included rates."""
    iops = disk.at("iops").number(GP3_IOPS) - GP3_IOPS
    throughput = disk.at("throughput").number(GP3_MBPS) - GP3_MBPS
    return {Item.DISK: size, Item.DISK_IOPS: max(iops, ZERO), Item.DISK_THROUGHPUT: max(throughput, ZERO)}


def io2(disk: Properties, *, size: Decimal) -> dict[str, Decimal]:
    """Units a month of one io2 disk of `size` GB: what it holds and every IOPS provisioned."""
    return {Item.DISK_FAST: size, Item.DISK_FAST_IOPS: disk.at("iops").number()}


KINDS: Final = {"gp3": gp3, "io2": io2}


def units(disk: Properties, *, kind: str, size: str) -> dict[str, Decimal]:
    """Units a month of one disk; `kind` and `size` name its properties.

    Raises:
        UnreadableError: a property is unknown, or the kind has no price here.
    """
    word = disk.at(kind)
    if not word.said:
        raise UnreadableError(f"{word.path} is not said, so that the image decides")
    count = KINDS.get(word.text())
    if count is None:
        raise UnreadableError(f"{word.path} {word.text()!r} has no price here")
    return count(disk, size=disk.at(size).number())


def together(disks: Iterable[dict[str, Decimal]]) -> dict[str, Decimal]:
    """Units of several disks added up."""
    total: dict[str, Decimal] = {}
    for disk in disks:
        for item, amount in disk.items():
            total[item] = total.get(item, ZERO) + amount
    return total


def charges(
    case: CostingContext, counted: dict[str, Decimal], *, hours: Range, key: Callable[[str], str], note: str = ""
) -> Iterator[Charge]:
    """Charges of disks that exist for `hours` disk-hours."""
    for item, amount in counted.items():
        if amount == ZERO:
            continue
        charge = case.charge(item, gb_months(hours, amount), group=BillGroup.STORAGE, note=note)
        yield replace(charge, key=key(item))


_SHARED: Final = (Item.SHARED_DISK, Item.SHARED_SSD)
_KEPT: Final = (*OBJECTS, *LOGS)  # what a bucket holds: data, or logs whose volume is declared as such
_LUSTRE: Final = {  # deployment type and MB/s per TiB; any other pair has a price of its own, which nobody read yet
    ("SCRATCH_1", 0): Item.SHARED_SCRATCH,
    ("SCRATCH_2", 0): Item.SHARED_SCRATCH,
    ("PERSISTENT_2", 125): Item.SHARED_SSD,
}
_LUSTRE_EXTRAS: Final = ("metadataConfiguration", "dataReadCacheConfiguration")
_BACKUPS_EXTRA: Final = "backups are extra"


def volume(case: CostingContext) -> Iterator[Finding]:
    counted = units(case.inputs, kind="type", size="size")
    yield from charges(case, counted, hours=Range.exactly(HOURS_PER_MONTH), key=case.key)


def lustre(case: CostingContext) -> Iterator[Finding]:
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
    yield case.charge(item, capacity, group=BillGroup.STORAGE, own=tier_key(case), note=note)


def key(case: CostingContext) -> Iterator[Finding]:
    note = "each of the first two rotations adds as much" if case.inputs.at("enableKeyRotation").value else ""
    yield case.charge(Item.ENCRYPTION_KEY, Range.exactly(1), group=BillGroup.SECURITY, own="security/keys", note=note)


def elastic(case: CostingContext) -> Iterator[Finding]:
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
