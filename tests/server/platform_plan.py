"""Accepted stacks with platforms of every size and make, and the objects that their programs would create."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from existing_plan import FIRST, ROOT, STAND_IN, atoll, copy_project, stood_in

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

STACK = "sample"
KEYS: Mapping[str, tuple[str, ...]] = {
    "kubernetes.io/basic-auth": ("username", "password"),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
SSO = {"provider": "okta", "issuer": "https://lagoon.okta.example", "client_id": "atoll"}


class Asked(NamedTuple):
    """The example that a checklist starts from, the option of it that is accepted, and what is asked differently."""

    example: str
    option: str
    changes: Mapping[str, Any]


ASKED: Mapping[str, Asked] = {
    "small": Asked("existing-lambda", "cheapest", {"platform": {"size": "small"}}),
    "standard": Asked("existing-lambda", "cheapest", {"platform": {"size": "standard"}, "access": {"sso": SSO}}),
    "full": Asked("existing-lambda", "cheapest", {"platform": {"size": "full"}}),
    "seaweedfs": Asked("existing-lambda", "cheapest", {"platform": {"size": "standard", "object_store": "seaweedfs"}}),
    "everything": Asked(
        "existing-lambda",
        "cheapest",
        {
            "platform": {"size": "full", "handover": "argo_cd", "idle_minutes": 30},
            "schedulers": ["airflow"],
            "orchestration": "both",
            "access": {"sso": SSO},
        },
    ),
    "aws": Asked("demo", "same_cloud", {"platform": {"size": "full"}, "schedulers": ["airflow"]}),
    "aws-provider": Asked("demo", "same_cloud", {"platform": {"size": "full", "object_store": "provider"}}),
}


def accepted_asked(asked: Asked, folder: Path) -> Path:
    """A copy of the project in which the changed checklist is accepted, without a ceiling."""
    copy_project(folder)
    found = yaml.safe_load((ROOT / "stacks" / asked.example / "checklist.yaml").read_text(encoding="utf-8"))
    found.pop("ceiling", None)
    for name, value in asked.changes.items():
        found[name] = {**found.get(name, {}), **value} if isinstance(value, dict) else value
    home = folder / "stacks" / STACK
    home.mkdir()
    (home / "checklist.yaml").write_text(json.dumps(found, indent=2), encoding="utf-8")
    atoll("accept", STACK, asked.option, folder=folder)
    return folder


def whole_secret(manifest: dict[str, Any]) -> dict[str, Any]:
    """A secret of a kind with the keys that the server asks of that kind; any other object as it is."""
    keys = KEYS.get(manifest.get("type", ""))
    if manifest["kind"] != "Secret" or keys is None:
        return manifest
    hidden = {name: value for name, value in manifest.items() if name != "stringData"}
    return {**hidden, "data": dict.fromkeys(keys, STAND_IN)}


def objects(folder: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Every whole object of the plan, what others live in first, and every patch of an object that another makes."""
    plan = json.loads(atoll("plan", STACK, "--json", folder=folder))
    found = [each for each in plan["resources"] if each["type"].startswith("kubernetes:") and each["custom"]]
    ours = [each for each in found if not each["type"].startswith("kubernetes:helm.sh/")]
    whole = [whole_secret(stood_in(each["inputs"])) for each in ours if not each["type"].endswith("Patch")]
    patches = [stood_in(each["inputs"]) for each in ours if each["type"].endswith("Patch")]
    return sorted(whole, key=lambda each: each["kind"] not in FIRST), patches
