"""Money that somebody would hide from the rules, in places where they look less closely."""

from __future__ import annotations

from dataclasses import replace

import pytest
from policy_kit import Market, catalog, made, sound
from servicer import told

from planning.costs.resources.resource import Resource
from planning.quoting.option import whole_bill
from policies.evaluation import evaluate_rules
from policies.pack.engine_adapter import _read_resource
from policies.pack.engine_resources import Captured
from policies.rules.money import ceilings
from policies.stack_context import StackContext

MACHINE = "aws:ec2/instance:Instance"


def seen(stack: StackContext, *more: Resource) -> set[str]:
    """URNs of what the pack judges, where the engine sends nothing of components that have no inputs."""
    captured, wire = Captured(), [told(each) for each in (*stack.resources, *more)]
    for each in wire:
        if each.type != "kubernetes:kustomize/v2:Directory":
            captured.take(each.urn, each.properties)
    return {each.urn for each in captured.build_resources([_read_resource(each) for each in wire])}


@pytest.mark.parametrize("cover", ["kubernetes:kustomize/v2:Directory", "evil:package:Folder"])
@pytest.mark.parametrize(
    "hidden",
    [
        MACHINE,
        "gcp:compute/instance:Instance",
        "kubernetes:karpenter.sh/v1:NodePool",
        "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
        "kubernetes:compute.coreweave.com/v1alpha1:NodePool",
    ],
)
def test_no_machine_hides_below_a_component_whose_inputs_are_not_told(cover: str, hidden: str) -> None:
    stack = sound()
    (ours, *_) = (each for each in stack.resources if each.type.startswith("atoll:platform:"))
    folder = replace(made(cover, "folder", parent=ours.urn), custom=False)
    machine = made(hidden, "evil", parent=folder.urn, instanceType="p5.48xlarge")
    assert machine.urn in seen(stack, folder, machine)


def test_nothing_hides_below_a_component_of_a_package_that_nobody_knows() -> None:
    stack = sound()
    (ours, *_) = (each for each in stack.resources if each.type.startswith("atoll:platform:"))
    folder = replace(made("evil:package:Folder", "folder", parent=ours.urn), custom=False)
    service = made("kubernetes:core/v1:Service", "open", parent=folder.urn, spec={"type": "LoadBalancer"})
    assert service.urn in seen(stack, folder, service)


def test_a_machine_beside_a_cluster_that_is_built_in_two_steps_counts() -> None:
    stack = sound()
    cloud = tuple(each for each in stack.resources if not each.type.startswith("kubernetes:"))
    short = replace(stack, resources=cloud, whole=whole_bill(stack.lock.placements, Market(catalog())))
    assert evaluate_rules(short, (ceilings.MONTHLY_CEILING,)).exit_code == 0
    evil = made(MACHINE, "evil", instanceType="p5.48xlarge")
    assert evaluate_rules(replace(short, resources=(*cloud, evil)), (ceilings.MONTHLY_CEILING,)).exit_code == 10


def test_a_greater_size_of_a_pool_than_accepted_counts_while_the_cluster_is_built_in_two_steps() -> None:
    stack = sound()
    whole = whole_bill(stack.lock.placements, Market(catalog()))
    halved = replace(whole, lines=tuple(line for line in whole.lines if not line.key.startswith("pool/")))
    assert {line.key for line in replace(stack, whole=halved).bill.lines} == {line.key for line in whole.lines}
