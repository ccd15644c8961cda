"""Storage and control plane: capacity, throughput, availability, and how each is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.measurements import tier_speeds
from planning.acceptance.limits import plain
from planning.acceptance.storage_limits import calculate_sold_throughput
from planning.agreements.contract.context import (
    OPEN,
    build_agreed_figure,
    describe_measurement,
    provider_title,
    render_limit,
)
from planning.agreements.contract.remedies import slo
from planning.documents.blocks import Blank, Heading, Notice, Paragraph, Table
from planning.documents.figures import derive_figure, join_sentences, of_catalog, of_lock, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.acceptance.limits import AcceptanceLimit
    from planning.acceptance.storage_limits import ExpectedTier
    from planning.agreements.contract.context import AgreementContext, LockPlacement, TierAt
    from planning.documents.blocks import Block
    from planning.documents.figures import Figure, Sentence

VERSION: Final = "kubernetes_version"
UNSOLD: Final = " is not known"  # how the engine of a tier ends in a lock where no source says what it is made of
UNPUBLISHED: Final = "not published"  # how providers.csv begins where a source names no figure


def storage(sides: AgreementContext) -> Iterator[Block]:
    if not sides.tiers:
        return
    yield Heading(3, say("Storage"))
    yield Table.of(
        ("tier", "made of", "for", "usable, GB", "provisioned, GB"),
        [_tier(tier) for tier in sides.tiers],
        numbers_from=3,
    )
    yield Paragraph.of("Usable is what the customer can fill; provisioned is what is paid for.")
    files = [(tier, found) for tier in sides.tiers if (found := _find_expected_tier(tier, sides)) is not None]
    if files:
        yield from _files(files, sides)
    if len(files) < len(sides.tiers):
        yield Paragraph.of(
            "Object storage and archives follow the provider's own terms; the services that use them prove that the"
            " cluster reaches them."
        )


def _files(files: list[tuple[TierAt, ExpectedTier]], sides: AgreementContext) -> Iterator[Block]:
    yield Table.of(
        ("tier", "reads at least", "writes at least", "small files created within", "small files read within"),
        [_throughput(tier, found, sides) for tier, found in files],
        caption=say("Total throughput of all nodes in MB/s, and small-file times."),
        numbers_from=1,
    )
    yield from _describe_agreed_speeds(files, sides)
    yield Paragraph.of(
        "Small files stand for Python environments: an installation creates them, an import reads them. Slower than"
        " these times fails, since engineers have complained at such times; the report has the number and size."
    )
    yield from (
        Blank.of(f"{{}}: {words}, MB/s", tier.name)
        for tier, found in files
        for words, limit in (("reads", found.loader), ("writes", found.checkpoint))
        if not limit.known and not limit.optional
    )
    yield describe_measurement(sides, "loader", "checkpoint", "small_files")


def _tier(tier: TierAt) -> tuple[Sentence, ...]:
    return (
        tier.name,
        say(OPEN) if tier.tier.engine.endswith(UNSOLD) else tier.quote_cell("engine"),
        *map(tier.quote_cell, ("purpose", "asked_gb", "provisioned_gb")),
    )


def _find_expected_tier(tier: TierAt, sides: AgreementContext) -> ExpectedTier | None:
    key = (tier.place.spec.placement.name, tier.tier.tier)
    return next((each for each in sides.expected.tiers if (each.placement, each.tier) == key), None)


def _throughput(tier: TierAt, found: ExpectedTier, sides: AgreementContext) -> tuple[Sentence, ...]:
    return (
        tier.name,
        _least(tier, found.loader, sides),
        _least(tier, found.checkpoint, sides),
        _minutes(found, "create", sides.quote_promise("slow_environment")),
        _minutes(found, "read", sides.quote_promise("slow_import")),
    )


def _least(tier: TierAt, limit: AcceptanceLimit, sides: AgreementContext) -> Sentence:
    settled = build_agreed_figure(limit)
    if settled is not None:
        return say(settled)
    sold = _build_sold_figures(tier, sides)
    return render_limit(limit, *sold, sides.quote_promise("all_reduce_share")) if sold else render_limit(limit)


def _describe_agreed_speeds(files: list[tuple[TierAt, ExpectedTier]], sides: AgreementContext) -> Iterator[Block]:
    """The agreed figures, which hold in full, and which of them exceed what the provider sells."""
    settled = [
        (say(tier.name, " ", word), tier, limit)
        for tier, found in files
        for word, limit in (("reads", found.loader), ("writes", found.checkpoint))
        if limit.agreed_at
    ]
    if settled:
        said = join_sentences(name for name, _, _ in settled)
        yield Paragraph.of("Agreed figures, which apply in full and not as a share of what is sold: {}.", said)
    for name, tier, limit in settled:
        yield from _more_than_sold(name, tier, limit, sides)


def _more_than_sold(name: Sentence, tier: TierAt, limit: AcceptanceLimit, sides: AgreementContext) -> Iterator[Block]:
    figure, sold = (
        build_agreed_figure(limit),
        calculate_sold_throughput(tier.tier, provider=tier.place.spec.placement.provider),
    )
    if figure is None or sold is None or limit.least is None or limit.least <= sold:
        return
    whole = derive_figure(
        sold, "MB/s for each TiB, times the TiB provisioned", *_build_sold_figures(tier, sides), text=plain(sold)
    )
    yield Notice.of("{}: {} MB/s are agreed, but the provider sells a tier of this size with {}.", name, figure, whole)


def _build_sold_figures(tier: TierAt, sides: AgreementContext) -> tuple[Figure, ...]:
    """MB/s that a tier is sold with for each TiB, and its provisioned size; empty where no source has the first."""
    provider = tier.place.spec.placement.provider
    found = tier_speeds().get((provider, tier.tier.tier))
    if found is None:
        return ()
    at = f"tier_speeds.csv {provider},{found.tier} mb_per_s_per_tib"
    each = of_catalog(found.mb_per_s_per_tib, at, source=sides.describe_source(found.source, found.as_of))
    return each, of_lock(tier.tier.provisioned_gb, f"{tier.at}.provisioned_gb")


def _minutes(found: ExpectedTier, reading: str, minutes: Figure) -> Sentence:
    """The promised minutes, where the acceptance test has this limit."""
    limits: dict[str, AcceptanceLimit] = {each.reading: each for each in found.small_files}
    return say(minutes, " minutes") if reading in limits and limits[reading].most is not None else say(OPEN)


def control(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(3, say("Control plane and services"))
    for place in sides.places:
        yield from _api(place, sides)
    _, share = slo(sides)
    asked = share.at.startswith("promises.csv")
    smoke = any(each.check == "smoke" for each in sides.expected.once)
    yield Paragraph.of(
        "The control plane is available {} of each month, which atoll sla {} measures. Where the provider's own"
        " agreement promises more, that applies as well. {}{}",
        share,
        sides.stack,
        "The checklist sets no other value, so this is the default of the catalog. " if asked else "",
        "Before the cluster is accepted, each service passes a smoke test." if smoke else "",
    )
    yield from _software(sides)
    peered = any(each.spec.network.peering or each.spec.network.link for each in sides.places)
    yield describe_measurement(sides, "dns", "egress", *(["peering"] if peered else []), *(["smoke"] if smoke else []))


def _software(sides: AgreementContext) -> Iterator[Block]:
    built = [place for place in sides.places if place.spec.existing is None]
    if len(built) < len(sides.places):
        yield Blank.of("Oldest versions of Kubernetes, driver and operating system that the provider may run")
    if not built:
        return
    versions = join_sentences(
        say(
            of_lock(place.spec.kubernetes_version, f"{place.at}.{VERSION}"),
            *((" at ", place.name) if place.is_named else ()),
        )
        for place in built
    )
    yield Paragraph.of(
        "Kubernetes has version {}, and each platform component has the version in the lock. The provider does not"
        " require older versions of these, the driver or the operating system.",
        versions,
    )


def _api(place: LockPlacement, sides: AgreementContext) -> Iterator[Block]:
    provider = provider_title(place, sides)
    known = sides.catalog.providers.get(place.spec.placement.provider)
    if known is None or not known.sla or known.sla.startswith(UNPUBLISHED):
        yield Blank.of("{}: monthly availability of the Kubernetes API, in %", provider)
        return
    words = of_catalog(known.sla, f"providers.csv {known.name} sla", source=sides.describe_source(known.source, None))
    yield Paragraph.of("The provider's own SLA: {}.", words)
