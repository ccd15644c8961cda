"""Accepted existing-cluster stacks in a folder of their own, and the objects that their program would create."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from waiting import WITHIN

from planning.spec.lock import read_lock

if TYPE_CHECKING:
    from planning.spec.cluster import Pool

ROOT = Path(__file__).parents[2]
EXAMPLE = "existing-lambda"
TEAMS = ("folding", "screens")
TWO_TEAMS = "two-teams"
FIRST = ("Namespace", "PriorityClass", "StorageClass")
MARKS = ("$ref", "$unknown", "$secret")  # what a plan writes in place of a value that it does not know or does not show
STAND_IN = "c3RhbmQtaW4="  # "stand-in": a string wherever one is wanted, and base64 where that is


def atoll(*arguments: str, folder: Path) -> str:
    """Standard output of a command that must not fail; 11 (undetermined) is no failure."""
    command = [sys.executable, "-m", "cli.main.entry", *arguments]
    environment = {**os.environ, "ATOLL_TODAY": "2026-11-21"}  # a quote refuses prices that are too old
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=WITHIN, check=False
    )
    assert done.returncode in (0, 11), done.stderr
    return done.stdout


def copy_project(folder: Path) -> None:
    """The program and the checklists, without what was accepted here."""
    shutil.copy(ROOT / "Pulumi.yaml", folder)
    ignored = shutil.ignore_patterns("quote.lock.json", "Pulumi.*.yaml", "__pycache__")
    shutil.copytree(ROOT / "stacks", folder / "stacks", ignore=ignored)


def accepted(folder: Path) -> Path:
    """A copy of the project in which the example is accepted."""
    return accepted_example(folder, EXAMPLE, "cheapest")


def accepted_example(folder: Path, example: str, option: str) -> Path:
    """A copy of the project in which one option of an example is accepted."""
    copy_project(folder)
    atoll("accept", example, option, folder=folder)
    return folder


def accepted_for_two_teams(folder: Path) -> Path:
    """A copy of the project in which the example's workload is there twice, under two names, and accepted."""
    copy_project(folder)
    checklist = yaml.safe_load((ROOT / "stacks" / EXAMPLE / "checklist.yaml").read_text(encoding="utf-8"))
    (workload,) = checklist["workloads"]
    checklist["workloads"] = [{**workload, "name": name} for name in TEAMS]
    checklist["access"] = {"vpn": False}  # its people belong to the one workload
    del checklist["ceiling"]  # it is the price of one
    home = folder / "stacks" / TWO_TEAMS
    home.mkdir()
    (home / "checklist.yaml").write_text(json.dumps(checklist, indent=2), encoding="utf-8")
    atoll("accept", TWO_TEAMS, "cheapest", folder=folder)
    return folder


def manifests(folder: Path, stack: str = EXAMPLE) -> list[dict[str, Any]]:
    """The objects of the plan beside the platform's, which `platform_plan` judges; what others live in first.

    A Helm release is none, nor is a change of an object that somebody else makes.
    """
    plan = json.loads(atoll("plan", stack, "--json", folder=folder))
    kubernetes = [each for each in plan["resources"] if each["type"].startswith("kubernetes:") and each["custom"]]
    whole = [each for each in kubernetes if not each["type"].endswith(("Patch", ":Release")) and _beside(each["urn"])]
    found = [stood_in(each["inputs"]) for each in whole]
    return sorted(found, key=lambda each: each["kind"] not in FIRST)


def _beside(urn: str) -> bool:
    """Whether it is no object of a platform part; queues between clusters are a part of the stack."""
    return "atoll:platform:" not in urn or "atoll:platform:MultiKueue" in urn


def pools(folder: Path, stack: str = EXAMPLE) -> tuple[Pool, ...]:
    """The node pools of the stack's lock."""
    return read_lock(folder / "stacks" / stack / "quote.lock.json").spec.pools


def stood_in(value: Any) -> Any:
    """The same value with a string for whatever the plan does not tell."""
    if isinstance(value, list):
        return [stood_in(each) for each in value]
    if not isinstance(value, dict):
        return value
    if any(mark in value for mark in MARKS):
        return STAND_IN
    whole = {name: stood_in(each) for name, each in value.items()}
    for name in ("data", "stringData"):
        if whole.get(name) == STAND_IN:  # a secret is hidden whole
            whole[name] = {"stand-in": STAND_IN}
    return whole
