"""The spend guard: reads nodes, keeps the ledger, stops queues.

It runs in a pod of the cluster: standard library of Python 3.12 only, beside its decisions of `planning.agents`.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Final

from components.agents.cluster_api import LedgerCluster, to_mapping
from planning.agents.spend_guard import BLIND, MeteredNode, SpendGuardDecision, Stop, decide_stop
from planning.agents.spend_ledger import ledger_of_text, ledger_to_text, plan_of_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.agents.spend_guard import SpendGuardPlan

QUEUES: Final = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues"
CAPACITY: Final = "karpenter.sh/capacity-type"  # label of Karpenter's nodes
SPOT: Final = "spot"
PORT: Final = 8080
LEVELS: Final[Mapping[Stop, int]] = {Stop.NONE: 0, Stop.HOLD: 1, Stop.DRAIN: 2}


class SpendGuardClusterClient(LedgerCluster):
    """The cluster that the pod runs in, with its cluster queues."""

    def read_stop_policy(self, queue: str) -> str:
        """`spec.stopPolicy` of a cluster queue."""
        spec = to_mapping(self.read(f"{QUEUES}/{queue}").get("spec"))
        return str(spec.get("stopPolicy") or Stop.NONE.value)

    def set_stop_policy(self, queue: str, how: str) -> None:
        self.merge(f"{QUEUES}/{queue}", {"spec": {"stopPolicy": how}})


def round_of(
    cluster: SpendGuardClusterClient, plan: SpendGuardPlan, *, now: datetime
) -> tuple[SpendGuardDecision, list[str]]:
    """One round: read the nodes, decide, keep the ledger, set the queues; the decision and log lines.

    Raises:
        OSError: the ledger cannot be read or written.
    """
    said: list[str] = []
    try:
        nodes = [node_of(each, plan.label) for each in cluster.list_nodes()]
    except (OSError, ValueError) as error:
        nodes = None
        # Blind, it must not spend less than it may: the ceiling is promised.
        said.append(f"nodes cannot be read, so every pool counts at its full size: {error}")
    sight = decide_stop(plan, ledger_of_text(cluster.read_ledger(), plan, now=now), nodes, now=now)
    if sight.ledger is not None:
        cluster.write_ledger(ledger_to_text(sight.ledger))
    for queue in plan.queues:
        said += _set(cluster, queue, sight)
    return sight, said


def hold(cluster: SpendGuardClusterClient, plan: SpendGuardPlan) -> list[str]:
    """Hold every running queue, where the remaining budget is undetermined; log lines."""
    feared = SpendGuardDecision(ledger=None, headroom_usd=Decimal(0), stop=Stop.HOLD)
    return [line for queue in plan.queues for line in _set(cluster, queue, feared, only_from=Stop.NONE)]


def _set(
    cluster: SpendGuardClusterClient, queue: str, sight: SpendGuardDecision, *, only_from: Stop | None = None
) -> Iterator[str]:
    """Set one queue; an error is a log line."""
    try:
        there = cluster.read_stop_policy(queue)
        if there != sight.stop.value and (only_from is None or there == only_from.value):
            cluster.set_stop_policy(queue, sight.stop.value)
            yield f"queue {queue}: {sight.stop.value}, {sight.headroom_usd:.2f} USD are left below the ceiling"
    # A queue that does not answer keeps no other from being set.
    except (OSError, ValueError) as error:
        yield f"queue {queue} cannot be stopped or started: {error}"


def node_of(document: Mapping[str, object], label: str) -> MeteredNode:
    """A node, as it is priced.

    Raises:
        ValueError: it has no time of creation.
    """
    metadata = to_mapping(document.get("metadata"))
    labels = to_mapping(metadata.get("labels"))
    return MeteredNode(
        key=str(labels.get(label, "")),
        spot=labels.get(CAPACITY) == SPOT,
        since=datetime.fromisoformat(str(metadata.get("creationTimestamp"))),
    )


def metrics(sight: SpendGuardDecision | None, *, at: datetime) -> str:
    """Metrics in the text format of Prometheus."""
    if sight is None:
        return ""
    left = f"atoll_spend_headroom_usd {sight.headroom_usd:.2f}\natoll_spend_stop {LEVELS[sight.stop]}\n"
    if sight.ledger is None:
        return left
    seen = f"atoll_spend_seen_seconds {at.timestamp():.0f}\n"
    return f"atoll_spend_machines_month_to_date_usd {sight.ledger.usd:.2f}\n{seen}{left}"


class SpendMetricsPage:
    """Page of the last decision, for Prometheus; the liveness probe restarts the pod once it is too old."""

    sight: SpendGuardDecision | None = None
    at: datetime = datetime.now(UTC)

    def serve(self) -> None:
        """Serve the page in a thread, for ever."""
        page = self

        class MetricsHandler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                """The metrics; 503 where the last round is too old."""
                old = datetime.now(UTC) - page.at > BLIND
                self.send_response(503 if old else 200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.end_headers()
                self.wfile.write(metrics(page.sight, at=page.at).encode())

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
                """Nothing: Prometheus asks every half minute."""

        server = HTTPServer(("", PORT), MetricsHandler)
        threading.Thread(target=server.serve_forever, daemon=True).start()


def main() -> None:
    """Run a round, pause, and repeat for ever."""
    plan = plan_of_text(Path(os.environ["PLAN"]).read_text(encoding="utf-8"))
    pause = timedelta(seconds=int(os.environ["SECONDS_BETWEEN"]))
    cluster, page = SpendGuardClusterClient(os.environ["LEDGER"]), SpendMetricsPage()
    page.serve()
    while True:
        now = datetime.now(UTC)
        try:
            page.sight, said = round_of(cluster, plan, now=now)
            page.at = now
        except (OSError, ValueError) as error:
            said = [f"the cluster does not answer: {error}"]
            if now - page.at > BLIND:
                said += hold(cluster, plan)
        sys.stdout.writelines(f"{line}\n" for line in said)
        sys.stdout.flush()
        time.sleep(pause.total_seconds())


if __name__ == "__main__":
    main()
