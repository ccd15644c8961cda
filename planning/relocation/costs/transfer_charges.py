"""Charges of the transfer: egress, NAT, ingress, requests, key service, snapshots."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from catalogs.providers import find_traits
from planning.costs.bill import BillGroup, Charge, LineItem
from planning.costs.charges import has_customer_key
from planning.costs.pricing import build_unpriced_line, price_all
from planning.relocation.inventory.volume import PART_BYTES, gb_of
from planning.spec.lock_content import State
from planning.values.money import NOTHING, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planning.costs.pricing import PriceList
    from planning.relocation.costs.route import Route
    from planning.relocation.inventory.volume import Side, TransferVolume


# Keys of one listing (docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html, 2026-11-22).
KEYS_PER_LISTING: Final = 1000
# A multipart upload is begun and completed by a request each
# (docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html, 2026-11-22).
AROUND_PARTS: Final = 2
# Beside `rounds`: the first copy, the last one twice (it must find nothing), and the manifest.
LISTINGS_BESIDE_ROUNDS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCounts:
    """Requests of one volume, by kind of charge.

    Args:
        read: at the source: parts of the copy, the manifest, tags.
        listed: on each side.
        written: at the target.
        proved: at the target: parts that are read again, and one look at every other object.
    """

    read: Range
    listed: Range
    written: Range
    proved: Range


def requests(volume: TransferVolume, *, copied: Range, rounds: int) -> RequestCounts | None:
    """Requests of a bucket; None where its number of objects is unknown.

    Args:
        copied: bytes that are transferred, with those that change in the meantime.
        rounds: copies after the first.
    """
    if volume.objects is None or volume.bytes is None:
        return None
    every = volume.objects + (volume.versions or NOTHING)
    again = _again(volume.bytes, copied)
    parts = _parts(every, volume.bytes, around=0)
    proof = parts.times(volume.verified_share) + every.times(1 - volume.verified_share)
    tags = volume.tagged or NOTHING
    return RequestCounts(
        read=parts.by(again) + proof + tags,
        listed=every.times(Decimal(rounds + LISTINGS_BESIDE_ROUNDS) / KEYS_PER_LISTING),
        written=_parts(every, volume.bytes, around=AROUND_PARTS).by(again),
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
    """Requests by which objects of so many bytes together are carried in parts."""
    return Range(
        # How the bytes lie in the objects is not known: at least every object and every part is one request; at most
        # every object has one part that is not full, and the requests around parts; expected are objects of equal size.
        max(objects.min, size.min / PART_BYTES),
        _equal(objects.expected, size.expected, around=around),
        objects.max * (1 + around) + size.max / PART_BYTES,
    )


def _equal(objects: Decimal, size: Decimal, *, around: int) -> Decimal:
    if not objects:
        return Decimal(0)
    parts = max(Decimal(1), (size / objects / PART_BYTES).to_integral_value(ROUND_CEILING))
    return objects * (parts + (around if parts > 1 else 0))


KEY_REQUESTS: Final = "key_requests"  # no row of the price list has it
SNAPSHOTS: Final = "snapshot"
THOUSAND: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeTransfer:
    """The transfer of one volume.

    Args:
        bytes: with changes until the end; None where its size is unknown.
        requests: None where their number is unknown, or the volume is no bucket.
    """

    volume: TransferVolume
    bytes: Range | None
    requests: RequestCounts | None


def calculate_transfer(volume: TransferVolume, *, overlap_days: Range, rounds: int) -> VolumeTransfer:
    """Transfer of a volume: all of it once, and everything written until the end."""
    if volume.bytes is None:
        return VolumeTransfer(volume=volume, bytes=None, requests=None)
    change = volume.change_bytes_per_day or NOTHING
    size = volume.bytes + change.by(overlap_days)
    found = requests(volume, copied=size, rounds=rounds) if volume.kind == "bucket" else None
    return VolumeTransfer(volume=volume, bytes=size, requests=found)


def list_transfer_charges(
    every: Sequence[VolumeTransfer], *, route: Route, prices: PriceList, built: Mapping[Side, str]
) -> tuple[LineItem, ...]:
    """Every line of the way.

    Args:
        built: what builds each side, which decides whether its stores ask a customer's key.
    """
    return (
        *_transfer(every, route=route, prices=prices),
        *_unknown_sizes(every),
        *_requests(every, route=route, prices=prices),
        *_keys(every, built=built),
        *_snapshots(every),
    )


def _transfer(every: Sequence[VolumeTransfer], *, route: Route, prices: PriceList) -> Iterator[LineItem]:
    known = [each for each in every if each.bytes is not None]
    if not known:
        return
    amount = gb_of(_sum([each.bytes for each in known]))
    back = gb_of(_sum([_read_back(each.volume) for each in known])) if route.reads_back else NOTHING
    there, here = f"{route.to_provider}/{route.to_region}", f"{route.provider}/{route.region}"
    if route.stays:
        yield _inside(route, amount)
    else:
        item = Item.INTER_REGION_DATA if route.inside else Item.INTERNET_EGRESS
        way = "to another region" if route.inside else "over the internet"
        names = (
            f"{len(known)} of {len(every)} things that are moved" if len(known) < len(every) else "all that is moved"
        )
        out = _network("transfer", f"data {way}, {here} to {there}", item, amount, at=here, note=names)
        back_out = _network("read_back", f"data read back to be verified, {there} to {here}", item, back, at=there)
        yield from price_all((out, back_out), catalog_prices=prices, provider=route.provider, region=route.region)
        yield _way_in(route, amount)
    if route.leaves_by == "nat":
        yield from through_nat(every, route=route, prices=prices)


def through_nat(every: Sequence[VolumeTransfer], *, route: Route, prices: PriceList) -> tuple[LineItem, ...]:
    """What the NAT gateway of the source asks for all of it, there and back."""
    known = [each for each in every if each.bytes is not None]
    back = _sum([_read_back(each.volume) for each in known]) if route.reads_back else NOTHING
    amount = gb_of(_sum([each.bytes for each in known]) + back)
    at = f"{route.provider}/{route.region}"
    charge = _network("nat", "data through the NAT gateway", Item.NAT_DATA, amount, at=at)
    return price_all((charge,), catalog_prices=prices, provider=route.provider, region=route.region)


def _read_back(volume: TransferVolume) -> Range:
    return (volume.bytes or NOTHING).times(volume.verified_share)


def _sum(amounts: Sequence[Range | None]) -> Range:
    return sum((each or NOTHING for each in amounts), NOTHING)


def _network(name: str, label: str, item: str, quantity: Range, *, at: str, note: str = "") -> Charge:
    return Charge(
        key=f"move/{name}", label=label, group=BillGroup.NETWORK, item=item, quantity=quantity, at=at, note=note
    )


def _inside(route: Route, amount: Range) -> LineItem:
    """Bytes that never leave their region."""
    where = f"{route.provider}/{route.region}"
    charge = _network("transfer", f"data inside {where}", Item.CROSS_ZONE_DATA, amount, at=where)
    source = find_traits(route.provider).free_in_region
    if not source:
        return build_unpriced_line(charge, "no row of the price list says what data inside a region costs there")
    return _free(charge, source, "between a bucket and machines of its region")


def _way_in(route: Route, amount: Range) -> LineItem:
    where = f"{route.to_provider}/{route.to_region}"
    charge = _network("ingress", f"data into {where}", "ingress", amount, at=where)
    source = find_traits(route.to_provider).free_ingress
    if not source:
        return replace(build_unpriced_line(charge, "no source read says what data coming in costs there"), unit="GB")
    return _free(charge, source, "data coming in")


def _free(charge: Charge, source: str, note: str) -> LineItem:
    return LineItem(
        key=charge.key,
        label=charge.label,
        group=charge.group,
        item=charge.item,
        state=State.FREE,
        quantity=charge.quantity,
        unit="GB",
        usd_per_unit=None,
        usd_per_month=NOTHING,
        source=source,
        as_of=None,
        note=note,
    )


def _unknown_sizes(every: Sequence[VolumeTransfer]) -> Iterator[LineItem]:
    for each in every:
        if each.bytes is None:
            charge = _network(f"size/{each.volume.name}", f"{each.volume.name}: data", "data", NOTHING, at="")
            yield replace(build_unpriced_line(charge, "its size is not known: measure it first"), unit="GB")


def _requests(every: Sequence[VolumeTransfer], *, route: Route, prices: PriceList) -> Iterator[LineItem]:
    """Requests of all buckets together; without a price where a number of objects is unknown."""
    here, there = f"{route.provider}/{route.region}", f"{route.to_provider}/{route.to_region}"
    at_source, at_target = _list_billed_requests(every, "source"), _list_billed_requests(every, "target")
    rows = (
        ("read", "requests that read at the source", Item.OBJECT_GET, [each.read for each in at_source], here),
        ("list", "requests that list at the source", Item.OBJECT_PUT, [each.listed for each in at_source], here),
        ("write", "requests that write at the target", Item.OBJECT_PUT, [each.written for each in at_target], there),
        (
            "list_target",
            "requests that list at the target",
            Item.OBJECT_PUT,
            [each.listed for each in at_target],
            there,
        ),
        ("prove", "requests that read back at the target", Item.OBJECT_GET, [each.proved for each in at_target], there),
    )
    wanted = tuple(_build_request_charge(*row) for row in rows)
    yield from price_all(wanted, catalog_prices=prices, provider=route.provider, region=route.region)
    for each in every:
        if each.volume.kind == "bucket" and each.requests is None and each.volume.billed_requests:
            charge = _build_request_charge(
                f"of/{each.volume.name}", f"{each.volume.name}: requests", Item.OBJECT_GET, [], here
            )
            yield build_unpriced_line(charge, "how many objects it holds is not known: list it first")


def _list_billed_requests(every: Sequence[VolumeTransfer], side: Side) -> list[RequestCounts]:
    return [each.requests for each in every if each.requests and side in each.volume.billed_requests]


def _build_request_charge(name: str, label: str, item: str, counts: Sequence[Range], at: str) -> Charge:
    quantity = sum(counts, NOTHING).per(THOUSAND)
    key = f"move/requests/{name}"
    return Charge(key=key, label=label, group=BillGroup.STORAGE, item=item, quantity=quantity, at=at)


def _keys(every: Sequence[VolumeTransfer], *, built: Mapping[Side, str]) -> Iterator[LineItem]:
    """Requests to the key service, which no row of the price list has."""
    keyed = [each for each in every if each.volume.keyed]
    counts: Mapping[Side, Range] = {
        "source": _sum([each.read for each in _list_billed_requests(keyed, "source")]),
        "target": _sum([each.written + each.proved for each in _list_billed_requests(keyed, "target")]),
    }
    for side, count in counts.items():
        if has_customer_key(built[side]) and count.max > ZERO:
            spared = find_traits(built[side]).requests_per_key_request
            charge = Charge(
                key=f"move/keys/{side}",
                label=f"requests to the key service of the {side}",
                group=BillGroup.SECURITY,
                item=KEY_REQUESTS,
                quantity=Range(count.min / spared, count.expected, count.max),
            )
            reason = "no row of the price list has requests to the key service"
            spares = f"; a bucket key spares up to {spared - 1} of {spared}" if spared > 1 else ""
            yield replace(build_unpriced_line(charge, reason + spares), unit="requests")


def _snapshots(every: Sequence[VolumeTransfer]) -> Iterator[LineItem]:
    copies = [each.bytes for each in every if each.volume.by_snapshot]
    if copies:
        charge = Charge(
            key="move/snapshots",
            label="snapshots of disks, kept on both sides until they are restored",
            group=BillGroup.STORAGE,
            item=SNAPSHOTS,
            quantity=gb_of(_sum(copies)),
        )
        yield replace(build_unpriced_line(charge, "no row of the price list has snapshots"), unit="GB-month")
