"""What every Kubeflow part stands on: its issuer, its roles, and the gateway, which speaks TLS only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi

from components.platform.building_blocks import names
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.manifests import Overlay, Patch, manifests, paths_of

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Charges, PlatformContext

# Everybody is sent on to HTTPS; one certificate is shown, whatever name is asked for (Istio's Gateway, `tls`).
SERVERS: Final = (
    {"hosts": ["*"], "port": {"name": "http", "number": 80, "protocol": "HTTP"}, "tls": {"httpsRedirect": True}},
    {
        "hosts": ["*"],
        "port": {"name": "https", "number": 443, "protocol": "HTTPS"},
        "tls": {"mode": "SIMPLE", "credentialName": names.GATEWAY_TLS, "minProtocolVersion": "TLSV1_2"},
    },
)


@dataclass(frozen=True, kw_only=True)
class KubeflowBaseArgs:
    """What it is built on, and the price of its volumes."""

    ground: PlatformContext
    charges: Charges


@final
class KubeflowBase(pulumi.ComponentResource):
    """Kubeflow's issuer, cluster roles and gateway."""

    def __init__(self, name: str, args: KubeflowBaseArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        part = args.ground.part("kubeflow_base")
        super().__init__("atoll:platform:KubeflowBase", name, args.ground.facts("kubeflow_base", args.charges), opts)
        manifests(
            "kubeflow-base",
            part,
            paths=paths_of(part),
            ground=args.ground,
            overlay=Overlay(patches=patches()),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({})


def patches() -> tuple[Patch, ...]:
    gateway = names.GATEWAY.partition("/")[2]
    return (Patch(kind="Gateway", name=gateway, change={"spec": {"servers": list(SERVERS)}}),)


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    """What every Kubeflow part stands on."""
    return RegisteredComponent(
        resource=KubeflowBase("kubeflow-base", KubeflowBaseArgs(ground=ground, charges=charges), opts=options)
    )
