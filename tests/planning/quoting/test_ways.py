"""Which way in and out an option has, and what it costs."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from small import TRAINING, checklist

from planning.checklist.model.checklist import Checklist
from planning.quoting.assembly.network import gateway, link
from planning.spec.cluster import Profile

MAIN = {"provider": "aws", "region": "us-east-1", "vpc_id": "vpc-0a1b2c3d", "vpc_cidr": "10.0.0.0/16"}


def profile(*forbidden: str) -> Profile:
    return Profile(
        provider="lambda",
        title="1-Click Clusters",
        gpu_driver="provider",
        device_plugin="atoll",
        node_feature_discovery="none",
        dcgm_exporter="atoll",
        network_plugin="atoll",
        node_repair="provider",
        autoscaler="none",
        forbidden=forbidden,
    )


def asked(**parts: Any) -> Checklist:
    return checklist(TRAINING, **parts)


@pytest.mark.parametrize(
    ("target", "kind", "machine"),
    [
        ("aws", "machine", "t4g.micro"),
        ("gcp", "machine", "e2-micro"),
        ("coreweave", "in_cluster", ""),
        ("existing", "in_cluster", ""),
    ],
)
def test_the_gateway_is_a_machine_where_the_network_is_ours(target: str, kind: str, machine: str) -> None:
    found = gateway(asked(), target=target, profile=profile())
    assert found is not None
    assert (found.kind, found.machine) == (kind, machine)
    assert bool(found.disk_gb) == bool(machine)


def test_a_cluster_that_cannot_hold_a_gateway_has_none() -> None:
    for forbidden in ("vpn", "load_balancer"):
        assert gateway(asked(), target="existing", profile=profile(forbidden)) is None
    assert gateway(asked(), target="aws", profile=profile("load_balancer")) is not None
    assert gateway(asked(access={"vpn": False}), target="aws", profile=profile()) is None


def test_the_tunnels_range_lies_outside_every_network() -> None:
    where = {"cidr": "172.27.0.0/16"}
    found = gateway(asked(where=where, main_cloud={**MAIN, "vpc_cidr": "10.0.0.0/8"}), target="aws", profile=profile())
    assert found is not None
    assert str(found.cidr) == "172.30.0.0/16"


def test_a_micro_cloud_is_linked_with_the_volume_of_the_checklist() -> None:
    found = link(asked(main_cloud={**MAIN, "peering_per_month": "2TB"}), place=("lambda", "us-south-2"))
    assert found is not None
    assert (found.provider, found.region, found.vpc_id) == ("aws", "us-east-1", "vpc-0a1b2c3d")
    assert found.gb_per_month.expected == Decimal(2000)


def test_an_existing_cluster_is_linked_also_in_the_main_cloud() -> None:
    existing = {"existing": {"provider": "aws"}}
    assert link(asked(main_cloud=MAIN, where=existing), place=("aws", "us-east-1")) is not None


@pytest.mark.parametrize("place", [("aws", "us-east-1"), ("gcp", "us-central1")])
def test_a_cloud_whose_network_is_ours_is_not_linked(place: tuple[str, str]) -> None:
    assert link(asked(main_cloud=MAIN), place=place) is None


def test_without_a_vpc_there_is_no_link() -> None:
    assert link(asked(), place=("lambda", "us-south-2")) is None
    assert link(asked(main_cloud={"provider": "aws", "region": "us-east-1"}), place=("lambda", "any")) is None
