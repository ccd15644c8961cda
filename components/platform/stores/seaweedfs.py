"""SeaweedFS: the drop-in for MinIO, with the same name, buckets and users, on claimed volumes instead of host paths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes
import yaml

from components.platform.building_blocks import chart
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.names import CLUSTER_ISSUER, OBJECT_STORE, S3_HOST
from components.platform.stores.s3_policies import ROOT_USER, identities, store_users

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Charges, PlatformContext
    from planning.spec.platform import PlatformComponent

NAME: Final = "seaweedfs"
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


@dataclass(frozen=True, kw_only=True)
class SeaweedfsArgs:
    """The decided part, its charges, and what it stands on."""

    part: PlatformComponent
    ground: PlatformContext
    charges: Charges


@final
class Seaweedfs(pulumi.ComponentResource):
    """Master, volume servers, filer and S3 gateway; buckets are made by the part `object_store`."""

    def __init__(self, name: str, args: SeaweedfsArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:Seaweedfs", name, args.ground.facts(NAME, args.charges), opts)
        before: list[pulumi.Resource] = [_users(args.ground, parent=self), _certificate(parent=self)]
        chart.release(NAME, args.part, values=values(args), ground=args.ground, parent=self, depends_on=before)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    args = SeaweedfsArgs(part=ground.part(NAME), ground=ground, charges=charges)
    return RegisteredComponent(resource=Seaweedfs(NAME, args, opts=options))


def values(args: SeaweedfsArgs) -> dict[str, object]:
    """What differs from the chart's defaults: claims for host paths, a login for everybody, TLS on every way."""
    gb = (args.part.disk_gb - MASTER_GB - FILER_GB) // VOLUMES
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
            **_server(args, cpu="50m", memory="128Mi"),
            "data": _claim(args, MASTER_GB),
            "logs": {"type": "emptyDir"},
        },
        "volume": {
            **_server(args, cpu="50m", memory="256Mi"),
            "replicas": VOLUMES,
            "dataDirs": [{"name": "data1", "maxVolumes": 0, **_claim(args, gb)}],
        },
        "filer": {
            **_server(args, cpu="100m", memory="256Mi"),
            "data": _claim(args, FILER_GB),
            "logs": {"type": "emptyDir"},
            "s3": {"enabled": False},
        },
        "s3": {
            **_server(args, cpu="50m", memory="128Mi"),
            "enabled": True,
            "replicas": 2,
            "enableAuth": True,
            "existingConfigSecret": USERS,
            "httpsPort": HTTPS_PORT,
            "tlsSecret": TLS,
            "logs": {"type": "emptyDir"},
        },
    }


def _server(args: SeaweedfsArgs, *, cpu: str, memory: str) -> dict[str, object]:
    selector = args.ground.on_system
    return {
        "podSecurityContext": POD,
        "containerSecurityContext": CONTAINER,
        "nodeSelector": yaml.safe_dump(dict(selector), default_flow_style=False) if selector else "",
        "resources": {"requests": {"cpu": cpu, "memory": memory}, "limits": {"memory": "1Gi"}},
    }


def _claim(args: SeaweedfsArgs, gb: int) -> dict[str, object]:
    return {"type": "persistentVolumeClaim", "size": f"{gb}Gi", "storageClass": args.ground.volume_class}


def _users(ground: PlatformContext, *, parent: pulumi.Resource) -> kubernetes.core.v1.Secret:
    """Everybody's keys and rights, in the one file that the gateway reads."""
    users = store_users(ground.platform.teams)
    keys = {ROOT_USER: ground.keyring.secret(ROOT_KEY), **{user: ground.keyring.secret(f"s3-{user}") for user in users}}
    written = pulumi.Output.secret(pulumi.Output.all(**keys).apply(identities))
    return kubernetes.core.v1.Secret(
        USERS,
        metadata={"name": USERS, "namespace": OBJECT_STORE},
        string_data={USERS_KEY: written},
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _certificate(*, parent: pulumi.Resource) -> kubernetes.apiextensions.CustomResource:
    """The gateway's certificate, for our own name of the store."""
    return kubernetes.apiextensions.CustomResource(
        TLS,
        api_version="cert-manager.io/v1",
        kind="Certificate",
        metadata={"name": TLS, "namespace": OBJECT_STORE},
        spec={
            "secretName": TLS,
            "dnsNames": [S3_HOST, f"s3.{OBJECT_STORE}.svc"],
            "usages": ["digital signature", "key encipherment", "server auth"],
            "privateKey": {"algorithm": "ECDSA", "size": 256, "rotationPolicy": "Always"},
            "issuerRef": {"group": "cert-manager.io", "kind": "ClusterIssuer", "name": CLUSTER_ISSUER},
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )
