from __future__ import annotations

from dataclasses import replace

from lock_kit import with_law, with_platform
from policy_kit import Breaking, changed, sound

from planning.costs.resources.resource import UNKNOWN
from planning.platform.digests import SoftwareLock
from policies.rules.operations.pinned_versions import PinSettings

RELEASE = "kubernetes:helm.sh/v3:Release"
IMAGE = "spec.template.spec.containers.0.image"

CASES: tuple[Breaking, ...] = (
    Breaking(
        what="a chart without a version", stack=lambda: changed(sound(), RELEASE, {"version": None}, name="kueue")
    ),
    Breaking(
        what="a chart of a range of versions",
        stack=lambda: changed(sound(), RELEASE, {"version": "^0.19"}, name="kueue"),
    ),
    Breaking(
        what="a chart whose version is known only later",
        stack=lambda: changed(sound(), RELEASE, {"version": UNKNOWN}, name="kueue"),
        unclear=True,
    ),
    Breaking(
        what="an image tag of a chart that moves",
        stack=lambda: changed(sound(), RELEASE, {"values.image.tag": "latest"}, name="collector"),
    ),
    Breaking(
        what="an image that moves",
        stack=lambda: changed(
            sound(), "kubernetes:apps/v1:Deployment", {IMAGE: "ghcr.io/kubeflow/notebooks/jupyter-web-app:latest"}
        ),
    ),
    Breaking(
        what="an image without a tag",
        stack=lambda: changed(sound("gcp"), "kubernetes:apps/v1:Deployment", {IMAGE: "busybox"}),
    ),
    Breaking(
        what="the newest node image",
        stack=lambda: changed(
            sound(), "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", {"spec.amiSelectorTerms.0.alias": "al2023@latest"}
        ),
    ),
    Breaking(
        what="a cluster of GKE without a version",
        stack=lambda: changed(sound("gcp"), "gcp:container/cluster:Cluster", {"minMasterVersion": None}),
    ),
    Breaking(
        what="a cluster of CKS of the newest version",
        stack=lambda: changed(sound("coreweave"), "coreweave:index/cksCluster:CksCluster", {"version": "latest"}),
    ),
    Breaking(
        what="manifests from a branch",
        stack=lambda: changed(
            sound(), "kubernetes:kustomize/v2:Directory", {"directory": "https://github.com/kubeflow/katib//manifests"}
        ),
    ),
    Breaking(
        what="add-ons of EKS that follow the cluster where the project wants them exact",
        stack=lambda: with_law(sound(), PinSettings(eks_add_ons="exact")),
    ),
    Breaking(
        what="digests that are required and not resolved",
        stack=lambda: replace(with_platform(sound(), digests="required"), software=SoftwareLock()),
    ),
    Breaking(
        what="digests that are required, and no software lock",
        stack=lambda: with_platform(sound(), digests="required"),
        unclear=True,
    ),
)
