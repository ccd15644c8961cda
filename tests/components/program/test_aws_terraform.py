"""The AWS program as a Terraform plan: whole, without a dangling reference, in the form that Terraform writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
import specs
from programs import program_of

from operations.offline.program import ROOT
from operations.terraform.plan import list_non_aws, terraform_plan
from operations.terraform.policy_documents import documents_of
from operations.terraform.values import read_types

if TYPE_CHECKING:
    from operations.offline.program import OfflineRun


@pytest.fixture(scope="module")
def plan(aws_run: OfflineRun) -> Any:
    program = program_of(specs.aws_cluster())
    documents = documents_of("sample", aws_run.resources, root=ROOT, program=program)
    return terraform_plan(aws_run.resources, documents=documents)


def references(expression: object) -> Iterator[str]:
    if isinstance(expression, list):
        for part in expression:
            yield from references(part)
    elif isinstance(expression, dict):
        named = expression.get("references")
        yield from named if isinstance(named, list) else []
        for name, part in expression.items():
            if name != "references":
                yield from references(part)


def test_every_registered_type_of_aws_is_in_the_table(aws_run: OfflineRun) -> None:
    registered = {each.type for each in aws_run.resources if each.type.startswith("aws:")}
    assert registered
    assert registered - set(read_types()) == set()


def test_every_aws_resource_is_planned_once(aws_run: OfflineRun, plan: Any) -> None:
    ours = [each for each in aws_run.resources if each.type.startswith("aws:")]
    addresses = [each["address"] for each in plan["resource_changes"]]
    assert len(addresses) == len(set(addresses)) == len(ours)
    assert [each["address"] for each in plan["configuration"]["root_module"]["resources"]] == addresses
    assert [each["address"] for each in plan["planned_values"]["root_module"]["resources"]] == addresses
    custom = [each for each in aws_run.resources if each.custom]
    assert len(ours) + len(list_non_aws(aws_run.resources)) == len(custom)


def test_every_reference_is_to_a_planned_resource(plan: Any) -> None:
    addresses = {each["address"] for each in plan["resource_changes"]}
    for resource in plan["configuration"]["root_module"]["resources"]:
        for reference in references(resource["expressions"]):
            assert ".".join(reference.split(".")[:2]) in addresses, resource["address"]


def test_the_graph_a_reader_needs_is_there(plan: Any) -> None:
    configured = {each["address"]: each["expressions"] for each in plan["configuration"]["root_module"]["resources"]}
    blocks = [at for at in configured if at.startswith("aws_s3_bucket_public_access_block.")]
    assert blocks
    for at in blocks:
        assert configured[at]["bucket"]["references"][1].startswith("aws_s3_bucket.")


def test_no_mark_of_ours_is_left_in_the_plan(plan: Any) -> None:
    text = json.dumps(plan)
    for mark in ("$ref", "$unknown", "$secret", "urn:pulumi"):
        assert mark not in text


def test_every_policy_can_be_read_and_names_what_it_is_about(plan: Any) -> None:
    policies = {
        f"{each['address']}.{name}": value
        for each in plan["planned_values"]["root_module"]["resources"]
        for name, value in each["values"].items()
        if name.endswith("policy") and isinstance(value, str)
    }
    unknown = {
        f"{each['address']}.{name}"
        for each in plan["resource_changes"]
        for name, mark in each["change"]["after_unknown"].items()
        if name.endswith("policy") and mark is True
    }
    assert unknown
    assert unknown <= set(policies)
    for at, text in policies.items():
        assert json.loads(text)["Statement"], at
    assert "${aws_kms_key.key.arn}" in policies["aws_iam_role_policy.buckets.policy"]
