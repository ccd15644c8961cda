"""SKUs of Google's Cloud Billing Catalog, cut down to a few: fields, words and prices as it gave them in 2026."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from price_server import Route

SINCE = "2026-11-20T16:35:12.457Z"
IDS = {
    "Compute Engine": "6F81-5844-456A",
    "Networking": "E505-1604-58F8",
    "Cloud Storage": "95FF-2EF5-5EA1",
    "Kubernetes Engine": "CCD8-9BF1-090E",
    "Cloud Filestore": "D97E-AB26-5D95",
    "Cloud Key Management Service (KMS)": "EE2F-D110-890C",
    "Cloud Logging": "5490-F7B7-8DF6",
}
IOWA = ("us-central1",)
Tiers = Sequence[tuple[float, str]]


def sku(
    description: str, unit: str, *tiers: tuple[float, str], group: str = "", usage: str = "OnDemand", **more: Any
) -> dict[str, Any]:
    """A SKU with all its fields; prices are decimal texts, which are split into units and nanos."""
    rates = []
    for start, price in tiers:
        units, _, fraction = price.partition(".")
        nanos = int(fraction.ljust(9, "0")[:9] or 0) * (-1 if price.startswith("-") else 1)
        amount = {"currencyCode": more.get("currency", "USD"), "units": units.replace("-0", "0"), "nanos": nanos}
        rates.append({"startUsageAmount": start, "unitPrice": amount})
    return {
        "name": "services/6F81-5844-456A/skus/0000-0000-0000",
        "skuId": "0000-0000-0000",
        "description": description,
        "category": {
            "serviceDisplayName": "Compute Engine",
            "resourceFamily": "Compute",
            "resourceGroup": group,
            "usageType": usage,
        },
        "serviceRegions": list(more.get("regions", IOWA)),
        "pricingInfo": [
            {
                "summary": "",
                "pricingExpression": {
                    "usageUnit": unit,
                    "displayQuantity": 1,
                    "tieredRates": rates,
                    "usageUnitDescription": "",
                    "baseUnit": "By.s",
                },
                "currencyConversionRate": 1,
                "effectiveTime": more.get("since", SINCE),
            }
        ],
        "serviceProviderName": "Google",
    }


SPOT = "Preemptible"
SKUS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "Compute Engine": (
        sku("Balanced PD Capacity", "GiBy.mo", (0, "0.1"), group="SSD"),
        sku("Balanced PD Capacity in Tokyo", "GiBy.mo", (0, "0.13"), group="SSD", regions=("asia-northeast1",)),
        sku("Regional Balanced PD Capacity", "GiBy.mo", (0, "0.2"), group="SSD"),
        sku("Hyperdisk Extreme Capacity in Iowa", "GiBy.mo", (0, "0.125"), group="SSD"),
        sku(
            "External IP Charge on a Standard VM", "h", (0, "0"), (744, "0.005"), group="IpAddress", regions=("global",)
        ),
        sku("Static Ip Charge", "h", (0, "0.01"), group="IpAddress"),
        sku("Network Inter Zone Data Transfer Out", "GiBy", (0, "0.01"), group="InterzoneEgress", regions=("global",)),
        *(
            sku(
                f"Network Internet Data Transfer Out from Americas to {place}",
                "GiBy",
                (0, "0.12"),
                (1024, "0.11"),
                (10240, "0.08"),
            )
            for place in ("Americas", "EMEA")
        ),
        sku(
            "Network Internet Data Transfer Out from Americas to China",
            "GiBy",
            (0, "0.23"),
            (1024, "0.22"),
            (10240, "0.2"),
        ),
        sku("E2 Instance Core running in Americas", "h", (0, "0.02181159"), group="CPU"),
        sku("E2 Instance Ram running in Americas", "GiBy.h", (0, "0.00292353"), group="RAM"),
        sku("E2 Instance Core running in Americas", "h", (0, "0.9"), group="CPU", usage="Commit1Yr"),
        sku("Spot Preemptible E2 Instance Core running in Americas", "h", (0, "0.00872"), group="CPU", usage=SPOT),
        sku("Spot Preemptible E2 Instance Ram running in Americas", "GiBy.h", (0, "0.00117"), group="RAM", usage=SPOT),
        sku("A3 Instance Core running in Americas", "h", (0, "0.03222"), group="CPU"),
        sku("A3 Instance Ram running in Americas", "GiBy.h", (0, "0.002817"), group="RAM"),
        sku("Nvidia H100 80GB GPU running in Americas", "h", (0, "11.06"), group="GPU"),
        sku("SSD backed Local Storage", "GiBy.mo", (0, "0.08"), group="LocalSSD"),
        sku("G2 Instance Core running in Americas", "h", (0, "0.02499"), group="CPU"),
        sku("G2 Instance Ram running in Americas", "GiBy.h", (0, "0.00293"), group="RAM"),  # and no GPU
    ),
    "Networking": (
        sku(
            "Cloud Load Balancer Forwarding Rule Minimum for Iowa (us-central1)",
            "h",
            (0, "0.025"),
            group="LoadBalancing",
        ),
        sku(
            "Cloud Load Balancer Forwarding Rule Minimum Global",
            "h",
            (0, "0.04"),
            group="LoadBalancing",
            regions=("global",),
        ),
        sku("Networking Cloud Nat Data Processing", "GiBy", (0, "0.045"), group="Nat", regions=("global",)),
        sku("Networking Cloud NAT IP Usage", "h", (0, "0.005"), group="Nat", regions=("global",)),
    ),
    "Cloud Storage": (
        sku("Standard Storage US Regional", "GiBy.mo", (0, "0"), (5, "0.02"), group="RegionalStorage"),
        sku("Standard Storage US Multi-region", "GiBy.mo", (0, "0.026"), group="MultiRegionalStorage"),
        sku("Nearline Storage Iowa", "GiBy.mo", (0, "0.01"), group="NearlineStorage"),
        sku("Nearline Storage Iowa (Early Delete)", "GiBy.d", (0, "0.000333"), group="NearlineStorage"),
        sku("Archive Storage Iowa", "GiBy.mo", (0, "0.0012"), group="ArchiveStorage"),
    ),
    "Kubernetes Engine": (
        sku("Regional Kubernetes Clusters", "h", (0, "0.1"), regions=("global",)),
        sku("Zonal Kubernetes Clusters", "h", (0, "0.1"), regions=("global",)),
    ),
    "Cloud Filestore": (
        sku("Filestore Capacity Basic HDD (Standard) Iowa", "GiBy.mo", (0, "0.16"), group="Storage"),
        sku("Filestore Capacity Zonal Iowa", "GiBy.mo", (0, "0.25"), group="Storage"),
    ),
    "Cloud Key Management Service (KMS)": (
        sku("Active software symmetric key versions", "mo", (0, "0.06")),
        sku("Active HSM symmetric key versions", "mo", (0, "1")),
        sku("Active external symmetric key versions", "mo", (0, "3")),
    ),
    "Cloud Logging": (
        sku("Log Retention cost", "GiBy.mo", (0, "0.01"), group="Logs", regions=("global",)),
        sku("Log Storage cost", "GiBy", (0, "0"), (50, "0.5"), group="Logs", regions=("global",)),
    ),
}


def routes(**services: Route) -> dict[str, Route]:
    """What a server of these SKUs answers; `services` takes the place of one, by the first word of its name."""
    listed = [{"name": f"services/{id_}", "serviceId": id_, "displayName": name} for name, id_ in IDS.items()]
    found: dict[str, Route] = {"/v1/services": {"services": listed, "nextPageToken": ""}}
    for name, id_ in IDS.items():
        page = {"skus": list(SKUS[name]), "nextPageToken": ""}
        found[f"/v1/services/{id_}/skus"] = services.get(name.split()[-1].strip("()"), page)
    return found
