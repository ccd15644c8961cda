"""Where AWS is searched for what is left of a stack: one look for each service that bills it."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from catalogs.model import Item
from operations.clouds.aws import instances
from operations.clouds.aws.tags import Tagged, kind_of, last
from planning.cloud_checks.orphans import Orphan, Use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

KEPT_DATA: Final = "data: protected and kept when the stack is destroyed"
KEPT_KEY: Final = "the key to the data that is kept"
NO_CLUSTER: Final = "ResourceNotFoundException"
NO_BUCKET: Final = frozenset({"404", "NoSuchBucket"})
NO_KEY: Final = "NotFoundException"
GIB: Final = Decimal(1024**3)
# Free by type (EKS, IAM, ELB, ACM, SSM and EventBridge price pages), as service:type of the ARN.
FREE: Final[Mapping[str, str]] = {
    "eks:nodegroup": "EKS node group", "eks:addon": "EKS add-on", "eks:access-entry": "EKS access entry",
    "eks:podidentityassociation": "EKS pod identity", "elasticloadbalancing:targetgroup": "target group",
    "elasticloadbalancing:listener": "listener", "elasticloadbalancing:listener-rule": "listener rule",
    "iam:role": "IAM role", "iam:policy": "IAM policy", "iam:instance-profile": "instance profile",
    "iam:oidc-provider": "OIDC provider", "acm:certificate": "certificate", "ssm:parameter": "parameter",
    "events:rule": "event rule", "kms:alias": "key alias", "sqs": "queue", "sns": "topic",
    "eks:access-policy-association": "EKS access policy",
}  # fmt: skip
# Services with a look of their own below.
LOOKED_AT: Final = frozenset({"s3", "elasticfilesystem", "fsx", "kms", "logs"})
BALANCERS: Final = {"application": "load balancer", "network": "network load balancer"}


def clusters(tagged: Tagged) -> Iterator[Orphan]:
    try:
        cluster = tagged.aws.eks.describe_cluster(name=tagged.asked.cluster)["cluster"]
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") == NO_CLUSTER:
            return
        raise
    state = str(cluster.get("status", "")).lower()
    uses = (Use(item=Item.CONTROL_PLANE),)
    yield tagged.asked.build_orphan(kind="EKS cluster", id_=cluster.get("name", ""), status=state, uses=uses)


def balancers(tagged: Tagged) -> Iterator[Orphan]:
    """Load balancers that are still there; their capacity units come on top."""
    named = {
        arn for arn in tagged.list_arns("elasticloadbalancing") if kind_of(arn) == "elasticloadbalancing:loadbalancer"
    }
    # Only the newer ones have their type in the ARN (loadbalancer/app/name/id).
    classic = {arn for arn in named if arn.count("/") == 1}
    for arn in sorted(classic):
        yield tagged.asked.build_orphan(kind="classic load balancer", id_=last(arn))
    if not named - classic:
        return
    for page in tagged.aws.elbv2.get_paginator("describe_load_balancers").paginate():
        for each in page.get("LoadBalancers", []):
            kind = BALANCERS.get(each.get("Type", ""))
            arn = each.get("LoadBalancerArn", "")
            if arn in named:
                yield tagged.asked.build_orphan(
                    kind=kind or f"{each.get('Type', '')} load balancer",
                    id_=each.get("LoadBalancerName", ""),
                    status=str(each.get("State", {}).get("Code", "")),
                    uses=(Use(item=Item.LOAD_BALANCER),) if kind else (),
                    note="capacity units are extra",
                )


def buckets(tagged: Tagged) -> Iterator[Orphan]:
    """Buckets; how much they hold is not asked, so they have no price."""
    for arn in tagged.list_arns("s3"):
        name = last(arn)
        try:
            tagged.aws.s3.head_bucket(Bucket=name)
        except ClientError as error:
            # The tagging API may still name what is gone.
            if error.response.get("Error", {}).get("Code") in NO_BUCKET:
                continue
            raise
        note = "what it holds is not asked: see its metrics"
        yield tagged.asked.build_orphan(kind="S3 bucket", id_=name, kept=KEPT_DATA, note=note)


def elastic_files(tagged: Tagged) -> Iterator[Orphan]:
    named = {last(arn) for arn in tagged.list_arns("elasticfilesystem") if kind_of(arn).endswith(":file-system")}
    if not named:
        return
    for page in tagged.aws.efs.get_paginator("describe_file_systems").paginate():
        for each in page["FileSystems"]:
            if each["FileSystemId"] in named and each["LifeCycleState"] not in {"deleting", "deleted"}:
                size = Decimal(each["SizeInBytes"]["Value"]) / GIB
                uses = (Use(item=Item.SHARED_DISK, quantity=size),)
                yield tagged.asked.build_orphan(
                    kind="EFS file system", id_=each["FileSystemId"], uses=uses, kept=KEPT_DATA
                )


def parallel_files(tagged: Tagged) -> Iterator[Orphan]:
    """FSx for Lustre file systems, as large as they were provisioned."""
    named = {last(arn) for arn in tagged.list_arns("fsx") if kind_of(arn) == "fsx:file-system"}
    if not named:
        return
    for page in tagged.aws.fsx.get_paginator("describe_file_systems").paginate():
        for each in page.get("FileSystems", []):
            if each.get("FileSystemId") in named and each.get("Lifecycle") != "DELETING":
                size = Decimal(each.get("StorageCapacity", 0))
                lustre = each.get("LustreConfiguration", {})
                persistent = str(lustre.get("DeploymentType", "")).startswith("PERSISTENT")
                item = Item.SHARED_SSD if persistent else Item.SHARED_SCRATCH
                yield tagged.asked.build_orphan(
                    kind=f"FSx file system, {size} GiB",
                    id_=each.get("FileSystemId", ""),
                    status=str(each.get("Lifecycle", "")).lower(),
                    uses=(Use(item=item, quantity=size),),
                    kept=KEPT_DATA,
                )


def keys(tagged: Tagged) -> Iterator[Orphan]:
    """Keys of KMS."""
    for arn in tagged.list_arns("kms"):
        try:
            key = tagged.aws.kms.describe_key(KeyId=arn)["KeyMetadata"]
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") == NO_KEY:
                continue
            raise
        state = str(key.get("KeyState", ""))
        # Such a key is not charged (aws.amazon.com/kms/pricing).
        waits = state == "PendingDeletion"
        yield tagged.asked.build_orphan(
            kind="KMS key",
            id_=key["KeyId"],
            status=state,
            uses=(Use(item=Item.ENCRYPTION_KEY, quantity=Decimal(1)),),
            free="not charged while it waits for its deletion" if waits else "",
            kept="" if waits else KEPT_KEY,
        )


def log_groups(tagged: Tagged) -> Iterator[Orphan]:
    """Log groups of the cluster and its network, by name: EKS makes its own anew while it is deleted."""
    name = tagged.asked.cluster
    for prefix in (f"/aws/eks/{name}/", f"/aws/vpc/{name}/", f"/aws/containerinsights/{name}/"):
        for page in tagged.aws.logs.get_paginator("describe_log_groups").paginate(logGroupNamePrefix=prefix):
            for each in page["logGroups"]:
                held = Decimal(each.get("storedBytes", 0)) / GIB
                uses = (Use(item=Item.LOG_STORAGE, quantity=held),)
                free = "" if held else "holds nothing"
                yield tagged.asked.build_orphan(
                    kind="log group", id_=each.get("logGroupName", ""), uses=uses, free=free
                )


def _by_type(tagged: Tagged, arns: Iterable[str]) -> Iterator[Orphan]:
    """Whatever else carries a tag of the stack: free by its type, or without a price here."""
    looked_at = {"eks:cluster", "elasticloadbalancing:loadbalancer"}
    for arn in arns:
        kind = kind_of(arn)
        if kind.partition(":")[0] in LOOKED_AT or kind in looked_at:
            continue
        known = FREE.get(kind, "")
        yield tagged.asked.build_orphan(kind=known or kind, id_=arn, free=instances.FREE_RULE if known else "")


SEARCHES: Final[Mapping[str, Callable[[Tagged], Iterable[Orphan]]]] = {
    "EC2 instances": instances.machines,
    "EBS volumes": instances.volumes,
    "EBS snapshots": instances.snapshots,
    "addresses": instances.addresses,
    "NAT gateways": instances.gateways,
    "VPC endpoints": instances.endpoints,
    "VPN connections": instances.tunnels,
    "the rest of EC2": instances.others,
    "EKS": clusters,
    "load balancers": balancers,
    "S3": buckets,
    "EFS": elastic_files,
    "FSx": parallel_files,
    "KMS": keys,
    "log groups": log_groups,
    "everything else by tag": lambda tagged: _by_type(tagged, tagged.arns),
    "what belongs to no region": lambda tagged: _by_type(tagged, tagged.global_arns),
}
