"""Security controls of control planes, target by target."""

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

EKS: Final = "aws:eks/cluster:Cluster"
GKE: Final = "gcp:container/cluster:Cluster"
CKS: Final = "coreweave:index/cksCluster:CksCluster"
PRIVATE_API: Final = Control(
    name="private_api",
    title="API of the cluster without a public address",
    source=f"{CIS_EKS} 5.4.2",
    asked_by="private",
    claims={
        "aws": ControlClaim(
            level="full",
            words="endpoint in the network only",
            made_by="components/clouds/aws/cluster/control_plane.py",
            proofs=(
                ControlProof(type=EKS, path=("vpcConfig", "endpointPublicAccess"), equals=False),
                ControlProof(type=EKS, path=("vpcConfig", "endpointPrivateAccess"), equals=True),
            ),
        ),
        "gcp": ControlClaim(
            level="full",
            words="endpoint in the network only",
            made_by="components/clouds/gcp/cluster/control_plane.py",
            proofs=(ControlProof(type=GKE, path=("privateClusterConfig", "enablePrivateEndpoint"), equals=True),),
        ),
        "coreweave": ControlClaim(
            level="full",
            words="endpoint not public, unless the stack's settings open it",
            made_by="components/clouds/coreweave/cluster/control_plane.py",
            proofs=(ControlProof(type=CKS, path=("public",), equals=False),),
        ),
        "existing": THEIRS,
    },
)
API_RANGES: Final = Control(
    name="api_ranges",
    title="API open to named ranges of addresses only",
    source=f"{CIS_EKS} 5.4.1",
    asked_by="ranges",
    claims={
        "aws": ControlClaim(
            level="full",
            words="public endpoint for the checklist's ranges only",
            made_by="components/clouds/aws/cluster/control_plane.py",
            proofs=(ControlProof(type=EKS, path=("vpcConfig", "publicAccessCidrs", EACH)),),
        ),
        "gcp": ControlClaim(
            level="full",
            words="authorised networks are the checklist's ranges",
            made_by="components/clouds/gcp/cluster/control_plane.py",
            proofs=(ControlProof(type=GKE, path=("masterAuthorizedNetworksConfig", "cidrBlocks", EACH, "cidrBlock")),),
        ),
        "coreweave": ControlClaim(
            level="none",
            words="ranges cannot be set: private, or open to whoever has a token",
            made_by="catalogs/profiles.csv",
            says="address ranges of the API cannot be set",
        ),
        "existing": THEIRS,
    },
)
SECRETS_KEY: Final = Control(
    name="secrets_key",
    title="secrets of the cluster encrypted with a customer's key",
    source=f"{CIS_EKS} 5.3.1",
    claims={
        "aws": ControlClaim(
            level="full",
            words="KMS key of the stack",
            made_by="components/clouds/aws/cluster/control_plane.py",
            proofs=(ControlProof(type=EKS, path=("encryptionConfig", "provider", "keyArn")),),
        ),
        "gcp": ControlClaim(
            level="full",
            words="Cloud KMS key of the stack",
            made_by="components/clouds/gcp/cluster/control_plane.py",
            proofs=(ControlProof(type=GKE, path=("databaseEncryption", "keyName")),),
        ),
        "coreweave": ControlClaim(
            level="none",
            words="no key of the customer's: no argument of its resources takes one",
            made_by="components/clouds/coreweave/cluster/control_plane.py",
            absent=("kms",),
        ),
        "existing": THEIRS,
    },
)
API_AUDIT: Final = Control(
    name="api_audit",
    title="log of who did what at the API of the cluster",
    source=f"{CIS_EKS} 2.1; PCI DSS 10",
    claims={
        "aws": ControlClaim(
            level="full",
            words="audit log of the control plane, reads too, kept 90 days",
            made_by="components/clouds/aws/account/logs.py",
            proofs=(
                ControlProof(type=EKS, path=("enabledClusterLogTypes",), holds="audit"),
                ControlProof(
                    type="aws:cloudwatch/logGroup:LogGroup",
                    name="control-plane",
                    path=("retentionInDays",),
                    equals=90,
                ),
            ),
        ),
        "gcp": ControlClaim(
            level="part",
            words="changes always, by Google (docs.cloud.google.com/kubernetes-engine/docs/how-to/audit-logging); "
            "reads only where Data Access logs are switched on, which the stack does not",
            made_by="components/clouds/gcp/cluster/control_plane.py",
            proofs=(ControlProof(type=GKE, path=("loggingConfig", "enableComponents"), holds="APISERVER"),),
            absent=("auditConfig", "AuditConfig"),
        ),
        "coreweave": ControlClaim(
            level="full",
            words="audit policy of ours: who did what, reads too, but of events",
            made_by="components/clouds/coreweave/cluster/control_plane.py",
            proofs=(ControlProof(type=CKS, path=("auditPolicy",)),),
        ),
        "existing": THEIRS,
    },
)
PEOPLE: Final = Control(
    name="no_static_admin",
    title="nobody is administrator by a credential that does not end",
    source=f"{CIS_EKS} 4.1",
    claims={
        "aws": ControlClaim(
            level="full",
            words="access entries for roles of IAM; whoever made the cluster has no rights by that",
            made_by="components/clouds/aws/cluster/control_plane.py",
            proofs=(
                ControlProof(type=EKS, path=("accessConfig", "authenticationMode"), equals="API"),
                ControlProof(type=EKS, path=("accessConfig", "bootstrapClusterCreatorAdminPermissions"), equals=False),
            ),
        ),
        "gcp": ControlClaim(
            level="full",
            words="Google identities; no client certificate, no legacy rights",
            made_by="components/clouds/gcp/cluster/control_plane.py",
            proofs=(
                ControlProof(
                    type=GKE, path=("masterAuth", "clientCertificateConfig", "issueClientCertificate"), equals=False
                ),
                ControlProof(type=GKE, path=("enableLegacyAbac",), equals=False),
            ),
        ),
        "coreweave": ControlClaim(
            level="part",
            words="an API token signs in; your own OpenID Connect beside it, where the stack names an issuer",
            made_by="components/clouds/coreweave/cluster/control_plane.py",
            says="CoreWeave's API token signs in",
        ),
        "existing": THEIRS,
    },
)
IMAGE_RULE: Final = Control(
    name="image_rule",
    title="cloud refuses images that a rule of the project does not allow",
    source="CIS GKE, Binary Authorization",
    claims={
        "aws": ControlClaim(
            level="none",
            words="no such rule at the control plane",
            made_by="components/clouds/aws/cluster/control_plane.py",
            absent=("signer", "imagePolicy"),
        ),
        "gcp": ControlClaim(
            level="full",
            words="Binary Authorization by the project's policy",
            made_by="components/clouds/gcp/cluster/control_plane.py",
            proofs=(
                ControlProof(
                    type=GKE,
                    path=("binaryAuthorization", "evaluationMode"),
                    equals="PROJECT_SINGLETON_POLICY_ENFORCE",
                ),
            ),
        ),
        "coreweave": ControlClaim(
            level="none",
            words="no argument of its cluster has one",
            made_by="components/clouds/coreweave/cluster/control_plane.py",
            absent=("imagePolicy", "binaryAuth"),
        ),
        "existing": THEIRS,
    },
)
DELETION: Final = Control(
    name="deletion_protection",
    title="cloud refuses to delete the cluster",
    source="our own law: what holds data is protected",
    claims={
        "aws": ControlClaim(
            level="full",
            words="deletion protection of EKS",
            made_by="components/clouds/aws/cluster/control_plane.py",
            proofs=(ControlProof(type=EKS, path=("deletionProtection",), equals=True),),
        ),
        "gcp": ControlClaim(
            level="full",
            words="deletion protection of GKE",
            made_by="components/clouds/gcp/cluster/control_plane.py",
            proofs=(ControlProof(type=GKE, path=("deletionProtection",), equals=True),),
        ),
        "coreweave": ControlClaim(
            level="none",
            words="no argument of its cluster has it",
            made_by="components/clouds/coreweave/cluster/control_plane.py",
            absent=("deletionProtection",),
        ),
        "existing": THEIRS,
    },
)
API_CONTROLS: Final = (PRIVATE_API, API_RANGES, SECRETS_KEY, API_AUDIT, PEOPLE, IMAGE_RULE, DELETION)
