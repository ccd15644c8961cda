"""Clusters as rules and dashboards see them, and the metrics that an expression looks at."""

from __future__ import annotations

import csv
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import catalogs
from planning.platform.alerts.model import AlertFacts, SloTarget

WORDS = {"by", "on", "and", "or", "unless", "group_left", "group_right", "ignoring", "without", "bool", "offset"}
PARTS = frozenset({"kueue", "notebooks", "cert_manager", "velero", "postgres_operator", "loki", "minio", "spend_guard"})

TRAIN = SloTarget(
    pool="train",
    pools=("train",),
    fixed=4,
    most=4,
    accelerators=8,
    resource="nvidia_com_gpu",
    fabric="infiniband",
)


def facts(**changes: Any) -> AlertFacts:
    fields: dict[str, Any] = {
        "parts": PARTS,
        "pool_label": "label_atoll_pool",
        "prices": {"train": Decimal("98.32"), "system": Decimal("0.4")},
        "other_usd_per_month": Decimal(1000),
        "ceiling_usd_per_month": Decimal(5000),
        "teams": {"work-burst": "vision"},
        "slo_percent": Decimal("99.9"),
        "idle_minutes": 60,
        "gpu_pools": ("train",),
        "owed": (TRAIN, SloTarget(pool="cpu", pools=("cpu",), fixed=0, most=2)),
        "shared_tiers": ("warm",),
    }
    return AlertFacts(**{**fields, **changes})


def bare() -> AlertFacts:
    """Nothing installed, no accelerators, no price, no ceiling, no promise."""
    without: dict[str, Any] = {"parts": frozenset(), "prices": {}, "ceiling_usd_per_month": None, "slo_percent": None}
    return facts(**without, teams={}, gpu_pools=(), owed=(), shared_tiers=())


def list_exported_metrics() -> set[str]:
    """Every metric that an exporter of the cluster is known to have."""
    folder = Path(catalogs.__file__).parent / "platform"
    files = {"metrics.csv": "metric", "gpu_counters.csv": "name"}
    return {
        row[column]
        for name, column in files.items()
        for row in csv.DictReader((folder / name).read_text().splitlines())
    }


def metrics(expr: str) -> set[str]:
    """Names of the series that PromQL asks for."""
    text = re.sub(r'"[^"]*"', "", expr)
    text = re.sub(r"\{[^}]*\}|\[[^\]]*\]", "", text)
    text = re.sub(r"\b(by|on|group_left|ignoring|without)\s*\([^)]*\)", "", text)
    found = re.findall(r"(?<![\w:.])([a-zA-Z_:][\w:]*)(?!\s*\()\b(?!\s*\()", text)
    return set(found) - WORDS
