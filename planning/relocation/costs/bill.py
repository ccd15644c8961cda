"""The bill of a relocation: what it costs once, line by line, at the catalog's prices."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from catalogs.providers import find_traits
from planning.costs.bill import Bill, total
from planning.relocation.costs.parallel_run import commitments, onboarding, overlap, price_retention
from planning.relocation.costs.transfer_charges import calculate_transfer, list_transfer_charges, through_nat
from planning.values.money import ZERO, to_cents

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from catalogs.catalog import Catalog
    from catalogs.model import Region
    from planning.costs.bill import LineItem
    from planning.relocation.costs.route import Route
    from planning.relocation.costs.transfer_charges import VolumeTransfer
    from planning.relocation.inventory.volume import Side, TransferVolume
    from planning.spec.lock import Lock
    from planning.values.money import Range


DATA_ACT: Final = "Regulation (EU) 2023/2854, Articles 29 and 34: eur-lex.europa.eu/eli/reg/2023/2854/oj"
WAIVERS: Final = "theregister.com/2025/09/10/big_clouds_scramble_over_eu"
ESSENTIALS: Final = "docs.cloud.google.com/data-transfer-essentials/docs/services"
# "VPC endpoints don't support cross-Region requests (including copies)" (read 2026-11-22).
ENDPOINTS: Final = "docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html"
# "A gateway endpoint is available only in the Region where you created it" (read 2026-11-22).
REGIONAL: Final = "docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-s3.html"
# Where the Data Act may hold: the Union and the rest of the European Economic Area.
UNION: Final = frozenset({"EU", "EEA"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RelocationNote:
    """One sentence or two, and where they come from."""

    text: str
    source: str = ""


def notes(
    every: Sequence[VolumeTransfer], *, source: Lock, route: Route, region: Region | None, nat: Sequence[LineItem]
) -> Iterator[RelocationNote]:
    """Every note of a move.

    Args:
        region: where the source lies, as the catalog says it; None where it does not.
        nat: what the source's NAT gateway asks, or would ask where nothing goes through it.
    """
    if route.leaves_by == "gateway_endpoint" and not route.stays and nat:
        yield _endpoint(nat)
    if route.leaves_by == "nat" and not route.stays and nat:
        yield _through_nat(nat)
    if not route.inside:
        yield from _waivers(route, region)
    usual = source.spec.network.egress_gb.expected
    if not route.inside and usual > ZERO:
        yield RelocationNote(
            text=f"the tiers are those of one month without other data; the {usual:,.0f} GB that leave in a usual "
            "month fill the first tiers too, and a move that lasts into a second month begins its tiers anew",
            source=find_traits(route.provider).egress_tiers,
        )
    if route.inside and not route.stays:
        yield RelocationNote(
            text="the price list has one price for data out of a region to any other; near regions may cost less",
            source=find_traits(route.provider).egress_tiers,
        )
    yield from _gaps(every)
    yield RelocationNote(
        text="double running counts the target's whole bill by the day; GPU pools that stay at zero nodes until the "
        "cutover cost the minimum",
    )
    if source.contract_months:
        yield RelocationNote(
            text=f"the source's contract runs for {source.contract_months} months: ask which support and services "
            "are due until its end; this bill does not include them",
            source=f"lock of {source.stack}",
        )


def _endpoint(nat: Sequence[LineItem]) -> RelocationNote:
    """Assumption behind a gateway endpoint."""
    usd = total(nat)
    more = "at a price that no row has" if Bill(tuple(nat)).unpriced else f"{to_cents(usd.expected):,} USD more"
    return RelocationNote(
        text="a gateway endpoint reaches buckets of its own region only: this bill assumes that the copy worker has a "
        f"public address; data that pods in private subnets write to other regions passes NAT, {more}",
        source=ENDPOINTS,
    )


def _through_nat(nat: Sequence[LineItem]) -> RelocationNote:
    """What the dear way costs, and who need not take it."""
    usd = total(nat)
    unknown = Bill(tuple(nat)).unpriced
    amount = "at a price that no row has" if unknown else f"{to_cents(usd.expected):,} USD of this bill"
    return RelocationNote(
        text=f"bytes leave through the NAT gateway, {amount}: a gateway endpoint reaches buckets of its own region "
        "only; where movers have public addresses of their own, plan with --through direct",
        source=REGIONAL,
    )


def _waivers(route: Route, region: Region | None) -> Iterator[RelocationNote]:
    provider = find_traits(route.provider).egress_waiver
    if provider:
        yield RelocationNote(
            text=f"may be waived, ask before: {provider} waives the cost of data out for customers who leave it for "
            "good",
            source=WAIVERS,
        )
    if region is None or region.residency in UNION:
        where = "" if region else ", if it is there"
        yield RelocationNote(
            text=f"may be waived, ask before: in the European Union{where} a switch of provider may cost no more than "
            "it costs the provider until 12 January 2027, and nothing from then on; use of both side by side may "
            "still be charged at cost",
            source=DATA_ACT,
        )
        if find_traits(route.provider).eu_transfer:
            yield RelocationNote(
                text="may be waived, ask before: Google's Data Transfer Essentials carries data to the same customer's "
                "other clouds from regions in the Union and the United Kingdom",
                source=ESSENTIALS,
            )


def _gaps(every: Sequence[VolumeTransfer]) -> Iterator[RelocationNote]:
    still = [each.volume.name for each in every if each.volume.change_bytes_per_day is None and each.bytes is not None]
    if still:
        yield RelocationNote(
            text=f"not counted, because its rate is unknown: data written during the move to {', '.join(still)}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RelocationTerms:
    """What the person who plans has decided or knows.

    Args:
        commit_on: day on which the target takes over.
        overlap_days: how long the target stands beside the source before that.
        retain_days: how long the source's data is kept after.
        rounds: copies after the first; each lists every key on both sides.
        commitments: pool of the source to the day on which its term began.
    """

    commit_on: date
    overlap_days: Range
    retain_days: int = 30
    rounds: int = 3
    commitments: Mapping[str, date] = field(default_factory=dict[str, "date"])


@dataclass(frozen=True, slots=True, kw_only=True)
class MovingBill:
    """What a relocation costs once; `usd_per_month` of its lines is USD once, not a month."""

    bill: Bill
    notes: tuple[RelocationNote, ...]


def moving_bill(
    volumes: Sequence[TransferVolume],
    *,
    source: Lock,
    target: Lock,
    route: Route,
    terms: RelocationTerms,
    catalog: Catalog,
) -> MovingBill:
    """Every line of the move: the way, two stacks at once, what is kept, what is lost, people."""
    every = [calculate_transfer(each, overlap_days=terms.overlap_days, rounds=terms.rounds) for each in volumes]
    built: dict[Side, str] = {"source": source.spec.placement.target, "target": target.spec.placement.target}
    known = catalog.terms
    lines = (
        *list_transfer_charges(every, route=route, prices=catalog.prices, built=built),
        *overlap(target, days=terms.overlap_days),
        *price_retention(source, days=terms.retain_days),
        *commitments(
            source,
            from_day=terms.commit_on,
            starts=terms.commitments,
            term_of=lambda purchase, provider: known.get((purchase, provider)) or known.get((purchase, "*")),
        ),
        *onboarding(target),
    )
    region = catalog.regions.get((route.provider, route.region))
    nat = through_nat(every, route=route, prices=catalog.prices)
    said = notes(every, source=source, route=route, region=region, nat=nat)
    return MovingBill(bill=Bill(lines), notes=tuple(said))
