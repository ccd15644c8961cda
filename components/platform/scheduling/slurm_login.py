"""The login pod of Slurm: an account for everybody whom the checklist gives an SSH key, and nobody's password."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from catalogs.software.reader import images_of
from components.platform.building_blocks.images import picture
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.context import Ground

NAMESPACE: Final = "slurm"
PEOPLE: Final = "slurm-people"
LOGIN: Final = {"cpu": "250m", "memory": "512Mi"}
FIRST_ID, IDS = 10_000, 50_000  # numbers of accounts: the same person has the same one on every cluster
FILES: Final = ("passwd", "group", "shadow")
KEYS_AT: Final = "/etc/ssh/people"
# Adds people to the image's own accounts, and their keys where only root writes, which sshd insists on.
SCRIPT: Final = """\
set -eu
for file in passwd group shadow; do cat "/etc/$file" "/people/$file" > "/accounts/$file"; done
chmod 644 /accounts/passwd /accounts/group
chmod 640 /accounts/shadow
chgrp shadow /accounts/shadow
mkdir -p /accounts/keys
for key in /people/key-*; do install -m 644 "$key" "/accounts/keys/${key#/people/key-}"; done
chmod 755 /accounts/keys
while IFS=: read -r name _ id group _ home _; do install -d -m 700 -o "$id" -g "$group" "/homes/$name"; done \
< /people/passwd
"""


@dataclass(frozen=True, kw_only=True)
class Login:
    """Who signs in.

    Args:
        users: name to public key.
        image: of the login pod, which holds the accounts that it needs itself.
    """

    users: Mapping[str, str]
    image: str

    def objects(self, *, parent: pulumi.Resource) -> list[pulumi.Resource]:
        """Accounts and public keys, as lines of files."""
        if not self.users:
            return []
        made = kubernetes.core.v1.ConfigMap(
            PEOPLE,
            metadata={"name": PEOPLE, "namespace": NAMESPACE},
            data=lines(self.users),
            opts=pulumi.ResourceOptions(parent=parent),
        )
        return [made]

    def values(self, selector: Mapping[str, str]) -> dict[str, object]:
        """Values of the chart; no login pod where nobody has a key."""
        if not self.users:
            return {}
        return {
            "loginsets": {
                "people": {
                    "extraSshdConfig": "\n".join(
                        (
                            f"AuthorizedKeysFile {KEYS_AT}/%u",
                            "PasswordAuthentication no",
                            "KbdInteractiveAuthentication no",
                            "PermitRootLogin no",
                        )
                    ),
                    "login": {"resources": {"requests": dict(LOGIN)}, "volumeMounts": _mounts()},
                    "podSpec": {
                        "nodeSelector": dict(selector),
                        "initContainers": [_accounts(self.image)],
                        "volumes": [
                            {"name": "people", "configMap": {"name": PEOPLE}},
                            {"name": "accounts", "emptyDir": {}},
                            {"name": "homes", "emptyDir": {}},
                        ],
                    },
                    "service": {"spec": {"type": "ClusterIP"}},
                }
            }
        }


def login(ground: Ground) -> Login:
    """Everybody with a key.

    Raises:
        InputError: two names give the same number of an account.
    """
    users = {user.name: user.ssh_key for user in ground.spec.access.users if user.ssh_key}
    by_id: dict[int, str] = {}
    for name in users:
        if other := by_id.get(account_id(name)):
            raise InputError(
                f"the accounts of {other} and {name} on Slurm's login pod would have one number: rename one"
            )
        by_id[account_id(name)] = name
    (image, *_) = (each.pulled for each in images_of("slurm") if each.name.startswith("ghcr.io/slinkyproject/login:"))
    return Login(users=users, image=picture(image, ground))


def account_id(name: str) -> int:
    """Number of a person's account and group: from the name alone, so that files keep their owner."""
    return FIRST_ID + zlib.crc32(name.encode()) % IDS


def lines(users: Mapping[str, str]) -> dict[str, str]:
    """What is added to each file of accounts, and the keys; "*" is no password's hash."""
    ids = {name: account_id(name) for name in users}
    return {
        "passwd": "".join(f"{name}:x:{ids[name]}:{ids[name]}:{name}:/home/{name}:/bin/bash\n" for name in users),
        "group": "".join(f"{name}:x:{ids[name]}:\n" for name in users),
        "shadow": "".join(f"{name}:*:20000::::::\n" for name in users),
        **{f"key-{name}": f"{key}\n" for name, key in users.items()},
    }


def _accounts(image: str) -> dict[str, object]:
    return {
        "name": "accounts",
        "image": image,
        "command": ["/bin/bash", "-c", SCRIPT],
        "securityContext": {"runAsUser": 0},
        "volumeMounts": [
            {"name": "people", "mountPath": "/people", "readOnly": True},
            {"name": "accounts", "mountPath": "/accounts"},
            {"name": "homes", "mountPath": "/homes"},
        ],
    }


def _mounts() -> list[dict[str, object]]:
    files: list[dict[str, object]] = [
        {"name": "accounts", "mountPath": f"/etc/{file}", "subPath": file} for file in FILES
    ]
    keys: dict[str, object] = {"name": "accounts", "mountPath": KEYS_AT, "subPath": "keys", "readOnly": True}
    return [*files, keys, {"name": "homes", "mountPath": "/home"}]
