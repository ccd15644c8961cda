"""A ceiling before a true engine: nothing is touched over it, what is within is built, and what runs is watched."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import definitions
import pytest
from control_plane import WITHOUT_GO, build, start_control_plane
from engine_here import MARKS, missing_plugin
from fake_nodes import join
from kube_client import KubeClient
from little_here import EXPECTED, accepted_little, exemption, stated
from platform_here import STACK, accepted_with, quickly, with_platform
from policy_here import PACK, Done, Said, by_law, events, planned, pulumi, stopping, under, with_pack
from ways_here import addresses

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine_here import Here

pytestmark = [
    *MARKS,
    definitions.here,
    pytest.mark.skipif(bool(missing_plugin("random")), reason=missing_plugin("random")),
]
OVER = 10
TOO_LITTLE = EXPECTED - 2_240
ENOUGH = 80_000


@pytest.fixture(autouse=True, scope="module")
def _servers() -> None:
    if build() == WITHOUT_GO:
        pytest.skip("the API server is built with Go, and there is no `go` on PATH")


def ended(done: Done, code: int = 0) -> str:
    assert done.returncode == code, f"{done.args}\n{done.stdout}{done.stderr}"
    assert "Traceback" not in done.stdout + done.stderr
    return done.stdout + done.stderr


def previewed(here: Here, *arguments: str, **variables: str) -> tuple[Done, Said]:
    """A preview with the pack, and what it says."""
    log = here.folder / "log"
    log.unlink(missing_ok=True)
    done = pulumi(here, "preview", "--stack", STACK, *PACK, "--event-log", str(log), *arguments, **variables)
    assert "Report it" not in done.stdout
    return done, events(log.read_text(encoding="utf-8").splitlines())


def watched(here: Here, *arguments: str, code: int = 0, **variables: str) -> dict[str, Any]:
    """The only stack of a watch."""
    done = here.atoll("watch", STACK, "--json", *arguments, **variables)
    ended(done, code)
    form: dict[str, Any] = json.loads(done.stdout)
    assert form["exit_code"] == code
    (stack,) = form["stacks"]
    found: dict[str, Any] = stack
    return found


@pytest.fixture(scope="module")
def little(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Here, dict[str, str]]]:
    """The little cluster, accepted; its API server answers, and nothing is built yet."""
    folder = tmp_path_factory.mktemp("little")
    here, lock = accepted_little(folder)
    with start_control_plane(folder / "plane") as plane, addresses(plane):
        here.kubeconfig.write_text(plane.kubeconfig.read_text().replace("atoll-test", "tern-prod"))
        join(KubeClient(plane), lock.spec.pools)
        yield here, quickly(folder)


def test_over_the_ceiling_nothing_is_built_and_an_exemption_lets_it_through(
    little: tuple[Here, dict[str, str]],
) -> None:
    here, quick = little
    under(by_law(here, **stated()), STACK, TOO_LITTLE)
    assert "nothing was touched" in ended(here.atoll("up", STACK, "--yes", **quick), OVER)
    assert not (here.folder / ".pulumi-state").exists()
    by_law(here, **stated(exemption(ENOUGH)))
    assert "rented until the spring" in ended(here.atoll("preview", STACK, **quick))
    done, said = previewed(here, **quick)
    ended(done)
    assert said == planned(here, STACK)[1]
    assert any(rule == "monthly-ceiling" and "rented until the spring" in text for rule, _, _, text in said)


def test_within_the_ceiling_it_is_built_and_watched_until_the_ceiling_falls(
    little: tuple[Here, dict[str, str]],
) -> None:
    here, quick = little
    under(by_law(here, **stated()), STACK, ENOUGH)
    assert "created" in ended(here.atoll("up", STACK, "--yes", **quick))
    done, said = previewed(here, "--expect-no-changes", **quick)
    ended(done)
    assert said == planned(here, STACK)[1]
    assert not stopping(said)
    exported = pulumi(here, "stack", "export", "--stack", STACK, **quick).stdout
    (here.folder / "running.json").write_text(exported, encoding="utf-8")
    asked = watched(here, **quick)
    assert (asked["failure"], asked["differences"]) == ("", [])
    assert watched(here, "--state", "running.json") == asked
    analyzed = pulumi(here, "policy", "analyze", "--stack", STACK, *PACK, **quick)
    ended(analyzed)
    under(here, STACK, TOO_LITTLE)
    assert "nothing was touched" in ended(here.atoll("up", STACK, "--yes", **quick), OVER)
    ended(here.atoll("preview", STACK, **quick), OVER)
    assert pulumi(here, "stack", "export", "--stack", STACK, **quick).stdout == exported
    watched(here, code=OVER, **quick)
    assert pulumi(here, "policy", "analyze", "--stack", STACK, *PACK, **quick).returncode != 0
    under(here, STACK, ENOUGH)
    ended(here.atoll("destroy", STACK, "--yes", **quick))


def test_a_preview_of_the_small_platform_says_what_is_planned_and_ends_badly_over_the_ceiling(tmp_path: Path) -> None:
    here, lock = accepted_with(with_platform(), tmp_path)
    under(with_pack(here), STACK, 1)
    quick = quickly(tmp_path)
    (tmp_path / ".pulumi-state").mkdir()
    with start_control_plane(tmp_path / "plane") as plane:
        here.kubeconfig.write_text(plane.kubeconfig.read_text().replace("atoll-test", "tern-prod"))
        join(KubeClient(plane), lock.spec.pools)
        ended(pulumi(here, "stack", "init", "--stack", STACK, **quick))
        done, said = previewed(here, **quick)
    assert said == planned(here, STACK)[1], done.stdout
    assert done.returncode != 0
    assert stopping(said)
    assert "the ceiling is 1.00 USD" in done.stdout
