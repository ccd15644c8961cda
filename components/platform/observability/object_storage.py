"""How logs and traces get to their bucket: keys or identity, the store's authority, and the ways through the fences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.platform.building_blocks import names
from components.platform.building_blocks.network_policies import allow
from components.platform.building_blocks.object_store_access import (
    CA_KEY,
    CA_NAME,
    allow_bucket_egress,
    pod_port,
    register_store_authority,
    store_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.context import PlatformContext
    from components.platform.building_blocks.object_store_access import ObjectStoreAccess


CA_FOLDER: Final = "/etc/s3-ca"
ACCESS_KEY: Final = "S3_ACCESS_KEY"
SECRET_KEY: Final = "S3_SECRET_KEY"  # noqa: S105 - name of an environment variable
TRUSTED: Final = "SSL_CERT_FILE"  # beside the system's own certificates, Go trusts those in this file


@dataclass(frozen=True, kw_only=True)
class ComponentBucket:
    """A part's bucket, as its chart is told.

    Args:
        environment: Secret with the keys, as environment variables; "" where the pod's identity opens the bucket.
        before: what must be there before the pods.
    """

    store: ObjectStoreAccess
    environment: str
    before: list[pulumi.Resource]

    @property
    def volumes(self) -> list[dict[str, object]]:
        if not self.store.ca_secret:
            return []
        return [{"name": "s3-ca", "secret": {"secretName": CA_NAME, "items": [{"key": CA_KEY, "path": CA_KEY}]}}]

    @property
    def mounts(self) -> list[dict[str, object]]:
        """Where it lies in the container."""
        return [{"name": "s3-ca", "mountPath": CA_FOLDER, "readOnly": True}] if self.store.ca_secret else []

    @property
    def trusted(self) -> list[dict[str, object]]:
        return [{"name": TRUSTED, "value": f"{CA_FOLDER}/{CA_KEY}"}] if self.store.ca_secret else []

    @property
    def sources(self) -> list[dict[str, object]]:
        """Where the container takes its environment from."""
        return [{"secretRef": {"name": self.environment}}] if self.environment else []


def connect_bucket(
    user: str, ground: PlatformContext, *, pods: Mapping[str, str], parent: pulumi.Resource
) -> ComponentBucket:
    """The bucket of a part of this namespace, its keys and its ways.

    Args:
        user: word of `names.STORE_USERS`.
        pods: labels of the pods that read and write it.
    """
    store = store_of(user, ground)
    before: list[pulumi.Resource] = []
    if store.ca_secret:
        allow(
            f"{user}-to-store",
            source=names.OBSERVABILITY,
            target=names.OBJECT_STORE,
            ports=[pod_port(ground)],
            source_pods=pods,
            parent=parent,
        )
    else:
        allow_bucket_egress(f"{user}-to-bucket", namespace=names.OBSERVABILITY, pods=pods, ground=ground, parent=parent)
    if store.keyless:
        return ComponentBucket(store=store, environment="", before=before)
    environment = f"{user}-store"
    before.append(
        kubernetes.core.v1.Secret(
            environment,
            metadata={"name": environment, "namespace": names.OBSERVABILITY},
            string_data={ACCESS_KEY: store.access_key, SECRET_KEY: store.secret_key},
            opts=pulumi.ResourceOptions(parent=parent),
        )
    )
    return ComponentBucket(store=store, environment=environment, before=before)


def authority(ground: PlatformContext, *, parent: pulumi.Resource) -> list[pulumi.Resource]:
    """The store's authority in this namespace; one part makes it, the others come after that part."""
    made = register_store_authority("store-authority", namespace=names.OBSERVABILITY, ground=ground, parent=parent)
    return [] if made is None else [made]


def asks(cpu: str, memory: str, *, limit: str = "") -> dict[str, object]:
    """Resources of a container: what it asks for, and where its memory ends; a core that is free may be used."""
    found: dict[str, object] = {"requests": {"cpu": cpu, "memory": memory}}
    return {**found, "limits": {"memory": limit}} if limit else found
