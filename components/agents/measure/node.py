"""One node: its accelerators, their memory, what DCGM finds, how fast they multiply and how fast they talk."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from components.agents.measure import arguments
from components.agents.measure.accelerators import CHECKS, Node, checked
from components.agents.measure.matmul import PRECISIONS
from components.agents.measure.records import ended

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

SHAPES: Final = "8192x8192x8192,4096x4096x16384,16384x8192x4096"
LEAST: Final = 2**28
MOST: Final = 2**34
SECONDS: Final = 3600.0


def parser(about: str) -> argparse.ArgumentParser:
    """What a node's programs are told."""
    found = arguments.parser(about)
    found.add_argument("--pool", required=True)
    found.add_argument("--node", required=True)
    found.add_argument("--accelerators", required=True, type=arguments.positive)
    found.add_argument("--checks", type=arguments.one_of(tuple(CHECKS)), default=tuple(CHECKS))
    found.add_argument("--level", type=int, choices=(1, 2, 3, 4), default=3)
    found.add_argument("--precision", choices=PRECISIONS, default="bf16")
    found.add_argument("--shapes", type=arguments.shapes, default=arguments.shapes(SHAPES))
    found.add_argument("--least", type=arguments.positive, default=LEAST, help="bytes of the least all-reduce")
    found.add_argument("--most", type=arguments.positive, default=MOST, help="bytes of the greatest")
    found.add_argument("--seconds", type=arguments.above_zero, default=SECONDS, help="limit of each tool")
    return found


def node_of(told: argparse.Namespace) -> Node:
    """The node that the arguments name."""
    return Node(
        placement=told.placement,
        pool=told.pool,
        name=told.node,
        accelerators=told.accelerators,
        level=told.level,
        precision=told.precision,
        shapes=told.shapes,
        least=told.least,
        most=told.most,
        seconds=told.seconds,
    )


def checks_of(told: argparse.Namespace) -> list[str]:
    """What is to be checked: one accelerator has no links to others."""
    return [name for name in told.checks if name != "nvlink" or told.accelerators > 1]


def main(words: Sequence[str]) -> int:
    """Measure, and write the records."""
    told = parser(__doc__ or "").parse_args(words)
    return ended(*checked(node_of(told), checks_of(told)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
