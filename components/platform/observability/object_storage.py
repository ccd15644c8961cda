"""How logs and traces get to their bucket: keys or identity, the store's authority, and the ways through the fences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.platform.building_blocks import names
from components.platform.building_blocks.network_policies import allow
from components.platform.building_blocks.object_store_access import (
    CA_FOLDER,
    CA_KEY,
    allow_bucket_egress,
    pod_port,
    register_store_authority,
    store_of,
)
from components.platform.building_blocks.objects import register_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pulumi

    from components.platform.building_blocks.context import PlatformResource
    from components.platform.building_blocks.object_store_access import ObjectStoreAccess


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
        return self.store.authority_volumes("s3-ca")

    @property
    def mounts(self) -> list[dict[str, object]]:
        return self.store.authority_mounts("s3-ca")

    @property
    def trusted(self) -> list[dict[str, object]]:
        return [{"name": TRUSTED, "value": f"{CA_FOLDER}/{CA_KEY}"}] if self.store.ca_secret else []

    @property
    def sources(self) -> list[dict[str, object]]:
        """Where the container takes its environment from."""
        return [{"secretRef": {"name": self.environment}}] if self.environment else []


def connect_bucket(own: PlatformResource, *, pods: Mapping[str, str]) -> ComponentBucket:
    """The bucket of a component of this namespace, its keys and its ways.

    Args:
        own: its name is a word of `names.STORE_USERS`.
        pods: labels of the pods that read and write it.
    """
    user, context, home = own.name, own.context, names.OBSERVABILITY
    store = store_of(user, context)
    if store.ca_secret:
        ports = [pod_port(context)]
        allow(f"{user}-to-store", source=home, target=names.OBJECT_STORE, ports=ports, source_pods=pods, parent=own)
    else:
        allow_bucket_egress(f"{user}-to-bucket", namespace=home, pods=pods, context=context, parent=own)
    if store.keyless:
        return ComponentBucket(store=store, environment="", before=[])
    keys = {ACCESS_KEY: store.access_key, SECRET_KEY: store.secret_key}
    secret = register_secret(f"{user}-store", keys, namespace=home, parent=own)
    return ComponentBucket(store=store, environment=f"{user}-store", before=[secret])


def authority(own: PlatformResource) -> list[pulumi.Resource]:
    """The store's authority in this namespace; one component makes it, the others come after it."""
    made = register_store_authority("store-authority", namespace=names.OBSERVABILITY, context=own.context, parent=own)
    return [] if made is None else [made]


def asks(cpu: str, memory: str, *, limit: str = "") -> dict[str, object]:
    """Resources of a container: what it asks for, and where its memory ends; a core that is free may be used."""
    found: dict[str, object] = {"requests": {"cpu": cpu, "memory": memory}}
    return {**found, "limits": {"memory": limit}} if limit else found
