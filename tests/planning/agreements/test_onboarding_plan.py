from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from accepted import EXAMPLES, accepted, catalog, checklist, known
from hypothesis import given
from hypothesis import strategies as st
from icalendar import Calendar
from tracing import untraced

from cli.pages.calendar import calendar
from cli.pages.documents.rendering import render_markdown
from planning.agreements.onboarding import plan
from planning.agreements.onboarding.document import DONE_WHEN, document
from planning.agreements.onboarding.plan import ROLES, steps
from planning.checklist.model.agreement import Agreement, Contact, StepTime
from planning.checklist.model.workload import FineTuning, Training

MONDAY = date(2027, 1, 4)
SETTLED = Agreement(
    starts=MONDAY,
    burn_in_hours=Decimal(60),
    steps=(StepTime(step="build", working_days=4),),
    contacts=(Contact(role="engineer_on_call", name="Ines <b>", email="on-call@provider.example"),),
)


@pytest.mark.parametrize("agreement", [Agreement(), SETTLED], ids=["open", "settled"])
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_figure_of_every_plan_is_where_it_says_it_is(example: str, agreement: Agreement) -> None:
    asked = checklist(example).model_copy(update={"agreement": agreement})
    whole = document(accepted(example), asked, catalog())
    assert untraced(whole, known(accepted(example), asked)) == []


def test_the_dates_are_those_that_a_person_counts() -> None:
    asked = checklist("spanning-two").model_copy(update={"agreement": SETTLED})
    found = {each.id: (each.first, each.last) for each in steps(accepted("spanning-two"), asked, catalog())}
    assert found["sign"] == (MONDAY, date(2027, 1, 5))
    assert found["build"] == (date(2027, 1, 12), date(2027, 1, 15))  # Tuesday to Friday, four days as settled
    assert found["burn_in"] == (date(2027, 1, 16), date(2027, 1, 18))  # 60 hours from Saturday on
    assert found["accept"] == (date(2027, 1, 19), date(2027, 1, 19))
    assert found["first_job"] == (date(2027, 1, 26), date(2027, 1, 26))


def test_without_a_day_to_start_on_days_are_counted_and_no_date_is_made_up() -> None:
    asked = checklist("spanning-two")
    whole = steps(accepted("spanning-two"), asked, catalog())
    assert {each.first for each in whole} == {None}
    assert whole[0].day == 2
    assert whole[-1].day == sum(row.working_days or 3 for row in catalog().handover_steps.values())
    text = render_markdown(document(accepted("spanning-two"), asked, catalog()))
    assert "counts working days instead of dates" in text
    assert "| done by working day<sup>" in text
    assert not Calendar.from_ical(calendar(whole, stack="demo", today=MONDAY)).events


def test_a_stack_is_spared_what_it_does_not_need() -> None:
    bare, spec = checklist("demo").model_copy(update={"dataset": None}), accepted("demo").spec
    alone = spec.model_copy(update={"access": spec.access.model_copy(update={"users": ()})})
    lock = accepted("demo").model_copy(update={"placements": (alone,)})
    left = {each.id for each in steps(lock, bare, catalog())}
    assert set(catalog().handover_steps) - left == {"burn_in", "load", "deliver"}


def _dated(*times: StepTime, starts: date = MONDAY, hours: int = 60) -> dict[str, tuple[date | None, date | None]]:
    agreement = Agreement(starts=starts, burn_in_hours=Decimal(hours), steps=times)
    asked = checklist("spanning-two").model_copy(update={"agreement": agreement})
    return {each.id: (each.first, each.last) for each in steps(accepted("spanning-two"), asked, catalog())}


def test_a_step_that_takes_no_time_delays_nobody() -> None:
    found = _dated(StepTime(step="sign", working_days=0), StepTime(step="accept", working_days=0))
    assert found["sign"] == (MONDAY, MONDAY)
    assert found["prepare"] == (MONDAY, date(2027, 1, 6))
    assert found["burn_in"] == (date(2027, 1, 12), date(2027, 1, 14))
    assert found["accept"] == found["deliver"] == (date(2027, 1, 15), date(2027, 1, 15))


def test_a_burn_in_takes_no_less_than_its_hours() -> None:
    assert _dated(StepTime(step="burn_in", working_days=1))["burn_in"] == _dated()["burn_in"]
    first, last = _dated(StepTime(step="burn_in", working_days=5))["burn_in"]
    assert first is not None
    assert last is not None
    assert plan.last_of(first, 5) == last


@given(
    st.dates(date(2026, 1, 1), date(2032, 12, 31)),
    st.dictionaries(st.sampled_from(sorted(catalog().handover_steps)), st.integers(0, 30)),
    st.integers(1, 336),
)
def test_dates_never_go_back_and_people_work_on_working_days(starts: date, times: dict[str, int], hours: int) -> None:
    agreed = [StepTime.model_validate({"step": step, "working_days": each}) for step, each in times.items()]
    found = _dated(*agreed, starts=starts, hours=hours)
    dates = [day for pair in found.values() for day in pair if day is not None]
    assert dates == sorted(dates)
    assert all(
        plan.is_workday(day) for step, pair in found.items() if step != "burn_in" for day in pair if day is not None
    )
    assert dates[0] >= starts


def test_the_calendar_has_every_step_once_with_whole_days() -> None:
    asked = checklist("demo").model_copy(update={"agreement": SETTLED})
    found = steps(accepted("demo"), asked, catalog())
    whole = Calendar.from_ical(calendar(found, stack="demo", today=MONDAY))
    assert [str(each["UID"]) for each in whole.events] == [f"{each.id}.demo@atoll" for each in found]
    assert next((each.DTSTART, each.DTEND) for each in whole.events) == (MONDAY, date(2027, 1, 6))
    assert calendar(found, stack="demo", today=MONDAY) == calendar(found, stack="demo", today=MONDAY)


def test_every_step_has_an_owner_and_an_end() -> None:
    assert {row.owner for row in catalog().handover_steps.values()} <= set(ROLES)
    assert set(DONE_WHEN) == set(catalog().handover_steps)


def test_a_name_from_the_checklist_is_only_a_name() -> None:
    asked = checklist("demo").model_copy(update={"agreement": SETTLED})
    assert "Ines \\<b\\>" in render_markdown(document(accepted("demo"), asked, catalog()))


@given(st.dates(date(2026, 1, 1), date(2030, 1, 1)), st.integers(1, 60))
def test_so_many_working_days_lie_between_the_first_and_the_last(start: date, count: int) -> None:
    first = plan.find_workday(start)
    last = plan.last_of(first, count)
    between = [date.fromordinal(each) for each in range(first.toordinal(), last.toordinal() + 1)]
    assert sum(map(plan.is_workday, between)) == count
    assert plan.is_workday(first)
    assert plan.is_workday(last)


def test_what_is_not_there_ends_no_step() -> None:
    served = render_markdown(document(accepted("inference-247"), checklist("inference-247"), catalog()))
    assert "resumed from a checkpoint" in render_markdown(document(accepted("demo"), checklist("demo"), catalog()))
    trains = any(isinstance(each, Training | FineTuning) for each in checklist("inference-247").workloads)
    assert ("resumed from a checkpoint" in served) is trains
    spec = accepted("demo").spec
    bare = accepted("demo").model_copy(update={"placements": (spec.model_copy(update={"platform": None}),)})
    assert "run a job from the queue to its end" in render_markdown(document(bare, checklist("demo"), catalog()))


def test_a_cluster_that_exists_or_is_coreweaves_gives_its_own_kubeconfig() -> None:
    there = render_markdown(document(accepted("existing-lambda"), checklist("existing-lambda"), catalog()))
    assert "short-lived kubeconfig on request" in there
    assert "kubeconfig of their role" not in there
    other = render_markdown(document(accepted("coreweave-pretrain"), checklist("coreweave-pretrain"), catalog()))
    assert "the cluster's kubeconfig, without a credential" in other
