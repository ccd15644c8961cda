from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pytest
import specs

from components.targets import build
from driver.offline.program import Run, run

if TYPE_CHECKING:
    from collections.abc import Callable

    from planning.spec import ClusterSpec


def program_of(spec: ClusterSpec) -> Callable[[], None]:
    def program() -> None:
        for name, value in build((spec,)).items():
            pulumi.export(name, value)

    return program


@pytest.fixture(scope="session")
def run_spec() -> Callable[[ClusterSpec], Run]:
    return lambda spec: run("sample", program=program_of(spec))


@pytest.fixture(scope="session")
def aws_run(run_spec: Callable[[ClusterSpec], Run]) -> Run:
    return run_spec(specs.aws_cluster())


@pytest.fixture(scope="session")
def existing_run(run_spec: Callable[[ClusterSpec], Run]) -> Run:
    return run_spec(specs.existing_cluster())
