"""Types that cost nothing by rule, each with the rule. A type that stands in no table is unpriced, never free.

Sources: the pricing pages of the services ("VPC, subnets, route tables, security groups: no charge"), read 2026-11.
"""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import Final

from planning.costs.resources.clouds.azure import FREE as AZURE_SINGLE
from planning.costs.resources.clouds.gcp.network import MODULES as GCP_MODULES
from planning.costs.resources.clouds.gcp.network import SINGLE as GCP_SINGLE

_OF_BUCKET: Final = "settings of buckets are not charged, what lies in them is"
_MODULES: Final[dict[str, tuple[str, str]]] = {  # module: (rule, resources in it)
    "aws:ec2": (
        "parts of a VPC are not charged, the traffic through them is",
        (
            "Vpc Subnet RouteTable Route RouteTableAssociation MainRouteTableAssociation DefaultRouteTable DefaultVpc "
            "InternetGateway InternetGatewayAttachment EgressOnlyInternetGateway NetworkAcl NetworkAclRule "
            "NetworkAclAssociation DefaultNetworkAcl SecurityGroup SecurityGroupRule SecurityGroupAssociation "
            "DefaultSecurityGroup DefaultSubnet NetworkInterface NetworkInterfaceAttachment "
            "NetworkInterfaceSecurityGroupAttachment VpcDhcpOptions VpcDhcpOptionsAssociation "
            "VpcIpv4CidrBlockAssociation VpcIpv6CidrBlockAssociation ManagedPrefixList ManagedPrefixListEntry "
            "EipAssociation CustomerGateway "
            "VpnGateway VpnGatewayAttachment VpnGatewayRoutePropagation VpnConnectionRoute VpcEndpointPolicy "
            "VpcEndpointRouteTableAssociation SubnetCidrReservation"
        ),
    ),
    "aws:vpc": (
        "security group rules are not charged",
        "SecurityGroupIngressRule SecurityGroupEgressRule SecurityGroupVpcAssociation",
    ),
    "aws:ec2transitgateway": (
        "a transit gateway is paid for through its attachments",
        (
            "TransitGateway RouteTable Route RouteTableAssociation RouteTablePropagation PrefixListReference "
            "DefaultRouteTableAssociation DefaultRouteTablePropagation VpcAttachmentAccepter PeeringAttachmentAccepter"
        ),
    ),
    "aws:eks": (
        "settings of a cluster are not charged beyond its control plane",
        "Addon AccessEntry AccessPolicyAssociation PodIdentityAssociation IdentityProviderConfig",
    ),
    "aws:autoscaling": (
        "settings of a scaling group are not charged, its machines are",
        "Policy LifecycleHook Notification Schedule Attachment Tag TrafficSourceAttachment",
    ),
    "aws:s3": (
        "settings of a bucket are not charged",
        (
            "BucketPolicy BucketPublicAccessBlock AccountPublicAccessBlock BucketVersioning BucketVersioningV2 "
            "BucketAcl BucketServerSideEncryptionConfiguration BucketServerSideEncryptionConfigurationV2 BucketAclV2 "
            "BucketLifecycleConfiguration BucketLifecycleConfigurationV2 BucketOwnershipControls BucketLogging "
            "BucketLoggingV2 BucketCorsConfiguration BucketCorsConfigurationV2 BucketNotification AccessPoint "
            "BucketObjectLockConfiguration BucketObjectLockConfigurationV2"
        ),
    ),
    "aws:efs": ("access to a file system is not charged, what it holds is", "MountTarget AccessPoint FileSystemPolicy"),
    "aws:fsx": ("a link to a bucket is not charged", "DataRepositoryAssociation"),
    "aws:kms": ("names and policies of keys are not charged, keys are", "Alias Grant KeyPolicy"),
    "aws:sqs": ("settings of a queue are not charged, its requests are", "QueuePolicy RedrivePolicy"),
    "aws:route53": ("records are not charged, zones and queries are", "Record ZoneAssociation"),
    "aws:budgets": ("budgets that only report are not charged", "Budget"),
    "aws:ebs": ("settings of an account are not charged", "EncryptionByDefault DefaultKmsKey"),
    "aws:lb": (
        "parts of a load balancer are not charged, its hours and units are",
        "Listener ListenerRule ListenerCertificate TargetGroup TargetGroupAttachment",
    ),
    "aws:alb": (
        "parts of a load balancer are not charged, its hours and units are",
        "Listener ListenerRule ListenerCertificate TargetGroup TargetGroupAttachment",
    ),
    "aws:cloudwatch": (
        "rules and policies are not charged, what they pass on is",
        "EventRule EventTarget LogResourcePolicy LogStream QueryDefinition",
    ),
}

_SINGLE: Final = {
    "aws:ec2/launchTemplate:LaunchTemplate": "a template runs nothing; its disks are counted with the nodes",
    "aws:ec2/placementGroup:PlacementGroup": "placement groups are not charged",
    "aws:ec2/keyPair:KeyPair": "key pairs are not charged",
    "aws:ec2/tag:Tag": "tags are not charged",
    "aws:ec2/volumeAttachment:VolumeAttachment": "the volume is counted, not its attachment",
    "aws:ec2/vpcPeeringConnection:VpcPeeringConnection": "a peering has no hourly fee; its data is a declared charge",
    "aws:ec2/vpcPeeringConnectionAccepter:VpcPeeringConnectionAccepter": "a peering has no hourly fee",
    "aws:ec2/peeringConnectionOptions:PeeringConnectionOptions": "a peering has no hourly fee",
    "aws:acm/certificateValidation:CertificateValidation": "waiting for a certificate is not charged",
    "coreweave:index/networkingVpc:NetworkingVpc": "networks are not charged (CoreWeave's price page, 2026-09-20)",
    "coreweave:index/objectStorageBucketLifecycleConfiguration:ObjectStorageBucketLifecycleConfiguration": _OF_BUCKET,
    "coreweave:index/objectStorageBucketPolicy:ObjectStorageBucketPolicy": _OF_BUCKET,
    "coreweave:index/objectStorageBucketSettings:ObjectStorageBucketSettings": _OF_BUCKET,
    "coreweave:index/objectStorageBucketVersioning:ObjectStorageBucketVersioning": _OF_BUCKET,
    "coreweave:index/objectStorageOrganizationAccessPolicy:ObjectStorageOrganizationAccessPolicy": _OF_BUCKET,
}

PREFIXES: Final = {  # start of a type token: rule
    "aws:iam/": "identities and policies are not charged",
    "pulumi:": "exists in the state only",
    "random:": "exists in the state only",
    "tls:": "exists in the state only",
}


def _token(module: str, name: str) -> str:
    """Type token of a resource, as in "aws:ec2/vpc:Vpc"."""
    return f"{module}/{name[0].lower()}{name[1:]}:{name}"


FREE_TYPES: Final = dict(
    chain(
        _SINGLE.items(),
        AZURE_SINGLE.items(),
        GCP_SINGLE.items(),
        (
            (_token(module, name), rule)
            for module, (rule, names) in (*_MODULES.items(), *GCP_MODULES.items())
            for name in names.split()
        ),
    )
)


@cache
def free_by_rule(token: str) -> str | None:
    """The rule by which a type costs nothing; None where no rule says so."""
    rule = FREE_TYPES.get(token)
    if rule is not None:
        return rule
    return next((reason for prefix, reason in PREFIXES.items() if token.startswith(prefix)), None)
