"""Pages of Azure Retail Prices, cut down to a few rows: fields, words and prices as the interface gave them in 2026."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

from price_server import Asked

PATH = "/api/retail/prices"


def row(  # noqa: PLR0917 - as the columns of a table stand
    service: str, product: str, sku: str, meter: str, unit: str, price: float, tier: float = 0.0, **more: Any
) -> dict[str, Any]:
    """A row of a page with all its fields."""
    return {
        "currencyCode": "USD",
        "tierMinimumUnits": tier,
        "retailPrice": price,
        "unitPrice": price,
        "armRegionName": "eastus",
        "location": "US East",
        "effectiveStartDate": "2025-12-01T00:00:00Z",
        "meterId": "00026917-5c42-5cf2-994e-4037490635aa",
        "meterName": meter,
        "productId": "DZH318Z09LQP",
        "skuId": "DZH318Z09LQP/00CL",
        "productName": product,
        "skuName": sku,
        "serviceName": service,
        "serviceId": "DZH313Z7MMC8",
        "serviceFamily": "Compute",
        "unitOfMeasure": unit,
        "type": "Consumption",
        "isPrimaryMeterRegion": True,
        "armSkuName": "",
        **more,
    }


def machine(product: str, sku: str, name: str, price: float, **more: Any) -> dict[str, Any]:
    meter = more.pop("meterName", sku)
    return row("Virtual Machines", product, sku, meter, "1 Hour", price, armSkuName=name, **more)


BLOB = ("Storage", "General Block Blob v2")
DISKS = ("Storage", "Premium SSD Managed Disks", "P10 LRS")
V2 = ("Storage", "Azure Premium SSD v2", "Premium LRS")
EGRESS = ("Bandwidth", "Rtn Preference: MGN", "Standard", "Standard Data Transfer Out", "1 GB")
LOGS = ("Log Analytics", "Log Analytics", "Analytics Logs", "Analytics Logs Data Ingestion", "1 GB")
SERVICES: Sequence[Mapping[str, Any]] = (
    row("Azure Kubernetes Service", "Azure Kubernetes Service", "Standard", "Standard Uptime SLA", "1 Hour", 0.1),
    row("Azure Kubernetes Service", "Azure Kubernetes Service - Automatic", "Automatic", "Automatic", "1 Hour", 0.16),
    row(*DISKS, "P10 LRS Disk", "1/Month", 19.71),
    row(*DISKS, "P10 LRS Disk Mount", "1/Month", 1.2),
    row(*DISKS, "P10 LRS Disk Operations", "10K", 0.0005),
    row(*V2, "Premium LRS Provisioned Capacity", "1 GiB/Hour", 0.00011),
    row(*V2, "Premium LRS Confidential Compute Encryption", "1 GiB/Hour", 0.000111),
    row(*V2, "Premium LRS Provisioned IOPS", "1/Hour", 7e-06),
    row(*BLOB, "Hot LRS", "Hot LRS Data Stored", "1 GB/Month", 0.0208),
    row(*BLOB, "Hot LRS", "Hot LRS Data Stored", "1 GB/Month", 0.019968, 51200.0),
    row("Storage", "Files v2", "Hot LRS", "Hot LRS Data Stored", "1 GB/Month", 0.0287),
    row(*BLOB, "Hot LRS", "Hot LRS Write Operations", "10K", 0.05),
    row(*BLOB, "Hot LRS", "Hot Read Operations", "10K", 0.004),
    row(*BLOB, "Cool LRS", "Cool LRS Data Stored", "1 GB/Month", 0.0152),
    row(*BLOB, "Archive LRS", "Archive LRS Data Stored", "1 GB/Month", 0.002),
    row("Virtual Network", "IP Addresses", "Standard", "Standard IPv4 Static Public IP", "1 Hour", 0.005),
    row(*EGRESS, 0.083, 10335.0),
    row(*EGRESS, 0.0),
    row(*EGRESS, 0.05, 153695.0),
    row(*EGRESS, 0.087, 100.0),
    row(*EGRESS, 0.07, 51295.0),
    row(*LOGS, 2.3, 5.0),
    row(*LOGS, 0.0),
    row(*LOGS, 4.6, isPrimaryMeterRegion=False),
    row(*LOGS, 0.1, type="DevTestConsumption"),
)
GLOBAL: Sequence[Mapping[str, Any]] = tuple(
    {**each, "armRegionName": "Global", "location": ""}
    for each in (
        row("NAT Gateway", "NAT Gateway", "Standard", "Standard Gateway", "1 Hour", 0.045),
        row("NAT Gateway", "NAT Gateway", "Standard", "Standard Data Processed", "1 GB", 0.045),
        row(
            "Load Balancer",
            "Load Balancer",
            "Standard",
            "Standard Included LB Rules and Outbound Rules",
            "1 Hour",
            0.025,
        ),
        row(
            "Load Balancer", "Load Balancer", "Standard", "Standard Overage LB Rules and Outbound Rules", "1/Hour", 0.01
        ),
        row("Virtual Network", "Virtual Network Private Link", "Standard", "Standard Private Endpoint", "1 Hour", 0.01),
    )
)
HOSTS: Sequence[Mapping[str, Any]] = (
    machine("Virtual Machines NDsr H100 v5 Series", "ND96isr H100 v5", "Standard_ND96isr_H100_v5", 98.32),
    machine("Virtual Machines NDsr H100 v5 Series", "ND96isr H100 v5 Spot", "Standard_ND96isr_H100_v5", 39.33),
    machine("Virtual Machines NDsr H100 v5 Series", "ND96isr H100 v5 Low Priority", "Standard_ND96isr_H100_v5", 20.0),
    machine("Virtual Machines NDsr H100 v5 Srs Win", "ND96isr H100 v5", "Standard_ND96isr_H100_v5", 102.7),
    machine("Virtual Machines Dasv5 Series", "Standard_D8as_v5", "Standard_D8as_v5", 0.344),
    machine("Virtual Machines Dasv5 Series", "Standard_D8as_v5", "Standard_D8as_v5", 0.344),  # repeated word for word
    machine("Virtual Machines Dasv5 Series Windows", "Standard_D8as_v5", "Standard_D8as_v5", 0.712),
    machine("DCsv3 Series Linux", "standard_DC48s_v3", "Standard_DC48s_v3", 4.608),
    machine("DCsv3 Series Linux", "standard_DC48s_v3", "Standard_DC48s_v3", 37675.0, type="Reservation"),
    machine("Dasv5 Series Dedicated Host", "Dasv5_Type1", "Dasv5_Type1", 4.3),
    machine(
        "Virtual Machines Dasv5 Series",
        "Standard_D4as_v5",
        "Standard_D4as_v5",
        9.0,
        effectiveStartDate="2026-12-01T00:00:00Z",
    ),
)


def page(items: Sequence[Mapping[str, Any]], *, link: str | None = None) -> dict[str, Any]:
    """One page as it is sent."""
    return {
        "BillingCurrency": "USD",
        "CustomerEntityId": "Default",
        "CustomerEntityType": "Retail",
        "Items": list(items),
        "NextPageLink": link,
        "Count": len(items),
    }


def answer(asked: Asked) -> dict[str, Any]:
    """What the interface answers a query of the reader."""
    query = parse_qs(urlsplit(asked.path).query)
    condition = query["$filter"][0]
    if "'Global'" in condition:
        return page(GLOBAL)
    if "'eastus'" not in condition:
        return page(())
    return page(HOSTS if condition.endswith("serviceName eq 'Virtual Machines'") else SERVICES)
