"""What a job has told: the records in its pods' logs, each believed only where the job may say it."""

from __future__ import annotations

from datetime import UTC, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final, cast

from components.acceptance.model import Reference
from components.agents import burn_in
from components.context.names import BURN_IN_LEDGER, BURN_IN_NAMESPACE
from operations.acceptance.records import MeasurementRecordError, parse
from planning.agents.burn_in import BurnInVerdict
from planning.agents.burn_in_ledger import ledger_of_text
from planning.agents.measurement_records import Per, subject

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from components.acceptance.model import PlannedJob
    from operations.acceptance.kubernetes_cluster import AcceptanceCluster, NodeSnapshot
    from planning.agents.burn_in import BurnInEntry
    from planning.agents.measurement_records import MeasurementRecord


OBSERVER: Final = "atoll accept-test"
MOST_RECORDS: Final = 1_000  # of one job; the longest, a fabric's, tells node counts times payloads
LAMENT: Final = "could not measure "  # as each program of components.agents.measure begins such a line
MOST_REFUSED: Final = 5
MOST_WORDS: Final = 500


def parse_log(log: str, job: PlannedJob) -> tuple[list[MeasurementRecord], list[str]]:
    """Records of a log, and why others in it were not believed; lines that are no JSON objects are a tool's own."""
    found: dict[str, MeasurementRecord] = {}
    refused: list[str] = []
    for line in log.split("\n"):
        if not line.startswith("{"):
            continue
        try:
            record = parse(line)
        except MeasurementRecordError as error:
            refused.append(f"what is no record: {error}"[:MOST_WORDS])
            continue
        if record["check"] not in job.checks or record["subject"] != job.subject:
            refused.append(f"a record about {record['check']} of {record['subject']}, which is not its own")
        elif len(found) < MOST_RECORDS:
            found[line] = record
        else:
            refused.append(f"more than {MOST_RECORDS} records")
            break
    return list(found.values()), refused[:MOST_REFUSED]


def list_error_lines(log: str) -> list[str]:
    """What our programs say they could not measure, and why."""
    found = dict.fromkeys(line[:MOST_WORDS] for line in log.split("\n") if line.startswith(LAMENT))
    return list(found)[:MOST_REFUSED]


def build_duration_record(job: PlannedJob, *, at: str, seconds: float, fault: str) -> MeasurementRecord:
    """The record of a job that no pod of ours measures: the seconds until it was done."""
    return {
        "check": job.checks[0],
        "subject": job.subject,
        "at": at,
        "tool": OBSERVER,
        "readings": [] if fault else [{"name": "seconds", "value": f"{seconds:.1f}", "unit": "s"}],
        "failed": [fault[:MOST_WORDS]] if fault else [],
        "params": {},
    }


def failure_reason(document: Mapping[str, object]) -> str:
    """Why an object says that it has failed, in its own words."""
    status = cast("dict[str, object]", document.get("status") or {})
    found = status.get("conditions")
    rows = cast("list[dict[str, object]]", found) if isinstance(found, list) else []
    said = [each for each in rows if each.get("status") == "True" and each.get("type") in {"Failed", "Error"}]
    words = [f"{each.get('reason', '')}: {each.get('message', '')}" for each in said or rows[-1:]]
    return "; ".join(words)[:MOST_WORDS] or f"it failed: {str(status)[:MOST_WORDS]}"


LEDGER: Final = Reference(api_version="v1", kind="ConfigMap", namespace=BURN_IN_NAMESPACE, name=BURN_IN_LEDGER)
TOOL: Final = "atoll burn-in"
HOUR: Final = timedelta(hours=1)


def read_burn_in_records(
    cluster: AcceptanceCluster,
    *,
    seen: Sequence[NodeSnapshot],
    pools: Mapping[str, Sequence[str]],
    placement: str,
    now: datetime,
) -> tuple[list[MeasurementRecord], list[str]]:
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
    records: list[MeasurementRecord] = []
    waiting: list[str] = []
    for pool, names in pools.items():
        for name in names:
            entry = entries.get(name)
            if entry is None or entry.uid != uids.get(name):
                continue
            if entry.verdict is BurnInVerdict.PENDING:
                waiting.append(f"node {name}: its burn-in goes on, {_hours(entry)} h of it are over")
            else:
                records.append(_record(name, entry, pool=pool, placement=placement, now=now))
    return records, waiting


def _record(name: str, entry: BurnInEntry, *, pool: str, placement: str, now: datetime) -> MeasurementRecord:
    return {
        "check": "burn_in",
        "subject": subject(Per.NODE, name),
        "at": now.astimezone(UTC).isoformat(timespec="seconds"),
        "tool": TOOL,
        "readings": [
            {"name": "hours", "value": str(_hours(entry)), "unit": "h"},
            {"name": "rounds", "value": str(entry.rounds), "unit": ""},
        ],
        "failed": [entry.why[:MOST_WORDS]] if entry.verdict is BurnInVerdict.FAILED else [],
        "params": {"placement": placement, "pool": pool},
    }


def _hours(entry: BurnInEntry) -> Decimal:
    return (Decimal(int(entry.tested.total_seconds())) / int(HOUR.total_seconds())).quantize(Decimal("0.1"))
