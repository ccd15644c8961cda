"""The ticket for a provider: everything its support asks for first, and nothing that is secret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planning.incidents import node_labels
from planning.incidents.findings import gpus_in
from planning.incidents.remedies import RESERVED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from decimal import Decimal

    from planning.incidents.findings import Verdict
    from planning.incidents.incident import Incident
    from planning.incidents.node import Node
    from planning.spec.cluster import ClusterSpec, Pool

UNKNOWN = "not known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a ticket is about.

    Args:
        replace_within_hours: of the checklist's agreement; None where none was agreed.
    """

    stack: str
    spec: ClusterSpec
    pool: Pool
    node: Node
    verdict: Verdict
    incident: Incident
    replace_within_hours: Decimal | None


def ticket(subject: Subject) -> str:
    """The text, in Markdown; the same for the same facts."""
    node, pool, place = subject.node, subject.pool, subject.spec.placement
    lines = [
        f"# Please replace node {node.name}",
        "",
        f"One machine of cluster {subject.stack} at {place.provider} ({place.region}) has failed. Please replace it.",
        "",
        "| what | value |",
        "| --- | --- |",
        *(f"| {what} | {_cell(value)} |" for what, value in _facts(subject)),
        "",
        "## What is wrong",
        "",
        *(_findings(subject) or [f"- {subject.incident.cause}"]),
        "",
        "## What was done",
        "",
        *_done(subject.incident),
        "",
        "## What was agreed",
        "",
        _term(subject),
        f"The machine was bought as {pool.purchase}."
        + (" It is paid for while it is away." if pool.kind in RESERVED else ""),
        "",
        "## Before you send it",
        "",
        "Add the output of `nvidia-bug-report.sh` and the lines of `dmesg` about the Xids, if the machine can still be",
        "reached. Read both first: they may hold names of programs and people.",
        "",
    ]
    return "\n".join(lines)


def _facts(subject: Subject) -> Iterator[tuple[str, str]]:
    node, incident = subject.node, subject.incident
    yield "our incident", incident.id
    yield "node", node.name
    yield "machine", node.machine_id or incident.machine_id or UNKNOWN
    yield "id at the provider", node.provider_id or UNKNOWN
    yield "UUID of the machine's firmware", node.system_uuid or UNKNOWN
    yield "UUIDs of failed GPUs", ", ".join(gpus_in(node)) or UNKNOWN
    yield "machine type", node.labels.get(node_labels.MACHINE, subject.pool.machine)
    yield "zone", node.labels.get(node_labels.ZONE, UNKNOWN)
    yield "node pool", subject.pool.name
    since = [each.since for each in subject.verdict.findings if each.certain and each.since is not None]
    yield "failing since (UTC)", _utc(min(since)) if since else UNKNOWN
    yield "found (UTC)", _utc(incident.opened)
    yield "Xids", ", ".join(str(each) for each in incident.xids) or "none seen"


def _findings(subject: Subject) -> list[str]:
    return [
        f"- {each.name}: {each.meaning}" + (f" ({_cell(each.detail)})" if each.detail else "")
        for each in subject.verdict.findings
    ]


def _done(incident: Incident) -> list[str]:
    steps = (
        ("given no more work", incident.cordoned),
        (f"spare {incident.spare} took over" if incident.spare else "no spare took over", incident.spared),
        ("its pods were moved away", incident.drained),
    )
    return [f"- {_utc(at)}: {what}" for what, at in steps if at is not None] or ["- nothing yet"]


def _term(subject: Subject) -> str:
    hours = subject.replace_within_hours
    if hours is None:
        return "Time to replace a node: not agreed."
    return f"Time to replace a node: {hours.normalize():f} hours from this report."


def _utc(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S}"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "/").split())[:400]
