"""Ways in and places beside home, with a true engine: built, handed over, unchanged and destroyed."""

from __future__ import annotations

import configparser
import json
from typing import TYPE_CHECKING

import definitions
import pytest
from control_plane import WITHOUT_GO, build, start_control_plane
from engine_here import MARKS, missing_plugin
from fake_nodes import join
from kube_client import KubeClient
from little_here import with_little
from platform_here import STACK, accepted_with
from ways_here import ADDRESS, PEOPLE, addresses, over_two_clusters, with_ways_in

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

pytestmark = [*MARKS, definitions.here]
PRIORITY = "/apis/scheduling.k8s.io/v1/priorityclasses/atoll-training"


def fine(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, f"{done.args}\n{done.stdout}{done.stderr}"
    assert "Traceback" not in done.stdout + done.stderr
    return done.stdout


@pytest.fixture(autouse=True, scope="module")
def _servers() -> None:
    if build() == WITHOUT_GO:
        pytest.skip("the API server is built with Go, and there is no `go` on PATH")


@pytest.mark.skipif(bool(missing_plugin("random")), reason=missing_plugin("random"))
def test_a_vpn_inside_the_cluster_is_handed_over_with_the_address_that_its_provider_gives(tmp_path: Path) -> None:
    here, lock = accepted_with(with_little(with_ways_in()), tmp_path)
    with start_control_plane(tmp_path / "plane") as plane, addresses(plane):
        here.kubeconfig.write_text(plane.kubeconfig.read_text().replace("atoll-test", "tern-prod"))
        join(KubeClient(plane), lock.spec.pools)
        fine(here.atoll("up", STACK, "--yes", "--accept-unknown"))
        fine(here.atoll("preview", STACK, "--accept-unknown", "--expect-no-changes"))
        assert "PrivateKey" not in fine(here.atoll("outputs", STACK, "--json"))
        fine(here.atoll("outputs", STACK, "--write", "hand-over"))
        profiles = {path.stem: path.read_text() for path in (tmp_path / "hand-over").glob("*.conf")}
        fine(here.atoll("destroy", STACK, "--yes"))
    assert set(profiles) == set(PEOPLE)
    for text in profiles.values():
        profile = configparser.ConfigParser()
        profile.read_string(text)
        assert profile["Peer"]["Endpoint"] == f"{ADDRESS}:51820"
    assert len({text.splitlines()[1] for text in profiles.values()}) == len(PEOPLE)


def test_a_stack_over_two_clusters_builds_in_both_and_leaves_only_what_holds_work(tmp_path: Path) -> None:
    here, lock = accepted_with(with_little(over_two_clusters()), tmp_path)
    annex = tmp_path / "annex.kubeconfig"
    teams = "/api/v1/namespaces/work-protein-13b", "/api/v1/namespaces/work-screens"
    with start_control_plane(tmp_path / "home") as first, start_control_plane(tmp_path / "away") as second:
        here.kubeconfig.write_text(first.kubeconfig.read_text().replace("atoll-test", "tern-prod"))
        annex.write_text(second.kubeconfig.read_text().replace("atoll-test", "annex"))
        for plane, placed in zip((first, second), lock.placements, strict=True):
            join(KubeClient(plane), placed.pools)
        there = {"ANNEX_KUBECONFIG": str(annex)}
        fine(here.atoll("up", STACK, "--yes", "--accept-unknown", **there))
        clients = KubeClient(first), KubeClient(second)
        assert [[kube.request("GET", team).ok for team in teams] for kube in clients] == [[True, False], [False, True]]
        assert all(kube.request("GET", PRIORITY).ok for kube in clients)
        assert set(json.loads(fine(here.atoll("outputs", STACK, "--json")))["placements"]) == {"annex"}
        fine(here.atoll("preview", STACK, "--accept-unknown", "--expect-no-changes", **there))
        told = fine(here.atoll("destroy", STACK, "--yes", **there))
        left = [team.rpartition("/")[2] for kube in clients for team in teams if kube.request("GET", team).ok]
        assert all(team in told for team in left), (left, told)
        assert not any(kube.request("GET", PRIORITY).ok for kube in clients)
