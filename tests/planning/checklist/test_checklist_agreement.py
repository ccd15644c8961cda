"""What was settled beyond the option: the one field that is a date, and credits that must fall and rise."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planning.checklist.model.agreement import Agreement, Credit
from planning.checklist.reading.checklist_file import read
from planning.checklist.rules.agreement import credits_rise
from planning.values.errors import Fault, InputError

WHOLE = """customer: {name: acme, owner: ml-lead@acme.example}
workloads:
  - {kind: training, name: train, model: {parameters: 7B}, tokens: 140B}
agreement:
  starts: %s
"""


SOUND = read(WHOLE % "2027-01-04", file="checklist.yaml")


@pytest.mark.parametrize("text", ["2027-01-04", '"2027-01-04"', "'2027-01-04'", "2027-01-04   # a Monday"])
def test_a_date_is_read_with_and_without_quotes(text: str) -> None:
    assert read(WHOLE % text, file="checklist.yaml").agreement.starts == date(2027, 1, 4)


def fault(text: str) -> Fault:
    with pytest.raises(InputError) as caught:
        read(WHOLE % text, file="checklist.yaml")
    (found,) = caught.value.faults
    return found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2027-1-4", "is not a date"),
        ("2027-13-45", "is a day that no calendar has"),
        ("2027-02-29", "is a day that no calendar has"),
        ("2027-01-04T08:00:00", "is not a date"),
        ("20270104", "is not a date"),
        ("4 January", "is not a date"),
        ("true", "is not a date"),
        ('"2027-01-04 "', "is not a date"),
    ],
)
def test_what_is_no_date_is_told_at_its_place(text: str, said: str) -> None:
    found = fault(text)
    assert said in found.message
    assert found.line == 5
    assert found.source_line.strip().startswith("starts:")
    assert found.hint


def test_the_caret_stands_under_the_date() -> None:
    found = fault("2027-13-45")
    assert found.source_line[found.column - 1 :] == "2027-13-45"
    assert found.path == "agreement.starts"
    assert found.hint == "write year, month and day, as in 2027-01-04"


def test_dates_stay_refused_where_no_field_is_one() -> None:
    with pytest.raises(InputError) as caught:
        read(WHOLE.replace("name: train", "name: 2027-01-04") % "2027-01-04", file="checklist.yaml")
    assert "is a date, and this field is none" in caught.value.faults[0].message


def test_a_telephone_number_says_how_it_is_written() -> None:
    contact = '"2027-01-04"\n  contacts: [{role: support, name: Ines, email: i@p.example, phone: "555"}]'
    found = fault(contact)
    assert "telephone number" in found.message
    assert "+1 555 010 0199" in found.hint


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(1, 9999), st.integers(1, 10000)), max_size=5))
def test_credits_are_sound_exactly_where_they_fall_and_rise(steps: list[tuple[int, int]]) -> None:
    """In hundredths: attainment strictly falls from one credit to the next while the credit strictly rises."""
    paid = tuple(
        Credit(below_percent=Decimal(below) / 100, credit_percent=Decimal(paid) / 100) for below, paid in steps
    )
    checklist = SOUND.model_copy(update={"agreement": Agreement(credits=paid)})
    sound = all(worse[0] < milder[0] and worse[1] > milder[1] for milder, worse in pairwise(steps))
    assert (not list(credits_rise(checklist))) is sound


SPEEDS = """2027-01-04
  tier_speeds:
    - %s
storage:
  warm: {size: 20TB}
"""


def test_a_throughput_is_agreed_tier_by_tier() -> None:
    text = WHOLE % SPEEDS % "{tier: warm, read_mb_per_s: 10000, write_mb_per_s: 0.5}"
    (warm,) = read(text, file="checklist.yaml").agreement.tier_speeds
    assert (warm.placement, warm.read_mb_per_s, warm.write_mb_per_s) == ("home", 10000, Decimal("0.5"))


@pytest.mark.parametrize(
    ("entry", "at", "message", "hint"),
    [
        ("tier: wram, read_mb_per_s: 9", "wram", '"tier" cannot be "wram"', 'did you mean "warm"?'),
        ("tier: cold, read_mb_per_s: 9", "cold", '"tier" cannot be "cold"', "one of: hot, warm"),
        ("tier: hot, read_mb_per_s: 9", "hot", 'no "hot" storage is asked for at home', 'write "hot" into storage'),
        (
            "tier: warm, placement: west, read_mb_per_s: 9",
            "west",
            'no placement is called "west"',
            "placements are home",
        ),
        ("tier: warm, read_mb_per_s: 0", "0", "must be more than 0, not 0", "all nodes together read"),
        ("tier: warm, write_mb_per_s: -5", "-5", "must be more than 0, not -5", "all nodes together write"),
        ("tier: warm, read_mb_per_s: 10GB/s", "10GB/s", '"10GB/s" is not a number', "write a plain number"),
        ("tier: warm, read_gb_per_s: 10", "read_gb_per_s", "is not a field of", 'did you mean "read_mb_per_s"?'),
        ("tier: warm", "{tier: warm}", 'no throughput is named of "warm"', 'write "read_mb_per_s"'),
    ],
)
def test_a_throughput_that_cannot_be_is_told_under_its_caret(entry: str, at: str, message: str, hint: str) -> None:
    found = fault(SPEEDS % f"{{{entry}}}")
    assert message in found.message
    assert hint in found.hint
    assert found.line == 7
    assert found.source_line[found.column - 1 :].startswith(at)


def test_a_tier_beside_home_is_named_by_its_placement() -> None:
    """Both places have a warm tier, and each may have a figure of its own."""
    beside = """2027-01-04
  tier_speeds: [{tier: warm, placement: west, read_mb_per_s: 9}, {tier: warm, read_mb_per_s: 8}]
storage: {warm: {size: 1TB}}
where:
  elsewhere:
    - {name: west, workloads: [two], storage: {warm: {size: 2TB}}}
"""
    text = (WHOLE % beside).replace(
        "agreement:", "  - {kind: batch, name: two, vcpus: 8, hours_per_month: 9}\nagreement:"
    )
    found = read(text, file="checklist.yaml").agreement.tier_speeds
    assert [(each.placement, each.read_mb_per_s) for each in found] == [("west", 9), ("home", 8)]
