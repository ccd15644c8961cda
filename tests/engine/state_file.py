"""An exported stack as an engine would write it after an update, made from the JSON of a plan: no cloud, no update."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from planning.costs.resources.formats.file import read
from planning.costs.resources.formats.values import BLINDED
from planning.costs.resources.resource import Resource, Secret, UnknownValue, Value

UNKNOWN_TEXT = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
OURS = "atoll:"
PROVIDERS = "pulumi:providers:"


def write_state(plan: str, file: Path) -> None:
    """The state in which every resource of a plan is as it was asked to be."""
    resources = read(plan.encode(), file="plan.json").new
    head, project = resources[0].urn.split("::")[:2]
    start = f"{head}::{project}::"
    root = f"{start}pulumi:pulumi:Stack::{project}-{head.rpartition(':')[2]}"
    states = [{"urn": root, "type": "pulumi:pulumi:Stack", "custom": False}]
    packages = sorted({each.type.partition(":")[0] for each in resources if each.custom and each.provider is None})
    states += [_default(start, package) for package in packages if package != "pulumi"]
    urns = {each.urn: each for each in resources}
    for each in sorted(resources, key=lambda each: not each.type.startswith(PROVIDERS)):
        states.append(_state(each, root=root, default=f"{start}{PROVIDERS}{each.type.partition(':')[0]}::default"))
    known = {**urns, root: None}
    assert all(each.parent is None or each.parent in known for each in resources)
    deployment = {"manifest": {"time": "2026-11-21T12:00:00Z", "magic": "", "version": ""}, "resources": states}
    file.write_text(json.dumps({"version": 3, "deployment": deployment}), encoding="utf-8")


def _default(start: str, package: str) -> dict[str, Any]:
    urn = f"{start}{PROVIDERS}{package}::default"
    return {"urn": urn, "type": f"{PROVIDERS}{package}", "custom": True, "id": "made", "inputs": {}, "outputs": {}}


def _state(each: Resource, *, root: str, default: str) -> dict[str, Any]:
    is_provider = each.type.startswith(PROVIDERS)
    is_foreign = not each.custom and not each.type.startswith(OURS)  # the engine tells nothing of what it was asked
    return {
        "urn": each.urn,
        "type": each.type,
        "custom": each.custom,
        "parent": each.parent or root,
        "inputs": {} if is_foreign else {name: _text(value) for name, value in each.inputs.items()},
        "outputs": {"only": "outputs"},
        "dependencies": [*each.dependencies],
        "propertyDependencies": {name: [*urns] for name, urns in each.property_dependencies.items()},
        "protect": each.protect,
        "retainOnDelete": each.retain_on_delete,
        **({"id": "made"} if each.custom else {}),
        **({"provider": f"{each.provider or default}::made"} if each.custom and not is_provider else {}),
    }


def _text(value: Value) -> Any:
    match value:
        case UnknownValue():
            return UNKNOWN_TEXT
        case Secret():
            return BLINDED
        case list():
            return [_text(each) for each in value]
        case dict():
            return {name: _text(each) for name, each in value.items()}
        case _:
            return value
