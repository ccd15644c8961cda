from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from platform_variants import registered as platform_run

from components.stack.targets import BUILDERS
from planning.spec.cluster import Placement

if TYPE_CHECKING:
    from operations.offline.program import OfflineRun

GOLDENS = Path(__file__).parents[2] / "golden" / "program"
UPDATE = "ATOLL_UPDATE_GOLDENS"
COMMAND = f"{UPDATE}=1 .venv/bin/python -m pytest tests/components/program/test_program_census.py"
TOKENS = {
    "atoll:access:BucketAccess",
    "atoll:access:ForwardingAccess",
    "atoll:access:Gateway",
    "atoll:access:GatewayPod",
    "atoll:access:GroupRights",
    "atoll:access:Key",
    "atoll:access:PlatformAccess",
    "atoll:access:Rights",
    "atoll:access:Roles",
    "atoll:access:Ssh",
    "atoll:access:Tenancy",
    "atoll:access:VpnKeys",
    "atoll:cluster:AddOns",
    "atoll:cluster:Autoscaler",
    "atoll:cluster:Budget",
    "atoll:cluster:Cluster",
    "atoll:cluster:ExistingCluster",
    "atoll:cluster:LoadBalancers",
    "atoll:cluster:Logs",
    "atoll:contract:Rented",
    "atoll:contract:Services",
    "atoll:network:Domain",
    "atoll:network:Fabric",
    "atoll:network:Lanes",
    "atoll:network:MainSide",
    "atoll:network:Network",
    "atoll:network:Peering",
    "atoll:network:SitePod",
    "atoll:nodepool:NodePool",
    "atoll:placement:Fourth",
    "atoll:placement:Second",
    "atoll:placement:Third",
    "atoll:platform:Airflow",
    "atoll:platform:ArgoCd",
    "atoll:platform:BurnIn",
    "atoll:platform:CertManager",
    "atoll:platform:Collector",
    "atoll:platform:Dashboard",
    "atoll:platform:Dashboards",
    "atoll:platform:DcgmExporter",
    "atoll:platform:DevicePlugin",
    "atoll:platform:Devices",
    "atoll:platform:Dex",
    "atoll:platform:EfaPlugin",
    "atoll:platform:ExternalSecrets",
    "atoll:platform:Gates",
    "atoll:platform:GpuOperator",
    "atoll:platform:Istio",
    "atoll:platform:KServe",
    "atoll:platform:Katib",
    "atoll:platform:Keyring",
    "atoll:platform:Knative",
    "atoll:platform:KubeflowBase",
    "atoll:platform:Kueue",
    "atoll:platform:Loki",
    "atoll:platform:Minio",
    "atoll:platform:Mlflow",
    "atoll:platform:ModelRegistry",
    "atoll:platform:MultiKueueSender",
    "atoll:platform:MultiKueueWorker",
    "atoll:platform:Namespaces",
    "atoll:platform:NetworkOperator",
    "atoll:platform:NodeProblemDetector",
    "atoll:platform:Notebooks",
    "atoll:platform:Oauth2Proxy",
    "atoll:platform:ObjectStore",
    "atoll:platform:Opencost",
    "atoll:platform:Pipelines",
    "atoll:platform:PostgresOperator",
    "atoll:platform:ProfileDefinition",
    "atoll:platform:Prometheus",
    "atoll:platform:PrometheusCrds",
    "atoll:platform:Queues",
    "atoll:platform:Runtimes",
    "atoll:platform:Seaweedfs",
    "atoll:platform:Slurm",
    "atoll:platform:SlurmOperator",
    "atoll:platform:SpendGuard",
    "atoll:platform:Teams",
    "atoll:platform:Tempo",
    "atoll:platform:Trainer",
    "atoll:platform:Velero",
    "atoll:storage:Classes",
    "atoll:storage:ObjectTier",
    "atoll:storage:PlatformStorage",
    "atoll:storage:SharedDisk",
    "atoll:storage:SharedFileSystem",
}
PLATFORMS = ("everything", "bare", "seaweedfs", "zero", "aws", "gcp-provider", "coreweave")
RUNS = ("aws_run", "existing_run", "gcp_run", "aws_ways_run", "existing_ways_run", "aws_disk_run", "spanning_run")


def found(name: str, request: pytest.FixtureRequest) -> OfflineRun:
    """A run by the name of its fixture, or of its platform."""
    return platform_run(name) if name in PLATFORMS else request.getfixturevalue(name)


def test_every_component_type_is_listed_here(request: pytest.FixtureRequest) -> None:
    runs = (*(request.getfixturevalue(name) for name in RUNS), *map(platform_run, PLATFORMS))
    registered = {each.type for run in runs for each in run.resources if each.type.startswith("atoll:")}
    assert registered == TOKENS


def test_every_component_type_in_the_code_is_listed_here() -> None:
    code = Path(__file__).parents[3] / "components"
    files = list(code.rglob("*.py"))
    written = {token for path in files for token in re.findall(r'"(atoll:\w+:\w+)"', path.read_text())}
    assert written == TOKENS


def test_the_table_knows_every_target() -> None:
    assert set(BUILDERS) == set(Placement.model_fields["target"].annotation.__args__)


@pytest.mark.parametrize("name", [*RUNS, "coreweave_run", *PLATFORMS])
def test_logical_names_hold_no_customer_stack_or_region(name: str, request: pytest.FixtureRequest) -> None:
    run = found(name, request)
    for resource in run.resources:
        for word in ("acme", "sample", "us-east", "use1", "us-south", "lambda", "us-central"):
            assert word not in resource.name, resource.urn


@pytest.mark.parametrize("which", ["aws", "existing", "gcp", "spanning"])
def test_counts_by_type_are_the_golden_ones(which: str, request: pytest.FixtureRequest) -> None:
    run = request.getfixturevalue(f"{which}_run")
    counts = dict(sorted(Counter(resource.type for resource in run.resources).items()))
    golden = GOLDENS / f"{which}.json"
    if os.environ.get(UPDATE):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(json.dumps(counts, indent=2) + "\n")
    assert counts == json.loads(golden.read_text()), f"if this is meant: {COMMAND}"


@pytest.mark.parametrize("name", [*RUNS, "coreweave_run", *PLATFORMS])
def test_every_parent_and_dependency_is_registered(name: str, request: pytest.FixtureRequest) -> None:
    run = found(name, request)
    urns = {resource.urn for resource in run.resources}
    for resource in run.resources:
        assert resource.parent is None or resource.parent in urns
        assert set(resource.dependencies) <= urns
        assert resource.provider is None or resource.provider in urns
