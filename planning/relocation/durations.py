"""How long a relocation takes, from rates that somebody measured or said. What no rate covers is not known, never 0."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Literal, Self

from planning.relocation.inventory.volume import MIB
from planning.values.money import NOTHING, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from planning.relocation.inventory.volume import TransferVolume


DAY: Final = Decimal(86_400)


@dataclass(frozen=True, slots=True, kw_only=True)
class DurationEstimate:
    """A time with what it is made of.

    Args:
        seconds: None where it is not known.
        at_least: whether something in it is not known, so that it is a floor.
        basis: the arithmetic and its rates in words.
    """

    seconds: Range | None
    basis: str
    at_least: bool = False

    @classmethod
    def unknown(cls, basis: str) -> Self:
        return cls(seconds=None, basis=basis)


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeTime:
    """First copy of one volume."""

    name: str
    kind: str
    span: DurationEstimate


def estimate_copy_time(volume: TransferVolume, rates: Rates) -> DurationEstimate:
    """Time of one full copy: the longer of what its bytes take and what its objects take."""
    if volume.kind == "database":
        return _by(volume.bytes, rates.dump, what="bytes", missing="a measured rate of dump and restore")
    return _longer(
        _by(volume.bytes, rates.bytes, what="bytes", missing="a bandwidth"),
        _by(volume.objects, rates.objects, what="objects", missing="a rate of small files"),
    )


def one_after_another(spans: Iterable[DurationEstimate]) -> DurationEstimate:
    """Sum of times; a floor where one of them is not known, not known where none is."""
    listed = tuple(spans)
    known = [each.seconds for each in listed if each.seconds is not None]
    basis = " + ".join(dict.fromkeys(each.basis for each in listed)) or "nothing to do"
    if listed and not known:
        return DurationEstimate.unknown(basis)
    open_ends = len(known) < len(listed) or any(each.at_least for each in listed)
    return DurationEstimate(seconds=sum(known, NOTHING), basis=basis, at_least=open_ends)


def estimate_first_copy(volumes: Sequence[TransferVolume], rates: Rates) -> DurationEstimate:
    """Time of the first copy of everything but databases."""
    copied = [volume for volume in volumes if volume.kind != "database"]
    apart = one_after_another(estimate_copy_time(volume, rates) for volume in copied)
    if apart.seconds is None:
        return apart
    together = _longer(
        _by(sum((each.bytes or NOTHING for each in copied), NOTHING), rates.bytes, what="bytes", missing="a bandwidth"),
        _by(
            sum((each.objects or NOTHING for each in copied), NOTHING),
            rates.objects,
            what="objects",
            missing="a rate of small files",
        ),
    )
    # At best all are copied side by side and wait for one limit only; else one waits for the link while another could
    # have used it, and they take as long as one after another.
    least = min(together.seconds.min, apart.seconds.min) if together.seconds else apart.seconds.min
    return DurationEstimate(
        seconds=Range(least, apart.seconds.expected, apart.seconds.max), basis=together.basis, at_least=apart.at_least
    )


def _by(amount: Range | None, rate: Rate | None, *, what: str, missing: str) -> DurationEstimate:
    if amount is None:
        return DurationEstimate.unknown(f"how many {what} there are is not known")
    if amount.max == ZERO:
        return DurationEstimate(seconds=Range.exactly(0), basis=f"no {what}")
    if rate is None:
        return DurationEstimate.unknown(f"needs {missing}")
    return DurationEstimate(seconds=amount.per(rate.per_second), basis=_describe_rate(what, rate))


def _describe_rate(what: str, rate: Rate) -> str:
    """A rate in words: "bytes at 60.0 MiB/s, measured"."""
    speed = f"{rate.per_second / MIB:.1f} MiB/s" if what == "bytes" else f"{rate.per_second:.0f} a second"
    note = f" ({rate.note})" if rate.note else ""
    return f"{what} at {speed}, {rate.basis}{note}"


def _longer(one: DurationEstimate, other: DurationEstimate) -> DurationEstimate:
    """The longer of two times that pass side by side, reading by reading."""
    if one.seconds is None and other.seconds is None:
        return DurationEstimate.unknown(f"{one.basis}; {other.basis}")
    if one.seconds is None or other.seconds is None:
        known, lacking = (other, one) if one.seconds is None else (one, other)
        return DurationEstimate(seconds=known.seconds, basis=f"{known.basis}; {lacking.basis}", at_least=True)
    seconds = Range(
        max(one.seconds.min, other.seconds.min),
        max(one.seconds.expected, other.seconds.expected),
        max(one.seconds.max, other.seconds.max),
    )
    basis = one.basis if one.seconds.expected >= other.seconds.expected else other.basis
    return DurationEstimate(seconds=seconds, basis=basis, at_least=one.at_least or other.at_least)


Basis = Literal["measured", "given"]
BITS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """So many units a second.

    Args:
        basis: whether somebody measured it on the way that is meant, or it was said.
        note: where and when.
    """

    per_second: Decimal
    basis: Basis = "given"
    note: str = ""

    def __post_init__(self) -> None:
        if self.per_second <= 0:
            raise ValueError(f"a rate must be more than nothing: {self.per_second}")

    @classmethod
    def of_gbps(cls, gbps: Decimal | int, *, basis: Basis = "given", note: str = "") -> Self:
        """Bytes a second of a link."""
        return cls(per_second=Decimal(gbps) * 10**9 / BITS, basis=basis, note=note)

    @classmethod
    def of_mib(cls, mib: Decimal | int, *, basis: Basis = "given", note: str = "") -> Self:
        """Bytes a second of a stream."""
        return cls(per_second=Decimal(mib) * MIB, basis=basis, note=note)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Rates from which times are calculated; None where a rate is unknown, and so is its time.

    Args:
        bytes: all transfers together, bytes a second.
        objects: small objects a second, all transfers together.
        dump: bytes of a database a second, dumped, transferred and restored.
        verify: bytes a second read and hashed on one side; None for that of `bytes`.
        lists: keys listed a second, in every round, even without changes.
    """

    bytes: Rate | None = None
    objects: Rate | None = None
    dump: Rate | None = None
    verify: Rate | None = None
    lists: Rate | None = None
