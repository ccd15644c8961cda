from __future__ import annotations

from policy_kit import Breaking, changed, sound, without

EKS = "aws:eks/cluster:Cluster"
GKE = "gcp:container/cluster:Cluster"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
FIREWALL = "gcp:compute/firewall:Firewall"
SHUT = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
SERVICE = "kubernetes:core/v1:Service"
WORLD = "0.0.0.0/0"

CASES = (
    Breaking(what="an API for all", stack=lambda: changed(sound(), EKS, {"vpcConfig.endpointPublicAccess": True})),
    Breaking(
        what="an API for 0.0.0.0/0",
        stack=lambda: changed(
            sound(), EKS, {"vpcConfig.endpointPublicAccess": True, "vpcConfig.publicAccessCidrs": ["10.0.0.0/8", WORLD]}
        ),
    ),
    Breaking(
        what="ssh for all",
        stack=lambda: changed(sound(), INGRESS, {"ipProtocol": "tcp", "fromPort": 22, "toPort": 22}),
    ),
    Breaking(what="a range of ports around the VPN's", stack=lambda: changed(sound(), INGRESS, {"toPort": 51821})),
    Breaking(
        what="half the world",
        stack=lambda: changed(sound(), INGRESS, {"cidrIpv4": "128.0.0.0/1"}, name="lustre-988-in"),
    ),
    Breaking(
        what="a group that lets all in over IPv6",
        stack=lambda: changed(
            sound(),
            "aws:ec2/securityGroup:SecurityGroup",
            {"ingress": [{"protocol": "tcp", "fromPort": 6443, "toPort": 6443, "ipv6CidrBlocks": ["::/0"]}]},
        ),
    ),
    Breaking(what="a bucket that can be opened", stack=lambda: changed(sound(), SHUT, {"blockPublicPolicy": False})),
    Breaking(what="a bucket without a block", stack=lambda: without(sound(), SHUT, name="platform")),
    Breaking(
        what="public addresses in a subnet",
        stack=lambda: changed(sound(), "aws:ec2/subnet:Subnet", {"mapPublicIpOnLaunch": True}, name="private-0"),
    ),
    Breaking(
        what="nodes with public addresses",
        stack=lambda: changed(
            sound(), "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", {"spec.associatePublicIPAddress": True}
        ),
    ),
    Breaking(
        what="an entrance that is patched open",
        stack=lambda: changed(
            sound(),
            "kubernetes:core/v1:ServicePatch",
            {
                "spec": {"type": "LoadBalancer", "ports": [{"port": 51820, "protocol": "TCP"}]},
                "metadata.annotations": {"service.beta.kubernetes.io/aws-load-balancer-scheme": "internet-facing"},
            },
        ),
    ),
    Breaking(
        what="gcp: nodes with public addresses",
        stack=lambda: changed(sound("gcp"), GKE, {"privateClusterConfig.enablePrivateNodes": False}),
    ),
    Breaking(
        what="gcp: an API for all",
        stack=lambda: changed(
            sound("gcp"),
            GKE,
            {"privateClusterConfig.enablePrivateEndpoint": False, "masterAuthorizedNetworksConfig.cidrBlocks": []},
        ),
    ),
    Breaking(
        what="gcp: an API for 0.0.0.0/0",
        stack=lambda: changed(sound("gcp"), GKE, {"masterAuthorizedNetworksConfig.cidrBlocks": [{"cidrBlock": WORLD}]}),
    ),
    Breaking(
        what="gcp: a pool with public addresses",
        stack=lambda: changed(
            sound("gcp"), "gcp:container/nodePool:NodePool", {"networkConfig.enablePrivateNodes": False}
        ),
    ),
    Breaking(
        what="gcp: ssh for all",
        stack=lambda: changed(
            sound("gcp"),
            FIREWALL,
            {"allows": [{"protocol": "udp", "ports": ["51820"]}, {"protocol": "tcp", "ports": ["22"]}]},
            name="gateway-wireguard",
        ),
    ),
    Breaking(
        what="gcp: a firewall rule without sources",
        stack=lambda: changed(sound("gcp"), FIREWALL, {"sourceRanges": None}, name="inside"),
    ),
    Breaking(
        what="gcp: a bucket that can be opened",
        stack=lambda: changed(sound("gcp"), "gcp:storage/bucket:Bucket", {"publicAccessPrevention": "inherited"}),
    ),
    Breaking(
        what="coreweave: an API for all",
        stack=lambda: changed(sound("coreweave"), "coreweave:index/cksCluster:CksCluster", {"public": True}),
    ),
    Breaking(
        what="coreweave: another port beside the VPN's",
        stack=lambda: changed(sound("coreweave"), SERVICE, {"spec.ports.0.port": 22}, name="vpn"),
    ),
)
