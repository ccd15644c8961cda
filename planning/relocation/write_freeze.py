"""Duration of the write freeze, part by part, and the rounds of copying until it fits into the window."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Literal

from planning.relocation.durations import (
    DAY,
    DurationEstimate,
    VolumeTime,
    estimate_copy_time,
    estimate_first_copy,
    one_after_another,
)
from planning.values.money import NOTHING, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.relocation.durations import Rates
    from planning.relocation.inventory.volume import TransferVolume

MOST_ROUNDS: Final = 100  # more rounds would shorten the freeze by next to nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class FreezeRequest:
    """The window of the write freeze, and known durations within it.

    Args:
        smoke_seconds: of the smoke test; None where it was not run.
        rewrite_seconds: of the rewrite of addresses, by dry run; None where there was none.
        dns_ttl_seconds: time to live of the names; 0 where none is switched.
    """

    window_seconds: int
    dns_ttl_seconds: int = 0
    smoke_seconds: int | None = None
    rewrite_seconds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """Rounds of copying until the freeze fits into the window.

    Args:
        count: rounds after the first copy; None for never or unknown.
        last: time of the round that fits, and of the final one.
    """

    count: int | None
    last: DurationEstimate
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FreezePart:
    """One thing that writers wait for."""

    step: str
    title: str
    span: DurationEstimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Every time of a relocation."""

    volumes: tuple[VolumeTime, ...]
    seed: DurationEstimate
    rounds: Rounds
    freeze: tuple[FreezePart, ...]
    frozen: DurationEstimate
    """All parts of the freeze, one after another."""
    window_seconds: int

    @property
    def fits(self) -> Literal["yes", "no", "undetermined"]:
        """Whether the freeze stays within the window, at its longest."""
        seconds = self.frozen.seconds
        if seconds is not None and seconds.min > self.window_seconds:
            return "no"
        if seconds is None or self.frozen.at_least:
            return "undetermined"
        return "yes" if seconds.max <= self.window_seconds else "no"


def times(volumes: Sequence[TransferVolume], *, rates: Rates, asked: FreezeRequest) -> Times:
    """Every time, from rates and what was asked."""
    first = estimate_first_copy(volumes, rates)
    rounds = rounds_until(volumes, rates=rates, first=first, window_seconds=asked.window_seconds)
    parts = tuple(_freeze(volumes, rates=rates, asked=asked, rounds=rounds))
    return Times(
        volumes=tuple(
            VolumeTime(name=each.name, kind=each.kind, span=estimate_copy_time(each, rates)) for each in volumes
        ),
        seed=first,
        rounds=rounds,
        freeze=parts,
        frozen=one_after_another(each.span for each in parts),
        window_seconds=asked.window_seconds,
    )


def rounds_until(
    volumes: Sequence[TransferVolume], *, rates: Rates, first: DurationEstimate, window_seconds: int
) -> Rounds:
    """How many rounds follow the first copy until one of them fits into the window.

    Each round copies what was written during the one before it, and lists every key: rounds shrink by the share of
    the bandwidth that is written to, and never below the time of listing.
    """
    copied = [volume for volume in volumes if volume.kind != "database"]
    if not copied:
        return Rounds(
            count=0,
            last=DurationEstimate(seconds=Range.exactly(0), basis="no buckets, no files"),
            words="nothing to copy",
        )
    lacking = _lacking(copied, rates=rates, first=first)
    if lacking or rates.bytes is None or first.seconds is None:
        return Rounds(count=None, last=DurationEstimate.unknown(lacking), words=f"undetermined: {lacking}")
    changed = sum((volume.change_bytes_per_day.max for volume in copied if volume.change_bytes_per_day), ZERO) / DAY
    share = changed / rates.bytes.per_second
    listing = _listing(copied, rates)
    if share >= 1:
        return _never(f"never: the source is written faster than it is copied ({share:.2f} of the bandwidth)")
    if listing / (1 - share) > window_seconds:
        return _never("never: listing alone takes longer than the window")
    return _rounds(first.seconds.max, share=share, listing=listing, window=Decimal(window_seconds))


def _rounds(seconds: Decimal, *, share: Decimal, listing: Decimal, window: Decimal) -> Rounds:
    for count in range(1, MOST_ROUNDS + 1):
        seconds = seconds * share + listing
        if seconds <= window:
            basis = f"what changes during the round before, {share:.4f} of the bandwidth, and the time of listing"
            words = f"round {count} after the first copy fits into the window"
            return Rounds(count=count, last=DurationEstimate(seconds=Range.exactly(seconds), basis=basis), words=words)
    return _never(f"not within {MOST_ROUNDS} rounds")


def _never(words: str) -> Rounds:
    return Rounds(count=None, last=DurationEstimate.unknown(words), words=words)


def _lacking(copied: Sequence[TransferVolume], *, rates: Rates, first: DurationEstimate) -> str:
    """Why rounds cannot be calculated; "" where they can."""
    if rates.bytes is None:
        return "it needs a bandwidth"
    if first.seconds is None or first.at_least:
        return "the time of the first copy is not known"
    if rates.lists is None:
        return "it needs a rate of listing"
    unknown = [volume.name for volume in copied if volume.change_bytes_per_day is None]
    return f"how fast {', '.join(unknown)} changes is not known" if unknown else ""


def _listing(copied: Sequence[TransferVolume], rates: Rates) -> Decimal:
    keys = sum((volume.objects.max for volume in copied if volume.objects), ZERO)
    return keys / rates.lists.per_second if rates.lists else ZERO


def _freeze(
    volumes: Sequence[TransferVolume], *, rates: Rates, asked: FreezeRequest, rounds: Rounds
) -> Iterator[FreezePart]:
    yield FreezePart(step="final_delta", title="last copy", span=rounds.last)
    databases = [volume for volume in volumes if volume.kind == "database"]
    if databases:
        span = one_after_another(estimate_copy_time(volume, rates) for volume in databases)
        yield FreezePart(step="databases", title="databases dumped and restored", span=span)
    yield FreezePart(step="verify", title="manifests of both sides", span=_estimate_verification(volumes, rates))
    yield FreezePart(
        step="rewrite", title="addresses rewritten", span=_build_stated_duration(asked.rewrite_seconds, "dry run")
    )
    yield FreezePart(
        step="smoke", title="smoke", span=_build_stated_duration(asked.smoke_seconds, "run of the smoke job")
    )
    if asked.dns_ttl_seconds:
        span = DurationEstimate(seconds=Range.exactly(asked.dns_ttl_seconds), basis="time to live of the names, given")
        yield FreezePart(step="dns", title="names", span=span)


def _build_stated_duration(seconds: int | None, what: str) -> DurationEstimate:
    if seconds is None:
        return DurationEstimate.unknown(f"needs the time of a {what}")
    return DurationEstimate(seconds=Range.exactly(seconds), basis=f"time of a {what}, given")


def _estimate_verification(volumes: Sequence[TransferVolume], rates: Rates) -> DurationEstimate:
    """Both sides read side by side: the bytes that are verified, at the rate of reading."""
    rate = rates.verify or rates.bytes
    copied = [volume for volume in volumes if volume.kind != "database"]
    if rate is None:
        return DurationEstimate.unknown("needs a rate of reading")
    unknown = any(volume.bytes is None for volume in copied)
    amount = sum(((each.bytes or NOTHING).times(each.verified_share) for each in copied), NOTHING)
    which = "reading" if rates.verify else "the copy, for none of reading was given"
    return DurationEstimate(
        seconds=amount.per(rate.per_second), basis=f"what is verified at the rate of {which}", at_least=unknown
    )
