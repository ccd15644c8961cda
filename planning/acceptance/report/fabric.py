"""The fabric of each pool: node counts down, payloads across."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from planning.acceptance.limits import plain
from planning.acceptance.report.formatting import FAILED, Speaker, from_report, sized
from planning.documents.blocks import Heading, Paragraph, Picture, Table
from planning.documents.figures import Figure, Sentence, say
from planning.documents.sources import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.acceptance.report.form import AcceptanceForm, CurveForm, PointForm
    from planning.documents.blocks import Block


def fabric_chart_name(pool: str) -> str:
    """Name of the picture of a pool's fabric."""
    return f"fabric {pool}"


def fabric_blocks(form: AcceptanceForm, speaker: Speaker) -> Iterator[Block]:
    """A plot and a table for each pool that has told."""
    if form["curves"]:
        yield Heading(2, say("Fabric"))
    for at, curve in enumerate(form["curves"]):
        yield Heading(3, say("All-reduce in pool ", speaker.name(curve["pool"])))
        yield Paragraph(_promised(curve, speaker))
        yield Picture(
            name=fabric_chart_name(curve["pool"]),
            alt=say("Bus bandwidth over growing node counts, against the theory and the least."),
            figures=tuple(_figure(each) for each in curve["points"]),
        )
        yield _table(curve, at)


def _promised(curve: CurveForm, speaker: Speaker) -> Sentence:
    if curve["least"] is None or curve["theory"] is None:
        return say("Bus bandwidth; what it has to be is not known.")
    least, theory = (
        speaker.held(plain(Decimal(value)), why=curve["why"], source=curve["source"])
        for value in (curve["least"], curve["theory"])
    )
    return say("Bus bandwidth: promised are at least ", least, " GB/s of the ", theory, " GB/s in theory.")


def _table(curve: CurveForm, at: int) -> Table:
    places = {(each["nodes"], each["payload_bytes"]): place for place, each in enumerate(curve["points"])}
    counts, payloads = sorted({nodes for nodes, _ in places}), sorted({octets for _, octets in places})

    def first(nodes: int | None = None, octets: int | None = None) -> str:
        found = (place for key, place in places.items() if nodes in (None, key[0]) and octets in (None, key[1]))
        return f"curves.{at}.points.{next(found)}"

    def cell(nodes: int, octets: int) -> Sentence:
        place = places.get((nodes, octets))
        if place is None:
            return say("not measured")
        point = curve["points"][place]
        return say(_figure(point), " GB/s", " failed" if point["outcome"] == FAILED else "")

    return Table(
        head=(say("nodes"), *(say(sized(each, f"{first(octets=each)}.payload_bytes")) for each in payloads)),
        rows=tuple(
            (say(from_report(str(nodes), f"{first(nodes=nodes)}.nodes")), *(cell(nodes, each) for each in payloads))
            for nodes in counts
        ),
        numbers_from=1,
    )


def _figure(point: PointForm) -> Figure:
    return from_report(shown(Decimal(point["bus_gb_per_s"])), point["at"])
