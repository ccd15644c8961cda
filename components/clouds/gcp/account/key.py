"""The one customer key of a cluster on Google Cloud: secrets, node disks, buckets and file systems use it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.spec.cluster import Placement

ROTATION: Final = "7776000s"  # 90 days (CIS Google Cloud 1.10)
DESTROY_AFTER: Final = "2592000s"  # 30 days; the default of Cloud KMS, said so that nobody shortens it unseen
ROLE: Final = "roles/cloudkms.cryptoKeyEncrypterDecrypter"
# Service agents by what they encrypt (docs.cloud.google.com/iam/docs/service-agents). Those of GKE and Compute Engine
# are there as soon as their API is on, that of Cloud Storage once somebody asks for its name, the others on demand.
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


@dataclass(frozen=True, kw_only=True)
class EncryptionKeyArgs:
    """Where the key is, and for whom.

    Args:
        number: the project's number, which is in the names of its service agents.
        users: "buckets", and words of `AGENTS`.
    """

    placement: Placement
    number: pulumi.Input[str]
    users: Sequence[str]


@final
class EncryptionKey(pulumi.ComponentResource):
    """A rotated key in a ring of its own. Neither can be deleted at Google, so both get a name that is never reused.

    Attributes:
        id: "projects/../cryptoKeys/..".
        granted: what uses the key waits for these.
    """

    id: pulumi.Output[str]
    granted: tuple[pulumi.Resource, ...]

    def __init__(self, name: str, args: EncryptionKeyArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"provider": args.placement.provider, "region": args.placement.region}
        super().__init__("atoll:access:Key", name, facts, opts)
        key = _key(args, parent=self)
        self.granted = tuple(_grant(user, key, args, parent=self) for user in args.users)
        self.id = key.id
        self.register_outputs({"id": self.id})


def _key(args: EncryptionKeyArgs, *, parent: EncryptionKey) -> gcp.kms.CryptoKey:
    kept = pulumi.ResourceOptions(parent=parent, protect=True, retain_on_delete=True)
    ring = gcp.kms.KeyRing("keys", location=args.placement.region, opts=kept)
    return gcp.kms.CryptoKey(
        "key",
        key_ring=ring.id,
        purpose="ENCRYPT_DECRYPT",
        rotation_period=ROTATION,
        destroy_scheduled_duration=DESTROY_AFTER,
        opts=kept,
    )


def _grant(user: str, key: gcp.kms.CryptoKey, args: EncryptionKeyArgs, *, parent: EncryptionKey) -> pulumi.Resource:
    made: list[pulumi.Resource] = []
    if user in MADE_ON_DEMAND:
        agent = gcp.projects.ServiceIdentity(
            f"agent-{user}", service=MADE_ON_DEMAND[user], opts=pulumi.ResourceOptions(parent=parent)
        )
        made.append(agent)
    return gcp.kms.CryptoKeyIAMMember(
        f"key-{user}",
        crypto_key_id=key.id,
        role=ROLE,
        member=_agent(user, args, parent=parent),
        opts=pulumi.ResourceOptions(parent=parent, depends_on=made),
    )


def _agent(user: str, args: EncryptionKeyArgs, *, parent: EncryptionKey) -> pulumi.Output[str]:
    if user == BUCKETS:
        asked = gcp.storage.get_project_service_account_output(opts=pulumi.InvokeOutputOptions(parent=parent))
        return asked.email_address.apply("serviceAccount:{}".format)
    return pulumi.Output.concat("serviceAccount:service-", args.number, "@", AGENTS[user])
