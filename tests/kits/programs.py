"""The program of a cluster alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pulumi

from components.stack.targets import build

if TYPE_CHECKING:
    from planning.spec.cluster import ClusterSpec


def program_of(spec: ClusterSpec) -> Callable[[], None]:
    def program() -> None:
        for name, value in build((spec,)).items():
            pulumi.export(name, value)

    return program
