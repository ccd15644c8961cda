"""Checks of one node: accelerators, usable memory, DCGM, matrix multiplication, NVLink."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from components.agents.measure import matmul, nvidia, records
from components.agents.measure.child_process import CannotMeasureError, FoundWrongError, abbreviate_output, run, text
from components.agents.measure.fabric import build_all_reduce_records, parse_nccl_tests
from components.agents.measure.matmul import PRECISIONS
from components.agents.measure.records import build_record, report_results

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    from components.agents.measure.child_process import Ran
    from planning.agents.measurement_records import MeasurementRecord


SECONDS_TO_LOOK: Final = 120
TESTS: Final = "all_reduce_perf"
MEBI: Final = 2**20
Read = TypeVar("Read")


@dataclass(frozen=True)
class NodeCheckContext:
    """The node, and what its checks are run with. `seconds` is the limit of the longest tool."""

    placement: str
    pool: str
    name: str
    accelerators: int
    level: int
    precision: str
    shapes: tuple[tuple[int, int, int], ...]
    least: int
    most: int
    seconds: float

    @property
    def subject(self) -> str:
        """Subject of its records."""
        return f"node/{self.name}"

    def list_params(self, **more: str) -> dict[str, str]:
        """Params of its records."""
        return {"placement": self.placement, "pool": self.pool, **more}


def inventory(node: NodeCheckContext) -> list[MeasurementRecord]:
    """Number of accelerators, and the memory of the smallest."""
    found = _look(node)
    least = min(each.total_mib for each in found)
    return [
        build_record(
            "inventory",
            node.subject,
            tool=f"nvidia-smi, driver {found[0].driver}",
            readings=[("accelerators", str(len(found)), ""), ("memory", text(least), "MiB")],
            params=node.list_params(names=", ".join(sorted({each.name for each in found}))),
        )
    ]


def usable_memory(node: NodeCheckContext) -> list[MeasurementRecord]:
    """Least free memory of an accelerator of the idle node."""
    found = _look(node)
    least = min(found, key=lambda each: each.free_mib)
    return [
        build_record(
            "usable_memory",
            node.subject,
            tool=f"nvidia-smi, driver {least.driver}",
            readings=[("memory", text(least.free_mib), "MiB")],
            params=node.list_params(accelerator=least.uuid),
        )
    ]


def dcgm(node: NodeCheckContext) -> list[MeasurementRecord]:
    """DCGM diagnostics."""
    # Its exit status is that of the tests, which the report names: it is not looked at.
    ran = run(["dcgmi", "diag", "-r", str(node.level), "-j"], seconds=node.seconds)
    output = _read(nvidia.parse_dcgm, ran)
    warned = {"warned": "; ".join(output.warned)[:400]} if output.warned else {}
    return [
        build_record(
            "dcgm",
            node.subject,
            tool=output.version,
            readings=[("tests", str(output.tests), ""), ("passed", str(output.passed), "")],
            params=node.list_params(level=str(node.level), **warned),
            failed=output.failed,
        )
    ]


def measure_matmul(node: NodeCheckContext) -> list[MeasurementRecord]:
    """TFLOPS of the slowest accelerator."""
    speed = matmul.measure(node.shapes, precision=node.precision, torch=matmul.torch_of_image())
    return [
        build_record(
            "matmul",
            node.subject,
            tool=speed.version,
            readings=[("tflops", text(speed.slowest), "TFLOPS")],
            params=node.list_params(
                precision=node.precision,
                shape="x".join(map(str, speed.shape)),
                each=" ".join(text(rate, places=1) for rate in speed.tflops),
            ),
        )
    ]


def nvlink(node: NodeCheckContext) -> list[MeasurementRecord]:
    """All-reduce over the accelerators of the node."""
    sizes = ("-b", str(node.least), "-e", str(node.most), "-f", "2")
    ran = run([TESTS, *sizes, "-g", str(node.accelerators)], seconds=node.seconds)
    output = _read(partial(parse_nccl_tests, beside=ran.err), ran)
    if output.ranks != node.accelerators:
        raise FoundWrongError(f"all-reduce: {output.ranks} accelerators took part, not {node.accelerators}")
    return build_all_reduce_records("nvlink", node.subject, output, params=node.list_params())


CHECKS: Final[Mapping[str, Callable[[NodeCheckContext], list[MeasurementRecord]]]] = {
    "inventory": inventory,
    "usable_memory": usable_memory,
    "dcgm": dcgm,
    "matmul": measure_matmul,
    "nvlink": nvlink,
}


def run_node_checks(node: NodeCheckContext, names: Sequence[str]) -> tuple[list[MeasurementRecord], list[str]]:
    """The records of some checks, and a sentence for each check that could not be measured."""
    records: list[MeasurementRecord] = []
    faults: list[str] = []
    for name in names:
        try:
            records += CHECKS[name](node)
        except FoundWrongError as error:
            records.append(_build_failure(name, node, str(error)))
        except CannotMeasureError as error:
            faults.append(f"{name}: {error}")
    return records, faults


def _build_failure(name: str, node: NodeCheckContext, words: str) -> MeasurementRecord:
    """A failure, with every param that its check asks for."""
    params = node.list_params(level=str(node.level), precision=node.precision, payload_bytes=str(node.most))
    return build_record(name, node.subject, tool=name, params=params, failed=[words])


def _look(node: NodeCheckContext) -> tuple[nvidia.NvidiaGpu, ...]:
    """Accelerators by nvidia-smi; by PyTorch where another vendor makes them."""
    try:
        ran = run(nvidia.COMMAND, seconds=min(SECONDS_TO_LOOK, node.seconds))
    except CannotMeasureError:
        return _look_with_torch()
    return _read(nvidia.parse_nvidia_smi, ran)


def _look_with_torch() -> tuple[nvidia.NvidiaGpu, ...]:
    torch = matmul.torch_of_image()
    count = int(torch.cuda.device_count())
    if not count:
        raise CannotMeasureError("there is no nvidia-smi, and PyTorch sees no accelerator")
    found: list[nvidia.NvidiaGpu] = []
    for device in range(count):
        free, total = torch.cuda.mem_get_info(device)
        each = nvidia.NvidiaGpu(
            index=str(device),
            name=str(torch.cuda.get_device_name(device)),
            uuid=str(device),
            total_mib=Decimal(int(total)) / MEBI,
            free_mib=Decimal(int(free)) / MEBI,
            driver=f"PyTorch {torch.__version__}",
        )
        found.append(each)
    return tuple(found)


def _read(parse: Callable[[str], Read], ran: Ran) -> Read:
    """Result of a parser; its error quotes stderr where stdout cannot be parsed."""
    try:
        return parse(ran.out)
    except CannotMeasureError as error:
        # Where stdout cannot be parsed, the reason is on stderr.
        if ran.err.strip():
            raise CannotMeasureError(f"{error}; it said: {abbreviate_output(ran.err)}") from error
        raise


SHAPES: Final = "8192x8192x8192,4096x4096x16384,16384x8192x4096"
LEAST: Final = 2**28
MOST: Final = 2**34
SECONDS: Final = 3600.0


def parser(about: str) -> argparse.ArgumentParser:
    """Command line of the programs that check a node."""
    found = records.parser(about)
    found.add_argument("--pool", required=True)
    found.add_argument("--node", required=True)
    found.add_argument("--accelerators", required=True, type=records.positive)
    found.add_argument("--checks", type=records.one_of(tuple(CHECKS)), default=tuple(CHECKS))
    found.add_argument("--level", type=int, choices=(1, 2, 3, 4), default=3)
    found.add_argument("--precision", choices=PRECISIONS, default="bf16")
    found.add_argument("--shapes", type=records.shapes, default=records.shapes(SHAPES))
    found.add_argument("--least", type=records.positive, default=LEAST, help="bytes of the least all-reduce")
    found.add_argument("--most", type=records.positive, default=MOST, help="bytes of the greatest")
    found.add_argument("--seconds", type=records.above_zero, default=SECONDS, help="limit of each tool")
    return found


def node_of(options: argparse.Namespace) -> NodeCheckContext:
    """The node that the arguments name."""
    return NodeCheckContext(
        placement=options.placement,
        pool=options.pool,
        name=options.node,
        accelerators=options.accelerators,
        level=options.level,
        precision=options.precision,
        shapes=options.shapes,
        least=options.least,
        most=options.most,
        seconds=options.seconds,
    )


def checks_of(options: argparse.Namespace) -> list[str]:
    """The requested checks; a single accelerator has no NVLink to check."""
    return [name for name in options.checks if name != "nvlink" or options.accelerators > 1]


def main(words: Sequence[str]) -> int:
    """Measure, and write the records."""
    options = parser(__doc__ or "").parse_args(words)
    return report_results(*run_node_checks(node_of(options), checks_of(options)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
