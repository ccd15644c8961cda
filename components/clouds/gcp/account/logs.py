"""Logs of the infrastructure on Google Cloud: the control plane's and the network's, in a bucket with an end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.key import ROLE
from components.clouds.gcp.account.names import CLUSTER_LENGTH, build_gcp_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.spec.cluster import Placement

KEPT_DAYS: Final = 30  # what the price of taking logs in includes (cloud.google.com/stackdriver/pricing, from memory)


@dataclass(frozen=True, kw_only=True)
class LogsArgs:
    """What is logged, the key it is encrypted with, and the declared charges of all of it."""

    placement: Placement
    project: pulumi.Input[str]
    key_id: pulumi.Input[str]
    charges: Sequence[dict[str, object]]


@final
class Logs(pulumi.ComponentResource):
    """An encrypted log bucket, the way into it, and no second copy in the project's default one, which is paid too."""

    def __init__(self, name: str, args: LogsArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts: dict[str, object] = {
            "provider": args.placement.provider,
            "region": args.placement.region,
            "charges": list(args.charges),
        }
        super().__init__("atoll:cluster:Logs", name, facts, opts)
        bucket = _bucket(args, parent=self)
        _route(bucket, args, parent=self)
        self.register_outputs({"bucket": bucket.id})


def _bucket(args: LogsArgs, *, parent: Logs) -> gcp.logging.ProjectBucketConfig:
    """Logging uses the key by an account that it names itself."""
    settings = gcp.logging.get_project_cmek_settings_output(
        project=args.project, opts=pulumi.InvokeOutputOptions(parent=parent)
    )
    granted = gcp.kms.CryptoKeyIAMMember(
        "key-logs",
        crypto_key_id=args.key_id,
        role=ROLE,
        member=settings.service_account_id.apply("serviceAccount:{}".format),
        opts=pulumi.ResourceOptions(parent=parent),
    )
    return gcp.logging.ProjectBucketConfig(
        "logs",
        project=args.project,
        location=args.placement.region,
        bucket_id=build_gcp_name(args.placement, "logs"),
        retention_days=KEPT_DAYS,
        cmek_settings={"kms_key_name": args.key_id},
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[granted]),
    )


def _route(bucket: gcp.logging.ProjectBucketConfig, args: LogsArgs, *, parent: Logs) -> None:
    """The first way in is made before the second copy ends."""
    wanted = _filter(args.placement)
    sink = gcp.logging.ProjectSink(
        "logs",
        name=build_gcp_name(args.placement, "logs"),
        destination=pulumi.Output.concat("logging.googleapis.com/", bucket.id),
        filter=wanted,
        unique_writer_identity=True,
        opts=pulumi.ResourceOptions(parent=parent),
    )
    gcp.logging.ProjectExclusion(
        "logs",
        name=build_gcp_name(args.placement, "logs"),
        filter=wanted,
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[sink]),
    )


def _filter(placement: Placement) -> str:
    cluster, subnet = build_gcp_name(placement, longest=CLUSTER_LENGTH), build_gcp_name(placement, "nodes")
    return (
        f'resource.labels.cluster_name="{cluster}" OR '
        f'(resource.type="gce_subnetwork" AND resource.labels.subnetwork_name="{subnet}")'
    )
