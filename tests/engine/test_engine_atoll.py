"""The commands of Atoll with a true engine: built, unchanged, refreshed and destroyed, and every refusal in words."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import definitions
import pytest
from control_plane import WITHOUT_GO, build, start_control_plane
from engine_here import MARKS, Here, context_of, project
from existing_plan import EXAMPLE, ROOT
from fake_nodes import join
from kube_client import KubeClient
from little_here import accepted_little
from platform_here import STACK
from policy_here import pulumi

pytestmark = MARKS
GUARDED = Path(__file__).parent / "guarded_program.py"
Done = subprocess.CompletedProcess[str]


def fine(done: Done) -> str:
    assert done.returncode == 0, f"{done.args}\n{done.stdout}{done.stderr}"
    assert "Traceback" not in done.stdout + done.stderr
    return done.stdout


def refused(done: Done) -> str:
    assert done.returncode not in (0, 2), f"{done.args}\n{done.stdout}{done.stderr}"
    assert "Traceback" not in done.stdout + done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Here:
    """A project whose cluster is the guarded program's: plain `pulumi` built it."""
    here = project(tmp_path_factory.mktemp("guarded"))
    shutil.copy(GUARDED, here.folder / "stacks" / "__main__.py")
    (here.folder / "stacks" / ".venv").symlink_to(ROOT / ".venv")  # a dynamic provider looks for it beside `main`
    (here.folder / ".pulumi-state").mkdir()
    fine(here.pulumi("stack", "init"))
    fine(here.pulumi("up", "--yes", "--skip-preview"))
    return here


@definitions.here
def test_up_no_changes_refresh_and_destroy_with_plain_pulumi_beside_them(tmp_path: Path) -> None:
    if build() == WITHOUT_GO:
        pytest.skip("the API server is built with Go, and there is no `go` on PATH")
    here, lock = accepted_little(tmp_path)
    with start_control_plane(tmp_path / "plane") as plane:
        here.kubeconfig.write_text(plane.kubeconfig.read_text().replace("atoll-test", "tern-prod"))
        join(KubeClient(plane), lock.spec.pools)
        assert "to create" in fine(here.atoll("preview", STACK))
        assert "created" in fine(here.atoll("up", STACK, "--yes"))
        assert (here.folder / ".pulumi-state").stat().st_mode & 0o777 == 0o700
        fine(here.atoll("preview", STACK, "--expect-no-changes"))
        fine(pulumi(here, "preview", "--expect-no-changes", "--stack", STACK))
        assert "unchanged" in fine(here.atoll("refresh", STACK, "--yes"))
        assert json.loads(fine(here.atoll("outputs", STACK, "--json")))
        assert "deleted" in fine(here.atoll("destroy", STACK, "--yes"))
        assert "holds nothing" in fine(here.atoll("destroy", STACK, "--yes"))
        fine(pulumi(here, "preview", "--stack", STACK))


def test_a_missing_kubeconfig_and_a_wrong_passphrase_are_said_in_words(tmp_path: Path) -> None:
    here = project(tmp_path)
    missing = refused(here.atoll("preview", EXAMPLE, "--accept-unknown"))
    assert missing.count("cannot be read") == 1
    wrong = refused(here.atoll("preview", EXAMPLE, "--accept-unknown", PULUMI_CONFIG_PASSPHRASE="another"))
    assert "the passphrase does not open its secrets" in wrong
    none = refused(here.atoll("preview", EXAMPLE, "--accept-unknown", PULUMI_CONFIG_PASSPHRASE=""))
    assert "passphrase" in none


def test_a_cluster_that_does_not_answer_is_said_once(tmp_path: Path) -> None:
    here = project(tmp_path)
    name = context_of(here)
    config = {
        "clusters": [{"name": name, "cluster": {"server": "https://127.0.0.1:9"}}],
        "users": [{"name": name, "user": {"token": "hidden-token"}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
    }
    here.kubeconfig.write_text(json.dumps(config))
    said = refused(here.atoll("up", EXAMPLE, "--yes", "--accept-unknown"))
    assert said.count("the connection is refused") == 1
    assert "hidden-token" not in said


def test_a_lock_of_another_update_names_who_holds_it(built: Here) -> None:
    lock = built.folder / f".pulumi-state/.pulumi/locks/organization/atoll/{EXAMPLE}/other.json"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.write_text('{"pid": 7, "username": "ann", "hostname": "box", "timestamp": "2026-11-21T15:00:00Z"}')
    try:
        said = refused(built.atoll("refresh", EXAMPLE, "--yes"))
    finally:
        lock.unlink()
    assert "locked by another update: ann@box, process 7" in said
    assert f"pulumi cancel --stack {EXAMPLE}" in said


def test_a_stack_that_was_never_built_is_said_to_be_so(tmp_path: Path) -> None:
    here = project(tmp_path)
    for command in (("outputs", EXAMPLE), ("refresh", EXAMPLE, "--yes"), ("destroy", EXAMPLE, "--yes")):
        assert f"atoll up {EXAMPLE} builds it" in refused(here.atoll(*command))
    assert not (here.folder / ".pulumi-state").exists()


def test_outputs_stay_masked_however_deep_they_are(built: Here) -> None:
    shown = json.loads(fine(built.atoll("outputs", EXAMPLE, "--json")))
    assert shown["endpoints"] == {"api": "https://10.0.0.1", "token": "[secret]"}
    assert "hidden" not in json.dumps(shown)
    assert "hidden-token" in fine(built.atoll("outputs", EXAMPLE, "--show-secrets"))
    fine(built.atoll("outputs", EXAMPLE, "--write", "hand-over"))
    files = {path.name: path.stat().st_mode & 0o777 for path in (built.folder / "hand-over").iterdir()}
    assert files == {"admin.kubeconfig": 0o600, "engineer.kubeconfig": 0o600, "ann.conf": 0o600}


def test_a_guarded_cluster_goes_in_two_steps_and_what_is_protected_stays(built: Here) -> None:
    assert "there is no terminal to confirm at" in refused(built.atoll("destroy", EXAMPLE))
    done = fine(built.atoll("destroy", EXAMPLE, "--yes"))
    assert "step 1: cluster is protected against deletion by its cloud" in done
    assert "lift protection: 1 updated, " in done
    kept = done.partition("Kept")[2]
    assert "bucket" in kept
    assert "logs" in kept
    assert "plain" not in kept
    assert "allowDestroy" not in (built.folder / f"stacks/Pulumi.{EXAMPLE}.yaml").read_text()
    left = json.loads(fine(built.pulumi("stack", "export")))["deployment"]["resources"]
    assert [each["urn"].split("::")[-1] for each in left if each.get("protect")] == ["bucket"]
