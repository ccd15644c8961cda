"""The scripts of the ways in, run by a real shell against a pretended node."""

from __future__ import annotations

import os
import subprocess
from ipaddress import IPv4Address, IPv4Network
from typing import TYPE_CHECKING

import pytest

from components.access.gateway_pod import SCRIPT as POD
from components.access.gateway_script import REFRESH, MachineScript
from components.access.ssh import SCRIPT as ACCOUNTS
from components.network.site_pod import LEAD, TRANSLATE

if TYPE_CHECKING:
    from pathlib import Path

MACHINE = MachineScript(
    address=IPv4Address("172.27.0.1"), cidr=IPv4Network("172.27.0.0/16"), region="us-east-1", path="/atoll-demo/vpn"
).text()
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
           group "$(echo "$(members),$last" | sed s/^,//)"; echo "$last" >> "$root/useradd" ;;
  userdel) grep -v "^$last:" "$root/etc/passwd" > "$root/p"; mv "$root/p" "$root/etc/passwd"
           group "$(members | tr , '\\n' | grep -vx "$last" | paste -sd, -)" ;;
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
    (tmp_path / "bin/chroot").write_text(CHROOT)
    (tmp_path / "bin/chroot").chmod(0o755)
    return tmp_path


def once(folder: Path) -> str:
    """One round of the script."""
    text = ACCOUNTS.replace("/node", f"{folder}/node").replace("/keys/", f"{folder}/keys/")
    text = text.replace("sleep 60 & wait $!", "exit 0")
    path = f"{folder}/bin:{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-c", text], env={"PATH": path}, capture_output=True, text=True, timeout=20, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def accounts(folder: Path) -> list[str]:
    return [line.split(":")[0] for line in (folder / "node/etc/passwd").read_text().splitlines()]


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


def test_who_leaves_loses_key_and_account(node: Path) -> None:
    (node / "keys/ada").write_text("key\n")
    once(node)
    (node / "keys/ada").unlink()
    once(node)
    assert accounts(node) == ["root", "ubuntu"]
    assert not (node / "node/home/ada/.ssh/authorized_keys").exists()


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
