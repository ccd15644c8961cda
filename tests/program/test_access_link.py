"""The tunnel to the main cloud: both ends, the routes, and what is said where one end is the customer's."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING, TypeAlias

import pytest
import specs
from look import at, of_type, one

from components.network.swanctl import connections
from components.settings import Settings
from components.site import Site
from planning.errors import InputError
from planning.takeoff.resource import Secret

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver.offline.program import Run
    from planning.spec import ClusterSpec

    RunSpec: TypeAlias = Callable[[ClusterSpec], Run]

CONNECTION = "aws:ec2/vpnConnection:VpnConnection"
DAEMONS = "kubernetes:apps/v1:DaemonSet"


def linked_to(provider: str) -> ClusterSpec:
    spec = specs.with_ways(specs.existing_cluster(), kind="in_cluster")
    link = specs.LINK.model_copy(update={"provider": provider, "region": "eastus"})
    return spec.model_copy(update={"network": spec.network.model_copy(update={"link": link})})


def test_the_main_side_stands_in_the_main_clouds_region_and_account(existing_ways_run: Run) -> None:
    provider = one(existing_ways_run, "pulumi:providers:aws", "main-cloud")
    assert provider.inputs["region"] == "us-east-1"
    assert "111122223333" in str(provider.inputs["allowedAccountIds"])
    ours = [each for each in existing_ways_run.resources if each.type.startswith("aws:")]
    assert len(ours) == 5
    assert {each.provider for each in ours} == {provider.urn}


def test_both_tunnels_take_nothing_but_the_strongest(existing_ways_run: Run) -> None:
    connection = one(existing_ways_run, CONNECTION, "cluster")
    for number in (1, 2):
        assert connection.inputs[f"tunnel{number}IkeVersions"] == ["ikev2"]
        for phase in (1, 2):
            assert connection.inputs[f"tunnel{number}Phase{phase}EncryptionAlgorithms"] == ["AES256-GCM-16"]
            assert connection.inputs[f"tunnel{number}Phase{phase}IntegrityAlgorithms"] == ["SHA2-384"]
            assert connection.inputs[f"tunnel{number}Phase{phase}DhGroupNumbers"] == [20]


def test_routes_are_told_to_the_tables_that_the_checklist_names(existing_ways_run: Run) -> None:
    route = one(existing_ways_run, "aws:ec2/vpnConnectionRoute:VpnConnectionRoute", "cluster")
    assert route.inputs["destinationCidrBlock"] == "10.64.0.0/16"
    (told,) = of_type(existing_ways_run, "aws:ec2/vpnGatewayRoutePropagation:VpnGatewayRoutePropagation")
    assert told.inputs["routeTableId"] == "rtb-0123456789abcdef0"


def test_the_clusters_end_keeps_its_keys_in_a_secret_and_opens_no_port(existing_ways_run: Run) -> None:
    assert one(existing_ways_run, "kubernetes:core/v1:Secret", "site").inputs["stringData"] == Secret()
    services = of_type(existing_ways_run, "kubernetes:core/v1:Service")
    assert {each.name: at(each, "spec").get("type", "ClusterIP") for each in services} == {
        "vpn": "LoadBalancer",
        "site-gateway": "ClusterIP",
    }


def test_every_node_learns_the_route_and_every_container_drops_what_it_does_not_need(existing_ways_run: Run) -> None:
    routes = at(one(existing_ways_run, DAEMONS, "site-routes"), "spec", "template", "spec")
    assert routes["tolerations"] == [{"operator": "Exists"}]
    gateway = at(one(existing_ways_run, "kubernetes:apps/v1:Deployment", "site-gateway"), "spec", "template", "spec")
    for container in (*routes["containers"], *gateway["containers"]):
        assert container["securityContext"]["capabilities"]["drop"] == ["ALL"]
        assert container["securityContext"].get("privileged") is None


@pytest.mark.parametrize("provider", ["gcp", "azure"])
def test_where_the_customer_makes_the_other_end_the_stack_says_with_what(run_spec: RunSpec, provider: str) -> None:
    found = run_spec(linked_to(provider))
    wanted = found.exports["link"]
    assert isinstance(wanted, dict)
    assert wanted["network"] == "10.0.0.0/16"
    assert wanted["peerNetwork"] == "10.64.0.0/16"
    assert not [each for each in found.resources if each.type.startswith("aws:")]


def test_without_the_clusters_address_nothing_is_made() -> None:
    from components.charges import Ledger
    from components.network.site import _address

    spec = specs.with_ways(specs.existing_cluster(), kind="in_cluster")
    settings = Settings(offline=False, allow_destroy=False, reservations={})
    with pytest.raises(InputError, match="public address") as caught:
        _address(Site(spec=spec, ledger=Ledger({}), settings=settings))
    assert "atoll:linkAddress" in caught.value.hint


def test_strongswan_calls_each_tunnel_with_its_own_key() -> None:
    text = connections(
        [("198.51.100.1", "first"), ("198.51.100.2", "second")],
        us="203.0.113.9",
        network=IPv4Network("10.64.0.0/16"),
        main=IPv4Network("10.0.0.0/16"),
    )
    assert text.count("{") == text.count("}")
    assert text.index("198.51.100.1") < text.index("198.51.100.2")
    assert text.count("start_action = start") == 2
    assert text.count("id = 203.0.113.9") == 2
    assert '    id = 198.51.100.2\n    secret = "second"\n' in text
