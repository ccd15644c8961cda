from __future__ import annotations

import pulumi
import pytest
import specs
import specs_gcp

from components.clouds.gcp.cluster.settings import GcpSettings, pool_zones, reservation_of, zone_of
from components.context.placement import ChargeLedger, PlacementContext
from components.context.settings import StackSettings
from operations.offline.program import run
from planning.spec.cluster import Pool
from planning.values.errors import AtollError, InputError

ALONE = specs.pool("alone", max_nodes=1, placement_group=False)
JOINED = specs.pool("joined", machine="a3-megagpu-8g")
BOOKED = specs.pool("booked", kind="capacity_block", max_nodes=1, placement_group=False)


def site(*, offline: bool = False, **reservations: str) -> PlacementContext:
    settings = StackSettings(offline=offline, allow_destroy=False, reservations=reservations)
    return PlacementContext(spec=specs_gcp.gcp_cluster(), ledger=ChargeLedger({}), settings=settings)


def said(**zones: str) -> GcpSettings:
    return GcpSettings(project="", zones=zones, billing_account="")


def test_a_pool_that_may_be_anywhere_has_no_zone() -> None:
    assert zone_of(ALONE, site=site(), settings=said()) is None


def test_the_stacks_zone_comes_before_the_locks() -> None:
    locked = specs.pool("joined", zones=("us-central1-b",))
    assert zone_of(locked, site=site(), settings=said()) == "us-central1-b"
    assert zone_of(locked, site=site(), settings=said(joined="us-central1-c")) == "us-central1-c"


def test_a_pool_without_a_fabric_starts_in_every_zone_that_sells_it() -> None:
    wide = specs.pool("alone", max_nodes=1, placement_group=False, zones=("us-central1-a", "us-central1-b"))
    zone = zone_of(wide, site=site(), settings=said())
    assert (zone, pool_zones(wide, zone)) == (None, ("us-central1-a", "us-central1-b"))
    assert pool_zones(wide, zone_of(wide, site=site(), settings=said(alone="us-central1-c"))) == ("us-central1-c",)


def test_where_a_reservation_lies_the_lock_does_not_know() -> None:
    sold = ("us-central1-a", "us-central1-b")
    booked = specs.pool("booked", kind="capacity_block", max_nodes=1, placement_group=False, zones=sold)
    with pytest.raises(InputError, match="which holds its reservation"):
        zone_of(booked, site=site(), settings=said())
    only = specs.pool("booked", kind="capacity_block", max_nodes=1, placement_group=False, zones=sold[:1])
    assert zone_of(only, site=site(), settings=said()) == "us-central1-a"


@pytest.mark.parametrize("pool", [JOINED, BOOKED])
def test_nodes_that_must_be_in_one_zone_ask_which(pool: Pool) -> None:
    with pytest.raises(InputError, match="does not say which") as fault:
        zone_of(pool, site=site(), settings=said())
    assert f"atoll:poolZones.{pool.name}" in fault.value.hint
    assert isinstance(zone_of(pool, site=site(offline=True), settings=said()), pulumi.Output)


def test_a_reserved_pool_is_in_the_reservations_zone() -> None:
    with pytest.raises(InputError, match="start in one zone"):
        zone_of(ALONE, site=site(alone="mine"), settings=said())


def test_a_zone_of_another_region_is_refused() -> None:
    with pytest.raises(InputError, match="not in us-central1"):
        zone_of(JOINED, site=site(), settings=said(joined="us-east4-a"))


def test_booked_capacity_asks_for_its_reservation() -> None:
    assert reservation_of(ALONE, site=site()) is None
    assert reservation_of(BOOKED, site=site(booked="mine")) == "mine"
    with pytest.raises(InputError, match="under which reservation"):
        reservation_of(BOOKED, site=site())


def test_pool_zones_that_are_no_mapping_are_refused() -> None:
    def program() -> None:
        from components.clouds.gcp.cluster.settings import read_gcp_settings

        pulumi.runtime.set_config("atoll:poolZones", '["us-central1-a"]')
        read_gcp_settings()

    with pytest.raises(AtollError, match="must map pool names to zones"):
        run("sample", program=program)
