"""Only what is bought is a line of the bill."""

from __future__ import annotations

import pytest

from catalogs.model import Item
from catalogs.providers import provider_traits
from planning.costs.charges import charges
from planning.spec.cluster import ClusterSpec, Placement
from tests.kits.specs import aws_cluster
from tests.kits.specs_coreweave import coreweave_cluster


def standing_in(provider: str) -> ClusterSpec:
    """A cluster that a provider runs: its pools and tiers decide nothing here."""
    return coreweave_cluster(placement=Placement(provider=provider, region="anywhere", zones=(), target="coreweave"))


def items(spec: ClusterSpec) -> dict[str, str]:
    return {charge.key: charge.item for charge in charges(spec)}


def test_a_load_balancer_that_the_cluster_brings_along_is_paid_by_its_address() -> None:
    assert items(coreweave_cluster())["network/load_balancer"] == Item.PUBLIC_IPV4
    assert items(standing_in("nebius"))["network/load_balancer"] == Item.PUBLIC_IPV4
    assert items(aws_cluster())["network/load_balancer"] == Item.LOAD_BALANCER


@pytest.mark.parametrize("provider", sorted(provider_traits()))
def test_log_ingestion_is_a_line_where_the_provider_has_a_log_service(provider: str) -> None:
    assert ("logs/ingest" in items(standing_in(provider))) == bool(provider_traits()[provider].log_service)
