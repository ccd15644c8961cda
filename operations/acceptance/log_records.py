"""What a job has told: the records in its pods' logs, each believed only where the job may say it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from operations.acceptance.records import RecordError, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.acceptance.model import PlannedJob
    from planning.agents.measurement_records import Measured

OBSERVER: Final = "atoll accept-test"
MOST_RECORDS: Final = 1_000  # of one job; the longest, a fabric's, tells node counts times payloads
LAMENT: Final = "could not measure "  # as each program of components.agents.measure begins such a line
MOST_REFUSED: Final = 5
MOST_WORDS: Final = 500


def heard(log: str, job: PlannedJob) -> tuple[list[Measured], list[str]]:
    """Records of a log, and why others in it were not believed; lines that are no JSON objects are a tool's own."""
    found: dict[str, Measured] = {}
    refused: list[str] = []
    for line in log.split("\n"):
        if not line.startswith("{"):
            continue
        try:
            record = parse(line)
        except RecordError as error:
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


def lamented(log: str) -> list[str]:
    """What our programs say they could not measure, and why."""
    found = dict.fromkeys(line[:MOST_WORDS] for line in log.split("\n") if line.startswith(LAMENT))
    return list(found)[:MOST_REFUSED]


def smoked(job: PlannedJob, *, at: str, seconds: float, fault: str) -> Measured:
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


def why(document: Mapping[str, object]) -> str:
    """Why an object says that it has failed, in its own words."""
    status = cast("dict[str, object]", document.get("status") or {})
    found = status.get("conditions")
    rows = cast("list[dict[str, object]]", found) if isinstance(found, list) else []
    said = [each for each in rows if each.get("status") == "True" and each.get("type") in {"Failed", "Error"}]
    words = [f"{each.get('reason', '')}: {each.get('message', '')}" for each in said or rows[-1:]]
    return "; ".join(words)[:MOST_WORDS] or f"it failed: {str(status)[:MOST_WORDS]}"
