"""The policy pack in a true engine: what it says, and how it ends, is what `atoll plan` says without one."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import definitions
import pytest
from control_plane import WITHOUT_GO, build, running
from engine_here import MARKS, Here, missing_plugin
from existing_plan import ROOT, accepted_example
from fake_nodes import join
from kube_client import KubeClient
from platform_here import STACK, accepted_with, quickly, with_platform
from state_file import write_state

from planning.lock import read_lock, to_text

pytestmark = MARKS
PACK = ("--policy-pack", "policies")
EXAMPLES = {"demo": "at_home", "gcp-train": "cheapest", "coreweave-pretrain": "cheapest", "existing-lambda": "cheapest"}
Said = set[tuple[str, str, str, str]]
Done = subprocess.CompletedProcess[str]


def with_pack(here: Here) -> Here:
    """The project with the pack, as it stands beside stacks/ in every project."""
    (here.folder / "policies").mkdir()
    for name in ("__main__.py", "PulumiPolicy.yaml"):
        shutil.copy(ROOT / "policies" / name, here.folder / "policies")
    return here


def under(here: Here, stack: str, usd_per_month: int | None) -> Here:
    """The project with another ceiling in the stack's lock."""
    file = here.folder / f"stacks/{stack}/quote.lock.json"
    lock = read_lock(file)
    limit = None if usd_per_month is None else Decimal(usd_per_month)
    changed = lock.ceiling.model_copy(update={"usd_per_month": limit})
    file.write_text(to_text(lock.model_copy(update={"ceiling": changed})), encoding="utf-8")
    return here


def pulumi(here: Here, *arguments: str, **variables: str) -> Done:
    state = {"PULUMI_BACKEND_URL": f"file://{here.folder}/.pulumi-state", "PULUMI_DEBUG_COMMANDS": "true"}
    return here._run(["pulumi", *arguments, "--non-interactive"], {**state, **variables})


def planned(here: Here, stack: str) -> tuple[str, Said, int]:
    """The plan, what the rules say in it, and its exit code."""
    done = here.atoll("plan", stack, "--json", "-")
    assert "Traceback" not in done.stderr
    found = json.loads(done.stdout)["policies"]
    said = {
        (each["rule"], "mandatory" if each["stops"] else "advisory", each["urn"], each["sentence"]) for each in found
    }
    return done.stdout, said, done.returncode


def events(lines: Iterable[str]) -> Said:
    """What policies said in a log of events; the stack itself stands for what is about no single resource."""
    found: Said = set()
    for line in lines:
        event: Mapping[str, Any] = json.loads(line).get("policyEvent", {})
        if event:
            urn = "" if ":pulumi:Stack::" in event["resourceUrn"] else event["resourceUrn"]
            found.add((event["policyName"], event["enforcementLevel"], urn, event["message"].strip()))
    return found


def stopping(said: Said) -> bool:
    return any(level == "mandatory" for _, level, _, _ in said)


@pytest.fixture(scope="module", params=EXAMPLES)
def example(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Here, str]:
    """A project in which an example is accepted; its cluster need not be there."""
    folder = tmp_path_factory.mktemp(request.param)
    accepted_example(folder, request.param, EXAMPLES[request.param])
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return with_pack(Here(folder, folder / "kubeconfig")), request.param


@pytest.mark.parametrize("usd_per_month", [None, 1])
def test_a_state_is_analyzed_as_it_is_planned(example: tuple[Here, str], usd_per_month: int | None) -> None:
    here, stack = example
    under(here, stack, usd_per_month)
    plan, said, _ = planned(here, stack)
    write_state(plan, here.folder / "state.json")
    done = pulumi(here, "policy", "analyze", "--file", "state.json", *PACK, "--json")
    assert events(done.stdout.splitlines()) == said, done.stderr
    assert (done.returncode != 0) is stopping(said)
    assert "Traceback" not in done.stdout + done.stderr
    assert (usd_per_month == 1) is ("monthly-ceiling" in {rule for rule, level, *_ in said if level == "mandatory"})


def test_the_configuration_of_the_pack_cannot_make_it_laxer(example: tuple[Here, str]) -> None:
    here, stack = example
    under(here, stack, 1)
    plan, said, _ = planned(here, stack)
    write_state(plan, here.folder / "state.json")
    (here.folder / "lax.json").write_text('{"all": "disabled"}', encoding="utf-8")
    lax = (*PACK, "--policy-pack-config", "lax.json")
    done = pulumi(here, "policy", "analyze", "--file", "state.json", *lax, "--json")
    found = events(done.stdout.splitlines())
    assert done.returncode != 0
    assert said <= found
    assert "monthly-ceiling is asked to be disabled; it is mandatory" in done.stdout


def test_a_stack_without_a_lock_is_stopped_in_words(example: tuple[Here, str]) -> None:
    here, stack = example
    under(here, stack, None)
    plan, _, _ = planned(here, stack)
    write_state(plan.replace(f"urn:pulumi:{stack}::", "urn:pulumi:elsewhere::"), here.folder / "state.json")
    done = pulumi(here, "policy", "analyze", "--file", "state.json", *PACK, "--json")
    assert done.returncode != 0
    ((rule, level, _, said),) = events(done.stdout.splitlines())
    assert (rule, level) == ("can-be-judged", "mandatory")
    assert said.startswith("Can be judged: stacks/elsewhere/quote.lock.json: there is no lock yet")
    assert "Traceback" not in done.stdout + done.stderr


@definitions.here
@pytest.mark.skipif(bool(missing_plugin("random")), reason=missing_plugin("random"))
def test_a_preview_says_what_is_planned_and_ends_badly_over_the_ceiling(tmp_path: Path) -> None:
    if build() == WITHOUT_GO:
        pytest.skip("the API server is built with Go, and there is no `go` on PATH")
    here, lock = accepted_with(with_platform(), tmp_path)
    with_pack(here)
    quick = quickly(tmp_path)
    (tmp_path / ".pulumi-state").mkdir()
    with running(tmp_path / "plane") as plane:
        here.kubeconfig.write_text(plane.kubeconfig.read_text().replace("atoll-test", "tern-prod"))
        join(KubeClient(plane), lock.spec.pools)
        assert pulumi(here, "stack", "init", "--stack", STACK, **quick).returncode == 0
        for usd_per_month in (None, 1):
            under(here, STACK, usd_per_month)
            _, said, _ = planned(here, STACK)
            done = pulumi(here, "preview", "--stack", STACK, *PACK, "--event-log", str(tmp_path / "log"), **quick)
            assert events((tmp_path / "log").read_text().splitlines()) == said, done.stdout
            assert (done.returncode != 0) is stopping(said)
    assert "the ceiling is 1.00 USD" in done.stdout
    assert "Report it" not in done.stdout
