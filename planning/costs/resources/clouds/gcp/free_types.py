"""Types of Google Cloud that cost nothing by rule, each with the rule.

Sources: cloud.google.com/vpc/network-pricing, /iam, /kms/pricing, /billing/docs, from memory.
"""

from __future__ import annotations

from typing import Final

MODULES: Final[dict[str, tuple[str, str]]] = {  # module: (rule, resources in it)
    "gcp:compute": (
        "parts of a VPC are not charged, the traffic through them is",
        (
            "Network Subnetwork Router RouterInterface RouterPeer Route Firewall FirewallPolicy FirewallPolicyRule "
            "NetworkPeering NetworkPeeringRoutesConfig NetworkFirewallPolicy NetworkFirewallPolicyAssociation "
            "ExternalVpnGateway"
        ),
    ),
    "gcp:servicenetworking": ("joining Google's services to a network is not charged, they are", "Connection"),
    "gcp:serviceaccount": ("identities are not charged", "Account IAMMember IAMBinding IAMPolicy"),
    "gcp:projects": (
        "settings and rights of a project are not charged",
        "IAMMember IAMBinding IAMCustomRole Service ServiceIdentity IAMAuditConfig",
    ),
    "gcp:kms": (
        "rings and rights of keys are not charged, keys are",
        "KeyRing CryptoKeyIAMMember CryptoKeyIAMBinding KeyRingIAMMember",
    ),
    "gcp:storage": ("settings of a bucket are not charged", "BucketIAMMember BucketIAMBinding BucketIAMPolicy"),
    "gcp:billing": ("budgets are not charged", "Budget"),
    "gcp:logging": ("ways to a log bucket are not charged", "ProjectSink ProjectExclusion"),
}

SINGLE: Final = {
    "gcp:compute/vPNGateway:VPNGateway": "a VPN gateway is paid for by its tunnels",
    "gcp:compute/resourcePolicy:ResourcePolicy": "placement policies are not charged",
    "gcp:pubsub/topic:Topic": "the first 10 GiB a month are not charged, and a budget sends kilobytes",
    "gcp:secretmanager/secret:Secret": "a secret is paid for by its versions",
    "gcp:secretmanager/secretIamMember:SecretIamMember": "rights of a secret are not charged",
    "gcp:secretmanager/secretVersion:SecretVersion": "the first six versions of an account are not charged",
}
