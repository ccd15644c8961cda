"""Hours that the start of a node adds to its work, and how often a spot node is taken away."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Final

from catalogs.node_billing import node_fact
from planning.values.money import HOURS_PER_MONTH, ZERO, Range

MINUTES: Final = Decimal(60)
SECONDS: Final = Decimal(3600)
HALF: Final = Decimal("0.5")
GPU: Final = "gpu"
CPU: Final = "cpu"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStart:
    """Hours that one start of one node adds to its work.

    Args:
        boot: until it has joined, with its driver.
        image: until the first container runs.
        idle: from its last pod until the autoscaler removes it.
        rounding: up to the unit of billing, half of one on average.
        total: all of these.
        again: boot and image, which a node that replaces another takes.
    """

    boot: Range
    image: Range
    idle: Range
    rounding: Range
    total: Range
    again: Range


@cache
def node_start(provider: str, about: str) -> NodeStart:
    """The start of a node with accelerators ("gpu") or without ("cpu")."""
    boot = _hours("boot_minutes", provider, about, MINUTES)
    pull, size = read_fact("pull_minutes_per_gb", provider, about), read_fact("image_gb", provider, about)
    image = _divided(Range(pull.min * size.min, pull.expected * size.expected, pull.max * size.max), MINUTES)
    idle = _hours("idle_minutes", provider, about, MINUTES)
    unit = _hours("billing_seconds", provider, about, SECONDS)
    rounding = Range(ZERO, unit.expected * HALF, unit.max)
    again = boot + image
    total = again + idle + rounding
    return NodeStart(boot=boot, image=image, idle=idle, rounding=rounding, total=total, again=again)


@cache
def interruptions(provider: str, family: str) -> Range:
    """How often an hour a spot node is taken away."""
    return _divided(read_fact("spot_per_month", provider, family), HOURS_PER_MONTH)


def read_fact(name: str, provider: str, about: str) -> Range:
    """A row of catalogs/node_billing.csv as a range."""
    found = node_fact(name, provider=provider, about=about)
    return Range(found.low, found.expected, found.high)


def _hours(name: str, provider: str, about: str, per_hour: Decimal) -> Range:
    return _divided(read_fact(name, provider, about), per_hour)


def _divided(found: Range, by: Decimal) -> Range:
    return Range(found.min / by, found.expected / by, found.max / by)
