"""How far the new place is. No measured latencies are among our facts, so none is printed: how to measure is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.spec.cluster import ClusterSpec
    from planning.spec.lock import Lock

# A connection of TCP takes one round trip, so the time to connect is the latency.
MEASURE: Final = "curl -sS -o /dev/null -w '%{time_connect}\\n'"
# The regional endpoint of S3 (docs.aws.amazon.com/general/latest/gr/s3.html, 2026-11-22): an address in every region
# of AWS that answers anybody, whether or not there is a cluster yet.
S3_ENDPOINT: Final = "https://s3.{region}.amazonaws.com"
CLOUDPING: Final = "cloudping.co measures round trips between regions of AWS, for a first idea; measure your own too"


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """What is known of the time between the two places, or why nothing is.

    Args:
        commands: what measures it, and where it is run.
    """

    words: str
    commands: tuple[str, ...]
    notes: tuple[str, ...] = ()


def latency(old: Lock, new: Lock) -> Latency:
    """The note for the way between the two homes."""
    before, after = old.spec, new.spec
    if _place(before) == _place(after):
        return Latency(words=f"both are in {_place(before)}: nothing changes", commands=())
    return Latency(
        words=f"not known from {_place(before)} to {_place(after)}: no latency is among our facts; measure it",
        commands=tuple(_commands(before, after)),
        notes=tuple(_notes(before, after)),
    )


def _place(spec: ClusterSpec) -> str:
    return f"{spec.placement.provider} {spec.placement.region}"


def _commands(old: ClusterSpec, new: ClusterSpec) -> Iterator[str]:
    for here, there, side in ((old, new, "the source"), (new, old, "the clone")):
        if there.placement.provider == "aws":
            endpoint = S3_ENDPOINT.format(region=there.placement.region)
            yield f"in a pod of {side} ({_place(here)}): {MEASURE} {endpoint}"
    if "aws" not in {old.placement.provider, new.placement.provider}:
        address = new.network.domain or "<address of its load balancer: kubectl get services -A>"
        yield f"in a pod of the source ({_place(old)}), once the clone is up: {MEASURE} https://{address}"


def _notes(old: ClusterSpec, new: ClusterSpec) -> Iterator[str]:
    if old.placement.provider == new.placement.provider == "aws":
        yield CLOUDPING
    joint = new.network.peering or new.network.link
    if joint is not None and joint.region != new.placement.region:
        yield f"the main cloud stays in {joint.region}: every call there crosses regions from now on"
    if new.platform is not None and new.platform.forwarding is not None:
        yield f"logs and metrics go to {new.platform.forwarding.region}, wherever the cluster is"
