"""Contracts of the offline run, and of the private SDK parts it stands on."""

from __future__ import annotations

import gc
import importlib.metadata
import subprocess
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pulumi
import pytest
from pulumi.runtime import resource as resource_module
from pulumi.runtime import rpc
from pulumi.runtime import stack as stack_module

from operations.offline import adapter, sdk_packages
from operations.offline.program import OfflineRun, run
from planning.costs.resources.resource import Resource, Secret, UnknownValue
from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable


NETWORK = "urn:pulumi:sample::atoll::atoll:network:Network::net"
VPC = "urn:pulumi:sample::atoll::atoll:network:Network$aws:ec2/vpc:Vpc::vpc"


class Net(pulumi.ComponentResource):
    def __init__(self) -> None:
        import pulumi_aws as aws

        super().__init__("atoll:network:Network", "net", {"count": 3, "share": 0.5, "range": {"min": "1"}})
        inside = pulumi.ResourceOptions(parent=self)
        other = aws.ec2.Vpc("other", opts=inside)
        kept = pulumi.ResourceOptions(parent=self, protect=True, retain_on_delete=True)
        vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16", tags={"a": "b"}, opts=kept)
        account = aws.get_caller_identity_output(opts=pulumi.InvokeOutputOptions(parent=self)).account_id
        aws.ec2.Subnet(
            "subnet",
            vpc_id=vpc.id,
            cidr_block=vpc.cidr_block,
            availability_zone=account,
            tags={
                "plain": "beside unknowns",
                "secret": pulumi.Output.secret("hush"),
                "computed": pulumi.Output.concat("x-", vpc.arn),
                "two": pulumi.Output.concat(vpc.arn, other.arn),
                "compound": vpc.tags["a"],
            },
            opts=inside,
        )
        self.register_outputs({"cidr": vpc.cidr_block, "id": vpc.id})


def net_program() -> None:
    net = Net()
    pulumi.export("urn", net.urn)
    pulumi.export("hidden", pulumi.Output.secret("hush"))


@pytest.fixture(scope="module")
def net() -> OfflineRun:
    return run("sample", program=net_program)


@pytest.fixture(scope="module")
def subnet(net: OfflineRun) -> Resource:
    (found,) = [resource for resource in net.resources if resource.name == "subnet"]
    return found


def vpc_program(*names: str, parent: pulumi.Resource | None = None) -> Callable[[], None]:
    def program() -> None:
        import pulumi_aws as aws

        for name in names:
            aws.ec2.Vpc(name, cidr_block="10.0.0.0/16", opts=pulumi.ResourceOptions(parent=parent))

    return program


def test_urns_are_the_engines(net: OfflineRun) -> None:
    assert NETWORK in {resource.urn for resource in net.resources}
    assert VPC in {resource.urn for resource in net.resources}


def test_parents_are_urns_and_children_of_the_stack_have_none(net: OfflineRun) -> None:
    parents = {resource.name: resource.parent for resource in net.resources}
    assert parents["net"] is None
    assert parents["vpc"] == NETWORK


def test_an_unknown_names_the_output_it_is(subnet: Resource) -> None:
    assert subnet.inputs["vpcId"] == UnknownValue(urn=VPC, output="id")


def test_an_unknown_computed_from_one_resource_names_that_resource(subnet: Resource) -> None:
    assert subnet.inputs["tags"]["computed"] == UnknownValue(urn=VPC)


def test_an_unknown_of_many_origins_names_none(subnet: Resource) -> None:
    assert subnet.inputs["tags"]["two"] == UnknownValue()


def test_what_a_provider_would_be_asked_is_unknown(subnet: Resource) -> None:
    assert subnet.inputs["availabilityZone"] == UnknownValue()


def test_plain_outputs_are_foreseen_and_compound_ones_are_not(subnet: Resource) -> None:
    assert subnet.inputs["cidrBlock"] == "10.0.0.0/16"
    assert subnet.inputs["tags"]["compound"] == UnknownValue(urn=VPC)


def test_what_stands_beside_an_unknown_stays_plain(subnet: Resource) -> None:
    assert subnet.inputs["tags"]["plain"] == "beside unknowns"


def test_secrets_are_marked_and_never_kept(net: OfflineRun, subnet: Resource) -> None:
    assert subnet.inputs["tags"]["secret"] == Secret()
    assert net.exports["hidden"] == Secret()
    assert "hush" not in repr(net)


def test_dependencies_are_told_for_each_input(subnet: Resource) -> None:
    assert subnet.property_dependencies["vpcId"] == (VPC,)
    assert VPC in subnet.dependencies


def test_options_are_captured(net: OfflineRun) -> None:
    options = {each.name: (each.custom, each.protect, each.retain_on_delete) for each in net.resources}
    assert options["vpc"] == (True, True, True)
    assert options["other"] == (True, False, False)
    assert options["net"] == (False, False, False)


def test_numbers_keep_their_kind(net: OfflineRun) -> None:
    (component,) = [resource for resource in net.resources if resource.name == "net"]
    assert component.inputs == {"count": 3, "share": 0.5, "range": {"min": "1"}}
    assert isinstance(component.inputs["count"], int)


def test_outputs_of_components_are_captured(net: OfflineRun) -> None:
    assert net.outputs[NETWORK]["cidr"] == "10.0.0.0/16"
    assert isinstance(net.outputs[NETWORK]["id"], UnknownValue)


def test_a_provider_is_its_urn() -> None:
    def program() -> None:
        import pulumi_aws as aws

        own = aws.Provider("own", region="eu-west-1")
        aws.ec2.Vpc("vpc", opts=pulumi.ResourceOptions(provider=own))

    (vpc,) = [each for each in run("sample", program=program).resources if each.name == "vpc"]
    assert vpc.provider == "urn:pulumi:sample::atoll::pulumi:providers:aws::own"


def test_the_order_is_always_the_same(net: OfflineRun) -> None:
    assert [each.urn for each in net.resources] == sorted(each.urn for each in net.resources)
    assert run("sample", program=net_program) == net


def test_one_run_leaves_nothing_for_the_next() -> None:
    first, second = run("sample", program=vpc_program("a")), run("sample", program=vpc_program("b"))
    assert [each.name for each in first.resources] == ["a"]
    assert [each.name for each in second.resources] == ["b"]


def test_two_resources_may_not_share_a_urn() -> None:
    with pytest.raises(AtollError, match="share one URN"):
        run("sample", program=vpc_program("twin", "twin"))


@pytest.mark.parametrize(
    ("token", "said"), [("attic:index:Pet", "no provider of ours"), ("atoll:attic:Thing", "outside the rooms")]
)
def test_a_type_that_nobody_knows_is_refused(token: str, said: str) -> None:
    with pytest.raises(AtollError, match=said):
        run("sample", program=lambda: pulumi.ComponentResource(token, "thing") and None)


def test_a_fault_of_the_program_is_said_in_words() -> None:
    def program() -> None:
        raise ValueError("no such thing")

    with pytest.raises(AtollError) as caught:
        run("sample", program=program)
    assert str(caught.value) == "the program of stack sample failed: ValueError: no such thing"
    assert "test_offline.py:" in caught.value.hint


def test_a_fault_in_a_later_value_is_said_in_words() -> None:
    def program() -> None:
        import pulumi_aws as aws

        aws.ec2.Vpc("vpc", cidr_block=pulumi.Output.from_input(0).apply(lambda zero: str(1 / zero)))

    with pytest.raises(AtollError, match="ZeroDivisionError"):
        run("sample", program=program)


def test_our_own_errors_pass_as_they_are() -> None:
    def program() -> None:
        raise InputError("bad lock", hint="accept again")

    with pytest.raises(InputError, match="bad lock"):
        run("sample", program=program)


def test_a_program_that_waits_for_ever_is_ended() -> None:
    code = """
import asyncio, pulumi
from operations.offline.program import run
from planning.values.errors import AtollError
def program() -> None:
    pulumi.export("never", pulumi.Output.from_input(asyncio.get_event_loop().create_future()))
try:
    run("sample", program=program, deadline_s=0.5)
except AtollError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.strip() == "the program of stack sample did not end within 0.5 s"


def test_an_sdk_that_nobody_looked_at_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda _name: "4.0.0")
    with pytest.raises(AtollError, match=r"pulumi 4\.0\.0 is installed"):
        adapter.check_version()


def test_the_wire_format_is_the_one_that_engines_speak() -> None:
    assert adapter.SENTINEL == "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    assert adapter.SIGNATURE == "4dabf18193072939515e22adb298388d"
    assert adapter.SECRET_SIGNATURE == "1b47061264138c4ac30d75fd1eb44270"
    assert adapter.RESOURCE_SIGNATURE == "5cf8f73096256a8f31e491e813e4eb8e"


def test_what_stands_in_place_of_the_sdks_functions_is_taken_away_again() -> None:
    def modules() -> list[str]:
        functions = (rpc.serialize_property, stack_module.wait_for_rpcs, resource_module._get_stack_trace)
        return [each.__module__ for each in functions]

    before = ["pulumi.runtime.rpc", "pulumi.runtime.stack", "pulumi.runtime.resource"]
    assert modules() == before
    with pytest.raises(AtollError):
        run("sample", program=vpc_program("twin", "twin"))
    assert modules() == before


def test_the_quick_end_of_a_program_registers_what_the_sdks_own_does(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = run("sample", program=net_program)
    monkeypatch.setattr(sdk_packages, "reduce_sdk_overhead", nullcontext)
    assert run("sample", program=net_program) == quick


@pytest.mark.parametrize("of_the_sdk", [False, True])
def test_a_fault_behind_an_output_ends_the_program(monkeypatch: pytest.MonkeyPatch, *, of_the_sdk: bool) -> None:
    def program() -> None:
        pulumi.Output.from_input(1).apply(lambda one: one / 0)

    if of_the_sdk:
        monkeypatch.setattr(sdk_packages, "reduce_sdk_overhead", nullcontext)
    with pytest.raises(AtollError, match="ZeroDivisionError"):
        run("sample", program=program)


@pytest.mark.parametrize("collects", [True, False])
@pytest.mark.parametrize("fails", [True, False])
def test_garbage_collection_is_after_a_run_what_it_was_before(collects: bool, fails: bool) -> None:
    def program() -> None:
        assert not gc.isenabled()
        if fails:
            raise AtollError("on purpose")

    assert gc.isenabled()
    if not collects:
        gc.disable()
    try:
        with pytest.raises(AtollError, match="on purpose") if fails else nullcontext():
            run("sample", program=program)
        assert (gc.isenabled(), gc.get_freeze_count()) == (collects, 0)
    finally:
        gc.enable()
