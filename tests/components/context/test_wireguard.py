from __future__ import annotations

import base64
import configparser
from ipaddress import IPv4Address, IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.connectivity.vpn import WireGuardProfile, peer_text, private_key, public_key, server_text
from planning.values.addresses import RANGES, free_range, server_address, user_address

# RFC 7748, section 6.1
BOB_PRIVATE = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"
BOB_PUBLIC = "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,30}", fullmatch=True)


def in_base64(text: str) -> str:
    return base64.b64encode(bytes.fromhex(text)).decode()


def test_a_public_key_is_that_of_rfc_7748() -> None:
    assert public_key(in_base64(BOB_PRIVATE)) == in_base64(BOB_PUBLIC)


@given(st.binary(min_size=32, max_size=32))
def test_a_private_key_is_clamped_and_its_public_half_is_that_of_the_unclamped_one(octets: bytes) -> None:
    text = base64.b64encode(octets).decode()
    made = base64.b64decode(private_key(text))
    assert made[0] % 8 == 0
    assert made[31] >> 6 == 1
    assert public_key(private_key(text)) == public_key(text)
    assert private_key(private_key(text)) == private_key(text)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_what_has_not_32_bytes_is_no_key(size: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        private_key(base64.b64encode(bytes(size)).decode())


def test_a_profile_is_what_wg_quick_reads() -> None:
    text = WireGuardProfile(
        private="user=",
        address=IPv4Address("172.27.1.2"),
        server="server=",
        preshared="shared=",
        endpoint="203.0.113.7:51820",
        routes=(IPv4Network("10.64.0.0/16"), IPv4Network("172.27.0.1/32")),
    ).render()
    read = configparser.ConfigParser()
    read.read_string(text)
    assert dict(read["Interface"]) == {"privatekey": "user=", "address": "172.27.1.2/32"}
    assert dict(read["Peer"]) == {
        "publickey": "server=",
        "presharedkey": "shared=",
        "endpoint": "203.0.113.7:51820",
        "allowedips": "10.64.0.0/16, 172.27.0.1/32",
        "persistentkeepalive": "25",
    }


def test_the_servers_parts_together_are_one_configuration() -> None:
    peers = [peer_text(public=f"{name}=", preshared="s=", address=IPv4Address("172.27.0.9")) for name in ("a", "b")]
    whole = server_text(private="server=", port=51820) + "".join(peers)
    assert [line for line in whole.splitlines() if line.startswith("[")] == ["[Interface]", "[Peer]", "[Peer]"]
    assert whole.count("AllowedIPs = 172.27.0.9/32\n") == 2


@given(NAMES, st.sampled_from(RANGES))
def test_a_users_address_follows_from_the_name_and_is_never_the_servers(name: str, cidr: IPv4Network) -> None:
    address = user_address(name, cidr)
    assert address == user_address(name, cidr)
    assert address in cidr
    assert address not in (cidr.network_address, cidr.broadcast_address, server_address(cidr))


@given(st.lists(st.sampled_from([*RANGES, IPv4Network("10.0.0.0/8"), IPv4Network("172.16.0.0/12")]), max_size=5))
def test_the_tunnels_range_touches_no_network(taken: list[IPv4Network]) -> None:
    found = free_range(taken)
    if found is None:
        assert all(any(each.overlaps(other) for other in taken) for each in RANGES)
    else:
        assert not any(found.overlaps(other) for other in taken)
