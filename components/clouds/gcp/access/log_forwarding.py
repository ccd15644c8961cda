"""What lets the collector write to Cloud Logging and Cloud Monitoring: two roles for its pods in the project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.storage.buckets import principal_of
from components.platform.building_blocks.names import COLLECTOR_ACCOUNT

if TYPE_CHECKING:
    from planning.spec.platform import Forwarding

ROLES: Final = ("roles/logging.logWriter", "roles/monitoring.metricWriter")


@dataclass(frozen=True, kw_only=True)
class ForwardingAccessArgs:
    """Who may write, and where.

    Args:
        workload_pool: issuer of the pods' identities; number: of the project that it lies in.
    """

    project: pulumi.Input[str]
    number: pulumi.Input[str]
    workload_pool: pulumi.Input[str]
    to: Forwarding


@final
class ForwardingAccess(pulumi.ComponentResource):
    """Both roles, for the collector's own Kubernetes account: nothing is annotated, and there is no key."""

    def __init__(self, name: str, args: ForwardingAccessArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:access:ForwardingAccess", name, {"to": args.to.provider}, opts)
        member = principal_of(COLLECTOR_ACCOUNT, number=args.number, workload_pool=args.workload_pool)
        for role in ROLES:
            gcp.projects.IAMMember(
                f"forwarding-{role.rpartition('.')[2]}",
                project=args.project,
                role=role,
                member=member,
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.register_outputs({})
