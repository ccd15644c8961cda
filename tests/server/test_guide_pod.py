"""The pod of the guide is one that a cluster of ours admits, and that lands on an accelerator node."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from pods import role_of_node, run

if TYPE_CHECKING:
    from kube_client import KubeClient

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]
GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "run-a-pod.md"


def manifest() -> dict[str, Any]:
    """The first YAML block of the guide."""
    block = re.search(r"^```yaml\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert block is not None
    return yaml.safe_load(block[1])


@pytest.mark.usefixtures("example")
def test_the_pod_of_the_guide_runs_on_an_accelerator_node(kube: KubeClient) -> None:
    pod = manifest()
    try:
        landed = run(kube, pod)
    finally:
        kube.delete_all([pod])
    assert role_of_node(kube, landed) == "gpu"
