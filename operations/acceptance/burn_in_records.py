"""What the burn-in in the cluster has written down of its nodes, as records."""

from __future__ import annotations

from datetime import UTC, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final, cast

from components.acceptance.model import Reference
from components.agents import burn_in
from components.context.names import BURN_IN_LEDGER, BURN_IN_NAMESPACE
from planning.agents.burn_in import Verdict
from planning.agents.burn_in_ledger import ledger_of_text
from planning.agents.measurement_records import Per, subject

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from operations.acceptance.ports import Cluster, Seen
    from planning.agents.burn_in import Entry
    from planning.agents.measurement_records import Measured

LEDGER: Final = Reference(api_version="v1", kind="ConfigMap", namespace=BURN_IN_NAMESPACE, name=BURN_IN_LEDGER)
TOOL: Final = "atoll burn-in"
HOUR: Final = timedelta(hours=1)
MOST_WORDS: Final = 500


def burnt(
    cluster: Cluster, *, seen: Sequence[Seen], pools: Mapping[str, Sequence[str]], placement: str, now: datetime
) -> tuple[list[Measured], list[str]]:
    """Records of nodes whose burn-in has ended, and sentences about those where it has not.

    Args:
        pools: names of the nodes of each pool.

    Raises:
        ClusterError: the ledger cannot be read.
    """
    found = cluster.get(LEDGER)
    if found is None:
        return [], []
    try:
        entries = ledger_of_text(str(cast("dict[str, object]", found.get("data") or {}).get(burn_in.LEDGER, "")))
    except ValueError as error:
        return [], [f"burn-in: {error}"[:MOST_WORDS]]
    uids = {each.name: each.uid for each in seen}
    records: list[Measured] = []
    waiting: list[str] = []
    for pool, names in pools.items():
        for name in names:
            entry = entries.get(name)
            if entry is None or entry.uid != uids.get(name):
                continue
            if entry.verdict is Verdict.PENDING:
                waiting.append(f"node {name}: its burn-in goes on, {_hours(entry)} h of it are over")
            else:
                records.append(_record(name, entry, pool=pool, placement=placement, now=now))
    return records, waiting


def _record(name: str, entry: Entry, *, pool: str, placement: str, now: datetime) -> Measured:
    return {
        "check": "burn_in",
        "subject": subject(Per.NODE, name),
        "at": now.astimezone(UTC).isoformat(timespec="seconds"),
        "tool": TOOL,
        "readings": [
            {"name": "hours", "value": str(_hours(entry)), "unit": "h"},
            {"name": "rounds", "value": str(entry.rounds), "unit": ""},
        ],
        "failed": [entry.why[:MOST_WORDS]] if entry.verdict is Verdict.FAILED else [],
        "params": {"placement": placement, "pool": pool},
    }


def _hours(entry: Entry) -> Decimal:
    return (Decimal(int(entry.tested.total_seconds())) / int(HOUR.total_seconds())).quantize(Decimal("0.1"))
