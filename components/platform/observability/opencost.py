"""OpenCost, which allocates the cost of nodes to namespaces and pods, at the prices of the accepted quote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from components.platform.building_blocks import names
from components.platform.building_blocks.chart import build_resources, release
from components.platform.building_blocks.context import component
from components.platform.building_blocks.objects import register_config_map

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from components.platform.building_blocks.context import PlatformContext, PlatformResource


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


@component(PART, "atoll:platform:Opencost")
def build(own: PlatformResource) -> None:
    """The exporter, without its user interface: dashboards are in Grafana."""
    prices = {FILE: price_list(own.context)}
    listed = register_config_map(PRICES, prices, namespace=names.OBSERVABILITY, parent=own)
    release(own, _values(own.context), after=[listed])


def price_list(context: PlatformContext) -> str:
    """Hourly prices of nodes, one line per pool."""
    lines = [COLUMNS, *(_row(key, usd, context) for key, usd in sorted(context.map_prices_by_label().items()))]
    return "".join(",".join(line) + "\n" for line in lines)


def _row(key: str, usd: Decimal, context: PlatformContext) -> Sequence[str]:
    return ("", key, "", "node", f"metadata.labels.{context.price_label}", "", f"{usd:f}", "")


def _values(context: PlatformContext) -> dict[str, object]:
    at = urlsplit(names.PROMETHEUS)
    service, namespace = (at.hostname or "").split(".")[:2]
    return {
        "fullnameOverride": PART,
        "opencost": {
            "nodeSelector": dict(context.on_system),
            "ui": {"enabled": False},
            "mcp": {"enabled": False},
            "prometheus": {
                "internal": {"serviceName": service, "namespaceName": namespace, "port": at.port},
            },
            "metrics": {"serviceMonitor": {"enabled": True}},
            "exporter": {
                "extraEnv": {"USE_CSV_PROVIDER": "true", "CSV_PATH": f"{FOLDER}/{FILE}"},
                "extraVolumeMounts": [{"name": "prices", "mountPath": FOLDER, "readOnly": True}],
                "resources": build_resources("20m", "128Mi", limit="1Gi"),
            },
        },
        "extraVolumes": [{"name": "prices", "configMap": {"name": PRICES}}],
    }
