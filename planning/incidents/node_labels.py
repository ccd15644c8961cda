"""Labels and annotations of our nodes: `components.context.accelerators` writes the first three, the burn-in one."""

from __future__ import annotations

from typing import Final

POOL: Final = "atoll/pool"
ROLE: Final = "atoll/role"
BURN_IN: Final = "atoll/burn-in"  # a taint until the burn-in passed, and a label with how it ended
SPARE: Final = "atoll/spare"  # label of a node that passed its burn-in and is held back
INCIDENT: Final = "atoll/incident"  # annotation: who mends it
PENDING: Final = "pending"
PASSED: Final = "passed"
FAILED: Final = "failed"
SYSTEM: Final = "system"
YES: Final = "true"
ZONE: Final = "topology.kubernetes.io/zone"
MACHINE: Final = "node.kubernetes.io/instance-type"
HOST: Final = "kubernetes.io/hostname"
REGION: Final = "topology.kubernetes.io/region"
# Taints of those who take a node away on purpose: a scaler with too many nodes, a spot machine that is called back.
GOING: Final = {
    "ToBeDeletedByClusterAutoscaler": "its scaler takes it away",
    "karpenter.sh/disrupted": "Karpenter takes it away",
    "aws-node-termination-handler/spot-itn": "its spot machine is called back",
    "cloud.google.com/impending-node-termination": "its machine is called back",
}
