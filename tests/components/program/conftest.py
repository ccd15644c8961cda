from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pytest
import specs
import specs_coreweave
import specs_gcp
from programs import program_of

from components.stack.targets import build
from operations.offline.program import OfflineRun, run

if TYPE_CHECKING:
    from collections.abc import Callable

    from planning.spec.cluster import ClusterSpec


@pytest.fixture(scope="session")
def run_spec() -> Callable[[ClusterSpec], OfflineRun]:
    return lambda spec: run("sample", program=program_of(spec))


@pytest.fixture(scope="session")
def aws_run(run_spec: Callable[[ClusterSpec], OfflineRun]) -> OfflineRun:
    return run_spec(specs.aws_cluster())


@pytest.fixture(scope="session")
def existing_run(run_spec: Callable[[ClusterSpec], OfflineRun]) -> OfflineRun:
    return run_spec(specs.existing_cluster())


@pytest.fixture(scope="session")
def aws_ways_run(run_spec: Callable[[ClusterSpec], OfflineRun]) -> OfflineRun:
    return run_spec(specs.with_ways(specs.aws_cluster(), kind="machine"))


@pytest.fixture(scope="session")
def existing_ways_run(run_spec: Callable[[ClusterSpec], OfflineRun]) -> OfflineRun:
    return run_spec(specs.with_ways(specs.existing_cluster(), kind="in_cluster"))


@pytest.fixture(scope="session")
def spanning_run() -> OfflineRun:
    def program() -> None:
        for name, value in build(specs.PLACEMENTS, joined=True).items():
            pulumi.export(name, value)

    return run("sample", program=program)


@pytest.fixture(scope="session")
def gcp_run() -> OfflineRun:
    def program() -> None:
        pulumi.runtime.set_config("atoll:billingAccount", "000000-000000-000000")
        for name, value in build((specs_gcp.gcp_cluster(),), ceiling=specs_gcp.CEILING).items():
            pulumi.export(name, value)

    return run("sample", program=program)


@pytest.fixture(scope="session")
def aws_disk_run(run_spec: Callable[[ClusterSpec], OfflineRun]) -> OfflineRun:
    return run_spec(specs.aws_cluster(storage=(specs.COLD_DISK,)))


@pytest.fixture(scope="session")
def coreweave_run(run_spec: Callable[[ClusterSpec], OfflineRun]) -> OfflineRun:
    return run_spec(specs_coreweave.coreweave_cluster())
