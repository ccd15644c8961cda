from __future__ import annotations

import importlib.util
import re
from collections import Counter
from pathlib import Path

import pytest

from operations.terraform.plan import list_non_aws, terraform_plan
from operations.terraform.values import addresses, read_types
from planning.costs.resources.resource import Resource, Secret, UnknownValue, Value
from planning.values.errors import AtollError, InputError

VPC = "aws:ec2/vpc:Vpc"
SUBNET = "aws:ec2/subnet:Subnet"


def made(type_: str, name: str, *, parent: str | None = None, provider: str | None = None, **inputs: Value) -> Resource:
    return Resource(
        urn=urn(type_, name, parent=parent),
        type=type_,
        name=name,
        parent=parent,
        custom=not type_.startswith("atoll:"),
        inputs=inputs,
        property_dependencies={},
        provider=provider,
    )


def urn(type_: str, name: str, *, parent: str | None = None) -> str:
    above = parent.split("::")[2] + "$" if parent else ""
    return f"urn:pulumi:sample::atoll::{above}{type_}::{name}"


def test_a_plan_creates_every_aws_resource() -> None:
    subnet = made(SUBNET, "private-0", cidrBlock="10.0.0.0/24", vpcId=UnknownValue(urn=urn(VPC, "vpc"), output="id"))
    plan = terraform_plan([subnet, made(VPC, "vpc", cidrBlock="10.0.0.0/16")])
    first = plan["resource_changes"][0]
    assert first["address"] == "aws_subnet.private-0"
    assert first["change"]["actions"] == ["create"]
    assert first["change"]["before"] is None
    assert first["change"]["after"] == {"cidr_block": "10.0.0.0/24"}
    assert first["change"]["after_unknown"] == {"vpc_id": True, "id": True}
    assert plan["planned_values"]["root_module"]["resources"][0]["values"] == {"cidr_block": "10.0.0.0/24"}
    expressions = plan["configuration"]["root_module"]["resources"][0]["expressions"]
    assert expressions["vpc_id"] == {"references": ["aws_vpc.vpc.id", "aws_vpc.vpc"]}


def test_a_secret_is_said_to_be_sensitive() -> None:
    plan = terraform_plan([made("aws:ssm/parameter:Parameter", "word", type="SecureString", value=Secret())])
    assert plan["planned_values"]["root_module"]["resources"][0]["values"] == {"type": "SecureString"}
    assert plan["planned_values"]["root_module"]["resources"][0]["sensitive_values"] == {"value": True}
    assert plan["resource_changes"][0]["change"]["after_sensitive"] == {"value": True}


def test_other_providers_and_components_are_left_out() -> None:
    component = made("atoll:network:Network", "network")
    space = made("kubernetes:core/v1:Namespace", "space")
    vpc = made(VPC, "vpc", parent=component.urn)
    assert len(terraform_plan([component, space, vpc])["resource_changes"]) == 1
    assert list_non_aws([component, space, vpc]) == (space,)


def test_a_type_outside_the_table_is_refused_by_name() -> None:
    with pytest.raises(AtollError, match="aws:lambda/function:Function") as raised:
        terraform_plan([made("aws:lambda/function:Function", "handler")])
    assert "catalogs/resources/terraform_types.csv" in raised.value.hint


def test_a_stack_without_aws_is_refused_since_an_empty_plan_would_pass_every_check() -> None:
    with pytest.raises(InputError, match="nothing on AWS"):
        terraform_plan([made("kubernetes:core/v1:Namespace", "space")])


def test_two_resources_of_one_type_and_name_have_two_addresses() -> None:
    parents = [made("atoll:network:Network", "home"), made("atoll:network:Peering", "far")]
    vpcs = [made(VPC, "vpc", parent=parent.urn) for parent in parents]
    found = addresses([*parents, *vpcs, made(SUBNET, "0 a")])
    assert sorted(map(str, found.values())) == ["aws_subnet._0_a", "aws_vpc.far_vpc", "aws_vpc.home_vpc"]


def test_a_provider_of_its_own_is_an_alias_with_its_region() -> None:
    home = made("pulumi:providers:aws", "aws", region="us-east-1")
    far = made("pulumi:providers:aws", "peer", region="eu-west-1")
    plan = terraform_plan([home, far, made(VPC, "a", provider=home.urn), made(VPC, "b", provider=far.urn)])
    providers = plan["configuration"]["provider_config"]
    assert providers["aws"]["expressions"] == {"region": {"constant_value": "us-east-1"}}
    assert providers["aws.peer"]["alias"] == "peer"
    assert [each["provider_config_key"] for each in plan["configuration"]["root_module"]["resources"]] == [
        "aws",
        "aws.peer",
    ]


def test_dependencies_are_addresses() -> None:
    vpc = made(VPC, "vpc")
    subnet = made(SUBNET, "a")
    depending = Resource(
        urn=subnet.urn,
        type=subnet.type,
        name=subnet.name,
        parent=None,
        custom=True,
        inputs={},
        dependencies=(vpc.urn, "urn:pulumi:sample::atoll::atoll:network:Network::network"),
        property_dependencies={},
    )
    plan = terraform_plan([vpc, depending])
    assert plan["configuration"]["root_module"]["resources"][1]["depends_on"] == ["aws_vpc.vpc"]


def test_every_type_in_the_table_is_one_of_the_installed_sdk() -> None:
    spec = importlib.util.find_spec("pulumi_aws")
    assert spec is not None
    assert spec.submodule_search_locations
    sdk = Path(spec.submodule_search_locations[0])
    for token in read_types():
        module, _, name = token.removeprefix("aws:").partition("/")
        file = re.sub(r"(?<!^)([A-Z])", r"_\1", name.partition(":")[2]).lower() + ".py"
        assert f"'{token}'" in (sdk / module / file).read_text(encoding="utf-8"), token


def test_every_terraform_type_appears_once() -> None:
    assert max(Counter(each.terraform for each in read_types().values()).values()) == 1
