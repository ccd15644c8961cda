"""Checkov reads what the programs would build on AWS; each of its findings is accepted by name, or the test fails."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from operations.terraform.plan import terraform_plan
from planning.costs.resources.resource import Resource

ROOT = Path(__file__).parents[2]
READ = ROOT / "tools" / "checkov" / "read"
Process = subprocess.CompletedProcess[str]

pytestmark = pytest.mark.skipif(
    not (ROOT / ".venv-checkov" / "bin" / "checkov").exists(),
    reason="Checkov is not installed: make security installs it into .venv-checkov",
)


def read(*arguments: str | Path) -> Process:
    return subprocess.run([sys.executable, READ, *arguments], capture_output=True, text=True, timeout=600, check=False)


@pytest.fixture
def open_door(tmp_path: Path) -> Path:
    """A plan with one security group that lets everybody in by SSH."""
    group = Resource(
        urn="urn:pulumi:sample::atoll::aws:ec2/securityGroup:SecurityGroup::door",
        type="aws:ec2/securityGroup:SecurityGroup",
        name="door",
        parent=None,
        custom=True,
        inputs={
            "description": "a door",
            "ingress": [
                {
                    "cidrBlocks": ["0.0.0.0/0"],
                    "description": "everybody",
                    "fromPort": 22,
                    "protocol": "tcp",
                    "toPort": 22,
                }
            ],
        },
        property_dependencies={},
    )
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(terraform_plan([group])), encoding="utf-8")
    return path


def accepted(folder: Path, *checks: str, resources: str = "aws_security_group.*") -> Path:
    path = folder / "accepted.yaml"
    entries = [{"check": check, "resources": resources, "reason": "this is a test"} for check in checks]
    path.write_text(json.dumps(entries), encoding="utf-8")
    return path


def test_every_finding_on_the_examples_is_accepted_by_name_and_every_acceptance_is_needed() -> None:
    done = read()
    assert done.returncode == 0, done.stdout + done.stderr
    assert ", 0 not; 0 acceptances unused" in done.stdout


def test_an_open_door_is_found(open_door: Path, tmp_path: Path) -> None:
    done = read("--no-examples", open_door, "--accepted", accepted(tmp_path))
    assert done.returncode == 1
    assert "CKV_AWS_24" in done.stdout
    assert "aws_security_group.door" in done.stdout


def test_an_accepted_finding_passes_and_shows_its_reason(open_door: Path, tmp_path: Path) -> None:
    done = read("--no-examples", open_door, "--accepted", accepted(tmp_path, "CKV_AWS_24", "CKV2_AWS_5"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "this is a test" in done.stdout


def test_an_acceptance_that_fits_nothing_fails(open_door: Path, tmp_path: Path) -> None:
    done = read("--no-examples", open_door, "--accepted", accepted(tmp_path, "CKV_AWS_24", "CKV2_AWS_5", "CKV_AWS_999"))
    assert done.returncode == 1
    assert "UNUSED    CKV_AWS_999" in done.stdout


def test_an_acceptance_without_a_reason_is_refused(open_door: Path, tmp_path: Path) -> None:
    path = tmp_path / "accepted.yaml"
    path.write_text('[{"check": "CKV_AWS_24", "resources": "*", "reason": " "}]', encoding="utf-8")
    done = read("--no-examples", open_door, "--accepted", path)
    assert done.returncode == 1
    assert "an entry has a check, resources and a reason" in done.stderr
