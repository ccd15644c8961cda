"""Which objects lie below each address, by listings: all are counted, and the first of each are opened."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from operations.relocation.databases.uri_rules import within

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from components.agents.mover.store.model import Listed

STORES: Final = ("s3", "s3a", "gs", "minio")  # schemes of addresses that the mover's store opens
PROXIED: Final = "mlflow-artifacts"
OPENED_EACH: Final = 16  # objects that are opened below one address; all of them are counted
ADDRESS: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://([^/?#]*))?/*([^?#]*)")


class ArtifactAddress(NamedTuple):
    """What an address says: its bucket, or a proxy's host, and the key without slashes at its ends."""

    scheme: str
    bucket: str
    key: str


@dataclass(slots=True)
class Below:
    """What lies below one address: how many objects, and the first of them."""

    count: int = 0
    size: int = 0
    keys: list[str] = field(default_factory=list[str])


def parse_address(address: str) -> ArtifactAddress | None:
    """The parts of an address; None for a word that is none."""
    match = ADDRESS.match(address)
    return ArtifactAddress(match[1].lower(), match[2] or "", match[3].strip("/")) if match else None


def by_bucket(addresses: Iterable[str]) -> dict[str, set[str]]:
    """Keys of the addresses that lie in a store, by bucket."""
    found: dict[str, set[str]] = {}
    for each in addresses:
        at = parse_address(each)
        if at and at.scheme in STORES:
            found.setdefault(at.bucket, set()).add(at.key)
    return found


def roots(keys: Collection[str]) -> list[str]:
    """Those that lie below no other: one listing of each finds everything."""
    return sorted(each for each in keys if not any(above in keys for above in _above(each)))


def scan_below(keys: Collection[str], listing: Callable[[str], Iterable[Listed]]) -> dict[str, Below]:
    """What lies below each of a bucket's keys.

    Args:
        listing: what the bucket has under a prefix, in order.
    """
    found = {each: Below() for each in keys}
    for root in roots(keys):
        for each in listing(f"{root}/" if root else ""):
            _note(found, each)
        if root and not found[root].count:  # an address may be that of one object, which comes before its neighbours
            first = next(iter(listing(root)), None)
            if first is not None and first.key == root:
                _note(found, first)
    return found


def different(source: Mapping[str, Below], target: Mapping[str, Below], moved: Callable[[str], str]) -> Iterator[str]:
    """Addresses below which the two sides do not hold the same, in words; both by whole address."""
    for address, here in source.items():
        there = target.get(moved(address))
        if there is None:
            yield f"{address} became {moved(address)}, which the target's metadata does not have"
        elif (here.count, here.size) != (there.count, there.size):
            yield (
                f"{moved(address)} has {there.count} objects of {there.size} bytes, "
                f"{address} at the source {here.count} of {here.size}"
            )


def _note(found: Mapping[str, Below], listed: Listed) -> None:
    for each in (listed.key, *_above(listed.key)):
        below = found.get(each)
        if below is None:
            continue
        below.count += 1
        below.size += listed.size
        if len(below.keys) < OPENED_EACH:
            below.keys.append(listed.key)


def _above(key: str) -> Iterator[str]:
    """Every folder that a key lies in, the bucket itself last."""
    while key:
        key = key.rpartition("/")[0]
        yield key


def within_any(address: str, prefixes: Iterable[str]) -> bool:
    """Whether an address is one of some prefixes or lies below it."""
    return any(within(address, each) for each in prefixes)
