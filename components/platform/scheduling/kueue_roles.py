"""The two roles of Kueue that are made of its other roles, so that an uninstall of its chart comes to an end."""

from __future__ import annotations

from typing import Final

import pulumi
import pulumi_kubernetes as kubernetes

# Kubernetes writes into such a role whenever a role below it comes or goes, and makes it anew where Helm has just
# deleted it; Helm then waits for it to go until its time is over.
MADE_OF_OTHERS: Final = ("batch-admin", "batch-user")
FORCE: Final = "pulumi.com/patchForce"
REVISION: Final = "atoll/kueue-revision"


def kueue_roles(release: kubernetes.helm.v3.Release) -> None:
    """Say which roles they are made of, in other words than the chart, so that this is ours alone.

    A destroy takes it back before the chart goes: the roles then hold what they held, and nobody fills them any more.
    Helm sets its own words again with each revision, which is why the revision is a part of it.
    """
    revision = release.status.apply(lambda status: str(status.revision))
    for role in MADE_OF_OTHERS:
        label = f"rbac.kueue.x-k8s.io/{role}"
        kubernetes.rbac.v1.ClusterRolePatch(
            f"kueue-{role}",
            metadata={"name": f"kueue-{role}-role", "annotations": {FORCE: "true", REVISION: revision}},
            aggregation_rule={
                "cluster_role_selectors": [
                    {"match_expressions": [{"key": label, "operator": "In", "values": ["true"]}]}
                ]
            },
            opts=pulumi.ResourceOptions(parent=release, depends_on=[release]),
        )
