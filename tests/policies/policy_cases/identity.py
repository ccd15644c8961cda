from __future__ import annotations

from policy_kit import Breaking, added, changed, made, sound

from policy_cases._plain import plain

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
RBAC = "kubernetes:rbac.authorization.k8s.io/v1"
ASSOCIATION = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
GKE = "gcp:container/cluster:Cluster"
POOL = "gcp:container/nodePool:NodePool"
SOMEBODY = "arn:aws:iam::111122223333:role/somebody"
KEY = "projects/p/locations/us-central1/keyRings/r/cryptoKeys/k"

CASES = (
    Breaking(what="IMDSv1", stack=lambda: changed(sound(), TEMPLATE, {"metadataOptions.httpTokens": "optional"})),
    Breaking(
        what="no word on metadata",
        stack=lambda: changed(sound(), "aws:ec2/instance:Instance", {"metadataOptions": None}),
    ),
    Breaking(
        what="pods that reach the metadata",
        stack=lambda: changed(
            sound(),
            "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
            {"spec.metadataOptions.httpPutResponseHopLimit": 2},
        ),
    ),
    Breaking(
        what="a key that lives for ever",
        stack=lambda: added(sound(), made("aws:iam/accessKey:AccessKey", "ci", user="ci")),
    ),
    Breaking(
        what="an admin whom nobody named",
        stack=lambda: plain(sound(), ASSOCIATION, {"principalArn": SOMEBODY}),
    ),
    Breaking(
        what="a role that administers the account",
        stack=lambda: changed(
            sound(),
            "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
            {"policyArn": "arn:aws:iam::aws:policy/AdministratorAccess"},
        ),
    ),
    Breaking(
        what="a binding to cluster-admin",
        stack=lambda: changed(sound(), f"{RBAC}:ClusterRoleBinding", {"roleRef.name": "cluster-admin"}),
    ),
    Breaking(
        what="a role that may do everything",
        stack=lambda: changed(
            sound(),
            f"{RBAC}:ClusterRole",
            {"rules": [{"apiGroups": ["*"], "resources": ["pods", "*"], "verbs": ["get", "*"]}]},
        ),
    ),
    Breaking(
        what="a password in a plain map",
        stack=lambda: added(
            sound(),
            made(
                "kubernetes:core/v1:ConfigMap",
                "dex",
                metadata={"name": "dex", "namespace": "auth"},
                data={"config.yaml": "enablePasswordDB: true\nstaticPasswords:\n- email: user@example.com\n"},
            ),
        ),
    ),
    Breaking(
        what="gcp: pods with the rights of the machine",
        stack=lambda: changed(sound("gcp"), POOL, {"nodeConfig.workloadMetadataConfig.mode": "GCE_METADATA"}),
    ),
    Breaking(
        what="gcp: the project's default account",
        stack=lambda: plain(
            sound("gcp"), POOL, {"nodeConfig.serviceAccount": "default", "nodeConfig.bootDiskKmsKey": KEY}
        ),
    ),
    Breaking(
        what="gcp: an editor of the project",
        stack=lambda: changed(sound("gcp"), "gcp:projects/iAMMember:IAMMember", {"role": "roles/editor"}),
    ),
    Breaking(what="gcp: legacy rights", stack=lambda: changed(sound("gcp"), GKE, {"enableLegacyAbac": True})),
    Breaking(
        what="coreweave: a binding to cluster-admin",
        stack=lambda: changed(sound("coreweave"), f"{RBAC}:ClusterRoleBinding", {"roleRef.name": "cluster-admin"}),
    ),
)
