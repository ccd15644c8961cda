"""The tunnel to the main cloud: both ends, the routes, and what is said where one end is the customer's."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING, TypeAlias

import pulumi
import pytest
import specs
from look import at, of_type, one

from catalogs.catalog import load
from components.connectivity.tunnel import connections
from components.context.placement import PlacementContext
from components.context.settings import StackSettings
from components.stack.targets import build
from operations.offline.program import OfflineRun, run
from operations.plans.plan import differences
from operations.plans.price_book import as_book
from planning.costs.resources.resource import Secret
from planning.costs.resources.stack_cost import price_resources
from planning.quoting.candidates.market import Market
from planning.quoting.option import whole_bill
from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from planning.costs.bill import Bill
    from planning.spec.cluster import ClusterSpec

    RunSpec: TypeAlias = Callable[[ClusterSpec], OfflineRun]

CONNECTION = "aws:ec2/vpnConnection:VpnConnection"
AZURE_GATEWAY = "azure:network/virtualNetworkGateway:VirtualNetworkGateway"
AZURE_CONNECTION = "azure:network/virtualNetworkGatewayConnection:VirtualNetworkGatewayConnection"
DAEMONS = "kubernetes:apps/v1:DaemonSet"


VNET = (
    "/subscriptions/0a1b2c3d-0000-4000-8000-000000000000/resourceGroups/core"
    "/providers/Microsoft.Network/virtualNetworks/main"
)
MAIN = {"azure": ("eastus", VNET), "gcp": ("us-central1", "projects/acme-core/global/networks/main")}


def linked_to(provider: str) -> ClusterSpec:
    spec = specs.with_ways(specs.existing_cluster(), kind="in_cluster")
    region, network = MAIN[provider]
    main = {"provider": provider, "region": region, "vpc_id": network, "account": None, "route_table_ids": ()}
    link = specs.LINK.model_copy(update=main)
    return spec.model_copy(update={"network": spec.network.model_copy(update={"link": link})})


def run_with(spec: ClusterSpec, **settings: str) -> OfflineRun:
    def program() -> None:
        for name, value in settings.items():
            pulumi.runtime.set_config(f"atoll:{name}", value)
        for name, value in build((spec,)).items():
            pulumi.export(name, value)

    return run("sample", program=program)


@pytest.fixture(scope="module")
def gcp_link_run(run_spec: RunSpec) -> OfflineRun:
    return run_spec(linked_to("gcp"))


@pytest.fixture(scope="module")
def azure_link_run(run_spec: RunSpec) -> OfflineRun:
    return run_spec(linked_to("azure"))


def test_the_main_side_stands_in_the_main_clouds_region_and_account(existing_ways_run: OfflineRun) -> None:
    provider = one(existing_ways_run, "pulumi:providers:aws", "main-cloud")
    assert provider.inputs["region"] == "us-east-1"
    assert "111122223333" in str(provider.inputs["allowedAccountIds"])
    ours = [each for each in existing_ways_run.resources if each.type.startswith("aws:")]
    assert len(ours) == 5
    assert {each.provider for each in ours} == {provider.urn}


def test_both_tunnels_take_nothing_but_the_strongest(existing_ways_run: OfflineRun) -> None:
    connection = one(existing_ways_run, CONNECTION, "cluster")
    for number in (1, 2):
        assert connection.inputs[f"tunnel{number}IkeVersions"] == ["ikev2"]
        for phase in (1, 2):
            assert connection.inputs[f"tunnel{number}Phase{phase}EncryptionAlgorithms"] == ["AES256-GCM-16"]
            assert connection.inputs[f"tunnel{number}Phase{phase}IntegrityAlgorithms"] == ["SHA2-384"]
            assert connection.inputs[f"tunnel{number}Phase{phase}DhGroupNumbers"] == [20]


def test_routes_are_told_to_the_tables_that_the_checklist_names(existing_ways_run: OfflineRun) -> None:
    route = one(existing_ways_run, "aws:ec2/vpnConnectionRoute:VpnConnectionRoute", "cluster")
    assert route.inputs["destinationCidrBlock"] == "10.64.0.0/16"
    (told,) = of_type(existing_ways_run, "aws:ec2/vpnGatewayRoutePropagation:VpnGatewayRoutePropagation")
    assert told.inputs["routeTableId"] == "rtb-0123456789abcdef0"


def test_the_clusters_end_keeps_its_keys_in_a_secret_and_opens_no_port(existing_ways_run: OfflineRun) -> None:
    assert one(existing_ways_run, "kubernetes:core/v1:Secret", "site").inputs["stringData"] == Secret()
    services = of_type(existing_ways_run, "kubernetes:core/v1:Service")
    assert {each.name: at(each, "spec").get("type", "ClusterIP") for each in services} == {
        "vpn": "LoadBalancer",
        "site-gateway": "ClusterIP",
    }


def test_every_node_learns_the_route_and_every_container_drops_what_it_does_not_need(
    existing_ways_run: OfflineRun,
) -> None:
    routes = at(one(existing_ways_run, DAEMONS, "site-routes"), "spec", "template", "spec")
    assert routes["tolerations"] == [{"operator": "Exists"}]
    gateway = at(one(existing_ways_run, "kubernetes:apps/v1:Deployment", "site-gateway"), "spec", "template", "spec")
    for container in (*routes["containers"], *gateway["containers"]):
        assert container["securityContext"]["capabilities"]["drop"] == ["ALL"]
        assert container["securityContext"].get("privileged") is None


def test_on_google_cloud_a_classic_gateway_answers_and_the_network_learns_the_way(gcp_link_run: OfflineRun) -> None:
    provider = one(gcp_link_run, "pulumi:providers:gcp", "main-cloud")
    assert provider.inputs["project"] == "acme-core"
    ours = [each for each in gcp_link_run.resources if each.type.startswith("gcp:")]
    assert len(ours) == 7
    assert {each.provider for each in ours} == {provider.urn}
    tunnel = one(gcp_link_run, "gcp:compute/vPNTunnel:VPNTunnel", "cluster")
    assert tunnel.inputs["localTrafficSelectors"] == ["10.0.0.0/16"]
    assert tunnel.inputs["remoteTrafficSelectors"] == ["10.64.0.0/16"]
    assert tunnel.inputs["sharedSecret"] == Secret()
    assert "router" not in tunnel.inputs
    rules = of_type(gcp_link_run, "gcp:compute/forwardingRule:ForwardingRule")
    assert {(each.inputs["ipProtocol"], each.inputs.get("portRange")) for each in rules} == {
        ("ESP", None),
        ("UDP", "500"),
        ("UDP", "4500"),
    }
    assert {rule.urn for rule in rules} <= set(tunnel.dependencies)
    assert one(gcp_link_run, "gcp:compute/route:Route", "cluster").inputs["destRange"] == "10.64.0.0/16"


def test_on_azure_the_gateway_stands_in_the_networks_own_subnet_and_group(azure_link_run: OfflineRun) -> None:
    provider = one(azure_link_run, "pulumi:providers:azure", "main-cloud")
    assert provider.inputs["subscriptionId"] == Secret()
    ours = [each for each in azure_link_run.resources if each.type.startswith("azure:")]
    assert len(ours) == 4
    assert {each.provider for each in ours} == {provider.urn}
    assert {each.inputs["resourceGroupName"] for each in ours} == {"core"}
    gateway = one(azure_link_run, AZURE_GATEWAY, "main-cloud")
    assert at(gateway, "ipConfigurations", 0, "subnetId") == f"{VNET}/subnets/GatewaySubnet"
    connection = one(azure_link_run, AZURE_CONNECTION, "cluster")
    assert connection.inputs["sharedKey"] == Secret()
    assert at(connection, "ipsecPolicy")["ikeEncryption"] == "GCMAES256"
    assert at(connection, "trafficSelectorPolicy", "remoteAddressCidrs") == ["10.64.0.0/16"]


@pytest.mark.parametrize("provider", ["aws", "gcp", "azure"])
def test_the_tunnel_costs_in_the_program_what_it_costs_in_the_bill(
    provider: str, existing_ways_run: OfflineRun, request: pytest.FixtureRequest
) -> None:
    if provider == "aws":
        spec, found = specs.with_ways(specs.existing_cluster(), kind="in_cluster"), existing_ways_run
    else:
        spec, found = linked_to(provider), request.getfixturevalue(f"{provider}_link_run")
    billed, taken = link_lines(spec, found)
    assert billed == taken
    assert ("network/link/address" in billed) == (provider != "aws")


def link_lines(spec: ClusterSpec, found: OfflineRun) -> tuple[dict[str, object], dict[str, object]]:
    catalog = load()
    counted = price_resources(found.resources, catalog=as_book(catalog), default_region=None).bill
    billed = whole_bill((spec,), Market(catalog))
    assert not [each for each in differences(billed, counted) if each.key.startswith("network/")]
    return of_link(billed), of_link(counted)


def of_link(bill: Bill) -> dict[str, object]:
    mine = [line for line in bill.lines if line.key.startswith("network/link/")]
    return {line.key: (line.state, line.quantity, line.usd_per_month) for line in mine}


@pytest.mark.parametrize("provider", ["gcp", "azure"])
def test_a_main_side_that_the_customer_made_is_used_and_still_paid_for(provider: str) -> None:
    spec = linked_to(provider)
    found = run_with(spec, linkPeer="198.51.101.7", linkKey="kept-by-the-customer")
    assert not [each for each in found.resources if each.type.startswith(("azure:", "gcp:"))]
    billed, taken = link_lines(spec, found)
    assert billed == taken


def test_a_gateway_that_azure_has_already_is_called_at_the_address_that_was_said() -> None:
    spec = linked_to("azure")
    gateway = f"{VNET}/../gateway"
    found = run_with(spec, linkGateway=gateway, linkPeer="198.51.101.7")
    assert AZURE_GATEWAY not in {each.type for each in found.resources}
    assert one(found, AZURE_CONNECTION, "cluster").inputs["virtualNetworkGatewayId"] == gateway
    billed, taken = link_lines(spec, found)
    assert billed == taken


def test_a_gateway_without_a_key_is_not_called() -> None:
    with pytest.raises(AtollError, match="pre-shared key is not set"):
        run_with(linked_to("gcp"), linkPeer="198.51.101.7")


@pytest.mark.parametrize(
    ("provider", "said"), [("azure", "its address is not set"), ("gcp", "on Google Cloud the tunnel gets one")]
)
def test_a_gateway_that_cannot_be_used_so_is_refused(provider: str, said: str) -> None:
    with pytest.raises(AtollError, match=said):
        run_with(linked_to(provider), linkGateway="there")


def test_a_network_of_azure_is_named_by_its_whole_id(run_spec: RunSpec) -> None:
    spec = linked_to("azure")
    assert spec.network.link is not None
    short = spec.network.link.model_copy(update={"vpc_id": "main"})
    with pytest.raises(AtollError, match="not the id of a virtual network"):
        run_spec(spec.model_copy(update={"network": spec.network.model_copy(update={"link": short})}))


def test_the_stack_says_with_what_both_ends_are_made(existing_ways_run: OfflineRun) -> None:
    wanted = existing_ways_run.exports["link"]
    assert isinstance(wanted, dict)
    assert wanted["network"] == "10.0.0.0/16"
    assert wanted["peerNetwork"] == "10.64.0.0/16"


def test_without_the_clusters_address_nothing_is_made() -> None:
    from components.context.placement import ChargeLedger
    from components.stack.cluster_contents import _address

    spec = specs.with_ways(specs.existing_cluster(), kind="in_cluster")
    settings = StackSettings(offline=False, allow_destroy=False, reservations={})
    with pytest.raises(InputError, match="public address") as caught:
        _address(PlacementContext(spec=spec, ledger=ChargeLedger({}), settings=settings))
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
    assert '    id = 198.51.100.2\n    secret = "0sc2Vjb25k"\n' in text
