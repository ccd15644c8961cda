"""OpenCost, which shares the nodes' cost out to namespaces and pods, at the prices of the accepted bill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final
from urllib.parse import urlsplit

import pulumi
import pulumi_kubernetes as kubernetes

from components.platform.building_blocks import names
from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.price_labels import by_label, choose_price_label
from components.platform.observability.object_storage import asks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from components.platform.building_blocks.context import Charges, PlatformContext

PART: Final = "opencost"
PRICES: Final = "node-prices"
FOLDER: Final = "/etc/node-prices"
FILE: Final = "prices.csv"
# Columns of its CSV provider (github.com/opencost/opencost, pkg/cloud/provider/csvprovider.go): a node costs what the
# row says whose InstanceID is the value of the label that InstanceIDField names.
COLUMNS: Final = (
    "EndTimestamp",
    "InstanceID",
    "Region",
    "AssetClass",
    "InstanceIDField",
    "InstanceType",
    "MarketPriceHourly",
    "Version",
)


@dataclass(frozen=True, kw_only=True)
class OpencostArgs:
    """Prices come with the ground."""

    ground: PlatformContext
    charges: Charges


@final
class Opencost(pulumi.ComponentResource):
    """The exporter; its own page is left out, ours are in Grafana."""

    def __init__(self, name: str, args: OpencostArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:Opencost", name, args.ground.facts(PART, args.charges), opts)
        ground = args.ground
        prices = kubernetes.core.v1.ConfigMap(
            PRICES,
            metadata={"name": PRICES, "namespace": names.OBSERVABILITY},
            data={FILE: price_list(ground)},
            opts=pulumi.ResourceOptions(parent=self),
        )
        release(PART, ground.part(PART), values=_values(ground), ground=ground, parent=self, depends_on=[prices])
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    return RegisteredComponent(resource=Opencost(PART, OpencostArgs(ground=ground, charges=charges), opts=options))


def price_list(ground: PlatformContext) -> str:
    """Hourly prices of nodes, one line per pool."""
    lines = [COLUMNS, *(_row(key, usd, ground) for key, usd in sorted(by_label(ground).items()))]
    return "".join(",".join(line) + "\n" for line in lines)


def _row(key: str, usd: Decimal, ground: PlatformContext) -> Sequence[str]:
    return ("", key, "", "node", f"metadata.labels.{choose_price_label(ground)}", "", f"{usd:f}", "")


def _values(ground: PlatformContext) -> dict[str, object]:
    at = urlsplit(names.PROMETHEUS)
    service, namespace = (at.hostname or "").split(".")[:2]
    return {
        "fullnameOverride": PART,
        "opencost": {
            "nodeSelector": dict(ground.on_system),
            "ui": {"enabled": False},
            "mcp": {"enabled": False},
            "prometheus": {
                "internal": {"serviceName": service, "namespaceName": namespace, "port": at.port},
            },
            "metrics": {"serviceMonitor": {"enabled": True}},
            "exporter": {
                "extraEnv": {"USE_CSV_PROVIDER": "true", "CSV_PATH": f"{FOLDER}/{FILE}"},
                "extraVolumeMounts": [{"name": "prices", "mountPath": FOLDER, "readOnly": True}],
                "resources": asks("20m", "128Mi", limit="1Gi"),
            },
        },
        "extraVolumes": [{"name": "prices", "configMap": {"name": PRICES}}],
    }
