"""The fabric: all-reduce over some nodes of a pool, by whatever starts nccl-tests on them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from components.agents.measure import nccl_tests
from components.agents.measure import records as arguments
from components.agents.measure.child_process import CannotMeasureError, FoundWrongError, abbreviate_output, run
from components.agents.measure.node import build_all_reduce_records
from components.agents.measure.records import build_record, report_results

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.agents.measurement_records import MeasurementRecord

SECONDS: Final = 3600.0
CHECK: Final = "all_reduce"


def over_nodes(
    command: Sequence[str], *, subject: str, nodes: int, accelerators: int, seconds: float, params: Mapping[str, str]
) -> list[MeasurementRecord]:
    """Records of one run over exactly so many nodes.

    Raises:
        FoundWrongError: NCCL gave up, it hung, or others than these nodes took part.
        CannotMeasureError: the command cannot be run, or prints nothing of nccl-tests.
    """
    ran = run(command, seconds=seconds)
    try:
        output = nccl_tests.parse(ran.out, beside=ran.err)
    except CannotMeasureError as error:
        raise CannotMeasureError(
            f"{error}; it ended with {ran.status} and said: {abbreviate_output(ran.err)}"
        ) from error
    if len(output.hosts) != nodes or output.ranks != nodes * accelerators:
        took = f"{output.ranks} accelerators of {len(output.hosts)} nodes"
        raise FoundWrongError(f"all-reduce: {took} took part, not {nodes * accelerators} of {nodes}")
    return build_all_reduce_records(CHECK, subject, output, params=params)


def main(words: Sequence[str]) -> int:
    """Run, and write the records."""
    told_words, command = _split(words)
    reader = arguments.parser(__doc__ or "")
    reader.add_argument("--pool", required=True)
    reader.add_argument("--nodes", required=True, type=arguments.positive)
    reader.add_argument("--accelerators", required=True, type=arguments.positive)
    reader.add_argument("--on", type=arguments.words, default=(), help="names of the nodes")
    reader.add_argument("--most", type=arguments.positive, default=2**34, help="bytes of the greatest all-reduce")
    reader.add_argument("--seconds", type=arguments.above_zero, default=SECONDS)
    told = reader.parse_args(told_words)
    if not command:
        reader.error("the command to run stands after --")
    subject = f"pool/{told.placement}/{told.pool}"
    params = {"nodes": str(told.nodes), **({"on": ", ".join(told.on)} if told.on else {})}
    try:
        records = over_nodes(
            command,
            subject=subject,
            nodes=told.nodes,
            accelerators=told.accelerators,
            seconds=told.seconds,
            params=params,
        )
    except FoundWrongError as error:
        stopped = {**params, "payload_bytes": str(told.most)}
        records = [build_record(CHECK, subject, tool="nccl-tests", params=stopped, failed=[str(error)])]
    except CannotMeasureError as error:
        return report_results([], [f"{CHECK}: {error}"])
    return report_results(records)


def _split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    if "--" not in words:
        return list(words), []
    place = list(words).index("--")
    return list(words[:place]), list(words[place + 1 :])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
