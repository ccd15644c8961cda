"""The promised share of the month: below it a promise is missed, whether a credit is owed or not."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from pydantic import TypeAdapter
from sla_samples import dip, lock, part, recorded, reported, runs
from tracing import Known, untraced

from cli.commands.handover.agreements import EXITS
from cli.views.handover import parts
from operations.service_levels.monthly_report import table_source
from planning.service_levels.document import document
from planning.service_levels.form import SlaForm
from planning.spec.lock import to_text

THREE_HOURS = dip(1, 0, 100, 103)  # (744 - 3) / 744 = 99.5967%


def month(samples: dict[str, Any], promised: str | None, **changes: Any) -> SlaForm:
    share = None if promised is None else Decimal(promised)
    return reported(recorded(**samples), promised=share, promised_from="checklist", **changes)


def text(form: SlaForm) -> str:
    """What the terminal and the document say, every figure of the document traced."""
    made = document(form, table_source=table_source())
    known = Known(json.loads(to_text(lock())), {"slo_percent": "99.99", **AGREED}, json.loads(json.dumps(form)))
    assert untraced(made, known) == []
    return "\n".join([*(str(each) for each in parts(form)), *(block_text(each) for each in made.blocks)])


AGREED = {
    "agreement": {
        "credits": [
            {"below_percent": "99.5", "credit_percent": "10"},
            {"below_percent": "99", "credit_percent": "25"},
        ]
    }
}


def block_text(block: Any) -> str:
    rows = [sentence.text for row in getattr(block, "rows", ()) for sentence in row]
    return " | ".join([getattr(getattr(block, "sentence", None), "text", ""), *rows])


def test_a_month_below_the_promise_is_not_met_though_nothing_is_owed() -> None:
    form = month({"control": THREE_HOURS}, "99.99")
    assert part(form, "control_plane")["verdict"] == form["verdict"] == "below"
    assert part(form, "control_plane")["promised_percent"] == "99.99"
    assert form["credit_usd"] == {"if_up": "0.00", "if_down": "0.00"}
    assert EXITS[form["verdict"]] == 10
    said = text(form)
    assert "below the promise, no credit due" in said
    assert "Below the promise: control plane. No service credit is due." in said
    assert "Promised of control plane: 99.99% of the month" in said
    TypeAdapter(SlaForm).validate_python(form)


@pytest.mark.parametrize(("promised", "verdict"), [(None, "met"), ("99.5", "met"), ("99.6", "below")])
def test_only_what_was_promised_is_held(promised: str | None, verdict: str) -> None:
    assert month({"control": THREE_HOURS}, promised)["verdict"] == verdict


def test_the_promise_is_met_where_it_is_reached_exactly() -> None:
    """93 of 744 hours are an eighth."""
    for hours, verdict in ((93, "met"), (94, "below")):
        form = month({"control": dip(1, 0, 0, hours)}, "87.5", table=())
        assert part(form, "control_plane")["verdict"] == verdict


def test_a_credit_goes_before_the_promise_and_other_parts_have_none() -> None:
    assert month({"control": dip(1, 0, 0, 5)}, "99.99")["verdict"] == "short"
    other = month({"warm": THREE_HOURS}, "99.99")
    assert other["verdict"] == "met"
    assert part(other, "storage/warm")["promised_percent"] is None


def test_a_gap_leaves_the_promise_in_doubt() -> None:
    form = month({"control": runs((0, 100, 1), (101, 744, 1))}, "99.99")
    assert part(form, "control_plane")["verdict"] == form["verdict"] == "undetermined"
    assert "Undetermined: control plane. No service credit is due." in text(form)
    assert EXITS[form["verdict"]] == 11
