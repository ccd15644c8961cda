"""SSH to nodes: an account for each user with a public key, on every node but control plane nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.connectivity.pods import (
    build_labels,
    build_metadata,
    build_pod,
    build_security_context,
    create_service_account,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pulumi_kubernetes.core.v1 import ContainerArgsDict, NodeSelectorTermArgsDict, PodSpecArgsDict, VolumeArgsDict

NAME: Final = "ssh"
CONTROL_PLANE: Final = "node-role.kubernetes.io/control-plane"
# To create accounts: chroot into the node, write files of others, change their owner; no network capability.
CAPABILITIES: Final = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID", "SYS_CHROOT"]
# An account is ours when it is in our group, which its owner cannot leave; accounts of the node are never touched.
# Names come from file names and keys from files, and neither is run as a command. Files in a home are written as its
# owner, so that a link there cannot misdirect root. Accounts have no password and cannot become root; "*" is no
# password, where "!" would be locked for a sshd without PAM. A removed user is locked out, and the account keeps its
# number and home, which a new user would otherwise inherit.
SCRIPT: Final = """\
set -u
node() { chroot /node "$@"; }
field() { grep "^$1:" "/node/etc/$2" | cut -d: -f"$3"; }
as() { node setpriv --reuid "$(field "$name" passwd 3)" --regid "$(field "$name" passwd 4)" --clear-groups -- "$@"; }
node groupadd --force atoll-ssh || { echo 'this node makes no accounts' >&2; sleep 3600; exit 1; }
trap 'exit 0' TERM
while true; do
  for file in /keys/*; do
    [ -f "$file" ] || continue
    name=${file##*/}
    grep -q "^$name:" /node/etc/passwd ||
      node useradd --create-home --key UMASK=077 --shell /bin/bash --password '*' --groups atoll-ssh -- "$name"
    field atoll-ssh group 4 | tr , '\n' | grep -qx "$name" || { echo "$name is an account of the node" >&2; continue; }
    [ -z "$(field "$name" shadow 8)" ] || node usermod --expiredate '' -- "$name"
    home=$(field "$name" passwd 6)
    as cat "$home/.ssh/authorized_keys" 2> /dev/null | cmp -s - "$file" && continue
    as mkdir -p -m 700 "$home/.ssh"
    as tee "$home/.ssh/authorized_keys" < "$file" > /dev/null
    as chmod 600 "$home/.ssh/authorized_keys"
  done
  for name in $(field atoll-ssh group 4 | tr , ' '); do
    [ -f "/keys/$name" ] || [ -n "$(field "$name" shadow 8)" ] && continue
    as rm -f "$(field "$name" passwd 6)/.ssh/authorized_keys"
    node usermod --expiredate 1970-01-02 -- "$name"
  done
  sleep 60 & wait $!
done
"""


@final
class Ssh(pulumi.ComponentResource):
    """Public keys in a config map, and on each node a pod that updates its accounts accordingly."""

    def __init__(self, name: str, keys: Mapping[str, str], *, image: str, opts: pulumi.ResourceOptions) -> None:
        """`keys` are public keys by user; the image needs a shell."""
        super().__init__("atoll:access:Ssh", name, {"users": sorted(keys)}, opts)
        inside = pulumi.ResourceOptions(parent=self)
        files = {user: f"{key}\n" for user, key in keys.items()}
        kubernetes.core.v1.ConfigMap(NAME, metadata=build_metadata(NAME), data=files, opts=inside)
        create_service_account(NAME, opts=inside)
        kubernetes.networking.v1.NetworkPolicy(
            NAME,
            metadata=build_metadata(NAME),
            spec={"pod_selector": {"match_labels": build_labels(NAME)}, "policy_types": ["Ingress", "Egress"]},
            opts=inside,
        )
        kubernetes.apps.v1.DaemonSet(
            NAME,
            metadata=build_metadata(NAME),
            spec={
                "selector": {"match_labels": build_labels(NAME)},
                "template": {"metadata": {"labels": build_labels(NAME)}, "spec": _build_pod(image)},
            },
            opts=inside,
        )
        self.register_outputs({})


def _build_pod(image: str) -> PodSpecArgsDict:
    not_control_plane: NodeSelectorTermArgsDict = {
        "match_expressions": [{"key": CONTROL_PLANE, "operator": "DoesNotExist"}]
    }
    accounts: ContainerArgsDict = {
        "name": "accounts",
        "image": image,
        "command": ["/bin/sh", "-c", SCRIPT],
        "security_context": build_security_context(*CAPABILITIES),
        "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"memory": "64Mi"}},
        "volume_mounts": [
            {"name": "keys", "mount_path": "/keys", "read_only": True},
            {"name": "node", "mount_path": "/node"},
        ],
    }
    volumes: list[VolumeArgsDict] = [
        {"name": "keys", "config_map": {"name": NAME}},
        {"name": "node", "host_path": {"path": "/", "type": "Directory"}},
    ]
    return {
        **build_pod(NAME, containers=[accounts], volumes=volumes),
        "affinity": {
            "node_affinity": {
                "required_during_scheduling_ignored_during_execution": {"node_selector_terms": [not_control_plane]}
            }
        },
        "tolerations": [{"operator": "Exists"}],
    }
