from __future__ import annotations

import json
import shutil
from pathlib import Path

from command_project import Atoll

ROOT = Path(__file__).parents[3]
DAY = ("--today", "2026-11-21")


def test_a_plan_can_be_printed_for_readers_of_terraform(project: Path, atoll: Atoll) -> None:
    shutil.copy(ROOT / "stacks" / "__main__.py", project / "stacks" / "__main__.py")
    assert atoll("accept", "demo", "cheapest", *DAY).code == 0
    printed = atoll("plan", "demo", "--format", "terraform", *DAY)
    plan = json.loads(printed.out)
    assert plan["format_version"] == "1.2"
    assert any(each["type"] == "aws_eks_cluster" for each in plan["resource_changes"])
    assert "left out of the Terraform plan" in printed.err
    as_json = atoll("plan", "demo", "--format", "json", *DAY)
    assert json.loads(as_json.out)["stack"] == "demo"
    assert as_json.out == atoll("plan", "demo", "--json", "-", *DAY).out
    assert printed.code == as_json.code


def test_two_forms_at_once_are_a_mistake_in_the_command(atoll: Atoll) -> None:
    refused = atoll("plan", "demo", "--format", "terraform", "--json", "plan.json")
    assert refused.code == 2
    assert "leave out --format terraform" in refused.err


def test_a_form_that_there_is_not_is_named_beside_those_there_are(atoll: Atoll) -> None:
    refused = atoll("plan", "demo", "--format", "xml")
    assert refused.code == 2
    assert "'table', 'json', 'terraform'" in refused.err
