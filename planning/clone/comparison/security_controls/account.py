"""Security controls of the account around a cluster, of its logs and of money, target by target."""

from __future__ import annotations

from typing import Final

from planning.clone.comparison.security_controls.control import THEIRS, Control, ControlClaim, ControlProof

ACCOUNT_TRAIL: Final = Control(
    name="account_trail",
    title="log of who did what in the account",
    source="PCI DSS 10; CIS AWS 3.0, section 3.1",
    claims={
        "aws": ControlClaim(
            level="full",
            words="CloudTrail of every region, signed, kept a year, unless the stack says that the account has one",
            made_by="components/clouds/aws/account/logs.py",
            proofs=(
                ControlProof(type="aws:cloudtrail/trail:Trail", path=("enableLogFileValidation",), equals=True),
                ControlProof(type="aws:cloudtrail/trail:Trail", path=("isMultiRegionTrail",), equals=True),
            ),
        ),
        "gcp": ControlClaim(
            level="part",
            words="changes always, by Google (docs.cloud.google.com/logging/docs/audit); reads and a bucket of our own "
            "are not set up",
            made_by="components/clouds/gcp/account/logs.py",
            absent=("auditConfig",),
        ),
        "coreweave": ControlClaim(level="open", words="no source read says: ask CoreWeave"),
        "existing": THEIRS,
    },
)
FLOWS: Final = Control(
    name="flow_logs",
    title="log of connections in the network",
    source="CIS AWS and CIS GCP, flow logs of the network",
    claims={
        "aws": ControlClaim(
            level="part",
            words="every refused connection, none that was let through",
            made_by="components/clouds/aws/account/logs.py",
            proofs=(ControlProof(type="aws:ec2/flowLog:FlowLog", path=("trafficType",), equals="REJECT"),),
        ),
        "gcp": ControlClaim(
            level="part",
            words="a tenth of all connections of the nodes' subnet",
            made_by="components/clouds/gcp/network/vpc.py",
            proofs=(
                ControlProof(
                    type="gcp:compute/subnetwork:Subnetwork",
                    name="nodes",
                    path=("logConfig", "flowSampling"),
                    equals=0.1,
                ),
            ),
        ),
        "coreweave": ControlClaim(
            level="none",
            words="no argument of its network has them",
            made_by="components/clouds/coreweave/network/vpc.py",
            absent=("flowLog", "flowSampling"),
        ),
        "existing": THEIRS,
    },
)
LOGS_KEY: Final = Control(
    name="logs_kept",
    title="logs of the infrastructure encrypted with a customer's key, and kept",
    source="PCI DSS 10.5",
    claims={
        "aws": ControlClaim(
            level="full",
            words="CloudWatch with the stack's key, 90 days",
            made_by="components/clouds/aws/account/logs.py",
            proofs=(
                ControlProof(type="aws:cloudwatch/logGroup:LogGroup", path=("kmsKeyId",)),
                ControlProof(
                    type="aws:cloudwatch/logGroup:LogGroup", name="control-plane", path=("retentionInDays",), equals=90
                ),
            ),
        ),
        "gcp": ControlClaim(
            level="part",
            words="Cloud Logging with the stack's key, 30 days",
            made_by="components/clouds/gcp/account/logs.py",
            proofs=(
                ControlProof(
                    type="gcp:logging/projectBucketConfig:ProjectBucketConfig", path=("cmekSettings", "kmsKeyName")
                ),
                ControlProof(
                    type="gcp:logging/projectBucketConfig:ProjectBucketConfig", path=("retentionDays",), equals=30
                ),
            ),
        ),
        "coreweave": ControlClaim(
            level="none",
            words="none of ours outside the cluster",
            made_by="components/clouds/coreweave/builder.py",
            absent=("kms", "logGroup", "retention"),
        ),
        "existing": THEIRS,
    },
)
BUDGET: Final = Control(
    name="budget",
    title="cloud itself watches the ceiling",
    source="the checklist: a ceiling",
    asked_by="ceiling",
    claims={
        "aws": ControlClaim(
            level="full",
            words="a budget that warns, and at the ceiling takes the autoscaler's right to start machines",
            made_by="components/clouds/aws/account/budget.py",
            proofs=(
                ControlProof(type="aws:budgets/budget:Budget", path=("notifications",)),
                ControlProof(
                    type="aws:budgets/budgetAction:BudgetAction", path=("actionType",), equals="APPLY_IAM_POLICY"
                ),
            ),
        ),
        "gcp": ControlClaim(
            level="part",
            words="a budget that warns and stops nothing, where the stack names a billing account",
            made_by="components/clouds/gcp/account/budget.py",
            proofs=(ControlProof(type="gcp:billing/budget:Budget", path=("thresholdRules",)),),
            absent=("budgetAction",),
        ),
        "coreweave": ControlClaim(
            level="none",
            words="no budget is among its resources",
            made_by="components/clouds/coreweave/builder.py",
            absent=("budget",),
        ),
        "existing": ControlClaim(
            level="none",
            words="no budget of a provider",
            made_by="components/clouds/existing/builder.py",
            absent=("budget",),
        ),
    },
)
ACCOUNT_CONTROLS: Final = (ACCOUNT_TRAIL, FLOWS, LOGS_KEY, BUDGET)
