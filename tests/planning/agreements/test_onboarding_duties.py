"""What somebody has to buy, and what is said on a cluster that is there already."""

from __future__ import annotations

from decimal import Decimal

import pytest
from accepted import accepted, catalog, checklist, known
from tracing import untraced

from cli.pages.documents.rendering import render_markdown
from planning.agreements.onboarding.document import document, list_duties
from planning.agreements.onboarding.plan import steps
from planning.checklist.model.agreement import Agreement
from planning.spec.lock import Lock


def reserved(example: str, *, provider: str, purchase: str, kind: str = "reserved") -> Lock:
    """The lock with its first pool bought so, three nodes of it always there."""
    lock = accepted(example)
    spec = lock.spec
    first, *rest = (pool.model_copy(update={"kind": "on_demand"}) for pool in spec.pools)
    bought = first.model_copy(update={"kind": kind, "purchase": purchase, "min_nodes": 3, "max_nodes": 4})
    place = spec.placement.model_copy(update={"provider": provider})
    changed = spec.model_copy(update={"pools": (bought, *rest), "placement": place})
    return lock.model_copy(update={"placements": (changed,)})


def said(lock: Lock, example: str) -> list[str]:
    return [each.text for each in list_duties(lock, checklist(example), catalog())]


@pytest.mark.parametrize(
    ("provider", "purchase", "until"),
    [
        ("aws", "savings_plan_12m_no_upfront", "until then the on-demand price applies."),
        ("gcp", "cud_36m", "until then the on-demand price applies."),
        ("nebius", "reserved", "until then nothing is reserved."),
    ],
)
def test_what_is_paid_for_a_term_is_somebodys_to_buy(provider: str, purchase: str, until: str) -> None:
    lock = reserved("rl-cpu", provider=provider, purchase=purchase)
    machine = lock.spec.pools[0].machine
    boxes = said(lock, "rl-cpu")
    (bought,) = [each for each in boxes if each.startswith("Buy ")]
    assert bought == f"Buy {purchase} for 3 of {machine}: the program does not do it, and {until}"
    assert boxes.index(bought) == 1  # after the quota
    assert untraced(document(lock, checklist("rl-cpu"), catalog()), known(lock, checklist("rl-cpu"))) == []


def test_nothing_is_to_be_bought_on_demand_or_on_a_cluster_that_is_there() -> None:
    lock = reserved("rl-cpu", provider="gcp", purchase="on_demand", kind="on_demand")
    assert not [each for each in said(lock, "rl-cpu") if each.startswith("Buy ")]
    there = reserved("existing-lambda", provider="lambda", purchase="reserved_2w_to_12m")
    assert there.spec.existing is not None
    assert not [each for each in said(there, "existing-lambda") if each.startswith("Buy ")]


def test_a_cluster_that_is_there_is_not_built_again() -> None:
    there = render_markdown(document(accepted("existing-lambda"), checklist("existing-lambda"), catalog()))
    assert "Build the cluster" not in there
    assert "Install the platform on the existing cluster" in there
    assert "Ask the cloud whether" not in there
    assert "no check fails or is unknown" not in there
    assert "each unknown result is clarified with the provider" in there
    built = render_markdown(document(accepted("rl-cpu"), checklist("rl-cpu"), catalog()))
    assert "Build the cluster" in built
    assert "no check fails or is unknown" in built


@pytest.mark.parametrize(("hours", "whole"), [(1, 2), (24, 2), (48, 2), (60, 3)])
def test_a_burn_in_takes_no_less_than_the_least_that_runs(hours: int, whole: int) -> None:
    asked = checklist("spanning-two").model_copy(update={"agreement": Agreement(burn_in_hours=Decimal(hours))})
    found = {each.id: each for each in steps(accepted("spanning-two"), asked, catalog())}
    assert found["burn_in"].takes.text.startswith(f"{whole} ")
