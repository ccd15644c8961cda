"""Slurm: a controller, a login pod for everybody with an SSH key, and one worker on each node that Slurm has."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from catalogs.software.reader import images_of
from components.context.hardware import NVIDIA, device, taints
from components.platform.building_blocks import names
from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.images import resolve_image
from components.platform.building_blocks.network_policies import allow, allow_egress
from components.platform.building_blocks.object_store_access import PROVIDER, pod_port
from planning.platform.slurm import shares
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.platform.building_blocks.context import Charges, PlatformContext
    from planning.platform.slurm import SlurmShare
    from planning.spec.cluster import Pool


# Of a node's cores and memory a worker has this part: the rest is for the node's own agents and for the platform's.
WORKER_PERCENT: Final = 80
SHARED_MEMORY: Final = "shared-memory"  # what processes of one job exchange tensors through; 64 MiB by default


def workers(shares: Sequence[SlurmShare], ground: PlatformContext) -> dict[str, object]:
    """Values of the chart: node sets, and how Slurm finds accelerators."""
    if not shares:
        return {}
    first = shares[0].pool.name
    found = {share.pool.name: _set(share, ground, default=share.pool.name == first) for share in shares}
    nvidia = any(device(share.pool.accelerator) == NVIDIA for share in shares)
    return {"nodesets": found, **({"configFiles": {"gres.conf": "AutoDetect=nvidia\n"}} if nvidia else {})}


def _set(share: SlurmShare, ground: PlatformContext, *, default: bool) -> dict[str, object]:
    pool = share.pool
    own = {"atoll/pool": pool.name} if ground.labelled else {}
    return {
        "replicas": share.standing,
        "slurmd": {
            "resources": {"limits": _limits(pool, ground)},
            "volumeMounts": [{"name": SHARED_MEMORY, "mountPath": "/dev/shm"}],  # noqa: S108 - path in a container
        },
        **({"extraConfMap": {"Gres": [f"gpu:{pool.accelerators}"]}} if device(pool.accelerator) == NVIDIA else {}),
        "partition": {
            "enabled": True,
            "configMap": {"State": "UP", "MaxTime": "UNLIMITED", **({"Default": "YES"} if default else {})},
        },
        "podSpec": {
            "nodeSelector": {"kubernetes.io/os": "linux", **own},
            "tolerations": [
                {"key": taint.key, "operator": "Exists", "effect": "NoSchedule"}
                for taint in taints(pool, burn_in=False)
            ],
            "volumes": [{"name": SHARED_MEMORY, "emptyDir": {"medium": "Memory"}}],
        },
    }


def _limits(pool: Pool, ground: PlatformContext) -> dict[str, object]:
    """What Slurm divides among jobs: the operator reads it off the limits of the worker's pod."""
    limits: dict[str, object] = {}
    if pool.vcpus:
        limits["cpu"] = max(1, pool.vcpus * WORKER_PERCENT // 100)
    if pool.memory_gib:
        limits["memory"] = f"{int(pool.memory_gib * WORKER_PERCENT / 100)}Gi"
    name = device(pool.accelerator)
    if name:
        limits[name] = pool.accelerators
    fabric = ground.spec.profile.rdma_resource
    if fabric and pool.fabric:
        limits[fabric] = pool.efa_interfaces or 1
    return limits


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


def login(ground: PlatformContext) -> Login:
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
    return Login(users=users, image=resolve_image(image, ground))


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


KEYS: Final = "slurm-keys"
CONTROLLER: Final = {"cpu": "250m", "memory": "512Mi"}
REST: Final = {"cpu": "100m", "memory": "128Mi"}
STATE_GI: Final = 4  # jobs that wait or run, kept over a restart of the controller; the part's disk_gb
NO_NODES: Final = (
    "Slurm has no node: no training, fine-tuning or batch workload has a pool, or half of one node was its share"
)


@dataclass(frozen=True, kw_only=True)
class SlurmArgs:
    """Slurm's part of the pools, and who signs in."""

    ground: PlatformContext
    shares: Sequence[SlurmShare]
    login: Login
    charges: Charges

    def facts(self) -> dict[str, object]:
        return {
            **self.ground.facts("slurm", self.charges),
            "nodes": {share.pool.name: share.nodes for share in self.shares},
            "users": list(self.login.users),
        }


@final
class Slurm(pulumi.ComponentResource):
    """A partition for each pool; the first is the default. Accounting is off: it needs a MariaDB of its own."""

    def __init__(self, name: str, args: SlurmArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:Slurm", name, args.facts(), opts)
        before = [_keys(args.ground, parent=self), *args.login.objects(parent=self)]
        _ways(args.ground, parent=self)
        part = args.ground.part("slurm")
        release("slurm", part, values=_values(args), ground=args.ground, parent=self, depends_on=before)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    found = shares(ground.spec)
    if not found:
        pulumi.log.warn(NO_NODES)
    args = SlurmArgs(ground=ground, shares=found, login=login(ground), charges=charges)
    return RegisteredComponent(resource=Slurm("slurm", args, opts=options))


def _values(args: SlurmArgs) -> dict[str, object]:
    ground = args.ground
    watched = ground.has("prometheus_crds")
    selector = {"kubernetes.io/os": "linux", **ground.on_system}
    disk = ground.volume_class
    return {
        "slurmKey": {"create": False, "secretRef": {"name": KEYS, "key": "slurm.key"}},
        "jwtKey": {"create": False, "secretRef": {"name": KEYS, "key": "jwt.key"}},
        "controller": {
            "slurmctld": {"resources": {"requests": dict(CONTROLLER)}},
            "podSpec": {"nodeSelector": selector},
            "persistence": {
                **({"storageClassName": disk} if disk else {}),
                "resources": {"requests": {"storage": f"{STATE_GI}Gi"}},
            },
            "metrics": {"enabled": watched, "serviceMonitor": {"enabled": watched}},
        },
        "restapi": {
            "slurmrestd": {"resources": {"requests": dict(REST)}},
            "podSpec": {"nodeSelector": selector},
        },
        "accounting": {"enabled": False},
        **args.login.values(selector),
        **workers(args.shares, ground),
    }


def _keys(ground: PlatformContext, *, parent: Slurm) -> pulumi.Resource:
    """By the first key daemons trust each other, by the second programs sign in to the REST API."""
    halves = {name: [ground.keyring.secret(f"slurm-{name}-{half}") for half in (1, 2)] for name in ("key", "jwt")}
    return kubernetes.core.v1.Secret(
        KEYS,
        metadata={"name": KEYS, "namespace": NAMESPACE},
        string_data={
            "slurm.key": pulumi.Output.secret(pulumi.Output.concat(*halves["key"])),
            "jwt.key": pulumi.Output.secret(pulumi.Output.concat(*halves["jwt"])),
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _ways(ground: PlatformContext, *, parent: Slurm) -> None:
    """Jobs read and write outside; nobody comes in, but through the Kubernetes API."""
    allow_egress("slurm-jobs", namespace=NAMESPACE, parent=parent)
    if ground.platform.object_store != PROVIDER and ground.has("object_store"):
        allow("slurm-to-store", source=NAMESPACE, target=names.OBJECT_STORE, ports=[pod_port(ground)], parent=parent)
