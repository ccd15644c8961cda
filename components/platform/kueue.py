"""Kueue, the queue that admits jobs: the controller, from its chart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

import pulumi
import pulumi_kubernetes as kubernetes

# Chart and version that the project's platform facts were read from (kubernetes-sigs/kueue, 2026-08-20).
CHART: Final = "oci://registry.k8s.io/kueue/charts/kueue"
VERSION: Final = "0.19.2"
NAMESPACE: Final = "kueue-system"
SECONDS_TO_START: Final = 600


@dataclass(frozen=True, kw_only=True)
class KueueArgs:
    """Nothing is chosen here but the version."""

    version: str = VERSION


@final
class Kueue(pulumi.ComponentResource):
    """The controller and its custom resources; a job without a queue's name is none of its business.

    Attributes:
        release: what uses its custom resources waits for this.
    """

    release: kubernetes.helm.v3.Release

    def __init__(self, name: str, args: KueueArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:Kueue", name, {"version": args.version}, opts)
        home = kubernetes.core.v1.Namespace(
            NAMESPACE,
            metadata={
                "name": NAMESPACE,
                "labels": {
                    "app.kubernetes.io/managed-by": "atoll",
                    "pod-security.kubernetes.io/enforce": "restricted",
                },
            },
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.release = kubernetes.helm.v3.Release(
            "kueue",
            name="kueue",
            chart=CHART,
            version=args.version,
            namespace=home.metadata.name,
            atomic=True,
            timeout=SECONDS_TO_START,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({})
