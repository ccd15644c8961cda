"""Which counter counts which type: the one table. Adding a cloud is one file and one line here."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from planning.costs.bill import Group
from planning.costs.resources.clouds.aws.compute import COUNTERS as AWS_NODES
from planning.costs.resources.clouds.aws.karpenter import COUNTERS as KARPENTER
from planning.costs.resources.clouds.aws.network import COUNTERS as AWS_NETWORK
from planning.costs.resources.clouds.aws.services import COUNTERS as AWS_WATCH
from planning.costs.resources.clouds.aws.storage import COUNTERS as AWS_STORAGE
from planning.costs.resources.clouds.azure import COUNTERS as AZURE_NETWORK
from planning.costs.resources.clouds.coreweave import COUNTERS as COREWEAVE
from planning.costs.resources.clouds.gcp.compute import COUNTERS as GCP_NODES
from planning.costs.resources.clouds.gcp.network import COUNTERS as GCP_NETWORK
from planning.costs.resources.clouds.gcp.storage import COUNTERS as GCP_STORAGE
from planning.costs.resources.declared_charges import component
from planning.costs.resources.kubernetes import COUNTERS as KUBERNETES
from planning.costs.resources.kubernetes import in_cluster

if TYPE_CHECKING:
    from planning.costs.resources.findings import Counter

COUNTERS: Final[dict[str, Counter]] = {
    **AWS_NODES,
    **AWS_NETWORK,
    **AWS_STORAGE,
    **AWS_WATCH,
    **AZURE_NETWORK,
    **KARPENTER,
    **KUBERNETES,
    **GCP_NETWORK,
    **GCP_NODES,
    **GCP_STORAGE,
    **COREWEAVE,  # after kubernetes: its claims and pools are objects too
}

_GROUPS: Final = {  # chapter of what has no rule or cannot be read, by the start of its type
    "aws:cloudwatch/": Group.OBSERVABILITY,
    "aws:ebs/": Group.STORAGE,
    "aws:ec2/instance": Group.COMPUTE,
    "aws:ec2/": Group.NETWORK,
    "aws:ec2transitgateway/": Group.NETWORK,
    "aws:efs/": Group.STORAGE,
    "aws:eks/": Group.COMPUTE,
    "aws:autoscaling/": Group.COMPUTE,
    "aws:fsx/": Group.STORAGE,
    "aws:kms/": Group.SECURITY,
    "aws:lb/": Group.NETWORK,
    "aws:alb/": Group.NETWORK,
    "aws:route53/": Group.NETWORK,
    "aws:s3/": Group.STORAGE,
    "azure:network/": Group.NETWORK,
    "coreweave:index/objectStorage": Group.STORAGE,
    "coreweave:": Group.COMPUTE,
    "gcp:compute/instance": Group.COMPUTE,
    "gcp:compute/disk": Group.STORAGE,
    "gcp:compute/": Group.NETWORK,
    "gcp:container/": Group.COMPUTE,
    "gcp:dns/": Group.NETWORK,
    "gcp:filestore/": Group.STORAGE,
    "gcp:kms/": Group.SECURITY,
    "gcp:logging/": Group.OBSERVABILITY,
    "gcp:lustre/": Group.STORAGE,
    "gcp:storage/": Group.STORAGE,
    "kubernetes:": Group.COMPUTE,
}
_PREFIXES: Final[dict[str, Counter]] = {"atoll:": component, "kubernetes:": in_cluster}


def group_of(token: str) -> Group:
    """The chapter of a type that nobody can count."""
    return next((group for prefix, group in _GROUPS.items() if token.startswith(prefix)), Group.SERVICES)


@cache
def counter_of(token: str) -> Counter | None:
    """The counter of a type; None where there is no rule."""
    counter = COUNTERS.get(token)
    if counter is not None:
        return counter
    return next((counter for prefix, counter in _PREFIXES.items() if token.startswith(prefix)), None)
