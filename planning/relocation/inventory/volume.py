"""What is moved, as money and time see it: so many bytes, in so many objects, changing so fast."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal, Self

from planning.values.money import Range

VolumeKind = Literal["bucket", "database", "files", "registry"]
Side = Literal["source", "target"]
GB: Final = Decimal(10**9)  # of every price list and of the checklist's sizes (planning/costs/charges.py)
MIB: Final = 2**20
PART_BYTES: Final = 16 * MIB  # of our own copies: the block of components/agents/mover/store/model.py


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferVolume:
    """One volume of data that is moved. None stands for an unknown number.

    Args:
        name: unique in a plan: "datasets", "mlflow", "homes/anna".
        objects: objects, files or rows.
        change_bytes_per_day: written a day while in use.
        versions: older versions that are moved, not counted in `objects`.
        tagged: objects with tags.
        keyed: whether each billed request uses the customer's key too, where the side has one.
        verified_share: share of the bytes that is read again at the target.
        by_snapshot: whether it is copied as a snapshot of its disk.
        billed_requests: sides on which requests are billed: none for MinIO in the cluster.
    """

    kind: VolumeKind
    name: str
    bytes: Range | None
    objects: Range | None = None
    change_bytes_per_day: Range | None = None
    versions: Range | None = None
    tagged: Range | None = None
    keyed: bool = True
    verified_share: Decimal = Decimal(1)
    by_snapshot: bool = False
    billed_requests: tuple[Side, ...] = ("source", "target")

    @classmethod
    def from_measurement(
        cls,
        kind: VolumeKind,
        name: str,
        *,
        size: int,
        objects: int | None = None,
        change_bytes_per_day: int | None = None,
    ) -> Self:
        return cls(
            kind=kind,
            name=name,
            bytes=Range.exactly(size),
            objects=_exactly(objects),
            change_bytes_per_day=_exactly(change_bytes_per_day),
        )


def gb_of(size: Range) -> Range:
    """Bytes as the GB of price lists."""
    return size.per(GB)


def _exactly(count: int | None) -> Range | None:
    return None if count is None else Range.exactly(count)
