"""What the annex leaves out of the credits never makes a month short, nor one of which nobody can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from accepted import accepted, catalog, checklist
from sla_samples import TRAIN, TRAIN_OWED, WARM, lock, part, pool, recorded, reported, runs, tier

from cli.pages.documents.rendering import render_markdown
from cli.views.handover import parts as shown
from planning.agreements.contract.annex import annex
from planning.platform.alerts import availability
from planning.platform.alerts.availability import object_store
from planning.service_levels.document import document
from planning.service_levels.series import Name, RecordedSeries
from planning.service_levels.service_parts import list_parts

if TYPE_CHECKING:
    from planning.spec.lock import Lock

COLD = Name(availability.STORAGE, "cold")


def with_cold() -> Lock:
    found = lock()
    spec = found.spec
    storage = (*spec.storage, tier("cold", "object"))
    pools = (*spec.pools, pool("blind", fixed=0, most=0, fabric="gpudirect"))
    return found.model_copy(update={"placements": (spec.model_copy(update={"storage": storage, "pools": pools}),)})


def test_a_bucket_and_a_fabric_that_nothing_sees_leave_the_month_met() -> None:
    form = reported(recorded(), of=with_cold())
    assert form["verdict"] == "met"
    for key in ("storage/cold", "fabric/blind"):
        found = part(form, key)
        assert (found["verdict"], found["recorded"], found["attained_percent"]) == ("not counted", False, None)
        assert found["credit_percent"] == {"if_up": "0", "if_down": "0"}
    text = render_markdown(document(form, table_source="x"))
    assert "grants no credit for them: fabric of blind and cold storage" in text
    assert "not measured" in text


def test_a_probe_of_ones_own_is_shown_and_owes_nothing() -> None:
    samples = recorded()
    down = RecordedSeries({**samples.runs, COLD: runs((0, 700, 1), (700, 744, 0))}, step_seconds=60)
    form = reported(down, of=with_cold())
    found = part(form, "storage/cold")
    assert (form["verdict"], found["verdict"], found["hours"]["short"]) == ("met", "not counted", "44")
    assert found["attained_percent"] == {"if_up": "94.086", "if_down": "94.086"}
    assert form["credit_usd"] == {"if_up": "0.00", "if_down": "0.00"}


def test_a_shared_file_system_that_nobody_measured_still_cannot_be_told() -> None:
    samples = recorded()
    form = reported(
        RecordedSeries({name: found for name, found in samples.runs.items() if name != WARM}, step_seconds=60)
    )
    assert (form["verdict"], part(form, "storage/warm")["verdict"]) == ("undetermined", "undetermined")


@pytest.mark.parametrize("example", ["demo", "gcp-train"])  # an engine in the cluster, and none with GPUDirect
def test_an_example_can_have_a_month_that_is_met(example: str) -> None:
    """Of every part that is counted there is a rule; only clusters beside home leave a month open."""
    found = accepted(example)
    whole = runs((0, 744, 1))
    up = {
        name: runs((0, 744, each.owed.fixed)) if each.owed else whole
        for each in list_parts(found)
        if each.counted
        for name in each.names
    }
    form = reported(RecordedSeries(up, step_seconds=60), of=found)
    assert form["verdict"] == ("undetermined" if form["not_recorded"] else "met")
    assert {each["verdict"] for each in form["parts"]} <= {"met", "not counted"}
    assert [each["key"] for each in form["parts"] if each["key"] == "storage/object_store"] == (
        ["storage/object_store"] if object_store(found.spec) else []
    )
    assert sum(1 for _ in shown(form)) >= len([each for each in form["parts"] if each["verdict"] == "not counted"])


def test_of_a_pool_without_nodes_no_fabric_is_owed() -> None:
    """A fabric that nobody sees while its pool is scaled to nothing is not unknown."""
    here = ((0, 100, 0), (100, 148, 4), (148, 744, 0))
    samples = recorded(fabric=runs((100, 140, 1)))
    scaled = RecordedSeries({**samples.runs, TRAIN_OWED: runs(*here), TRAIN: runs(*here)}, step_seconds=60)
    found = part(reported(scaled), "fabric/train")
    assert (found["hours"]["owed"], found["hours"]["not_known"]) == ("48", "8")
    assert found["attained_percent"] == {"if_up": "100", "if_down": "83.3333"}
    assert [(span["standing"], span["hours"]) for span in found["spans"]] == [("not known", "8")]


@pytest.mark.parametrize("example", ["demo", "gcp-train"])
def test_annex_and_report_leave_out_the_same(example: str) -> None:
    text = render_markdown(annex(accepted(example), checklist=checklist(example), catalog=catalog()))
    said = [line for line in text.splitlines() if line.startswith("Not measured monthly")]
    left = [each for each in list_parts(accepted(example)) if not each.counted]
    assert len(said) == len({each.kind for each in left})
    assert all(each.key.partition("/")[2] in " ".join(said) for each in left)
