"""The policy pack in a true engine: what it says, and how it ends, is what `atoll plan` says without one."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from engine_here import MARKS, Here
from existing_plan import ROOT, accepted_example
from policy_here import PACK, Done, Said, events, planned, pulumi, stopping, under, with_pack
from state_file import write_state

pytestmark = MARKS
EXAMPLES = {
    "demo": "same_cloud",
    "gcp-train": "cheapest",
    "coreweave-pretrain": "cheapest",
    "existing-lambda": "cheapest",
}


@dataclass(frozen=True)
class Example:
    """An accepted example; its cluster need not be there. Each ceiling is planned once."""

    here: Here
    stack: str
    plans: dict[int | None, tuple[str, Said]] = field(default_factory=dict)

    def planned(self, usd_per_month: int | None) -> tuple[str, Said]:
        under(self.here, self.stack, usd_per_month)
        if usd_per_month not in self.plans:
            self.plans[usd_per_month] = planned(self.here, self.stack)[:2]
        return self.plans[usd_per_month]

    def analyzed(self, plan: str, *arguments: str) -> Done:
        """What the engine says of a state in which everything of a plan is built."""
        write_state(plan, self.here.folder / "state.json")
        done = pulumi(self.here, "policy", "analyze", "--file", "state.json", *PACK, "--json", *arguments)
        assert "Traceback" not in done.stdout + done.stderr
        return done


@pytest.fixture(scope="module", params=EXAMPLES)
def example(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Example:
    folder = tmp_path_factory.mktemp(request.param)
    accepted_example(folder, request.param, EXAMPLES[request.param])
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return Example(with_pack(Here(folder, folder / "kubeconfig")), request.param)


@pytest.mark.parametrize("usd_per_month", [None, 1])
def test_a_state_is_analyzed_as_it_is_planned(example: Example, usd_per_month: int | None) -> None:
    plan, said = example.planned(usd_per_month)
    done = example.analyzed(plan)
    assert events(done.stdout.splitlines()) == said, done.stderr
    assert (done.returncode != 0) is stopping(said)
    assert (usd_per_month == 1) is ("monthly-ceiling" in {rule for rule, level, *_ in said if level == "mandatory"})


def test_the_configuration_of_the_pack_cannot_make_it_laxer(example: Example) -> None:
    plan, said = example.planned(1)
    (example.here.folder / "lax.json").write_text('{"all": "disabled"}', encoding="utf-8")
    done = example.analyzed(plan, "--policy-pack-config", "lax.json")
    assert done.returncode != 0
    assert said <= events(done.stdout.splitlines())
    assert "monthly-ceiling is set to disabled; it is mandatory" in done.stdout


def test_a_stack_without_a_lock_is_stopped_in_words(example: Example) -> None:
    plan, _ = example.planned(None)
    done = example.analyzed(plan.replace(f"urn:pulumi:{example.stack}::", "urn:pulumi:elsewhere::"))
    assert done.returncode != 0
    ((rule, level, _, said),) = events(done.stdout.splitlines())
    assert (rule, level) == ("can-be-judged", "mandatory")
    assert said.startswith("Policy evaluation: stacks/elsewhere/quote.lock.json: there is no lock yet")
