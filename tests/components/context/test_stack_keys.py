"""Each key of a stack's configuration has an effect, is refused with its place, or is named as unused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import sla_samples

from components.context.settings_reference import SETTINGS
from operations.project.stack_config import OFFLINE, list_unused_keys, read_config, refuse_stack_keys
from planning.values.errors import InputError

ROOT = Path(__file__).parents[3]
LOCK = sla_samples.lock()
CODE = "\n".join(
    path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "components").rglob("*.py"))
    if path.name != "settings_keys.py"
)
OURS = [each for each in SETTINGS if each.key.startswith("atoll:")]


def faults(tmp_path: Path, config: str) -> list[Any]:
    path = tmp_path / "Pulumi.demo.yaml"
    path.write_text(f"config:\n  atoll:accepted: a\n{config}", encoding="utf-8")
    try:
        refuse_stack_keys(read_config(path).values, LOCK, path=path)
    except InputError as error:
        return list(error.faults)
    return []


@pytest.mark.parametrize("setting", OURS, ids=lambda each: each.key)
def test_a_setting_that_is_listed_is_read_by_a_component(setting: Any) -> None:
    name = setting.key.removeprefix("atoll:")
    assert re.search(rf'"{name}"', CODE), f"{setting.key} changes nothing: read it, or do not list it"


@pytest.mark.parametrize("setting", OURS, ids=lambda each: each.key)
def test_a_setting_is_accepted_and_the_same_misspelt_is_refused(setting: Any, tmp_path: Path) -> None:
    value = "{}" if setting.key in {"atoll:capacityReservations", "atoll:poolZones", "atoll:vpnRotations"} else "x"
    assert bool(faults(tmp_path, f"  {setting.key}: {value}\n")) == (setting.key == OFFLINE)
    misspelt = f"{setting.key[:-1]}q"
    (fault,) = faults(tmp_path, f"  {misspelt}: x\n")
    assert (fault.line, fault.message) == (3, f"{misspelt} is no setting of Atoll")
    assert setting.key in fault.hint or "one of" in fault.hint or "did you mean" in fault.hint


@pytest.mark.parametrize("key", ["atoll:capacityReservations", "atoll:poolZones", "atoll:vpnRotations"])
def test_a_name_that_the_cluster_does_not_have_is_refused(key: str, tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, f"  {key}:\n    nobody: 1\n")
    assert fault.line == 4
    assert "nobody" in fault.message


def test_all_faults_are_told_at_once_and_other_namespaces_are_left_alone(tmp_path: Path) -> None:
    found = faults(tmp_path, "  atoll:reech: all\n  aws:region: x\n  mine:key: y\n  atoll:publicAPI: true\n")
    assert [each.line for each in found] == [3, 6]


def test_what_this_target_does_not_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "Pulumi.demo.yaml"
    target = LOCK.spec.placement.target
    idle = [each.key for each in OURS if each.targets != "all" and target not in each.targets.split(", ")]
    path.write_text("config:\n" + "".join(f"  {each.key}: x\n" for each in OURS), encoding="utf-8")
    said = list(list_unused_keys(read_config(path).values, LOCK))
    assert [line.split()[0] for line in said] == idle
    assert all(f"is built on {target}" in line for line in said)
