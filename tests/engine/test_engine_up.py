"""A true `pulumi up` of an existing-cluster stack against a real API server, where the engine is on PATH."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from control_plane import WITHOUT_GO, build, running
from existing_plan import EXAMPLE, ROOT, accepted


def missing() -> str:
    """What of the engine is not here; "" where all of it is."""
    if shutil.which("pulumi") is None:
        return "the Pulumi CLI is not on PATH"
    listed = subprocess.run(["pulumi", "plugin", "ls"], capture_output=True, text=True, check=False).stdout  # noqa: S607 - from the PATH
    found = "kubernetes" in listed or shutil.which("pulumi-resource-kubernetes") is not None
    return "" if found else "the kubernetes provider plugin is not installed"


pytestmark = [
    pytest.mark.engine,
    pytest.mark.allow_hosts(["127.0.0.1"]),
    pytest.mark.skipif(bool(missing()), reason=missing()),
]


def pulumi(*arguments: str, folder: Path, kubeconfig: Path) -> subprocess.CompletedProcess[str]:
    """One command of the engine, with a backend in the folder."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PULUMI_BACKEND_URL": f"file://{folder}/state",
        "PULUMI_CONFIG_PASSPHRASE": "for this test only",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "TERN_KUBECONFIG": str(kubeconfig),
    }
    command = ["pulumi", *arguments, "--non-interactive"]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def test_up_then_no_changes_then_destroy(tmp_path: Path) -> None:
    if build() == WITHOUT_GO:
        pytest.skip("the API server is built with Go, and there is no `go` on PATH")
    folder = accepted(tmp_path)
    (folder / "state").mkdir()
    (folder / ".venv").symlink_to(ROOT / ".venv")
    context = json.loads((folder / f"stacks/{EXAMPLE}/quote.lock.json").read_text())["spec"]["existing"]["context"]
    with running(tmp_path / "plane") as plane:
        kubeconfig = folder / "kubeconfig"
        kubeconfig.write_text(plane.kubeconfig.read_text().replace("atoll-test", context))
        for arguments in (
            ("stack", "init", EXAMPLE),
            ("up", "--yes", "--skip-preview", "--stack", EXAMPLE),
            ("preview", "--expect-no-changes", "--stack", EXAMPLE),
            ("destroy", "--yes", "--skip-preview", "--stack", EXAMPLE),
        ):
            done = pulumi(*arguments, folder=folder, kubeconfig=kubeconfig)
            assert done.returncode == 0, f"pulumi {' '.join(arguments)}\n{done.stdout}{done.stderr}"


def test_a_missing_kubeconfig_is_said_without_a_traceback(tmp_path: Path) -> None:
    folder = accepted(tmp_path)
    (folder / "state").mkdir()
    (folder / ".venv").symlink_to(ROOT / ".venv")
    missing = folder / "nowhere"
    assert pulumi("stack", "init", EXAMPLE, folder=folder, kubeconfig=missing).returncode == 0
    done = pulumi("preview", "--stack", EXAMPLE, folder=folder, kubeconfig=missing)
    assert done.returncode != 0
    assert "cannot be read" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
