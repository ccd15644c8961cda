"""Bills of what runs, in the spelling of each export: AWS's FOCUS, CoreWeave's usage export, CUR and BigQuery."""

from __future__ import annotations

import json
from pathlib import Path

from bill_kit import table

from operations.usage.bill_files import rows
from planning.usage.actual_costs import ActualCosts
from planning.usage.rates import LockedRates


def period(day: int, *, month: str = "2026-10", hours: int = 24) -> dict[str, str]:
    """A charge period in the spelling of AWS: with milliseconds."""
    last = (
        f"{month}-{day + hours // 24 - 1:02}T23:59:59.999Z"
        if hours >= 24
        else f"{month}-{day:02}T{hours:02}:00:00.000Z"
    )
    return {"ChargePeriodStart": f"{month}-{day:02}T00:00:00.000Z", "ChargePeriodEnd": last}


def aws(day: int, usage: str, usd: str, *, pool: str = "", stack: str = "demo", **more: str) -> dict[str, str]:
    """A row of AWS Data Exports, FOCUS 1.0 with AWS columns."""
    tags = {"user:atoll:stack": stack, **({"user:atoll:pool": pool} if pool else {})}
    return {
        "BilledCost": usd,
        "BillingCurrency": "USD",
        "ChargeCategory": "Usage",
        "ChargeClass": "",
        "ChargeDescription": f"$0.1 per unit of {usage}",
        **period(day),
        "ConsumedQuantity": "24",
        "ConsumedUnit": "Hours",
        "EffectiveCost": usd,
        "ProviderName": "AWS",
        "RegionId": "us-east-1",
        "ServiceName": "Amazon Elastic Compute Cloud",
        "SkuId": "7NYW9H2KBXJRQG5U",
        "Tags": json.dumps(tags),
        "x_ServiceCode": "AmazonEC2",
        "x_UsageType": usage,
        **more,
    }


def coreweave(day: int, sku: str, quantity: str, unit: str, **more: str) -> dict[str, str]:
    """A row of CoreWeave's FOCUS usage export: quantities, no cost, no tags."""
    return {
        "BillingAccountName": "",
        "BillingCurrency": "USD",
        "ChargeCategory": "Usage",
        "ChargeClass": "",
        "ChargeDescription": "",
        "ChargePeriodStart": f"2026-10-{day:02}T03:00:00Z",
        "ChargePeriodEnd": f"2026-10-{day:02}T04:00:00Z",
        "PricingQuantity": quantity,
        "PricingUnit": unit,
        "ProviderName": "CoreWeave",
        "RegionId": "US-CENTRAL-07A",
        "ServiceName": "GPU Compute",
        "SkuId": sku,
        "x_CapacityPlan": "",
        "x_ClusterName": "atoll-coreweave-pretrain",
        "x_ProductFamily": "GPU Compute",
        **more,
    }


def costs(
    path: Path, found: list[dict[str, str]], *, rates: LockedRates | None = None, tag: tuple[str, str] | None = None
) -> ActualCosts:
    """What the rows of one file come to."""
    made = ActualCosts(rates=rates)
    made.take(rows(table(path, found), tag=tag))
    return made
