from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from accept_scene import START, MindCluster

from components.agents import cluster_api
from operations.acceptance.kubernetes_cluster import NodeSnapshot
from operations.acceptance.records import LEDGER, read_burn_in_records
from planning.agents.burn_in import BurnInEntry, BurnInVerdict
from planning.agents.burn_in_ledger import ledger_to_text

SEEN = [
    NodeSnapshot(
        name=f"gpu-{number}", labels={}, ready=True, cordoned=False, taints=(), accelerators={}, uid=f"uid-{number}"
    )
    for number in range(4)
]


def asked(text: str | None) -> Any:
    cluster = MindCluster()
    if text is not None:
        cluster.there[LEDGER] = {"kind": "ConfigMap", "data": {cluster_api.LEDGER: text}}
    pools = {"gpu": [each.name for each in SEEN]}
    return read_burn_in_records(cluster, seen=SEEN, pools=pools, placement="home", now=START)


def test_what_the_ledger_says_becomes_records_of_the_nodes_that_are_there() -> None:
    def entry(number: int, hours: float, verdict: BurnInVerdict, why: str = "") -> BurnInEntry:
        return BurnInEntry(
            uid=f"uid-{number}", started=START, tested=timedelta(hours=hours), rounds=12, verdict=verdict, why=why
        )

    ledger = {
        "gpu-0": entry(0, 48, BurnInVerdict.PASSED),
        "gpu-1": entry(1, 8.5, BurnInVerdict.FAILED, "dcgm: memory of GPU 3"),
        "gpu-2": entry(2, 12, BurnInVerdict.PENDING),
        "gpu-3": entry(7, 48, BurnInVerdict.PASSED),  # of a node that had that name before
        "gpu-9": entry(9, 48, BurnInVerdict.PASSED),
    }
    records, waiting = asked(ledger_to_text(ledger))
    told = [(each["subject"], each["readings"][0]["value"], each["failed"]) for each in records]
    assert told == [("node/gpu-0", "48.0", []), ("node/gpu-1", "8.5", ["dcgm: memory of GPU 3"])]
    assert waiting == ["node gpu-2: its burn-in goes on, 12.0 h of it are over"]


@pytest.mark.parametrize(("text", "said"), [(None, []), ("", []), ("{", ["burn-in: "])])
def test_a_ledger_that_is_not_there_or_broken_says_nothing_of_any_node(text: str | None, said: list[str]) -> None:
    records, waiting = asked(text)
    assert records == []
    assert [each[:9] for each in waiting] == said
