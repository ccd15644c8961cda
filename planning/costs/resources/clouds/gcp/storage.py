"""Storage of Google Cloud: file systems by their size and keys; what is paid by use is counted where it is declared."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from planning.costs.bill import BillGroup
from planning.costs.resources.clouds.gcp.compute import DISKS
from planning.costs.resources.findings import LOGS, OBJECTS, by_use, tier_key
from planning.costs.resources.resource import UnreadableError
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.context import CostingContext
    from planning.costs.resources.findings import Counter, Finding

_LUSTRE_MBPS: Final = 1000  # MB/s per TiB; slower tiers have prices of their own, which nobody read yet
_FILESTORE: Final = "BASIC_HDD"
_NEW_VERSIONS: Final = "each rotation adds as much until the old version is destroyed"


def disk(case: CostingContext) -> Iterator[Finding]:
    kind = case.inputs.at("type").text("pd-standard")
    if kind not in DISKS:
        raise UnreadableError(f"type {kind!r} has no price here")
    size = Range.exactly(case.inputs.at("size").number())
    yield case.charge(Item.DISK, size, group=BillGroup.STORAGE, note=DISKS[kind])


def lustre(case: CostingContext) -> Iterator[Finding]:
    """A Managed Lustre instance. Its GB-month is sold as GiB, so capacity is taken as it stands."""
    throughput = int(case.inputs.at("perUnitStorageThroughput").number(0))
    if throughput != _LUSTRE_MBPS:
        raise UnreadableError(f"Managed Lustre with {throughput} MB/s per TiB has no price here")
    capacity = Range.exactly(case.inputs.at("capacityGib").number())
    yield case.charge(Item.SHARED_SSD, capacity, group=BillGroup.STORAGE, own=tier_key(case))


def filestore(case: CostingContext) -> Iterator[Finding]:
    """A Filestore instance of the tier that the catalog prices."""
    tier = case.inputs.at("tier").text()
    if tier != _FILESTORE:
        raise UnreadableError(f"tier {tier!r} has no price here")
    capacity = Range.exactly(case.inputs.at("fileShares").at("capacityGb").number())
    yield case.charge(Item.SHARED_DISK, capacity, group=BillGroup.STORAGE, own=tier_key(case))


def key(case: CostingContext) -> Iterator[Finding]:
    note = _NEW_VERSIONS if case.inputs.at("rotationPeriod").said else ""
    yield case.charge(Item.ENCRYPTION_KEY, Range.exactly(1), group=BillGroup.SECURITY, own="security/keys", note=note)


COUNTERS: Final[dict[str, Counter]] = {
    "gcp:compute/disk:Disk": disk,
    "gcp:lustre/instance:Instance": lustre,
    "gcp:filestore/instance:Instance": filestore,
    "gcp:kms/cryptoKey:CryptoKey": key,
    "gcp:storage/bucket:Bucket": partial(by_use, items=OBJECTS),
    "gcp:logging/projectBucketConfig:ProjectBucketConfig": partial(by_use, items=LOGS),
}
