"""A true `pulumi up` of an existing-cluster stack against a real API server, where the engine is on PATH."""

from __future__ import annotations

from pathlib import Path

import definitions
import pytest
from control_plane import WITHOUT_GO, build, start_control_plane
from engine_here import MARKS, project
from fake_nodes import join
from kube_client import KubeClient
from little_here import accepted_little
from platform_here import STACK
from policy_here import pulumi

pytestmark = MARKS


@definitions.here
def test_up_then_no_changes_then_destroy(tmp_path: Path) -> None:
    if build() == WITHOUT_GO:
        pytest.skip("the API server is built with Go, and there is no `go` on PATH")
    here, lock = accepted_little(tmp_path)
    (here.folder / ".pulumi-state").mkdir()
    with start_control_plane(tmp_path / "plane") as plane:
        here.kubeconfig.write_text(plane.kubeconfig.read_text().replace("atoll-test", "tern-prod"))
        join(KubeClient(plane), lock.spec.pools)
        for arguments in (
            ("stack", "init"),
            ("up", "--yes", "--skip-preview"),
            ("preview", "--expect-no-changes"),
            ("destroy", "--yes", "--skip-preview"),
        ):
            done = pulumi(here, *arguments, "--stack", STACK)
            assert done.returncode == 0, f"pulumi {' '.join(arguments)}\n{done.stdout}{done.stderr}"


def test_a_missing_kubeconfig_is_said_without_a_traceback(tmp_path: Path) -> None:
    here = project(tmp_path)
    (here.folder / ".pulumi-state").mkdir()
    assert here.pulumi("stack", "init").returncode == 0
    done = here.pulumi("preview")
    assert done.returncode != 0
    assert "cannot be read" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
