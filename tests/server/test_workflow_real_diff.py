"""The two workflows with the real `atoll diff` in them, over a project of its own with two accepted stacks."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pull_request_scene import Scene
from workflow_runner import served

ROOT = Path(__file__).parents[2]
from diff_repository import BIG, TODAY, accept, accepted, commit, git, made  # noqa: E402 - after the path
from github_stub import Stub  # noqa: E402 - as above

pytestmark = [pytest.mark.server, pytest.mark.enable_socket]
ATOLL = f"""#!/bin/sh
PYTHONPATH="$(cd "$(dirname "$0")/../.." && pwd)" ATOLL_TODAY={TODAY} exec {sys.executable} -P -m cli.main.entry "$@"
"""
MAKEFILE = "setup:\n\tmkdir -p .venv/bin && cp atoll .venv/bin/atoll && chmod +x .venv/bin/atoll\n"


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder = tmp_path_factory.mktemp("real")
    origin = made(folder / "origin")
    (origin / "atoll").write_text(ATOLL)
    (origin / "Makefile").write_text(MAKEFILE)
    commit(origin, "how it is installed")
    stub = Stub()
    with served(stub):
        yield Scene(folder, origin, stub)


def lock_with(scene: Scene, *, nodes: int, ceiling: str = "") -> dict[str, str]:
    """The lock of the large stack with more nodes, as the file of a pull request."""
    lock = accepted(scene.origin, BIG)
    pool = next(each for each in lock["placements"][0]["pools"] if each["role"] == "gpu")
    hours = {"min": "0", "expected": str(500 * nodes), "max": str(730 * (nodes + 1))}
    pool |= {"max_nodes": nodes + 1, "working": nodes, "node_hours": hours}
    lock["ceiling"]["usd_per_month"] = ceiling or lock["ceiling"]["usd_per_month"]
    accept(scene.origin, BIG, lock)
    path = f"stacks/{BIG}/quote.lock.json"
    text = (scene.origin / path).read_text()
    git(scene.origin, "checkout", "--quiet", "--", path)
    return {path: text}


def test_more_nodes_than_the_ceiling_allows_are_seen_and_stop_the_merge(scene: Scene) -> None:
    scene.change(lock_with(scene, nodes=18))
    computed = scene.compute()
    assert BIG in computed.summary, computed.said
    posted = scene.post()
    assert scene.states[-1] == (scene.head, "failure"), posted.said
    assert "over a ceiling" in scene.stub.statuses[-1][1]["description"]
    assert "OVER THE CEILING" in scene.ours[-1]
    assert "no figures" not in scene.ours[-1]


def test_a_ceiling_raised_with_the_nodes_is_loud_and_stops_the_merge(scene: Scene) -> None:
    scene.change(lock_with(scene, nodes=18, ceiling="900000"))
    scene.compute()
    scene.post()
    assert scene.states[-1] == (scene.head, "failure")
    assert "raises its own ceiling" in scene.ours[-1]
    assert len(scene.ours) == 1


def test_a_page_of_the_documentation_costs_nothing_and_passes(scene: Scene) -> None:
    scene.change({"docs/guides/new.md": "words\n"})
    computed = scene.compute()
    posted = scene.post()
    assert scene.states[-1] == (scene.head, "success"), computed.said + posted.said
    assert "CAUTION" not in scene.ours[-1]
    assert json.loads(computed.file("atoll-diff", "diff.json"))["stacks"] == []
