from __future__ import annotations

from lock_kit import with_law, with_pool
from policy_kit import Breaking, sound

from policies.rules.placement.machines import MachineSettings

CASES: tuple[Breaking, ...] = (
    Breaking(
        what="a managed node group of another machine than the lock's",
        stack=lambda: with_pool(sound(), "system", machine="m6a.large"),
    ),
    Breaking(
        what="a pool of Karpenter of another machine than the lock's",
        stack=lambda: with_pool(sound(), "notebooks", machine="g6.xlarge"),
    ),
    Breaking(
        what="a pool of GKE of another machine than the lock's",
        stack=lambda: with_pool(sound("gcp"), "policy-3b", machine="a3-megagpu-8g"),
    ),
    Breaking(
        what="a pool of CKS of another machine than the lock's",
        stack=lambda: with_pool(sound("coreweave"), "pretrain-13b", machine="HGX-H100"),
    ),
    Breaking(
        what="a machine that the project denies",
        stack=lambda: with_law(sound(), MachineSettings(deny=("p6-*",))),
    ),
    Breaking(
        what="an accelerator that the project does not allow",
        stack=lambda: with_law(sound(), MachineSettings(allow_accelerators=("H100-*", "B200-*"))),
    ),
)
