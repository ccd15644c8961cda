from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from sizing_fakes import checklist, inference, training

from planning.quoting.explanation import explain, subjects
from planning.sizing import assumptions
from planning.sizing.checklist_demands import size
from planning.sizing.demand import as_text

if TYPE_CHECKING:
    from planning.sizing.demand import Sizing


@pytest.fixture(scope="module")
def sizing() -> Sizing:
    return size(
        checklist(
            training(deadline="30d", rollout_vcpus=8),
            training(name="tune", kind="fine_tuning", method="lora"),
            training(name="see", model=None, tokens=None, samples="1M", flops_per_sample="12B"),
            training(name="rate", tokens=None, samples="1M", samples_per_second=9, measured_on="A100"),
            inference(),
            {"kind": "notebooks", "name": "notes"},
            {"kind": "batch", "name": "prep", "vcpus": 8},
            engineers={"count": 3},
            dataset={"size": "1TB"},
            storage={"hot": {"size": "1TB"}, "warm": {"size": "1TB"}},
            traffic={"sustained": "1Gbps"},
        )
    )


def test_every_figure_says_why(sizing: Sizing) -> None:
    for figure in explain(sizing):
        assert figure.source, figure
        assert figure.formula, figure
        assert figure.unit, figure


def test_no_figure_is_told_twice(sizing: Sizing) -> None:
    keys = [(figure.subject, figure.name) for figure in explain(sizing)]
    assert len(keys) == len(set(keys))


def test_every_rule_has_a_source() -> None:
    found = [value for value in vars(assumptions).values() if isinstance(value, assumptions.SizingAssumption)]
    assert len(found) > 20
    assert all(rule.source for rule in (*found, *assumptions.WEIGHT_BYTES.values()))


def test_lookup_by_subject_and_by_part_of_a_name(sizing: Sizing) -> None:
    assert {figure.subject for figure in explain(sizing, subject="train")} == {"train"}
    assert [figure.subject for figure in explain(sizing, name="Checkpoint SIZE")] == ["train", "tune", "see", "rate"]
    assert explain(sizing, subject="train", name="no such thing") == ()


def test_subjects_in_their_order(sizing: Sizing) -> None:
    expected = ("train", "tune", "see", "rate", "serve", "notes", "prep", "system", "storage", "network", "burn-in")
    assert subjects(sizing) == expected


def test_numbers_are_written_out() -> None:
    assert as_text(Decimal("8E+10")) == "80000000000"
    assert as_text(Decimal("0.500")) == "0.5"
    assert as_text(Decimal(84) * 10**22) == "8.4e23"
    assert as_text(Decimal("1e15")) == "1e15"
    assert as_text(Decimal("-5.25e20")) == "-5.25e20"
    assert as_text(Decimal(15_600) * 10**9) == "15600000000000"
    assert as_text(None) == "not given"
