"""Burn-in: the checks of a node in rounds, for hours. It prints the worst of each, and how long it went on."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from components.agents.measure import records as arguments
from components.agents.measure.child_process import text
from components.agents.measure.node import checks_of, node_of, parser, run_node_checks
from components.agents.measure.records import build_record, complain, report_results

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from components.agents.measure.node import NodeCheckContext
    from planning.agents.measurement_records import MeasurementRecord

HOUR: Final = 3600
DECIDES: Final = {"matmul": "tflops", "nvlink": "bus", "usable_memory": "memory", "inventory": "accelerators"}
ONCE: Final = frozenset({"dcgm", "usable_memory"})
MOST_FAULTS: Final = 3  # rounds in a row that could not be measured


@dataclass
class Worst:
    """The worst record of each check and payload, and every complaint."""

    records: dict[tuple[str, str], MeasurementRecord] = field(
        default_factory=dict[tuple[str, str], "MeasurementRecord"]
    )
    complaints: list[str] = field(default_factory=list[str])

    def add(self, record: MeasurementRecord, *, number: int) -> None:
        """Keep a record that is worse than the one before."""
        key = (record["check"], record["params"].get("payload_bytes", ""))
        record["params"]["round"] = str(number)
        self.complaints += [f"round {number}: {word}" for word in record["failed"]]
        known = self.records.get(key)
        if known is None or _rank(record) < _rank(known):
            self.records[key] = record


def _rank(record: MeasurementRecord) -> tuple[int, Decimal]:
    """Sort key, the worst record first."""
    name = DECIDES.get(record["check"], "")
    values = [Decimal(each["value"]) for each in record["readings"] if each["name"] == name]
    return (0 if record["failed"] else 1), values[0] if values else Decimal()


def burn(
    node: NodeCheckContext, checks: Sequence[str], *, hours: float, clock: Callable[[], float]
) -> tuple[list[MeasurementRecord], list[str]]:
    """Rounds until the hours are over: the worst records with one of the burn-in itself, and faults.

    Ends early where rounds cannot be measured.
    """
    worst, began, number, in_a_row = Worst(), clock(), 0, 0
    faults: list[str] = []
    while clock() - began < hours * HOUR and in_a_row < MOST_FAULTS:
        number += 1
        # DCGM in the first round only: the rounds are what heats the node. Free memory once, too: later this program
        # holds some itself, 1.2 GiB on an H100.
        names = [name for name in checks if name not in ONCE or number == 1]
        records, faults = run_node_checks(node, names)
        for record in records:
            worst.add(record, number=number)
        in_a_row = in_a_row + 1 if faults else 0
        complain(f"round {number}, {(clock() - began) / HOUR:.2f} h: {_in_words(records, worst)}")
    lasted = build_record(
        "burn_in",
        node.subject,
        tool="rounds of " + ", ".join(checks),
        readings=[("hours", text((clock() - began) / HOUR), "h"), ("rounds", str(number), "")],
        params=node.list_params(),
        failed=worst.complaints,
    )
    return [*worst.records.values(), lasted], faults if in_a_row else []


def _in_words(records: Sequence[MeasurementRecord], worst: Worst) -> str:
    """The deciding figure of each record of a round, for the log."""
    decided = [
        f"{record['check']} {each['value']} {each['unit']}".rstrip()
        for record in records
        for each in record["readings"]
        if each["name"] == DECIDES.get(record["check"])
    ]
    return ", ".join([*decided, f"{len(worst.complaints)} complaints"])


def main(words: Sequence[str]) -> int:
    """Burn in, and write the records."""
    reader = parser(__doc__ or "")
    reader.add_argument("--hours", required=True, type=arguments.above_zero)
    options = reader.parse_args(words)
    records, faults = burn(node_of(options), checks_of(options), hours=options.hours, clock=time.monotonic)
    return report_results(records, faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
