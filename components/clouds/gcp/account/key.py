"""The customer-managed key of a cluster on Google Cloud: for secrets, node disks, buckets and file systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.context.placement import PlacementContext

ROTATION: Final = "7776000s"  # 90 days (CIS Google Cloud 1.10)
DESTROY_AFTER: Final = (
    "2592000s"  # 30 days, the default of Cloud KMS, explicit so that a shorter one is a visible change
)
ROLE: Final = "roles/cloudkms.cryptoKeyEncrypterDecrypter"
# Service agents by what they encrypt (docs.cloud.google.com/iam/docs/service-agents). Those of GKE and Compute Engine
# exist once their API is enabled, that of Cloud Storage once its name is read, the others on demand.
BUCKETS: Final = "buckets"
AGENTS: Final[Mapping[str, str]] = {
    "secrets": "container-engine-robot.iam.gserviceaccount.com",
    "disks": "compute-system.iam.gserviceaccount.com",
    "lustre": "gcp-sa-lustre.iam.gserviceaccount.com",
    "secret": "gcp-sa-secretmanager.iam.gserviceaccount.com",
    "topics": "gcp-sa-pubsub.iam.gserviceaccount.com",
}
MADE_ON_DEMAND: Final[Mapping[str, str]] = {
    "lustre": "lustre.googleapis.com",
    "secret": "secretmanager.googleapis.com",
    "topics": "pubsub.googleapis.com",
}


@final
class EncryptionKey(pulumi.ComponentResource):
    """A rotated key in a ring of its own. Google deletes neither, so both get names that are never reused.

    Attributes:
        id: "projects/../cryptoKeys/..".
        granted: users of the key wait for these.
    """

    id: pulumi.Output[str]
    granted: tuple[pulumi.Resource, ...]

    def __init__(
        self,
        name: str,
        site: PlacementContext,
        *,
        number: pulumi.Input[str],
        users: Sequence[str],
        opts: pulumi.ResourceOptions,
    ) -> None:
        """`users` are "buckets" and keys of `AGENTS`; `number` is the project's, which its agents are named by."""
        super().__init__("atoll:access:Key", name, site.describe(), opts)
        kept = pulumi.ResourceOptions(parent=self, protect=True, retain_on_delete=True)
        ring = gcp.kms.KeyRing("keys", location=site.placement.region, opts=kept)
        key = gcp.kms.CryptoKey(
            "key",
            key_ring=ring.id,
            purpose="ENCRYPT_DECRYPT",
            rotation_period=ROTATION,
            destroy_scheduled_duration=DESTROY_AFTER,
            opts=kept,
        )
        self.granted = tuple(_grant(user, key, number=number, parent=self) for user in users)
        self.id = key.id
        self.register_outputs({"id": self.id})


def _grant(user: str, key: gcp.kms.CryptoKey, *, number: pulumi.Input[str], parent: EncryptionKey) -> pulumi.Resource:
    opts = pulumi.ResourceOptions(parent=parent)
    made: list[pulumi.Resource] = []
    if user in MADE_ON_DEMAND:
        made.append(gcp.projects.ServiceIdentity(f"agent-{user}", service=MADE_ON_DEMAND[user], opts=opts))
    if user == BUCKETS:
        agent = gcp.storage.get_project_service_account_output(opts=pulumi.InvokeOutputOptions(parent=parent))
        member = agent.email_address.apply("serviceAccount:{}".format)
    else:
        member = pulumi.Output.concat("serviceAccount:service-", number, "@", AGENTS[user])
    return gcp.kms.CryptoKeyIAMMember(
        f"key-{user}",
        crypto_key_id=key.id,
        role=ROLE,
        member=member,
        opts=pulumi.ResourceOptions(parent=parent, depends_on=made),
    )
