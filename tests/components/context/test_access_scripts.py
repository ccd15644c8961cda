"""The scripts of the ways in, run by a real shell against a pretended node."""

from __future__ import annotations

import os
import subprocess
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

import pytest

from components.clouds.aws.access.gateway import REFRESH, render_script
from components.connectivity.gateway_pod import SCRIPT as POD
from components.connectivity.ssh import SCRIPT as ACCOUNTS
from components.connectivity.tunnel import LEAD, TRANSLATE

if TYPE_CHECKING:
    from pathlib import Path

MACHINE = render_script(IPv4Network("172.27.0.0/16"), region="us-east-1", path="/atoll-demo/vpn")
# What a node's own programs do to its files, for a node that is a folder; the first argument of chroot is that folder.
CHROOT = """\
#!/bin/sh
root=$1; shift
[ "$1" != setpriv ] || { echo "$*" >> "$root/as"; while [ "$1" != -- ]; do shift; done; shift; owner=yes; }
for last in "$@"; do :; done
members() { sed -n 's/^atoll-ssh:x:9://p' "$root/etc/group"; }
group() {
  grep -v ^atoll-ssh: "$root/etc/group" > "$root/g"
  echo "atoll-ssh:x:9:$1" >> "$root/g"; mv "$root/g" "$root/etc/group"
}
case "$1" in
  groupadd) grep -q ^atoll-ssh: "$root/etc/group" || group "" ;;
  useradd) echo "$last:x:1001:1001::/home/$last:/bin/bash" >> "$root/etc/passwd"
           group "$(echo "$(members),$last" | sed s/^,//)"; echo "$last" >> "$root/useradd"
           echo "$last:*:1:0:1:7:::" >> "$root/etc/shadow" ;;
  usermod) sed "s/^$last:.*/$last:*:1:0:1:7::$([ -z "$3" ] || echo 1):/" "$root/etc/shadow" > "$root/s"
           mv "$root/s" "$root/etc/shadow"; echo "$last" >> "$root/usermod" ;;
  cat | mkdir | tee | chmod | rm) [ -n "$owner" ] || exit 1
           program=$1; shift
           case "$program $*" in *"-m 700"*) mkdir -p "$root$last" ;; rm*) rm -f "$root$last" ;;
             chmod*) chmod 600 "$root$last" ;; *) "$program" "$root$last" ;; esac ;;
esac
"""


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """A node with an account of its own, and the keys of two users beside it."""
    for folder in ("node/etc", "keys", "bin"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "node/etc/passwd").write_text(
        "root:x:0:0:root:/root:/bin/sh\nubuntu:x:1:1:Ubuntu:/home/ubuntu:/bin/sh\n"
    )
    (tmp_path / "node/etc/shadow").write_text("root:*:1:0:1:7:::\nubuntu:*:1:0:1:7:::\n")
    (tmp_path / "bin/chroot").write_text(CHROOT)
    (tmp_path / "bin/chroot").chmod(0o755)
    return tmp_path


def once(folder: Path) -> str:
    """One round of the script."""
    text = ACCOUNTS.replace("/node", f"{folder}/node").replace("/keys/", f"{folder}/keys/")
    text = text.replace("sleep 60 & wait $!", "exit 0")
    path = f"{folder}/bin:{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-c", text], env={"PATH": path}, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def accounts(folder: Path) -> list[str]:
    return [line.split(":")[0] for line in (folder / "node/etc/passwd").read_text().splitlines()]


def shut_out(folder: Path) -> list[str]:
    """Accounts that have ended."""
    fields = [line.split(":") for line in (folder / "node/etc/shadow").read_text().splitlines()]
    return [each[0] for each in fields if each[7]]


def test_a_user_with_a_key_gets_an_account_and_keeps_it(node: Path) -> None:
    (node / "keys/ada").write_text("ssh-ed25519 AAAA ada\n")
    once(node)
    once(node)
    assert accounts(node) == ["root", "ubuntu", "ada"]
    assert (node / "node/home/ada/.ssh/authorized_keys").read_text() == "ssh-ed25519 AAAA ada\n"
    assert len((node / "node/useradd").read_text().splitlines()) == 1


def test_a_new_key_takes_the_place_of_the_old_one(node: Path) -> None:
    (node / "keys/ada").write_text("old\n")
    once(node)
    (node / "keys/ada").write_text("new\n")
    once(node)
    assert (node / "node/home/ada/.ssh/authorized_keys").read_text() == "new\n"


def test_who_leaves_loses_the_key_and_is_shut_out_while_number_and_home_stay_taken(node: Path) -> None:
    (node / "keys/ada").write_text("key\n")
    once(node)
    (node / "keys/ada").unlink()
    once(node)
    once(node)
    assert accounts(node) == ["root", "ubuntu", "ada"]
    assert shut_out(node) == ["ada"]
    assert not (node / "node/home/ada/.ssh/authorized_keys").exists()
    assert (node / "node/usermod").read_text().split() == ["ada"]


def test_who_comes_back_is_let_in_with_the_new_key(node: Path) -> None:
    for key in ("old\n", "", "new\n"):
        (node / "keys/ada").unlink(missing_ok=True)
        if key:
            (node / "keys/ada").write_text(key)
        once(node)
    assert shut_out(node) == []
    assert (node / "node/home/ada/.ssh/authorized_keys").read_text() == "new\n"


def test_an_account_that_the_node_had_is_never_taken_over(node: Path) -> None:
    (node / "keys/ubuntu").write_text("key\n")
    assert "ubuntu is an account of the node" in once(node)
    assert accounts(node) == ["root", "ubuntu"]
    assert not (node / "node/home").exists()


def test_a_home_is_written_as_its_owner_and_never_as_root(node: Path) -> None:
    (node / "keys/ada").write_text("key\n")
    once(node)
    assert {line.split(" -- ")[0] for line in (node / "node/as").read_text().splitlines()} == {
        "setpriv --reuid 1001 --regid 1001 --clear-groups"
    }


def test_a_key_is_never_read_as_a_command(node: Path) -> None:
    (node / "keys/ada").write_text(f"ssh-ed25519 AAAA $(touch {node}/broken) `touch {node}/broken`\n")
    once(node)
    assert not (node / "broken").exists()


# Programs of the gateway's pod: what they are asked is written down, and what they made is there the next time.
ASKED = """\
#!/bin/sh
echo "${0##*/} $*" >> "$LOG"
made=$(echo "${0##*/} $*" | sed 's/ show dev/ add dev/; s/ -C / -A /')
[ "$made" = "${0##*/} $*" ] || grep -qF "$made" "$LOG"
"""


def test_a_gateway_whose_container_starts_again_finds_its_network_as_it_left_it(tmp_path: Path) -> None:
    for folder in ("bin", "run", "vpn"):
        (tmp_path / folder).mkdir()
    for program in ("ip", "iptables", "wg"):
        (tmp_path / "bin" / program).write_text(ASKED)
        (tmp_path / "bin" / program).chmod(0o755)
    (tmp_path / "vpn/0-server").write_text("[Interface]\n")
    (tmp_path / "vpn/user-ada").write_text("[Peer]\n")
    (tmp_path / "forwards").write_text("1\n")
    text = POD.replace("/proc/sys/net/ipv4/ip_forward", f"{tmp_path}/forwards").replace("/etc/vpn", f"{tmp_path}/vpn")
    text = text.replace("/run/", f"{tmp_path}/run/").replace("sleep 30 & wait $!", "exit 0")
    known = {
        "PATH": f"{tmp_path}/bin:{os.environ['PATH']}",
        "LOG": f"{tmp_path}/log",
        "ADDRESS": "172.27.0.1/16",
        "TUNNEL": "172.27.0.0/16",
    }
    for _ in range(2):
        done = subprocess.run(["/bin/bash", "-c", text], env=known, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    asked = (tmp_path / "log").read_text().splitlines()
    assert asked.count("ip link add dev wg0 type wireguard") == 1
    assert len([line for line in asked if " -A " in line]) == 3
    assert len([line for line in asked if line.startswith("wg syncconf")]) == 2
    assert (tmp_path / "run/applied").read_text() == "[Interface]\n[Peer]\n"


@pytest.mark.parametrize(
    "script", [POD, MACHINE, REFRESH, TRANSLATE, LEAD], ids=["pod", "machine", "refresh", "nat", "lead"]
)
def test_a_shell_can_read_the_script(script: str) -> None:
    done = subprocess.run(["/bin/bash", "-n", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_machine_starts_with_settings_in_place_of_their_names() -> None:
    assert MACHINE.startswith("#!/bin/bash\n")
    assert "{settings}" not in MACHINE
    assert "{refresh}" not in MACHINE
    assert "TUNNEL=172.27.0.0/16\nREGION=us-east-1\n" in MACHINE
