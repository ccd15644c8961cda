from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
import specs
from look import of_type, unknowns

from catalogs.model import UnpricedError
from planning.costs.bill import from_inputs
from planning.costs.charges import list_declared_charges
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Callable

    from catalogs.model import Price
    from catalogs.prices import PriceBook
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


class Hiding:
    """A price list without the prices of some items in one region, as if nobody had read them there."""

    def __init__(self, prices: PriceBook, *, region: str, items: frozenset[str]) -> None:
        self._prices = prices
        self._hidden = {(item, region) for item in items}

    def tiers(self, *, provider: str, item: str, region: str, purchase: str = "list") -> tuple[Price, ...]:
        if (item, region) in self._hidden:
            raise UnpricedError(f"no price of {item} in {region}")
        return self._prices.tiers(provider=provider, item=item, region=region, purchase=purchase)

    def list_prices(self, *, provider: str, item: str) -> tuple[Price, ...]:
        every = self._prices.list_prices(provider=provider, item=item)
        return tuple(each for each in every if (each.item, each.region) not in self._hidden)

    def places(self) -> frozenset[tuple[str, str]]:
        return self._prices.places()


@pytest.mark.parametrize("allowed", [True, False])
def test_both_sides_estimate_the_same_or_neither_does(aws_run: OfflineRun, *, allowed: bool) -> None:
    from catalogs.catalog import load
    from operations.plans.plan import differences
    from planning.costs.estimates import Estimates
    from planning.costs.resources.stack_cost import price_resources
    from planning.quoting.option import bill

    hidden = frozenset({"disk", "nat_gateway", "nat_data", "load_balancer", "object", "encryption_key"})
    catalog, spec = load(), specs.aws_cluster()
    prices = Hiding(catalog.prices, region=spec.placement.region, items=hidden)
    book: Any = SimpleNamespace(prices=prices, terms=catalog.terms)
    market: Any = SimpleNamespace(catalog=book, estimates=Estimates(prices) if allowed else None)
    counted = price_resources(aws_run.resources, catalog=book, estimated=allowed).bill
    accepted = bill(spec, market)
    assert differences(accepted, counted) == ()
    found = accepted.estimated if allowed else accepted.unpriced
    assert {line.item for line in found} >= hidden - {"encryption_key"}
    assert {line.key for line in found} == {line.key for line in (counted.estimated if allowed else counted.unpriced)}
