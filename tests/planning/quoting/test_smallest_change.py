"""The change that is proposed where nothing keeps the checklist: it works, and a tenth less of it does not."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small import TODAY, TRAINING, SmallCatalog, accelerator, checklist, machine, market, price, services

from catalogs.model import Form
from planning.checklist.model.checklist import Checklist
from planning.quoting.candidates.market import Market
from planning.quoting.quote import Quote
from planning.quoting.quote_builder import quote
from planning.values.errors import NothingFitsError
from planning.values.money import HOURS_PER_MONTH
from planning.values.verdict import Verdict

MACHINES = (
    machine("big"),
    machine("cpu", gpu=None),
    machine("small", gpu="L40S-PCIe-48GB", gpus=1, vcpus=16),
    machine("far", provider="nebius"),
    machine("far-cpu", provider="nebius", gpu=None),
)
ROWS = (
    price("aws", "big", "us-east-1", "60"),
    price("aws", "big", "us-east-1", "20", purchase="spot"),
    price("aws", "small", "us-east-1", "2"),
    price("aws", "cpu", "us-east-1", "0.4"),
    price("nebius", "far", "eu-north1", "30"),
    price("nebius", "far-cpu", "eu-north1", "0.5"),
    *services("aws"),
    *services("nebius"),
)
GPUS = (accelerator(), accelerator("L40S-PCIe-48GB", form=Form.PCIE, gb=48, bf16=362))
LARGE: list[dict[str, object]] = [{**TRAINING, "tokens": "2000B", "global_batch": 64, "deadline": "20d"}]
TENTH = Decimal("0.1")
CHANGE = re.compile(
    r'raise the deadline of (\S+) to ([\d.]+) days \(workloads\[\]\.deadline: "\2d"\)'
    r"|ask for at most ([\d.]+) runs of (\S+) a month \(workloads\[\]\.runs_per_month\)"
)


@pytest.fixture(scope="module")
def small() -> Market:
    return market(SmallCatalog(MACHINES, ROWS, accelerators_list=GPUS))


def quoted(wanted: Checklist, small: Market) -> Quote:
    return quote(wanted, checklist_digest="digest", stack="acme", market=small, today=TODAY)


def changes_of(found: Quote) -> list[tuple[str, str, Decimal]]:
    """Workload, field and value of each proposed change."""
    changes: list[tuple[str, str, Decimal]] = []
    for words in found.advice:
        match = CHANGE.fullmatch(words)
        assert match, words
        raised, days, runs, asked = match.groups()
        changes.append((raised, "deadline", Decimal(days)) if raised else (asked, "runs_per_month", Decimal(runs)))
    return changes


def with_changes(body: list[dict[str, object]], changes: list[tuple[str, str, Decimal]]) -> list[dict[str, object]]:
    changed = [dict(each) for each in body]
    for workload, field, value in changes:
        job = next(each for each in changed if each["name"] == workload)
        job[field] = f"{value:f}d" if field == "deadline" else f"{value:f}"
    return changed


def tightened(change: tuple[str, str, Decimal]) -> tuple[str, str, Decimal]:
    """A tenth less of the time that was given, a tenth more of the runs that were given up."""
    workload, field, value = change
    return workload, field, value * (1 - TENTH if field == "deadline" else 1 + TENTH)


def keeps(body: list[dict[str, object]], small: Market, ceiling: dict[str, object], *, within: bool) -> bool:
    """Whether an option keeps the whole checklist; `within`: and its ceiling too."""
    found = quoted(checklist(*body, ceiling=ceiling), small)
    return any(not each.misses and (not within or each.judgement.verdict is not Verdict.OVER) for each in found.options)


def is_tighter_than_asked(body: list[dict[str, object]], change: tuple[str, str, Decimal]) -> bool:
    workload, field, value = change
    asked = next(each for each in body if each["name"] == workload).get(field, "1")
    number = Decimal(str(asked).removesuffix("d"))
    return value < number if field == "deadline" else value > number


JOBS = st.fixed_dictionaries(
    {
        "tokens": st.sampled_from(["20B", "100B", "400B", "2000B"]),
        "deadline": st.sampled_from(["1d", "3d", "9d", "25d", "40d"]),
    },
    optional={
        "global_batch": st.sampled_from([16, 48, 128, 512]),
        "hardware": st.sampled_from([{"accelerator": "H100", "count": 8}, {"accelerator": "H100", "count": 64}]),
        "runs_per_month": st.sampled_from([1, 3, 40]),
        "spot": st.booleans(),
    },
)
CEILINGS = st.sampled_from([None, 20_000, 80_000, 400_000])


@settings(derandomize=True, max_examples=40, deadline=None)
@given(jobs=st.lists(JOBS, min_size=1, max_size=2), usd=CEILINGS)
def test_the_change_works_and_a_tenth_less_of_it_does_not(
    small: Market, jobs: list[dict[str, object]], usd: int | None
) -> None:
    body = [{**TRAINING, "name": f"train-{at}", **each} for at, each in enumerate(jobs)]
    ceiling: dict[str, object] = {} if usd is None else {"usd_per_month": str(usd), "binds": "expected"}
    try:
        found = quoted(checklist(*body, ceiling=ceiling), small)
    except NothingFitsError:
        return
    if not any(each.misses for each in found.options):
        return
    changes = changes_of(found)
    assert changes, "something is proposed"
    assert keeps(with_changes(body, changes), small, ceiling, within=False)
    within = keeps(with_changes(body, changes), small, ceiling, within=True)
    for at, change in enumerate(changes):
        less = tightened(change)
        if not is_tighter_than_asked(body, less):
            others = [*changes[:at], less, *changes[at + 1 :]]
            assert not keeps(with_changes(body, others), small, ceiling, within=within), less


def test_more_nodes_are_tried_without_a_ceiling(small: Market) -> None:
    """The least nodes alone would need eight times as long as 64 accelerators, which the batch allows."""
    found = quoted(checklist(*LARGE), small)
    change = changes_of(found)
    least = min(max(run.hours for run in each.runs) for each in found.options)
    assert change[0][2] * 24 < least / 2
    assert keeps(with_changes(LARGE, change), small, {}, within=False)


def test_a_longer_deadline_alone_is_proposed_where_it_lifts_the_limit_of_a_month(small: Market) -> None:
    fields = [field for _, field, _ in changes_of(quoted(checklist(*LARGE), small))]
    assert fields == ["deadline"]
    assert changes_of(quoted(checklist(*LARGE), small))[0][2] * 24 > HOURS_PER_MONTH
