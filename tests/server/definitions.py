"""Custom resource definitions of the charts, from the platform reference data where that is on the machine."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from existing_plan import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kube_client import KubeClient, Manifest

SHARED = Path(os.environ.get("ATOLL_SHARED", ROOT / "../shared")).resolve()
PLATFORM = SHARED / "platform"
LISTED = PLATFORM / "CRDS.yaml"
ABSENT = f"the charts' definitions are not here: {LISTED} (ATOLL_SHARED)"
here = pytest.mark.skipif(not LISTED.is_file(), reason=ABSENT)


class Loader(yaml.CSafeLoader):
    """YAML where a lone "=" is a string, as the enumeration of a definition has it."""


Loader.add_constructor("tag:yaml.org,2002:value", lambda loader, node: loader.construct_scalar(node))


@cache
def listed() -> dict[tuple[str, str], Path]:
    """The file of each definition, by group and kind; empty where the data is not on the machine."""
    if not LISTED.is_file():
        return {}
    rows = read(LISTED)
    return {(each["group"], each["kind"]): PLATFORM / each["file"] for each in rows}


def read(path: Path) -> Any:
    """What a YAML file of the reference data holds."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=Loader)  # noqa: S506 - a safe loader, with a string more


def install(kube: KubeClient, group: str, kind: str) -> bool:
    """Have a kind served by its chart's definition; whether there is one."""
    path = listed().get((group, kind))
    if path is None:
        return False
    definition: Manifest = read(path)
    answer = kube.apply(definition)
    assert answer.ok, f"{path.name}: {answer.text}"
    kube.wait_established(definition)
    return True


def judged(kube: KubeClient, manifests: Iterable[Manifest]) -> tuple[list[Manifest], list[Manifest]]:
    """The objects whose kind is served, once what the charts define is installed, and those that nobody here knows."""
    known: list[Manifest] = []
    unknown: list[Manifest] = []
    for each in manifests:
        served = is_served(kube, each) or install(kube, group_of(each), each["kind"])
        (known if served else unknown).append(each)
    return known, unknown


def group_of(manifest: Manifest) -> str:
    """The API group of an object; "" for the first one."""
    return str(manifest["apiVersion"]).rpartition("/")[0]


def is_served(kube: KubeClient, manifest: Manifest) -> bool:
    """Whether the server knows the object's kind already."""
    return kube.serves(manifest["apiVersion"], manifest["kind"])
