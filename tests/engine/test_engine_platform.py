"""The small platform with a true engine, from a mirror's folder: built, unchanged, destroyed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import definitions
import pytest
from control_plane import WITHOUT_GO, build, start_control_plane
from engine_here import MARKS, missing_plugin
from fake_nodes import join
from kube_client import KubeClient
from platform_here import STACK, accepted_with, quickly, with_platform
from ways_here import addresses

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

pytestmark = [
    *MARKS,
    definitions.here,
    pytest.mark.skipif(bool(missing_plugin("random")), reason=missing_plugin("random")),
]
KEPT = ("profiles.kubeflow.org", "mlflow-database", "object-store")  # a person is told what is left in the cluster
DIRECTORY = "kubernetes:kustomize/v2:Directory"


def fine(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, f"{done.args}\n{done.stdout}{done.stderr}"
    assert "Traceback" not in done.stdout + done.stderr
    return done.stdout


@pytest.fixture(autouse=True, scope="module")
def _servers() -> None:
    if build() == WITHOUT_GO:
        pytest.skip("the API server is built with Go, and there is no `go` on PATH")


def test_the_small_platform_comes_up_from_a_folder_stays_unchanged_and_goes(tmp_path: Path) -> None:
    here, lock = accepted_with(with_platform(), tmp_path)
    quick = quickly(tmp_path)
    with start_control_plane(tmp_path / "plane") as plane, addresses(plane):
        kube = KubeClient(plane)
        here.kubeconfig.write_text(plane.kubeconfig.read_text().replace("atoll-test", "tern-prod"))
        join(kube, lock.spec.pools)
        assert "created" in fine(here.atoll("up", STACK, "--yes", "--accept-unknown", **quick))
        fine(here.atoll("preview", STACK, "--accept-unknown", "--expect-no-changes", **quick))
        told = fine(here.atoll("destroy", STACK, "--yes", **quick))
        assert all(name in told for name in KEPT)
        state = json.loads((tmp_path / f".pulumi-state/.pulumi/stacks/atoll/{STACK}.json").read_text())
        left = state["checkpoint"]["latest"].get("resources", [])
        assert [each["urn"] for each in left if each.get("protect")]
        assert not [each["urn"] for each in left if each.get("custom") and not is_kept(each["urn"], left)]


def is_kept(urn: str, left: list[dict[str, object]]) -> bool:
    """Whether a resource is protected, or something protected needs it."""
    by_urn = {str(each["urn"]): each for each in left}
    needed: set[str] = set()
    waiting = [str(each["urn"]) for each in left if each.get("protect")]
    while waiting:
        each = by_urn.get(waiting.pop())
        if each is None or each["urn"] in needed:
            continue
        needed.add(str(each["urn"]))
        before = each.get("dependencies", [])
        assert isinstance(before, list)
        provider = str(each.get("provider", "")).rpartition("::")[0]
        waiting += [*map(str, before), str(each.get("parent", "")), provider]
        if each["type"] == DIRECTORY:  # whatever waits for it waits for all that is in it
            waiting += [str(other["urn"]) for other in left if other.get("parent") == each["urn"]]
    return urn in needed
