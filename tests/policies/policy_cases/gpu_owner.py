from __future__ import annotations

from lock_kit import with_profile
from policy_kit import Breaking, added, made, sound, without

from policies.stack_context import StackContext

RELEASE = "kubernetes:helm.sh/v3:Release"


def operated(target: str) -> StackContext:
    """A stack into which somebody installed the GPU Operator."""
    stack = sound(target)
    there = next(each for each in stack.resources if each.type == "atoll:platform:Kueue")
    operator = made(
        RELEASE, "gpu-operator", parent=there.urn, chart="gpu-operator", version="v26.7.0", namespace="gpu-operator"
    )
    return added(stack, operator)


CASES: tuple[Breaking, ...] = (
    Breaking(what="the GPU Operator on CoreWeave, which runs it", stack=lambda: operated("coreweave")),
    Breaking(what="the GPU Operator on GKE, which has a driver", stack=lambda: operated("gcp")),
    Breaking(what="two device plugins on EKS", stack=lambda: operated("aws")),
    Breaking(what="no device plugin on EKS", stack=lambda: without(sound(), RELEASE, name="nvidia-device-plugin")),
    Breaking(
        what="a driver of GKE's where it is ours",
        stack=lambda: with_profile(sound("gcp"), gpu_driver="atoll"),
    ),
    Breaking(
        what="metrics of GKE's where they are ours",
        stack=lambda: with_profile(sound("gcp"), dcgm_exporter="none"),
    ),
)
