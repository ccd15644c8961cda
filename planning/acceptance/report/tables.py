"""Tables and pictures of nodes and of the fabric."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.acceptance.limits import plain
from planning.acceptance.report.formatting import FAILED, ORDER, Speaker, format_bytes, from_report
from planning.documents.blocks import Heading, Paragraph, Picture, Table
from planning.documents.figures import Figure, Sentence, format_value, join_sentences, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planning.acceptance.report.form import AcceptanceForm, AcceptanceNodeForm, CurveForm, PointForm, VerdictForm
    from planning.documents.blocks import Block


CHECKS: Final[Mapping[str, str]] = {
    "inventory": "accelerators",
    "usable_memory": "usable memory",
    "matmul": "arithmetic",
    "nvlink": "inside the node",
    "dcgm": "diagnostics",
    "burn_in": "burn-in",
}
DRAWN: Final = "matmul"
HELD: Final = ("usable_memory", "matmul", "nvlink", "burn_in")


def node_chart_name(pool: str) -> str:
    return f"nodes {pool}"


def node_blocks(form: AcceptanceForm, speaker: Speaker) -> Iterator[Block]:
    """A table and a picture for each pool with results of nodes."""
    by_pool: dict[str, list[AcceptanceNodeForm]] = {}
    for each in form["nodes"]:
        by_pool.setdefault(_pool_of(each, form), []).append(each)
    if by_pool:
        yield Heading(2, say("Nodes"))
    for pool, nodes in by_pool.items():
        yield from _pool(form, speaker, pool, nodes)


def _pool_of(node: AcceptanceNodeForm, form: AcceptanceForm) -> str:
    return next(
        (
            each["subject"]
            for each in form["pools"]
            if (each["placement"], each["name"]) == (node["placement"], node["pool"])
        ),
        node["pool"],
    )


def _pool(form: AcceptanceForm, speaker: Speaker, pool: str, nodes: Sequence[AcceptanceNodeForm]) -> Iterator[Block]:
    found = worst_of(form)
    names = [f"node/{each['name']}" for each in nodes]
    kept = [check for check in CHECKS if any((check, name) in found for name in names)]
    yield Heading(3, say("Pool ", speaker.name(pool)))
    bounds = [sentence for check in kept if check in HELD for sentence in _render_bounds(check, names, found, speaker)]
    if bounds:
        yield Paragraph(say("Promised of each: ", join_sentences(bounds), "."))
    drawn = [found[DRAWN, name] for name in names if (DRAWN, name) in found]
    figures = tuple(speaker.build_figure(each) for each in drawn if each["measured"] is not None)
    if figures:
        yield Picture(
            name=node_chart_name(pool),
            alt=say("The slowest accelerator of each node, against the minimum."),
            figures=figures,
        )
    yield Table(
        head=(say("node"), say("verdict"), *(say(CHECKS[check]) for check in kept)),
        rows=tuple(
            (
                speaker.name(name),
                say(node["outcome"]),
                *(_cell(found.get((check, name)), speaker) for check in kept),
            )
            for node, name in zip(nodes, names, strict=True)
        ),
    )


def worst_of(form: AcceptanceForm) -> dict[tuple[str, str], VerdictForm]:
    """The worst verdict by check and subject; one with a figure is preferred."""
    found: dict[tuple[str, str], VerdictForm] = {}
    failed = {(each["check"], each["subject"]) for each in form["verdicts"] if each["outcome"] == FAILED}
    for each in sorted(form["verdicts"], key=lambda each: (each["measured"] is None, ORDER.index(each["outcome"]))):
        key = each["check"], each["subject"]
        found.setdefault(key, each)
        if each["outcome"] == FAILED and found[key]["measured"] is None:
            found[key] = each
    return {key: {**each, "outcome": FAILED} if key in failed else each for key, each in found.items()}


def _render_bounds(
    check: str, names: Sequence[str], found: Mapping[tuple[str, str], VerdictForm], speaker: Speaker
) -> Iterator[Sentence]:
    for name in names:
        verdict = found.get((check, name))
        if verdict is not None and verdict["least"] is not None:
            yield say(CHECKS[check], " ", speaker.describe_bound(verdict))
            return


def _cell(verdict: VerdictForm | None, speaker: Speaker) -> Sentence:
    if verdict is None:
        return say("")
    if verdict["measured"] is None:
        return say(verdict["outcome"])
    return speaker.format_measurement(verdict)


def fabric_chart_name(pool: str) -> str:
    return f"fabric {pool}"


def fabric_blocks(form: AcceptanceForm, speaker: Speaker) -> Iterator[Block]:
    """A plot and a table for each pool with a measured all-reduce."""
    if form["curves"]:
        yield Heading(2, say("Fabric"))
    for at, curve in enumerate(form["curves"]):
        yield Heading(3, say("All-reduce in pool ", speaker.name(curve["pool"])))
        yield Paragraph(_render_promise(curve, speaker))
        yield Picture(
            name=fabric_chart_name(curve["pool"]),
            alt=say("Bus bandwidth over growing node counts, against the theory and the minimum."),
            figures=tuple(_figure(each) for each in curve["points"]),
        )
        yield _table(curve, at)


def _render_promise(curve: CurveForm, speaker: Speaker) -> Sentence:
    if curve["least"] is None or curve["theory"] is None:
        return say("Bus bandwidth; its limit is unknown.")
    least, theory = (
        speaker.build_limit(plain(Decimal(value)), why=curve["why"], source=curve["source"])
        for value in (curve["least"], curve["theory"])
    )
    return say("Bus bandwidth: at least ", least, " of the theoretical ", theory, " GB/s is promised.")


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
        head=(say("nodes"), *(say(format_bytes(each, f"{first(octets=each)}.payload_bytes")) for each in payloads)),
        rows=tuple(
            (say(from_report(str(nodes), f"{first(nodes=nodes)}.nodes")), *(cell(nodes, each) for each in payloads))
            for nodes in counts
        ),
        numbers_from=1,
    )


def _figure(point: PointForm) -> Figure:
    return from_report(format_value(Decimal(point["bus_gb_per_s"])), point["at"])
