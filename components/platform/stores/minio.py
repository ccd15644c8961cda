"""MinIO: one erasure set over the nodes of the platform, TLS between all, no console and no default login."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.context.buckets import INCOMPLETE_UPLOAD_DAYS
from components.platform.building_blocks import chart
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.names import CLUSTER_ISSUER, OBJECT_STORE, S3_HOST
from components.platform.stores.s3_policies import METRICS_USER, ROOT_USER, metrics_token
from planning.platform.erasure_coding import Erasure, erasure_set

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.context import Charges, PlatformContext
    from planning.spec.platform import PlatformComponent

NAME: Final = "minio"
ACCOUNT: Final = "object-store"  # `names.BUCKET_USERS`: who may write to the provider's bucket
ROOT: Final = "minio-root"
TLS: Final = "minio-tls"
METRICS: Final = "minio-metrics"
PODS: Final = {"app": NAME, "release": NAME}
MEMORY_MIB: Final = 512
MEMORY_LIMIT: Final = "2Gi"
MILLICORES: Final = 100


@dataclass(frozen=True, kw_only=True)
class MinioArgs:
    """The decided part, its charges, and what it stands on."""

    part: PlatformComponent
    ground: PlatformContext
    charges: Charges

    @property
    def erasure(self) -> Erasure:
        return erasure_set(sum(pool.working for pool in self.ground.spec.pools if pool.role == "system"))

    def facts(self) -> dict[str, object]:
        erasure = self.erasure
        return {
            **self.ground.facts(NAME, self.charges),
            "erasure": {"nodes": erasure.nodes, "drivesPerNode": erasure.drives_per_node, "parity": erasure.parity},
        }


@final
class Minio(pulumi.ComponentResource):
    """The server; who may do what in it is the part `object_store`."""

    def __init__(self, name: str, args: MinioArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:Minio", name, args.facts(), opts)
        root = _root(args.ground, parent=self)
        certificate = _certificate(parent=self)
        self.release = chart.release(
            NAME, args.part, values=values(args), ground=args.ground, parent=self, depends_on=[root, certificate]
        )
        _metrics(args.ground, parent=self)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    args = MinioArgs(part=ground.part(NAME), ground=ground, charges=charges)
    return RegisteredComponent(resource=Minio(NAME, args, opts=options))


def values(args: MinioArgs) -> dict[str, object]:
    """What differs from the chart's defaults: among others a user of known password and a request of 16 GiB."""
    erasure = args.erasure
    return {
        "mode": "distributed" if erasure.distributed else "standalone",
        "replicas": erasure.nodes,
        "drivesPerNode": erasure.drives_per_node,
        "deploymentUpdate": {"type": "Recreate"},
        "existingSecret": ROOT,
        "users": [],
        "tls": {"enabled": True, "certSecret": TLS, "publicCrt": "tls.crt", "privateKey": "tls.key"},
        "trustedCertsSecret": TLS,
        "persistence": {
            "size": f"{erasure.drive_gb(args.part.disk_gb)}Gi",
            "storageClass": args.ground.volume_class,
        },
        "environment": environment(erasure),
        "serviceAccount": {"create": True, "name": ACCOUNT},
        "resources": {
            "requests": {"cpu": f"{MILLICORES}m", "memory": f"{MEMORY_MIB}Mi"},
            "limits": {"memory": MEMORY_LIMIT},
        },
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containerSecurityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "metrics": {"serviceMonitor": {"public": False}},
        "podDisruptionBudget": {"enabled": erasure.distributed, "maxUnavailable": 1},
        "nodeSelector": dict(args.ground.on_system),
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": PODS},
            }
        ],
    }


def environment(erasure: Erasure) -> dict[str, str]:
    return {
        "MINIO_BROWSER": "off",
        "MINIO_UPDATE": "off",
        "MINIO_STORAGE_CLASS_STANDARD": f"EC:{erasure.parity}",
        "MINIO_API_STALE_UPLOADS_EXPIRY": f"{INCOMPLETE_UPLOAD_DAYS * 24}h",
        "MINIO_PROMETHEUS_AUTH_TYPE": "jwt",
    }


def _root(ground: PlatformContext, *, parent: pulumi.Resource) -> kubernetes.core.v1.Secret:
    return kubernetes.core.v1.Secret(
        ROOT,
        metadata={"name": ROOT, "namespace": OBJECT_STORE},
        string_data={"rootUser": ROOT_USER, "rootPassword": ground.keyring.secret(ROOT)},
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _certificate(*, parent: pulumi.Resource) -> kubernetes.apiextensions.CustomResource:
    """One certificate for every name by which a client, or another copy of the server, calls it."""
    return kubernetes.apiextensions.CustomResource(
        TLS,
        api_version="cert-manager.io/v1",
        kind="Certificate",
        metadata={"name": TLS, "namespace": OBJECT_STORE},
        spec={
            "secretName": TLS,
            "dnsNames": dns_names(),
            "usages": ["digital signature", "key encipherment", "server auth", "client auth"],
            "privateKey": {"algorithm": "ECDSA", "size": 256, "rotationPolicy": "Always"},
            "issuerRef": {"group": "cert-manager.io", "kind": "ClusterIssuer", "name": CLUSTER_ISSUER},
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )


def dns_names() -> list[str]:
    """Names of the store, of the chart's service, and of each copy as the others call it."""
    own = f"{NAME}-svc.{OBJECT_STORE}.svc"
    return [S3_HOST, f"s3.{OBJECT_STORE}.svc", f"{NAME}.{OBJECT_STORE}.svc", f"*.{own}", f"*.{own}.cluster.local"]


def _metrics(ground: PlatformContext, *, parent: pulumi.Resource) -> None:
    """Prometheus reads as a user that may do nothing else: the chart would open the metrics to everybody."""
    token = ground.keyring.secret(f"s3-{METRICS_USER}").apply(metrics_token)
    secret = kubernetes.core.v1.Secret(
        METRICS,
        metadata={"name": METRICS, "namespace": OBJECT_STORE},
        string_data={"token": token},
        opts=pulumi.ResourceOptions(parent=parent),
    )
    kubernetes.apiextensions.CustomResource(
        f"{NAME}-monitor",
        api_version="monitoring.coreos.com/v1",
        kind="ServiceMonitor",
        metadata={"name": NAME, "namespace": OBJECT_STORE},
        spec={
            "selector": {"matchLabels": {**PODS, "monitoring": "true"}},
            "endpoints": [_endpoint(path) for path in ("cluster", "node", "bucket")],
        },
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[secret]),
    )


def _endpoint(path: str) -> Mapping[str, object]:
    return {
        "port": "https",
        "scheme": "https",
        "path": f"/minio/v2/metrics/{path}",
        "interval": "60s",
        "authorization": {"type": "Bearer", "credentials": {"name": METRICS, "key": "token"}},
        "tlsConfig": {"serverName": S3_HOST, "ca": {"secret": {"name": TLS, "key": "ca.crt"}}},
    }
