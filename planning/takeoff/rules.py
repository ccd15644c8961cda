"""Which counter counts which type: the one table. Adding a cloud is one file and one line here."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from planning.bill import Group
from planning.takeoff.atoll import component
from planning.takeoff.aws_network import COUNTERS as AWS_NETWORK
from planning.takeoff.aws_nodes import COUNTERS as AWS_NODES
from planning.takeoff.aws_storage import COUNTERS as AWS_STORAGE
from planning.takeoff.aws_watch import COUNTERS as AWS_WATCH
from planning.takeoff.azure_network import COUNTERS as AZURE_NETWORK
from planning.takeoff.coreweave import COUNTERS as COREWEAVE
from planning.takeoff.gcp_network import COUNTERS as GCP_NETWORK
from planning.takeoff.gcp_nodes import COUNTERS as GCP_NODES
from planning.takeoff.gcp_storage import COUNTERS as GCP_STORAGE
from planning.takeoff.karpenter import COUNTERS as KARPENTER
from planning.takeoff.kubernetes import COUNTERS as KUBERNETES
from planning.takeoff.kubernetes import in_cluster

if TYPE_CHECKING:
    from planning.takeoff.findings import Counter

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
