"""The smallest rented cluster that every layer of the ceiling is built in: queues, their guard, and nothing beside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml
from existing_plan import EXAMPLE, ROOT
from platform_here import FOLDER, accepted_with
from policy_here import by_law, with_pack

if TYPE_CHECKING:
    from pathlib import Path

    from engine_here import Here

    from planning.spec.lock import Lock

LEFT_OUT = (
    *("cert_manager", "istio", "kubeflow_base", "oauth2_proxy", "dex", "ingress", "dashboard", "notebooks"),
    *("teams", "trainer", "runtimes", "pipelines", "katib", "kserve", "model_registry", "mlflow", "velero"),
    *("prometheus", "loki", "tempo", "collector", "opencost", "dashboards"),
    *("postgres_operator", "minio", "object_store"),
)
AT_MOST = {"control_plane": 500, "cpu-node": 900, "disk": 100, "object": 400, "load_balancer": 50}
"""USD a month of each line that the price book lacks: what its provider does not publish."""
OWNER = "compute@tern-bio.example"
EXPECTED = 72_240  # USD a month, rounded down; with all that is stated above 74,290


def stated(*exemptions: dict[str, Any]) -> dict[str, Any]:
    """A law by which nothing is left unpriced."""
    return {"rules": {"unpriced": {"at_most_usd_per_month": AT_MOST}}, "exemptions": [*exemptions]}


def exemption(max_usd_per_month: int) -> dict[str, Any]:
    """Lets the little cluster go over its monthly ceiling."""
    return {
        "rule": "monthly-ceiling",
        "stack": "sample",
        "owner": OWNER,
        "reason": "rented until the spring, then one node goes",
        "expires": "2027-03-31",
        "max_usd_per_month": max_usd_per_month,
    }


def with_little(asked: dict[str, Any]) -> dict[str, Any]:
    """A checklist of which only queues and their guard are installed, from the mirror."""
    return {**asked, "platform": {"size": "small", "mirror": FOLDER, "without": [*LEFT_OUT]}}


def accepted_little(folder: Path) -> tuple[Here, Lock]:
    """A project in which the little cluster is accepted under its ceiling of 80,000 USD a month."""
    asked = yaml.safe_load((ROOT / "stacks" / EXAMPLE / "checklist.yaml").read_text(encoding="utf-8"))
    here, lock = accepted_with(with_little(asked), folder)
    return by_law(with_pack(here), **stated()), lock
