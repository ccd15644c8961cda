"""Replacement of machines: by an API where there is one, else by a ticket to the provider."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from catalogs.providers import find_traits
from planning.incidents import node as node_labels
from planning.incidents.findings import gpus_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime
    from decimal import Decimal

    from planning.incidents.findings import NodeDiagnosis
    from planning.incidents.incident import Incident
    from planning.incidents.node import Node
    from planning.spec.cluster import ClusterSpec, Pool


NODE_GROUP: Final = "eks.amazonaws.com/nodegroup"
KARPENTER: Final = "karpenter.sh/nodepool"
FAULT: Final = "cloud.google.com/fault-behavior"
# Machines on reservations for which GKE accepts reports of faulty hosts (catalogs/sources.csv, gke-faulty-host).
REPORTABLE: Final = ("a4x-", "a4-", "a3-ultragpu-", "a3-megagpu-", "a3-highgpu-8g")
RESERVED: Final = frozenset({"reserved", "capacity_block"})


class ReplacementMethod(StrEnum):
    AWS_GROUP = "aws_group"  # the instance is terminated, and its node group starts another one
    NODE = "node"  # the node object is deleted; Karpenter terminates the instance and starts another when pods wait
    GKE_REPORT = "gke_report"  # a label reports the host as faulty, and GKE moves the node to another one
    TICKET = "ticket"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    way: ReplacementMethod
    words: str


def remedy(spec: ClusterSpec, node: Node, pool: Pool) -> Remedy:
    return _REPLACEMENTS.get(find_traits(spec.placement.target).node_replacement, _ticket)(spec, node, pool)


def _aws(_spec: ClusterSpec, node: Node, _pool: Pool) -> Remedy:
    if node.labels.get(NODE_GROUP) and node.machine_id.startswith("i-"):
        group = node.labels[NODE_GROUP]
        return Remedy(
            way=ReplacementMethod.AWS_GROUP,
            words=f"instance {node.machine_id} is terminated, node group {group} starts another",
        )
    if node.labels.get(KARPENTER):
        return Remedy(
            way=ReplacementMethod.NODE,
            words="the node is deleted, Karpenter terminates its instance and starts another on demand",
        )
    return Remedy(
        way=ReplacementMethod.TICKET, words="neither a node group nor Karpenter manages it: a ticket is written"
    )


def _gcp(spec: ClusterSpec, node: Node, pool: Pool) -> Remedy:
    machine = node.labels.get(node_labels.MACHINE, pool.machine)
    if machine.startswith(REPORTABLE) and pool.kind in RESERVED:
        return Remedy(
            way=ReplacementMethod.GKE_REPORT, words=f"its host is reported to Google as faulty, by the label {FAULT}"
        )
    return _ticket(spec, node, pool)


def _ticket(spec: ClusterSpec, _node: Node, pool: Pool) -> Remedy:
    if spec.profile.node_repair == "provider":
        return Remedy(
            way=ReplacementMethod.TICKET,
            words=f"{spec.placement.provider} repairs nodes itself; a ticket is written, in case it does not",
        )
    if pool.min_nodes < pool.max_nodes and spec.profile.autoscaler != "none":
        scaled = "the autoscaler removes the empty node and starts another when pods wait"
        return Remedy(
            way=ReplacementMethod.TICKET, words=f"{scaled}; a ticket is written, in case the machine comes back"
        )
    return Remedy(
        way=ReplacementMethod.TICKET, words=f"no API of {spec.placement.provider} is used: a ticket is written"
    )


_REPLACEMENTS: Final[Mapping[str, Callable[[ClusterSpec, Node, Pool], Remedy]]] = {
    "instance": _aws,
    "host_report": _gcp,
}


UNKNOWN = "not known"


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketSubject:
    """Facts of a ticket.

    Args:
        replace_within_hours: of the checklist's agreement; None where it has none.
    """

    stack: str
    spec: ClusterSpec
    pool: Pool
    node: Node
    verdict: NodeDiagnosis
    incident: Incident
    replace_within_hours: Decimal | None


def ticket(subject: TicketSubject) -> str:
    """Write a ticket in Markdown; deterministic."""
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
        "## Faults",
        "",
        *(_findings(subject) or [f"- {subject.incident.cause}"]),
        "",
        "## Steps taken",
        "",
        *_list_completed_steps(subject.incident),
        "",
        "## Agreement",
        "",
        _term(subject),
        f"The machine was bought as {pool.purchase}."
        + (" It is charged while it is out of service." if pool.kind in RESERVED else ""),
        "",
        "## Before you send it",
        "",
        "Add the output of `nvidia-bug-report.sh` and the lines of `dmesg` about the Xids, if the machine can still be",
        "reached. Read both first: they may hold names of programs and people.",
        "",
    ]
    return "\n".join(lines)


def _facts(subject: TicketSubject) -> Iterator[tuple[str, str]]:
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


def _findings(subject: TicketSubject) -> list[str]:
    return [
        f"- {each.name}: {each.meaning}" + (f" ({_cell(each.detail)})" if each.detail else "")
        for each in subject.verdict.findings
    ]


def _list_completed_steps(incident: Incident) -> list[str]:
    steps = (
        ("cordoned", incident.cordoned),
        (f"spare {incident.spare} took over" if incident.spare else "no spare took over", incident.spared),
        ("drained", incident.drained),
    )
    return [f"- {_utc(at)}: {what}" for what, at in steps if at is not None] or ["- nothing yet"]


def _term(subject: TicketSubject) -> str:
    hours = subject.replace_within_hours
    if hours is None:
        return "Time to replace a node: not agreed."
    return f"Time to replace a node: {hours.normalize():f} hours from this report."


def _utc(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S}"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "/").split())[:400]
