"""The VPN's gateway as a machine and as a pod: what it is built of, what it may do, and what stays secret."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pulumi
import pytest
import specs
from look import at, of_type, one

from components.stack.targets import build
from operations.offline.program import run
from planning.costs.resources.resource import Secret
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from pathlib import Path

    from operations.offline.program import OfflineRun
    from planning.costs.resources.resource import Resource

INSTANCE = "aws:ec2/instance:Instance"
PARAMETER = "aws:ssm/parameter:Parameter"
BYTES = "random:index/randomBytes:RandomBytes"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
CLAIMS = ("aws", "existing")


def configured(folder: Path, settings: dict[str, object], *, kind: str = "in_cluster") -> OfflineRun:
    """The cluster with its ways in, under a stack configuration."""
    (folder / "stacks").mkdir(parents=True)
    lines = [f"  atoll:{name}: {json.dumps(value)}\n" for name, value in settings.items()]
    (folder / "stacks" / "Pulumi.sample.yaml").write_text("config:\n" + "".join(lines))
    cluster = specs.aws_cluster() if kind == "machine" else specs.existing_cluster()

    def program() -> None:
        for name, value in build((specs.with_ways(cluster, kind=kind),)).items():
            pulumi.export(name, value)

    return run("sample", program=program, root=folder)


def keys(found: OfflineRun) -> dict[str, object]:
    return {each.name: at(each, "keepers", "rotation") for each in of_type(found, BYTES)}


def others(found: OfflineRun) -> dict[str, Resource]:
    return {each.urn: each for each in found.resources if each.type != BYTES}


@pytest.mark.parametrize("which", CLAIMS)
def test_each_user_has_a_profile_and_all_of_them_are_secret(request: pytest.FixtureRequest, which: str) -> None:
    found = request.getfixturevalue(f"{which}_ways_run")
    assert found.exports["vpnProfiles"] in (Secret(), {"ada": Secret(), "grace": Secret()})


@pytest.mark.parametrize("which", CLAIMS)
def test_every_key_is_made_of_32_random_bytes(request: pytest.FixtureRequest, which: str) -> None:
    made = of_type(request.getfixturevalue(f"{which}_ways_run"), BYTES)
    assert sorted(each.name for each in made) == [
        "preshared-ada",
        "preshared-grace",
        "server",
        "user-ada",
        "user-grace",
    ]
    assert {each.inputs["length"] for each in made} == {32}


def test_changing_one_users_keys_changes_nothing_else(tmp_path: Path) -> None:
    before = configured(tmp_path / "a", {})
    after = configured(tmp_path / "b", {"vpnRotations": {"grace": 1}})
    moved = {name for name, counter in keys(after).items() if keys(before)[name] != counter}
    assert moved == {"user-grace", "preshared-grace"}
    assert others(before) == others(after)


def test_changing_all_keys_changes_the_servers_too(tmp_path: Path) -> None:
    before, after = configured(tmp_path / "a", {}), configured(tmp_path / "b", {"vpnRotation": 3})
    assert not set(keys(before).items()) & set(keys(after).items())


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"vpnRotations": {"ada": "soon"}}, "vpnRotations says 'soon' for 'ada'"),
        ({"vpnRotations": 3}, "vpnRotations must map"),
        ({"vpnRotations": {"eve": 1}}, "vpnRotations names eve, who is not a user in the lock"),
        ({"reach": "moon"}, "reach is 'moon'"),
        ({"linkAddress": "10.0.0.1"}, "linkAddress is '10.0.0.1', which is not a public"),
    ],
)
def test_a_setting_that_cannot_be_is_said_plainly(tmp_path: Path, setting: dict[str, object], said: str) -> None:
    with pytest.raises(AtollError, match=said):
        configured(tmp_path, setting)


def test_the_machines_keys_lie_in_encrypted_parameters_one_for_each_user(aws_ways_run: OfflineRun) -> None:
    parameters = of_type(aws_ways_run, PARAMETER)
    assert sorted(str(each.inputs["name"]) for each in parameters) == [
        "/atoll-sample/vpn/server",
        "/atoll-sample/vpn/users/ada",
        "/atoll-sample/vpn/users/grace",
    ]
    for each in parameters:
        assert each.inputs["type"] == "SecureString"
        assert each.inputs["value"] == Secret()
        assert "keyId" in each.inputs


def test_the_machine_is_told_where_its_keys_are_and_none_of_them(aws_ways_run: OfflineRun) -> None:
    machine = one(aws_ways_run, INSTANCE, "gateway")
    script = machine.inputs["userData"]
    assert isinstance(script, str)
    assert "PARAMETERS=/atoll-sample/vpn\n" in script
    assert "ADDRESS=172.27.0.1/16\n" in script
    assert "ada" not in script
    assert at(machine, "metadataOptions") == {
        "httpEndpoint": "enabled",
        "httpPutResponseHopLimit": 1,
        "httpTokens": "required",
    }
    assert at(machine, "rootBlockDevice", "encrypted") is True
    assert machine.inputs["instanceType"] == "t4g.micro"


def test_the_gateways_port_is_the_only_door_to_the_internet(aws_ways_run: OfflineRun) -> None:
    open_doors = [each for each in of_type(aws_ways_run, INGRESS) if each.inputs.get("cidrIpv4") == "0.0.0.0/0"]
    assert [(each.name, each.inputs["ipProtocol"], each.inputs["toPort"]) for each in open_doors] == [
        ("gateway-wireguard", "udp", 51820)
    ]


def test_the_vpn_leads_to_the_api_and_by_ssh_to_the_nodes(aws_ways_run: OfflineRun, aws_run: OfflineRun) -> None:
    ports = {
        each.name: each.inputs["fromPort"] for each in of_type(aws_ways_run, INGRESS) if "from-gateway" in each.name
    }
    assert ports == {"from-gateway-api": 443, "from-gateway-ssh": 22}
    assert not [each for each in aws_run.resources if each.name.startswith("from-gateway")]


def test_the_pod_has_the_right_to_its_network_and_no_other(existing_ways_run: OfflineRun) -> None:
    pod = at(one(existing_ways_run, "kubernetes:apps/v1:Deployment", "vpn"), "spec", "template", "spec")
    (container,) = pod["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"add": ["NET_ADMIN"], "drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }
    assert "hostNetwork" not in pod
    assert pod["automountServiceAccountToken"] is False


def test_the_pod_is_reached_by_one_udp_port(existing_ways_run: OfflineRun) -> None:
    service = one(existing_ways_run, "kubernetes:core/v1:Service", "vpn")
    assert [(each["port"], each["protocol"]) for each in at(service, "spec", "ports")] == [(51820, "UDP")]
    policy = one(existing_ways_run, "kubernetes:networking.k8s.io/v1:NetworkPolicy", "vpn")
    assert at(policy, "spec", "ingress") == [{"ports": [{"port": 51820, "protocol": "UDP"}]}]
    assert one(existing_ways_run, "kubernetes:core/v1:Secret", "vpn").inputs["stringData"] == Secret()


def test_a_first_update_from_outside_ends_with_the_vpn(tmp_path: Path) -> None:
    found = configured(tmp_path, {"reach": "cloud"}, kind="machine")
    assert not [each.urn for each in found.resources if each.type.startswith("kubernetes:")]
    assert "vpnProfiles" in found.exports


def test_no_vpn_no_gateway(aws_run: OfflineRun, existing_run: OfflineRun) -> None:
    for found in (aws_run, existing_run):
        assert not [each for each in found.resources if each.type == BYTES or "Gateway" in each.type.split(":")[2][:7]]
