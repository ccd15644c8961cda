"""What a small account never has: more than one call may name, parallel file systems, what is gone by now."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from botocore.stub import Stubber
from samples import asked

from operations.clouds.aws import instances, orphans
from operations.clouds.aws.client import Clients
from operations.clouds.aws.tags import Tagged
from planning.cloud_checks.orphans import Orphan

MANY = tuple(f"x-{number:04}" for number in range(450))
LUSTRE, SCRATCH, GOING = "fs-0000000a", "fs-0000000b", "fs-0000000c"
KEYS = ["arn:aws:kms:us-east-1:1:key/gone", "arn:aws:kms:us-east-1:1:key/here"]
Look = Callable[[Tagged], Iterable[Orphan]]


def tagged(aws: Clients, *, ids: dict[str, tuple[str, ...]] | None = None, arns: tuple[str, ...] = ()) -> Tagged:
    """As if the tags had named these."""
    made = Tagged(aws, asked())
    vars(made).update(ec2=ids or {}, arns=arns)
    return made


@pytest.mark.parametrize(
    ("look", "prefix", "call", "name"),
    [
        (instances.machines, "i", "describe_instances", "instance-id"),
        (instances.volumes, "vol", "describe_volumes", "volume-id"),
        (instances.snapshots, "snap", "describe_snapshots", "snapshot-id"),
        (instances.addresses, "eipalloc", "describe_addresses", "allocation-id"),
        (instances.gateways, "nat", "describe_nat_gateways", "nat-gateway-id"),
        (instances.tunnels, "vpn", "describe_vpn_connections", "vpn-connection-id"),
    ],
)
def test_no_call_names_more_than_ec2_takes(
    look: Look, prefix: str, call: str, name: str, clients_of_aws: Clients
) -> None:
    with Stubber(clients_of_aws.ec2) as stub:
        for few in (MANY[:200], MANY[200:400], MANY[400:]):
            stub.add_response(call, {}, {"Filters": [{"Name": name, "Values": list(few)}]})
        assert list(look(tagged(clients_of_aws, ids={prefix: MANY}))) == []
        stub.assert_no_pending_responses()


def test_what_is_on_the_pages_of_each_call_is_found(clients_of_aws: Clients) -> None:
    def page(id_: str) -> dict[str, Any]:
        return {"Reservations": [{"Instances": [{"InstanceId": id_, "State": {"Name": "running"}}]}]}

    with Stubber(clients_of_aws.ec2) as stub:
        for answer in ({**page("a"), "NextToken": "more"}, page("b"), page("c")):
            stub.add_response("describe_instances", answer)
        found = list(instances.machines(tagged(clients_of_aws, ids={"i": MANY[:201]})))
        stub.assert_no_pending_responses()
    assert [each.id for each in found] == ["a", "b", "c"]


def test_a_tunnel_that_is_gone_is_not_found(clients_of_aws: Clients) -> None:
    rows = [{"VpnConnectionId": state, "State": state} for state in ("available", "deleted")]
    with Stubber(clients_of_aws.ec2) as stub:
        stub.add_response("describe_vpn_connections", {"VpnConnections": rows})
        (tunnel,) = instances.tunnels(tagged(clients_of_aws, ids={"vpn": ("vpn-1",)}))
    assert (tunnel.kind, tunnel.id, tunnel.status) == ("VPN connection", "available", "available")


def test_file_systems_of_lustre_are_as_large_as_they_were_made(clients_of_aws: Clients) -> None:
    arns = tuple(f"arn:aws:fsx:us-east-1:1:file-system/{name}" for name in (LUSTRE, SCRATCH, GOING))
    rows: list[dict[str, Any]] = [
        {"FileSystemId": LUSTRE, "Lifecycle": "AVAILABLE", "StorageCapacity": 1200},
        {"FileSystemId": SCRATCH, "Lifecycle": "UPDATING", "StorageCapacity": 2400},
        {"FileSystemId": GOING, "Lifecycle": "DELETING", "StorageCapacity": 1},
        {"FileSystemId": "fs-0000000d", "Lifecycle": "AVAILABLE", "StorageCapacity": 1},
    ]
    for row, kind in zip(rows, ("PERSISTENT_2", "SCRATCH_2"), strict=False):
        row["LustreConfiguration"] = {"DeploymentType": kind}
    with Stubber(clients_of_aws.fsx) as stub:
        stub.add_response("describe_file_systems", {"FileSystems": rows[:1], "NextToken": "more"}, {})
        stub.add_response("describe_file_systems", {"FileSystems": rows[1:]}, {"NextToken": "more"})
        found = list(orphans.parallel_files(tagged(clients_of_aws, arns=arns)))
    assert [(each.id, each.status, *((use.item, use.quantity) for use in each.uses)) for each in found] == [
        (LUSTRE, "available", ("shared_ssd", 1200)),
        (SCRATCH, "updating", ("shared_scratch", 2400)),
    ]


def test_a_key_that_is_gone_hides_no_other(clients_of_aws: Clients) -> None:
    with Stubber(clients_of_aws.kms) as stub:
        stub.add_client_error("describe_key", "NotFoundException", expected_params={"KeyId": KEYS[0]})
        stub.add_response("describe_key", {"KeyMetadata": {"KeyId": "here", "KeyState": "Enabled"}}, {"KeyId": KEYS[1]})
        found = list(orphans.keys(tagged(clients_of_aws, arns=tuple(KEYS))))
    assert [each.id for each in found] == ["here"]
