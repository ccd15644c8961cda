"""The object store as everybody sees it: our own address of it, buckets, users and what each may do."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.platform.building_blocks import network_policies
from components.platform.building_blocks.context import component
from components.platform.building_blocks.images import resolve_image
from components.platform.building_blocks.names import OBJECT_STORE, S3_HOST
from components.platform.building_blocks.object_store_access import (
    CA_KEY,
    CA_NAME,
    POD_PORTS,
    PROVIDER,
    allow_bucket_egress,
    register_store_authority,
)
from components.platform.building_blocks.objects import register_config_map, register_secret
from components.platform.stores.s3_policies import CONFIG, KEYS, METRICS_USER, ROOT_USER, documents, script, store_users

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pulumi_kubernetes.core.v1 import ContainerArgsDict, EnvVarArgsDict, VolumeArgsDict

    from components.context.placement import PlatformBucket
    from components.platform.building_blocks.context import Charges, PlatformContext, PlatformResource


def _inputs(context: PlatformContext, charges: Charges) -> dict[str, object]:
    placement, engine = context.handle.placement, context.platform.object_store
    return {
        "provider": placement.provider,
        "region": placement.region,
        "charges": list(charges),
        "engine": engine,
        "users": [] if engine == PROVIDER else list(store_users(context.platform.teams)),
        "tiered": find_tier(context) is not None,
    }


def find_tier(context: PlatformContext) -> PlatformBucket | None:
    """The provider's bucket that old objects move to; None where MinIO cannot get in without a key."""
    possible = context.platform.object_store == "minio" and context.handle.identity.kind == KEYLESS
    return context.handle.bucket if possible else None


@component("object_store", "atoll:platform:ObjectStore", inputs=_inputs)
def build(own: PlatformResource) -> None:
    """Address, buckets and rights; nothing where the provider's bucket is the store."""
    context = own.context
    engine = context.platform.object_store
    if engine == PROVIDER:
        return
    ways = [_address(engine, parent=own)]
    authority = register_store_authority("object-store-ca", namespace=OBJECT_STORE, context=context, parent=own)
    _setup(context, after=[*ways, *([authority] if authority else [])], parent=own)
    if find_tier(context) is not None:  # the server, and nobody else, reaches the bucket that old objects move to
        pods = BEHIND[engine][0]
        allow_bucket_egress("store-to-tier", namespace=OBJECT_STORE, pods=pods, context=context, parent=own)


SETUP: Final = "object-store-setup"
ROOT_KEY: Final = "minio-root"  # name in the keyring, whichever engine it is
PORT: Final = 9000
ADDRESS_KEY: Final = "address"
SETTINGS: Final = "/mc"
SCRATCH: Final = "/tmp"  # noqa: S108 - an emptyDir of the pod
# Client of the last chart of charts.min.io (5.4.0), which speaks to any S3 store. Digest not resolved yet.
CLIENT: Final = "quay.io/minio/mc:RELEASE.2024-11-21T17-21-54Z"
# Engine to the pods and the port behind our address.
BEHIND: Final[Mapping[str, tuple[Mapping[str, str], int]]] = {
    "minio": ({"app": "minio", "release": "minio"}, POD_PORTS["minio"]),
    "seaweedfs": (
        {"app.kubernetes.io/instance": "seaweedfs", "app.kubernetes.io/component": "s3"},
        POD_PORTS["seaweedfs"],
    ),
}
KEYLESS: Final = "pod_identity"  # the only identity that MinIO's remote tier can take instead of a key


def _address(engine: str, *, parent: pulumi.Resource) -> pulumi.Resource:
    """The service that everybody calls; behind it the pods of whichever engine it is, from every namespace."""
    pods, port = BEHIND[engine]
    host = S3_HOST.split(".", maxsplit=1)[0]
    network_policies.allow(
        "store", source=network_policies.EVERYWHERE, target=OBJECT_STORE, ports=[port], target_pods=pods, parent=parent
    )
    return kubernetes.core.v1.Service(
        "s3",
        metadata={"name": host, "namespace": OBJECT_STORE},
        spec={
            "selector": dict(pods),
            "ports": [{"name": "https", "port": PORT, "target_port": port, "protocol": "TCP"}],
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _setup(context: PlatformContext, *, after: Sequence[pulumi.Resource], parent: pulumi.Resource) -> None:
    """The job that runs the script."""
    written = files(context)
    documented = register_config_map(SETUP, written, namespace=OBJECT_STORE, parent=parent, logical=f"{SETUP}-files")
    keys = _keys(context, parent=parent)
    kubernetes.batch.v1.Job(
        SETUP,
        metadata={"name": SETUP, "namespace": OBJECT_STORE},
        spec={
            "backoff_limit": 6,
            "template": {
                "metadata": {
                    "labels": {"app.kubernetes.io/name": SETUP},
                    # Another script, or another document, makes the job run anew.
                    "annotations": {"atoll/files": digest(written)},
                },
                "spec": {
                    "restart_policy": "OnFailure",
                    "automount_service_account_token": False,
                    "node_selector": dict(context.on_system),
                    "security_context": {
                        "run_as_non_root": True,
                        "run_as_user": 1000,
                        "run_as_group": 1000,
                        "fs_group": 1000,
                        "seccomp_profile": {"type": "RuntimeDefault"},
                    },
                    "containers": [_container(context)],
                    "volumes": _volumes(),
                },
            },
        },
        opts=pulumi.ResourceOptions(
            parent=parent,
            depends_on=[documented, keys, *after],
            delete_before_replace=True,
            replace_on_changes=["spec"],
        ),
    )


def _container(context: PlatformContext) -> ContainerArgsDict:
    return {
        "name": "setup",
        "image": resolve_image(CLIENT, context),
        "command": ["/bin/sh", f"{CONFIG}/setup.sh"],
        "env": _environment(context),
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "security_context": {
            "allow_privilege_escalation": False,
            "read_only_root_filesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volume_mounts": [
            {"name": "files", "mount_path": CONFIG, "read_only": True},
            {"name": "keys", "mount_path": KEYS, "read_only": True},
            {"name": "authority", "mount_path": f"{SETTINGS}/certs/CAs", "read_only": True},
            {"name": "scratch", "mount_path": SCRATCH},
            {"name": "settings", "mount_path": SETTINGS},
        ],
    }


def _volumes() -> list[VolumeArgsDict]:
    return [
        {"name": "files", "config_map": {"name": SETUP}},
        {"name": "keys", "secret": {"secret_name": SETUP}},
        {"name": "authority", "secret": {"secret_name": CA_NAME, "items": [{"key": CA_KEY, "path": CA_KEY}]}},
        {"name": "scratch", "empty_dir": {}},
        {"name": "settings", "empty_dir": {}},
    ]


def files(context: PlatformContext) -> dict[str, str]:
    """File name to text: what the job reads."""
    users, tiered = store_users(context.platform.teams), find_tier(context) is not None
    minio = context.platform.object_store == "minio"
    return {
        **documents(users, tiered=tiered),
        "setup.sh": script(users, minio=minio, tiered=tiered),
    }


def digest(written: Mapping[str, str]) -> str:
    """One word for all files, which changes with any of them."""
    return hashlib.sha256(json.dumps(written, sort_keys=True).encode()).hexdigest()[:16]


def _keys(context: PlatformContext, *, parent: pulumi.Resource) -> kubernetes.core.v1.Secret:
    """The users' secret keys, a file each, and the store's address with the root user's, as `mc` reads it."""
    keyring = context.keyring
    root = pulumi.Output.concat(f"https://{ROOT_USER}:", keyring.get_secret(ROOT_KEY), f"@{S3_HOST}:{PORT}")
    people = (*store_users(context.platform.teams), METRICS_USER)
    content = {**{user: keyring.get_secret(f"s3-{user}") for user in people}, ADDRESS_KEY: root}
    return register_secret(SETUP, content, namespace=OBJECT_STORE, parent=parent, logical=f"{SETUP}-keys")


def _environment(context: PlatformContext) -> list[EnvVarArgsDict]:
    plain: dict[str, pulumi.Input[str]] = {"MC_CONFIG_DIR": SETTINGS, "HOME": SCRATCH}
    tier = find_tier(context)
    if tier is not None:
        plain |= {"TIER_ENDPOINT": tier.endpoint, "TIER_REGION": tier.region, "TIER_BUCKET": tier.name}
    return [
        {
            "name": "MC_HOST_store",
            "value_from": {"secret_key_ref": {"name": SETUP, "key": ADDRESS_KEY}},
        },
        *({"name": name, "value": value} for name, value in plain.items()),
    ]
