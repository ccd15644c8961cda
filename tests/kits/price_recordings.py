"""Answers of price interfaces, cut down to a few rows: field names and values as public repositories have them.

gpuhunt: columns of its `CATALOG_V2_FIELDS`, its flags and names of machines (dstackai/gpuhunt at 35841515).
Oracle: part numbers, metrics and rates of oci-pricing-mcp at c0810288 (lastUpdated 2026-01-05); a flat rate has
no range in the answer that getcomputable/gpu-index recorded at 38e515c0.
Lambda, RunPod, DigitalOcean: fields as gpuhunt and its tests have them. Hyperstack: its documented schemas.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any, Final

VERSION: Final = "20261118-8012"
GPUHUNT: Final = [
    "instance_name",
    "location",
    "price",
    "cpu",
    "memory",
    "gpu_count",
    "gpu_name",
    "gpu_memory",
    "spot",
    "disk_size",
    "gpu_vendor",
    "flags",
    "cpu_arch",
    "provider_data",
]


def catalog_row(name: str, place: str, price: str, gpus: int = 0, *, spot: bool = False, flags: str = "") -> list[str]:
    gpu = ("H100", "80.0") if gpus else ("", "")
    vendor = "nvidia" if gpus else ""
    return [name, place, price, "16", "64.0", str(gpus), *gpu, str(spot), "", vendor, flags, "x86", "{}"]


def catalog_text(rows: Iterable[list[str]], *, columns: list[str] = GPUHUNT) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows([columns, *rows])
    return text.getvalue().encode()


def packed(files: Mapping[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    return archive.getvalue()


def published(name: str, rows: Iterable[list[str]]) -> dict[str, Any]:
    """Routes of one published catalog."""
    archive = packed({f"{name}.csv": catalog_text(rows)})
    return {f"/v3/{name}/version": f"{VERSION}\n", f"/v3/{name}/{VERSION}/catalog.zip": archive}


def oracle_part(number: str, metric: str, *tiers: tuple[float, float], currency: str = "USD") -> dict[str, Any]:
    ranges = [{"rangeMin": start} if len(tiers) > 1 else {} for start, _ in tiers]
    prices = [{"model": "PAY_AS_YOU_GO", "value": tier[1], **part} for tier, part in zip(tiers, ranges, strict=True)]
    return {
        "partNumber": number,
        "displayName": f"part {number}",
        "metricName": metric,
        "serviceCategory": "Compute - GPU",
        "currencyCodeLocalizations": [{"currencyCode": currency, "prices": prices}],
    }


GB_MONTH: Final = "Gigabyte Storage Capacity Per Month"
ORACLE: Final[dict[str, Any]] = {
    "lastUpdated": "2026-01-05T13:27:33.583Z",
    "items": [
        oracle_part("B98415", "GPU Per Hour", (0, 10)),
        oracle_part("B95909", "GPU Per Hour", (0, 2)),
        oracle_part("B111824", "GPU Per Hour", (0, 2.5)),  # NVIDIA AI Enterprise - H100: in the same category
        oracle_part("B96545", "Cluster Per Hour", (0, 0.1)),
        oracle_part("B91961", GB_MONTH, (0, 0.0255)),
        oracle_part("B91962", "Performance Units Per Gigabyte Per Month", (0, 0.0017)),
        oracle_part("B88327", "Gigabyte Outbound Data Transfer Per Month", (0, 0), (10240, 0.0085)),
        oracle_part("B91627", "10,000 Requests Per Month", (0, 0), (5, 0.0034)),
        oracle_part("B91628", GB_MONTH, (10, 0.0255), (0, 0)),
        oracle_part("B93000", GB_MONTH, (0, 0), (10, 0.01)),
        oracle_part("B93030", "Load Balancer", (0, 0), (744, 0.0113)),
        oracle_part("B97384", "OCPU Per Hour", (0, 0.03)),
        oracle_part("B97385", "Gigabytes Per Hour", (0, 0.002)),
    ],
}


def lambda_type(name: str, cents: Any, gpus: Any = 1) -> dict[str, Any]:
    specs = {"vcpus": 30, "memory_gib": 200, "storage_gib": 512, "gpus": gpus}
    return {
        "instance_type": {"name": name, "price_cents_per_hour": cents, "architecture": "x86_64", "specs": specs},
        "regions_with_capacity_available": [{"name": "us-east-1", "description": "Virginia, USA"}],
    }


LAMBDA: Final[dict[str, Any]] = {
    "data": {
        "gpu_1x_a10": lambda_type("gpu_1x_a10", 129),
        "gpu_8x_h100_sxm5": lambda_type("gpu_8x_h100_sxm5", 3192, 8),
        "gpu_1x_a100_sxm4": lambda_type("gpu_1x_a100_sxm4", 199),
    }
}


def runpod_gpu(
    name: str, secure: Any, community: Any, *, bid: Any = None, community_bid: Any = None, most: int = 8
) -> dict[str, Any]:
    return {
        "id": name,
        "maxGpuCount": most,
        "securePrice": secure,
        "communityPrice": community,
        "secure": {"minimumBidPrice": bid},
        "community": {"minimumBidPrice": community_bid},
    }


RUNPOD: Final[dict[str, Any]] = {
    "data": {
        "gpuTypes": [
            runpod_gpu("NVIDIA A100 80GB PCIe", 1.79, 1.19, bid=0.82),
            runpod_gpu("NVIDIA H200", 4.59, None),
            runpod_gpu("NVIDIA B300 SXM6 AC", 7.89, 0),
            runpod_gpu("NVIDIA GeForce RTX 4090", 0.69, 0.34),
        ]
    }
}


def droplet(slug: str, hour: Any, month: Any, regions: Any = ("nyc2",), *, gpus: int | None = None) -> dict[str, Any]:
    size = {
        "slug": slug,
        "memory": 1966080,
        "vcpus": 160,
        "disk": 2046,
        "price_monthly": month,
        "price_hourly": hour,
        "regions": list(regions) if isinstance(regions, tuple) else regions,
        "available": True,
    }
    gpu = {"count": gpus, "vram": {"amount": 640, "unit": "gib"}, "model": "nvidia_h100"}
    return size if gpus is None else {**size, "gpu_info": gpu}


DROPLETS: Final[dict[str, Any]] = {
    "sizes": [
        droplet("s-1vcpu-512mb-10gb", 0.00595, 4, ("ams3", "fra1")),
        droplet("gpu-h100x8-640gb", 35.28, 26248.32, ("nyc1", "tor1"), gpus=8),
        droplet("gpu-h100x1-80gb", 4.41, 3281.04, ("nyc1",), gpus=1),
        droplet("gpu-mi350x1-288gb-spot", 2.46, 1830.24, ("atl1",), gpus=1),
    ],
    "links": {},
    "meta": {"total": 4},
}


def book_entry(name: str, list_price: Any, paid: Any = None) -> dict[str, Any]:
    return {
        "id": 1,
        "name": name,
        "value": list_price if paid is None else paid,
        "original_value": list_price,
        "discount_applied": paid is not None,
        "start_time": None,
        "end_time": None,
    }


def flavor(
    name: str, gpu: str, gpus: int, *, region: str = "CANADA-1", cpu: int = 28, ram: Any = 180
) -> dict[str, Any]:
    return {
        "id": 1,
        "name": name,
        "region_name": region,
        "cpu": cpu,
        "ram": ram,
        "disk": 100,
        "gpu": gpu,
        "gpu_count": gpus,
        "stock_available": False,
    }


HYPERSTACK_BOOK: Final[list[dict[str, Any]]] = [
    book_entry("H100-80G-PCIe", 2.5, 2.25),
    book_entry("H100-80G-PCIe-spot", 2),
    book_entry("L40", 1),
    book_entry("vCPU (cpu-only-flavors)", 0.05),
    book_entry("RAM (cpu-only-flavors)", 0.0375),
    book_entry("Cloud-SSD", 0.000096774),
]
HYPERSTACK_FLAVORS: Final[dict[str, Any]] = {
    "status": True,
    "message": "Getting flavors successful",
    "data": [
        {
            "gpu": "H100-80G-PCIe",
            "region_name": "CANADA-1",
            "flavors": [flavor("n3-H100x1", "H100-80G-PCIe", 1), flavor("n3-H100x8", "H100-80G-PCIe", 8)],
        },
        {
            "gpu": "H100-80G-PCIe-spot",
            "region_name": "NORWAY-1",
            "flavors": [flavor("n3-H100x1-spot", "H100-80G-PCIe-spot", 1, region="NORWAY-1")],
        },
        {"gpu": "", "region_name": "NORWAY-1", "flavors": [flavor("n1-cpu-small", "", 0, cpu=4, ram=4)]},
        {"gpu": "H200-141G-SXM5", "region_name": "CANADA-1", "flavors": [flavor("n3-H200x8", "H200-141G-SXM5", 8)]},
    ],
}
