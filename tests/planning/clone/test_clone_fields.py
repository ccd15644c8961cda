"""Every field has a treatment, and what is kept comes back from a clone of a clone."""

from __future__ import annotations

import re

import pytest
from clone_kit import EXAMPLES, example, harmless, moved, open_at
from hypothesis import given
from hypothesis import strategies as st

from components.context.settings_reference import SETTINGS
from operations.clone.stack_config import CARRIED
from planning.checklist.model.checklist import Checklist
from planning.checklist.model.structure import inner_models, sections
from planning.clone.addresses import ReservedNetwork
from planning.clone.decisions.decision import replace_value
from planning.clone.field_table import SPEC, TREATMENTS, FieldHandling, checklist_rows, list_leaves
from planning.spec.cluster import ClusterSpec

KIND = re.compile(r"\[\w+\]")
PLACES = (
    ("aws", "us-west-2"),
    ("aws", "eu-west-1"),
    ("gcp", "us-central1"),
    ("gcp", "europe-west4"),
    ("coreweave", "north-america"),
    ("nebius", "eu-north1"),
)


def every_field() -> frozenset[str]:
    """Every field of the checklist that is no section, without list positions and kinds: "workloads.deadline"."""
    return frozenset(
        f"{KIND.sub('', at)}.{name}".removeprefix(".")
        for at, model in sections()
        for name, field in model.model_fields.items()
        if not inner_models(field.annotation)
    )


def test_every_field_of_the_checklist_has_one_treatment_and_no_treatment_is_of_no_field() -> None:
    assert every_field() == set(TREATMENTS)
    assert all(each.why for each in TREATMENTS.values())


def test_every_part_of_a_cluster_is_said_to_follow_from_the_place_or_not() -> None:
    assert set(SPEC) == set(ClusterSpec.model_fields)


def test_every_key_of_a_stack_configuration_is_carried_or_not() -> None:
    assert set(CARRIED) == {each.key for each in SETTINGS}


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("place", PLACES, ids="-".join)
def test_a_clone_has_a_row_for_every_field_and_changes_only_what_may_change(name: str, place: tuple[str, str]) -> None:
    source = example(name)
    clone = moved(source, *place)
    found = open_at(source, *place)
    rows = checklist_rows(source, clone, decisions=found, answers=harmless(found))
    assert [row.field for row in rows] == list(dict.fromkeys((*list_leaves(source), *list_leaves(clone))))
    for row in rows:
        assert row.why
        assert (row.old == row.new) or row.care is not FieldHandling.KEPT
    assert clone.where.wanted == (place[0],)
    assert clone.where.regions == (place[1],)


variations = st.fixed_dictionaries(
    {
        ("where", "domain"): st.sampled_from([None, "ml.example.com"]),
        ("where", "residency"): st.sampled_from(["any", "US", "EU"]),
        ("where", "excluded"): st.sampled_from([(), ("gcp",), ("azure", "nebius")]),
        ("ceiling", "usd_per_month"): st.sampled_from([None, "12345.67"]),
        ("spare_share",): st.sampled_from(["0", "0.25"]),
        ("contract", "onboarding_usd"): st.sampled_from(["2000", "5000"]),
        ("access", "ssh"): st.just(False),
    }
)


@given(name=st.sampled_from(EXAMPLES), changes=variations, place=st.sampled_from(PLACES))
def test_a_clone_of_a_clone_back_home_keeps_every_kept_field(
    name: str, changes: dict[tuple[str, ...], object], place: tuple[str, str]
) -> None:
    source = varied(example(name), changes)
    taken = (ReservedNetwork("the source", source.where.cidr),)
    home = ("aws", "us-east-1")
    away = moved(source, *place, taken=taken)
    back = moved(away, *home, taken=(*taken, ReservedNetwork("the clone", away.where.cidr)))
    before, after = list_leaves(source), list_leaves(back)
    kept = [path for path, leaf in before.items() if leaf.pattern in TREATMENTS and is_kept(leaf.pattern)]
    assert kept
    assert {path: before[path].text for path in kept} == {path: after[path].text for path in kept}
    assert not away.where.cidr.overlaps(source.where.cidr)
    assert not back.where.cidr.overlaps(away.where.cidr)


def varied(checklist: Checklist, changes: dict[tuple[str, ...], object]) -> Checklist:
    for path, value in changes.items():
        checklist = replace_value(checklist, path, value)
    return checklist


def is_kept(pattern: str) -> bool:
    # an accelerator that is not sold at the other place is settled by "none", and its form with it
    return TREATMENTS[pattern].care is FieldHandling.KEPT and pattern != "workloads.hardware.form"
