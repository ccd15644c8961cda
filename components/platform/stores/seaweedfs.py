"""SeaweedFS: the drop-in for MinIO, with the same name, buckets and users, on claimed volumes instead of host paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import yaml

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component
from components.platform.building_blocks.names import OBJECT_STORE, S3_HOST
from components.platform.building_blocks.objects import register_certificate, register_secret
from components.platform.stores.s3_policies import ROOT_USER, identities, store_users

if TYPE_CHECKING:
    from components.platform.building_blocks.context import PlatformResource

USERS: Final = "seaweedfs-users"
USERS_KEY: Final = "seaweedfs_s3_config"  # the key of the Secret that the chart mounts
TLS: Final = "seaweedfs-tls"
ROOT_KEY: Final = "minio-root"  # name in the keyring of the root user's key, whichever engine it is
HTTPS_PORT: Final = 8443
VOLUMES: Final = 3
# GB of the disks that are no objects: the master's log, and the filer's index of names.
MASTER_GB: Final = 5
FILER_GB: Final = 25
COPIES: Final = "001"  # one more copy, on another server
USER_ID: Final = 1000
POD: Final = {
    "enabled": True,
    "runAsUser": USER_ID,
    "runAsGroup": USER_ID,
    "fsGroup": USER_ID,
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
CONTAINER: Final = {"enabled": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


@component("seaweedfs", "atoll:platform:Seaweedfs")
def build(own: PlatformResource) -> None:
    """Master, volume servers, filer and S3 gateway; buckets are made by the component `object_store`."""
    keyring, users = own.context.keyring, store_users(own.context.platform.teams)
    keys = {ROOT_USER: keyring.get_secret(ROOT_KEY), **{user: keyring.get_secret(f"s3-{user}") for user in users}}
    # Everybody's keys and rights, in the one file that the gateway reads.
    written = {USERS_KEY: pulumi.Output.secret(pulumi.Output.all(**keys).apply(identities))}
    secret = register_secret(USERS, written, namespace=OBJECT_STORE, parent=own)
    fields = {
        "dnsNames": [S3_HOST, f"s3.{OBJECT_STORE}.svc"],
        "usages": ["digital signature", "key encipherment", "server auth"],
    }
    certificate = register_certificate(TLS, fields, namespace=OBJECT_STORE, parent=own)
    release(own, values(own), after=[secret, certificate])


def values(own: PlatformResource) -> dict[str, object]:
    """What differs from the chart's defaults: claims for host paths, a login for everybody, TLS on every way."""
    gb = (own.part.disk_gb - MASTER_GB - FILER_GB) // VOLUMES
    return {
        "global": {
            "seaweedfs": {
                "enableSecurity": True,
                "enableReplication": True,
                "replicationPlacement": COPIES,
                "createClusterRole": False,
                "monitoring": {"enabled": True},
            }
        },
        "master": {
            **_server(own, cpu="50m", memory="128Mi"),
            "data": _claim(own, MASTER_GB),
            "logs": {"type": "emptyDir"},
        },
        "volume": {
            **_server(own, cpu="50m", memory="256Mi"),
            "replicas": VOLUMES,
            "dataDirs": [{"name": "data1", "maxVolumes": 0, **_claim(own, gb)}],
        },
        "filer": {
            **_server(own, cpu="100m", memory="256Mi"),
            "data": _claim(own, FILER_GB),
            "logs": {"type": "emptyDir"},
            "s3": {"enabled": False},
        },
        "s3": {
            **_server(own, cpu="50m", memory="128Mi"),
            "enabled": True,
            "replicas": 2,
            "enableAuth": True,
            "existingConfigSecret": USERS,
            "httpsPort": HTTPS_PORT,
            "tlsSecret": TLS,
            "logs": {"type": "emptyDir"},
        },
    }


def _server(own: PlatformResource, *, cpu: str, memory: str) -> dict[str, object]:
    selector = own.context.on_system
    return {
        "podSecurityContext": POD,
        "containerSecurityContext": CONTAINER,
        "nodeSelector": yaml.safe_dump(dict(selector), default_flow_style=False) if selector else "",
        "resources": {"requests": {"cpu": cpu, "memory": memory}, "limits": {"memory": "1Gi"}},
    }


def _claim(own: PlatformResource, gb: int) -> dict[str, object]:
    return {"type": "persistentVolumeClaim", "size": f"{gb}Gi", "storageClass": own.context.volume_class}
