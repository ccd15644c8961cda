"""Logs on Google Cloud: of control plane and network, in a bucket with a retention; rights of the log collector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.key import ROLE
from components.clouds.gcp.account.names import CLUSTER_LENGTH, build_gcp_name, build_principal
from components.platform.building_blocks.names import COLLECTOR_ACCOUNT

if TYPE_CHECKING:
    from components.context.placement import PlacementContext
    from planning.spec.cluster import Placement
    from planning.spec.platform import Forwarding

KEPT_DAYS: Final = 30  # included in the price of log ingestion (cloud.google.com/stackdriver/pricing, from memory)
WRITER_ROLES: Final = ("roles/logging.logWriter", "roles/monitoring.metricWriter")


@final
class Logs(pulumi.ComponentResource):
    """An encrypted log bucket with its sink, and an exclusion from the project's default one, which is billed too."""

    def __init__(
        self,
        name: str,
        site: PlacementContext,
        *,
        project: pulumi.Input[str],
        key_id: pulumi.Input[str],
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__("atoll:cluster:Logs", name, site.describe(charges=site.ledger.claim("cluster")), opts)
        shown, inside = build_gcp_name(site.placement, "logs"), pulumi.ResourceOptions(parent=self)
        # Cloud Logging uses the key with a service account of its own.
        settings = gcp.logging.get_project_cmek_settings_output(
            project=project, opts=pulumi.InvokeOutputOptions(parent=self)
        )
        granted = gcp.kms.CryptoKeyIAMMember(
            "key-logs",
            crypto_key_id=key_id,
            role=ROLE,
            member=settings.service_account_id.apply("serviceAccount:{}".format),
            opts=inside,
        )
        bucket = gcp.logging.ProjectBucketConfig(
            "logs",
            project=project,
            location=site.placement.region,
            bucket_id=shown,
            retention_days=KEPT_DAYS,
            cmek_settings={"kms_key_name": key_id},
            opts=pulumi.ResourceOptions(parent=self, depends_on=[granted]),
        )
        selected = _filter(site.placement)
        sink = gcp.logging.ProjectSink(
            "logs",
            name=shown,
            destination=pulumi.Output.concat("logging.googleapis.com/", bucket.id),
            filter=selected,
            unique_writer_identity=True,
            opts=inside,
        )
        # The sink exists before the exclusion, so that no log is lost.
        after = pulumi.ResourceOptions(parent=self, depends_on=[sink])
        gcp.logging.ProjectExclusion("logs", name=shown, filter=selected, opts=after)
        self.register_outputs({"bucket": bucket.id})


def _filter(placement: Placement) -> str:
    cluster, subnet = build_gcp_name(placement, longest=CLUSTER_LENGTH), build_gcp_name(placement, "nodes")
    return (
        f'resource.labels.cluster_name="{cluster}" OR '
        f'(resource.type="gce_subnetwork" AND resource.labels.subnetwork_name="{subnet}")'
    )


@final
class ForwardingAccess(pulumi.ComponentResource):
    """The log collector's roles for Cloud Logging and Cloud Monitoring.

    They are granted to its Kubernetes service account, without annotation or key.
    """

    def __init__(
        self,
        name: str,
        to: Forwarding,
        *,
        project: pulumi.Input[str],
        number: pulumi.Input[str],
        workload_pool: pulumi.Input[str],
        opts: pulumi.ResourceOptions,
    ) -> None:
        """`workload_pool` issues the pods' identities, in the project of that `number`."""
        super().__init__("atoll:access:ForwardingAccess", name, {"to": to.provider}, opts)
        member = build_principal(COLLECTOR_ACCOUNT, number=number, workload_pool=workload_pool)
        for role in WRITER_ROLES:
            gcp.projects.IAMMember(
                f"forwarding-{role.rpartition('.')[2]}",
                project=project,
                role=role,
                member=member,
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.register_outputs({})
