from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from components.targets import BUILDERS
from planning.spec import Placement

if TYPE_CHECKING:
    from driver.offline.program import Run

GOLDENS = Path(__file__).parents[1] / "golden" / "program"
UPDATE = "ATOLL_UPDATE_GOLDENS"
COMMAND = f"{UPDATE}=1 .venv/bin/python -m pytest tests/program/test_program_census.py"
TOKENS = {
    "atoll:access:BucketAccess",
    "atoll:access:Key",
    "atoll:access:Tenancy",
    "atoll:cluster:AddOns",
    "atoll:cluster:Cluster",
    "atoll:cluster:ExistingCluster",
    "atoll:cluster:Logs",
    "atoll:contract:Rented",
    "atoll:contract:Services",
    "atoll:network:Network",
    "atoll:network:Peering",
    "atoll:nodepool:NodePool",
    "atoll:storage:ObjectTier",
    "atoll:storage:SharedFileSystem",
}


def test_every_component_type_is_listed_here(aws_run: Run, existing_run: Run) -> None:
    registered = {
        resource.type
        for run in (aws_run, existing_run)
        for resource in run.resources
        if resource.type.startswith("atoll:")
    }
    assert registered == TOKENS


def test_every_component_type_in_the_code_is_listed_here() -> None:
    code = Path(__file__).parents[2] / "components"
    platform = code / "platform"
    files = [path for path in code.rglob("*.py") if not path.is_relative_to(platform)]
    written = {token for path in files for token in re.findall(r'"(atoll:\w+:\w+)"', path.read_text())}
    assert written == TOKENS


def test_the_table_knows_every_target() -> None:
    assert set(BUILDERS) == set(Placement.model_fields["target"].annotation.__args__)


def test_logical_names_hold_no_customer_stack_or_region(aws_run: Run, existing_run: Run) -> None:
    for run in (aws_run, existing_run):
        for resource in run.resources:
            for word in ("acme", "sample", "us-east", "use1", "us-south", "lambda"):
                assert word not in resource.name, resource.urn


@pytest.mark.parametrize("which", ["aws", "existing"])
def test_counts_by_type_are_the_golden_ones(which: str, request: pytest.FixtureRequest) -> None:
    run = request.getfixturevalue(f"{which}_run")
    counts = dict(sorted(Counter(resource.type for resource in run.resources).items()))
    golden = GOLDENS / f"{which}.json"
    if os.environ.get(UPDATE):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(json.dumps(counts, indent=2) + "\n")
    assert counts == json.loads(golden.read_text()), f"if this is meant: {COMMAND}"


def test_every_parent_and_dependency_is_registered(aws_run: Run) -> None:
    urns = {resource.urn for resource in aws_run.resources}
    for resource in aws_run.resources:
        assert resource.parent is None or resource.parent in urns
        assert set(resource.dependencies) <= urns
        assert resource.provider is None or resource.provider in urns
