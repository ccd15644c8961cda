"""Slurm on Kubernetes (Slinky): its operator, a controller, a login pod for SSH keys, and a worker on each node."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

import pulumi

from catalogs.software.reader import images_of
from components.context.hardware import NVIDIA, device, taints
from components.platform.building_blocks import names
from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component
from components.platform.building_blocks.images import resolve_image
from components.platform.building_blocks.network_policies import allow, allow_egress, allow_webhook
from components.platform.building_blocks.object_store_access import PROVIDER, pod_port
from components.platform.building_blocks.objects import register_config_map, register_secret
from planning.platform.queues import shares
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.platform.building_blocks.context import Charges, PlatformContext, PlatformResource
    from planning.platform.queues import SlurmShare
    from planning.spec.cluster import Pool


@component("slurm_operator", "atoll:platform:SlurmOperator")
def build_slurm_operator(own: PlatformResource) -> None:
    """Operator and webhook, with the definitions of their custom resources.

    It watches every namespace, and only ours has something for it.
    """
    allow_webhook("slurm-webhook", namespace=own.part.namespace, ports=[WEBHOOK_PORT], parent=own)
    selector = dict(own.context.on_system)
    values = {
        "crds": {"enabled": True},
        "operator": {"resources": {"requests": OPERATOR_REQUESTS}, "nodeSelector": selector},
        "webhook": {"resources": {"requests": WEBHOOK_REQUESTS}, "nodeSelector": selector},
    }
    release(own, values)


WEBHOOK_PORT: Final = 9443
OPERATOR_REQUESTS: Final = {"cpu": "100m", "memory": "128Mi"}
WEBHOOK_REQUESTS: Final = {"cpu": "50m", "memory": "64Mi"}


# Of a node's cores and memory a worker has this part: the rest is for the node's own agents and for the platform's.
WORKER_PERCENT: Final = 80
SHARED_MEMORY: Final = "shared-memory"  # what processes of one job exchange tensors through; 64 MiB by default


def workers(mine: Sequence[SlurmShare], context: PlatformContext) -> dict[str, object]:
    """Values of the chart: node sets, and how Slurm finds accelerators."""
    if not mine:
        return {}
    first = mine[0].pool.name
    found = {share.pool.name: _set(share, context, default=share.pool.name == first) for share in mine}
    nvidia = any(device(share.pool.accelerator) == NVIDIA for share in mine)
    return {"nodesets": found, **({"configFiles": {"gres.conf": "AutoDetect=nvidia\n"}} if nvidia else {})}


def _set(share: SlurmShare, context: PlatformContext, *, default: bool) -> dict[str, object]:
    pool = share.pool
    own = {"atoll/pool": pool.name} if context.labelled else {}
    return {
        "replicas": share.standing,
        "slurmd": {
            "resources": {"limits": _limits(pool, context)},
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


def _limits(pool: Pool, context: PlatformContext) -> dict[str, object]:
    """What Slurm divides among jobs."""
    # The operator reads what Slurm divides among jobs off the limits of the worker's pod.
    limits: dict[str, object] = {}
    if pool.vcpus:
        limits["cpu"] = max(1, pool.vcpus * WORKER_PERCENT // 100)
    if pool.memory_gib:
        limits["memory"] = f"{int(pool.memory_gib * WORKER_PERCENT / 100)}Gi"
    name = device(pool.accelerator)
    if name:
        limits[name] = pool.accelerators
    fabric = context.spec.profile.rdma_resource
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


def _inputs(context: PlatformContext, charges: Charges) -> dict[str, object]:
    return {
        **context.describe_part("slurm", charges),
        "nodes": {share.pool.name: share.nodes for share in shares(context.spec)},
        "users": list(list_users(context)),
    }


@component("slurm", "atoll:platform:Slurm", inputs=_inputs)
def build_slurm(own: PlatformResource) -> None:
    """A partition for each pool; the first is the default. Accounting is off: it needs a MariaDB of its own."""
    context = own.context
    if not shares(context.spec):
        pulumi.log.warn(NO_NODES)
    before: list[pulumi.Resource] = [_register_keys(own)]
    users = list_users(context)
    if users:
        before.append(register_config_map(PEOPLE, lines(users), namespace=NAMESPACE, parent=own))
    allow_egress("slurm-jobs", namespace=NAMESPACE, parent=own)  # jobs read and write outside; nobody comes in
    if context.platform.object_store != PROVIDER and context.has("object_store"):
        ports = [pod_port(context)]
        allow("slurm-to-store", source=NAMESPACE, target=names.OBJECT_STORE, ports=ports, parent=own)
    release(own, _values(context), after=before)


def list_users(context: PlatformContext) -> dict[str, str]:
    """Name to public key of everybody who signs in.

    Raises:
        InputError: two names give the same number of an account.
    """
    users = {user.name: user.ssh_key for user in context.spec.access.users if user.ssh_key}
    by_id: dict[int, str] = {}
    for name in users:
        if other := by_id.get(account_id(name)):
            raise InputError(
                f"the accounts of {other} and {name} on Slurm's login pod would have one number: rename one"
            )
        by_id[account_id(name)] = name
    return users


def build_login_values(context: PlatformContext, selector: Mapping[str, str]) -> dict[str, object]:
    """Values of the chart; no login pod without SSH keys."""
    if not list_users(context):
        return {}
    # The image holds the accounts that it needs itself.
    (image, *_) = (each.pulled for each in images_of("slurm") if each.name.startswith("ghcr.io/slinkyproject/login:"))
    people: dict[str, object] = {
        "extraSshdConfig": "\n".join(
            (
                f"AuthorizedKeysFile {KEYS_AT}/%u",
                "PasswordAuthentication no",
                "KbdInteractiveAuthentication no",
                "PermitRootLogin no",
            )
        ),
        "login": {"resources": {"requests": LOGIN}, "volumeMounts": _mounts()},
        "podSpec": {
            "nodeSelector": dict(selector),
            "initContainers": [_accounts(resolve_image(image, context))],
            "volumes": [
                {"name": "people", "configMap": {"name": PEOPLE}},
                {"name": "accounts", "emptyDir": {}},
                {"name": "homes", "emptyDir": {}},
            ],
        },
        "service": {"spec": {"type": "ClusterIP"}},
    }
    return {"loginsets": {"people": people}}


def account_id(name: str) -> int:
    """Number of a person's account and group."""
    # From the name alone, so that files keep their owner when people come and go.
    return FIRST_ID + zlib.crc32(name.encode()) % IDS


def lines(users: Mapping[str, str]) -> dict[str, str]:
    """What is added to each file of accounts, and the keys."""
    ids = {name: account_id(name) for name in users}
    return {
        "passwd": "".join(f"{name}:x:{ids[name]}:{ids[name]}:{name}:/home/{name}:/bin/bash\n" for name in users),
        "group": "".join(f"{name}:x:{ids[name]}:\n" for name in users),
        # "*" is no password's hash: nobody signs in by password.
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


def _values(context: PlatformContext) -> dict[str, object]:
    watched = context.has("prometheus_crds")
    selector = {"kubernetes.io/os": "linux", **context.on_system}
    disk = context.volume_class
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
        **build_login_values(context, selector),
        **workers(shares(context.spec), context),
    }


def _register_keys(own: PlatformResource) -> pulumi.Resource:
    """By the first key daemons trust each other, by the second programs sign in to the REST API."""
    keyring = own.context.keyring
    halves = {name: [keyring.get_secret(f"slurm-{name}-{half}") for half in (1, 2)] for name in ("key", "jwt")}
    content = {f"{name}.key": pulumi.Output.secret(pulumi.Output.concat(*both)) for name, both in halves.items()}
    return register_secret(KEYS, content, namespace=NAMESPACE, parent=own)
