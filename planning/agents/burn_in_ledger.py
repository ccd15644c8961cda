"""The burn-in's ledger as JSON, and results of a round from a log: standard library only, for it runs in a pod."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, cast

from planning.agents.burn_in import BurnInEntry, BurnInVerdict

if TYPE_CHECKING:
    from collections.abc import Mapping


def ledger_to_text(entries: Mapping[str, BurnInEntry]) -> str:
    """JSON of a ledger, by name of the node."""
    said = {
        name: {
            "uid": each.uid,
            "started": each.started.isoformat(),
            "tested_seconds": int(each.tested.total_seconds()),
            "rounds": each.rounds,
            "unknown": each.unknown,
            "asked": each.asked,
            "verdict": each.verdict.value,
            "why": each.why,
        }
        for name, each in entries.items()
    }
    return json.dumps(said, indent=1, sort_keys=True) + "\n"


def ledger_of_text(text: str) -> dict[str, BurnInEntry]:
    """The ledger that `ledger_to_text` wrote; an empty text is an empty one.

    Raises:
        ValueError: it is not one. Then nothing is known, and nothing may be let in.
    """
    try:
        found = cast("dict[str, dict[str, object]]", json.loads(text)) if text.strip() else {}
        return {name: _entry(said) for name, said in found.items()}
    except (KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"the ledger cannot be read: {error}") from error


def _entry(said: Mapping[str, object]) -> BurnInEntry:
    seconds = int(str(said["tested_seconds"]))
    started = datetime.fromisoformat(str(said["started"]))
    if seconds < 0 or started.tzinfo is None:
        raise ValueError(f"the ledger cannot be read: {dict(said)}")
    return BurnInEntry(
        uid=str(said["uid"]),
        started=started,
        tested=timedelta(seconds=seconds),
        rounds=int(str(said["rounds"])),
        unknown=int(str(said["unknown"])),
        asked=int(str(said["asked"])),
        verdict=BurnInVerdict(str(said["verdict"])),
        why=str(said["why"]),
    )


def parse_burn_in_log(log: str, *, subject: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Checks of which a log holds a whole record about a subject, and what they found wrong; other lines are no matter.

    Args:
        subject: "node/ip-10-64-1-7".
    """
    checks: list[str] = []
    failed: list[str] = []
    for line in log.splitlines():
        record = _record(line)
        faults = record.get("failed")
        if record.get("subject") != subject or not isinstance(record.get("check"), str) or not isinstance(faults, list):
            continue
        checks.append(str(record["check"]))
        failed += [f"{record['check']}: {fault}" for fault in cast("list[object]", faults)]
    return tuple(dict.fromkeys(checks)), tuple(dict.fromkeys(failed))


def _record(line: str) -> Mapping[str, object]:
    if not line.startswith("{"):
        return {}
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}
