"""What every Kubeflow part stands on: its issuer, its roles, and the gateway, which speaks TLS only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.manifests import Patch, manifests

if TYPE_CHECKING:
    from components.platform.building_blocks.context import PlatformResource

# Everybody is sent on to HTTPS; one certificate is shown, whatever name is asked for (Istio's Gateway, `tls`).
SERVERS: Final = (
    {"hosts": ["*"], "port": {"name": "http", "number": 80, "protocol": "HTTP"}, "tls": {"httpsRedirect": True}},
    {
        "hosts": ["*"],
        "port": {"name": "https", "number": 443, "protocol": "HTTPS"},
        "tls": {"mode": "SIMPLE", "credentialName": names.GATEWAY_TLS, "minProtocolVersion": "TLSV1_2"},
    },
)


@component("kubeflow_base", "atoll:platform:KubeflowBase")
def build(own: PlatformResource) -> None:
    """Kubeflow's issuer, cluster roles and gateway."""
    manifests(own, patches())


def patches() -> tuple[Patch, ...]:
    gateway = names.GATEWAY.partition("/")[2]
    return (Patch(kind="Gateway", name=gateway, change={"spec": {"servers": list(SERVERS)}}),)
