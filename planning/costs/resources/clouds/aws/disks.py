"""EBS disks: what a gp3 or io2 disk is charged for. Other kinds have no price here, so they are gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from planning.costs.bill import Group
from planning.costs.charge import Charge
from planning.costs.resources.properties import UnreadableError
from planning.values.money import HOURS_PER_MONTH, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from decimal import Decimal

    from planning.costs.resources.context import Case
    from planning.costs.resources.properties import Properties

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
    case: Case, counted: dict[str, Decimal], *, hours: Range, key: Callable[[str], str], note: str = ""
) -> Iterator[Charge]:
    """Charges of disks that exist for `hours` disk-hours; multiplied before it is divided, as a quote reckons."""
    for item, amount in counted.items():
        if amount == ZERO:
            continue
        yield Charge(
            key=key(item),
            label=f"{case.resource.name}: {item.replace('_', ' ')}",
            group=Group.STORAGE,
            item=str(item),
            quantity=Range(*(part * amount / HOURS_PER_MONTH for part in (hours.min, hours.expected, hours.max))),
            note=note,
        )
