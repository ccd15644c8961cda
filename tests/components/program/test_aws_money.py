from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import pytest
import specs
from look import of_type, unknowns

from planning.costs.bill import from_inputs
from planning.costs.charges import list_declared_charges
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Callable

    from operations.offline.program import OfflineRun
    from planning.spec.cluster import ClusterSpec

    RunSpec: TypeAlias = Callable[[ClusterSpec], OfflineRun]

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:eks/nodeGroup:NodeGroup"
ELASTIC = "kubernetes:karpenter.sh/v1:NodePool"
CLUSTER = "aws:eks/cluster:Cluster"
PRICED = (
    (GROUP, "instanceTypes"),
    (GROUP, "scalingConfig"),
    (GROUP, "capacityType"),
    (ELASTIC, "spec"),
    (TEMPLATE, "blockDeviceMappings"),
    ("aws:fsx/lustreFileSystem:LustreFileSystem", "storageCapacity"),
    ("aws:fsx/lustreFileSystem:LustreFileSystem", "perUnitStorageThroughput"),
    (CLUSTER, "upgradePolicy"),
    ("pulumi:providers:aws", "region"),
)


@pytest.mark.parametrize(("token", "name"), PRICED)
def test_what_is_priced_is_plain(aws_run: OfflineRun, token: str, name: str) -> None:
    for resource in of_type(aws_run, token):
        assert not list(unknowns(resource.inputs.get(name))), f"{resource.name}.{name}"


def test_component_inputs_are_plain(aws_run: OfflineRun) -> None:
    for resource in aws_run.resources:
        if resource.type.startswith("atoll:"):
            assert not list(unknowns(dict(resource.inputs))), resource.urn


def test_every_declared_charge_is_carried_once_and_unchanged(aws_run: OfflineRun) -> None:
    carried = [
        from_inputs(charge)
        for resource in aws_run.resources
        if resource.type.startswith("atoll:")
        for charge in resource.inputs.get("charges", [])
    ]
    wanted = [charge for charges in list_declared_charges(specs.aws_cluster()).values() for charge in charges]
    assert sorted(carried, key=lambda charge: charge.key) == sorted(wanted, key=lambda charge: charge.key)


def test_a_charge_that_nobody_carries_is_refused() -> None:
    from components.context.placement import ChargeLedger

    ledger = ChargeLedger({"bucket/lost": list_declared_charges(specs.aws_cluster())["network"]})
    with pytest.raises(AtollError, match="bucket/lost"):
        ledger.close()


@pytest.mark.parametrize("which", ["aws", "existing"])
def test_both_sides_of_the_money_agree_line_by_line(request: pytest.FixtureRequest, which: str) -> None:
    from catalogs.catalog import load
    from operations.plans.plan import differences
    from operations.plans.price_book import as_book
    from planning.costs.resources.stack_cost import price_resources
    from planning.quoting.candidates.market import Market
    from planning.quoting.option import bill

    catalog = load()
    spec = {"aws": specs.aws_cluster, "existing": specs.existing_cluster}[which]()
    counted = price_resources(request.getfixturevalue(f"{which}_run").resources, catalog=as_book(catalog)).bill
    accepted = bill(spec, Market(catalog))
    assert differences(accepted, counted) == ()
    assert counted.usd_per_month == accepted.usd_per_month
