"""Security controls of nodes and of what runs on them, target by target."""

from __future__ import annotations

from typing import Final

from planning.clone.comparison.security_controls.control import (
    CIS_EKS,
    EACH,
    THEIRS,
    Control,
    ControlClaim,
    ControlProof,
)

GKE: Final = "gcp:container/cluster:Cluster"
GKE_POOL: Final = "gcp:container/nodePool:NodePool"
TEMPLATE: Final = "aws:ec2/launchTemplate:LaunchTemplate"
NODE_CLASS: Final = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
POLICY: Final = "kubernetes:networking.k8s.io/v1:NetworkPolicy"
SPACE: Final = "kubernetes:core/v1:Namespace"
INSTANCE_IDENTITY: Final = Control(
    name="instance_identity",
    title="pods cannot take the identity of their node",
    source=f"{CIS_EKS} 5.2",
    claims={
        "aws": ControlClaim(
            level="full",
            words="IMDSv2 only, one hop; and network policies keep pods away from it",
            made_by="components/clouds/aws/nodepools/launch_template.py",
            proofs=(
                ControlProof(type=TEMPLATE, path=("metadataOptions", "httpTokens"), equals="required"),
                ControlProof(type=TEMPLATE, path=("metadataOptions", "httpPutResponseHopLimit"), equals=1),
                ControlProof(type=NODE_CLASS, path=("spec", "metadataOptions", "httpTokens"), equals="required"),
            ),
        ),
        "gcp": ControlClaim(
            level="full",
            words="GKE's metadata server answers pods with their own identity",
            made_by="components/clouds/gcp/nodepools/nodepool.py",
            proofs=(
                ControlProof(
                    type=GKE_POOL, path=("nodeConfig", "workloadMetadataConfig", "mode"), equals="GKE_METADATA"
                ),
            ),
        ),
        "coreweave": ControlClaim(
            level="part",
            words="network policies keep pods of workloads away from 169.254.169.254; nothing is set on nodes",
            made_by="components/tenancy/workload.py",
            proofs=(
                ControlProof(
                    type=POLICY,
                    name="*-allow-https",
                    path=("spec", "egress", 0, "to", EACH, "ipBlock", "except"),
                    holds="169.254.169.254/32",
                ),
            ),
        ),
        "existing": ControlClaim(
            level="part",
            words="network policies keep pods of workloads away from 169.254.169.254; nodes are the provider's",
            made_by="components/tenancy/workload.py",
            proofs=(
                ControlProof(
                    type=POLICY,
                    name="*-allow-https",
                    path=("spec", "egress", 0, "to", EACH, "ipBlock", "except"),
                    holds="169.254.169.254/32",
                ),
            ),
        ),
    },
)
VERIFIED_BOOT: Final = Control(
    name="verified_boot",
    title="nodes boot only what is signed",
    source="CIS GKE, shielded nodes and secure boot",
    claims={
        "aws": ControlClaim(
            level="none",
            words="secure boot is not set for nodes",
            made_by="components/clouds/aws/nodepools/launch_template.py",
            absent=("shielded", "secureBoot"),
        ),
        "gcp": ControlClaim(
            level="full",
            words="shielded nodes with secure boot and integrity monitoring",
            made_by="components/clouds/gcp/nodepools/nodepool.py",
            proofs=(
                ControlProof(type=GKE, path=("enableShieldedNodes",), equals=True),
                ControlProof(
                    type=GKE_POOL, path=("nodeConfig", "shieldedInstanceConfig", "enableSecureBoot"), equals=True
                ),
            ),
        ),
        "coreweave": ControlClaim(level="open", words="no source read says: ask CoreWeave"),
        "existing": THEIRS,
    },
)
WORKLOAD_IDENTITY: Final = Control(
    name="workload_identity",
    title="workloads reach the cloud by an identity of their own, without keys",
    source=f"{CIS_EKS} 5.2",
    claims={
        "aws": ControlClaim(
            level="full",
            words="EKS Pod Identity",
            made_by="components/clouds/aws/storage/buckets.py",
            proofs=(ControlProof(type="aws:eks/podIdentityAssociation:PodIdentityAssociation", path=("roleArn",)),),
        ),
        "gcp": ControlClaim(
            level="full",
            words="Workload Identity Federation for GKE",
            made_by="components/clouds/gcp/cluster/control_plane.py",
            proofs=(ControlProof(type=GKE, path=("workloadIdentityConfig", "workloadPool")),),
        ),
        "coreweave": ControlClaim(
            level="part",
            words="object storage only, by federation with the cluster's issuer",
            made_by="components/clouds/coreweave/storage/buckets.py",
            proofs=(
                ControlProof(
                    type="coreweave:index/objectStorageOrganizationAccessPolicy:ObjectStorageOrganizationAccessPolicy",
                    path=("statements", EACH, "principals"),
                ),
            ),
        ),
        "existing": ControlClaim(
            level="none",
            words="no identity: keys are secrets of the cluster",
            made_by="components/clouds/existing/builder.py",
            says='Identity(kind="none")',
        ),
    },
)
PRIVATE_NODES: Final = Control(
    name="private_nodes",
    title="nodes without public addresses",
    source=f"{CIS_EKS} 5.4.3",
    claims={
        "aws": ControlClaim(
            level="full",
            words="private subnets",
            made_by="components/clouds/aws/network/vpc.py",
            proofs=(
                ControlProof(
                    type="aws:ec2/subnet:Subnet", name="private-*", path=("mapPublicIpOnLaunch",), equals=False
                ),
            ),
        ),
        "gcp": ControlClaim(
            level="full",
            words="private nodes",
            made_by="components/clouds/gcp/nodepools/nodepool.py",
            proofs=(ControlProof(type=GKE_POOL, path=("networkConfig", "enablePrivateNodes"), equals=True),),
        ),
        "coreweave": ControlClaim(level="open", words="no source read says: ask CoreWeave"),
        "existing": THEIRS,
    },
)
_FENCED: Final = ControlProof(type=POLICY, name="*-default-deny", path=("spec", "policyTypes"), holds="Ingress")
NETWORK_POLICY: Final = Control(
    name="network_policy",
    title="workloads reach and are reached by what they need only",
    source=f"{CIS_EKS} 4.3",
    claims={
        "aws": ControlClaim(
            level="full",
            words="default deny in every namespace of ours; the VPC CNI enforces it",
            made_by="components/tenancy/workload.py",
            proofs=(
                _FENCED,
                ControlProof(
                    type="aws:eks/addon:Addon",
                    name="vpc-cni",
                    path=("configurationValues",),
                    equals='{"enableNetworkPolicy": "true"}',
                ),
            ),
        ),
        "gcp": ControlClaim(
            level="full",
            words="default deny in every namespace of ours; Dataplane V2 enforces it",
            made_by="components/tenancy/workload.py",
            proofs=(_FENCED, ControlProof(type=GKE, path=("datapathProvider",), equals="ADVANCED_DATAPATH")),
        ),
        "coreweave": ControlClaim(
            level="part",
            words="default deny in every namespace of ours; that CKS enforces it stands in no source read: try it",
            made_by="components/tenancy/workload.py",
            proofs=(_FENCED,),
        ),
        "existing": ControlClaim(
            level="part",
            words="default deny in every namespace of ours; whether the network plugin enforces it, try",
            made_by="components/tenancy/workload.py",
            proofs=(_FENCED,),
        ),
    },
)
_RESTRICTED: Final = ControlClaim(
    level="full",
    words="namespaces of workloads admit restricted pods only",
    made_by="components/tenancy/workload.py",
    proofs=(
        ControlProof(
            type=SPACE,
            name="work-*",
            path=("metadata", "labels", "pod-security.kubernetes.io/enforce"),
            equals="restricted",
        ),
    ),
)
POD_SECURITY: Final = Control(
    name="pod_security",
    title="pods of workloads without privileges",
    source=f"{CIS_EKS} 4.2",
    claims=dict.fromkeys(("aws", "gcp", "coreweave", "existing"), _RESTRICTED),
)
NODE_CONTROLS: Final = (
    INSTANCE_IDENTITY,
    VERIFIED_BOOT,
    WORKLOAD_IDENTITY,
    PRIVATE_NODES,
    NETWORK_POLICY,
    POD_SECURITY,
)
