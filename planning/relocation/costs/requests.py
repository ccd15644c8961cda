"""How many requests a copy and its proof make, from sizes and counts alone."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, Final

from planning.relocation.inventory.volume import PART_BYTES
from planning.values.money import NOTHING, Range

if TYPE_CHECKING:
    from planning.relocation.inventory.volume import Volume

# One listing answers so many keys (docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html, 2026-11-22).
KEYS_PER_LISTING: Final = 1000
# A multipart upload is begun and completed by a request each
# (docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html, 2026-11-22).
AROUND_PARTS: Final = 2
# Beside `rounds`: the first copy, the last one twice (it must find nothing), and the manifest.
LISTINGS_BESIDE_ROUNDS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """Requests of one volume, by what a store charges for.

    Args:
        read: at the source: parts of the copy, the manifest, tags.
        listed: on each side.
        written: at the target.
        proved: at the target: what is read again, and a look at everything else.
    """

    read: Range
    listed: Range
    written: Range
    proved: Range


def requests(volume: Volume, *, copied: Range, rounds: int) -> Requests | None:
    """Requests of a bucket; None where nobody knows how many objects it has.

    Args:
        copied: bytes that are carried, with those that change in the meantime.
        rounds: copies after the first.
    """
    if volume.objects is None or volume.bytes is None:
        return None
    every = volume.objects + (volume.versions or NOTHING)
    again = _again(volume.bytes, copied)
    parts = _parts(every, volume.bytes, around=0)
    proof = parts.times(volume.verified_share) + every.times(1 - volume.verified_share)
    tags = volume.tagged or NOTHING
    return Requests(
        read=_times(parts, again) + proof + tags,
        listed=every.times(Decimal(rounds + LISTINGS_BESIDE_ROUNDS) / KEYS_PER_LISTING),
        written=_times(_parts(every, volume.bytes, around=AROUND_PARTS), again),
        proved=proof + tags,
    )


def _again(size: Range, copied: Range) -> Range:
    """By how much more is carried than lies there: what changes is taken to be objects like the others."""
    factors = (
        max(Decimal(1), carried / lying) if lying else Decimal(1)
        for carried, lying in (
            (copied.min, size.min),
            (copied.expected, size.expected),
            (copied.max, size.max),
        )
    )
    return Range(*sorted(factors))


def _parts(objects: Range, size: Range, *, around: int) -> Range:
    """Requests by which objects of so many bytes together are carried in parts.

    How the bytes lie in the objects is not known: at least every object and every part is one request; at most every
    object has one part that is not full, and the requests around parts; expected are objects of equal size.
    """
    return Range(
        max(objects.min, size.min / PART_BYTES),
        _equal(objects.expected, size.expected, around=around),
        objects.max * (1 + around) + size.max / PART_BYTES,
    )


def _equal(objects: Decimal, size: Decimal, *, around: int) -> Decimal:
    if not objects:
        return Decimal(0)
    parts = max(Decimal(1), (size / objects / PART_BYTES).to_integral_value(ROUND_CEILING))
    return objects * (parts + (around if parts > 1 else 0))


def _times(one: Range, other: Range) -> Range:
    return Range(one.min * other.min, one.expected * other.expected, one.max * other.max)
