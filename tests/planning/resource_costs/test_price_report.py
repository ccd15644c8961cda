from __future__ import annotations

import json
from typing import Any

import pytest
from takeoff_fakes import REGION, Book, urn

from planning.costs.resources.formats.file import read
from planning.costs.resources.formats.values import SECRET_SIGNATURE, SIGNATURE
from planning.quoting.price_report import report

VOLUME = "aws:ebs/volume:Volume"
HUSH = "hunter2-do-not-print"


def state(token: str, name: str, **inputs: Any) -> dict[str, Any]:
    return {"urn": urn(token, name), "type": token, "custom": True, "inputs": inputs}


def priced(document: object) -> dict[str, Any]:
    preview = read(json.dumps(document).encode(), file="x.json")
    answer = report(preview, Book()).as_json()
    return json.loads(json.dumps(answer))


def digest(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"config": {"aws:region": REGION}, "steps": list(steps)}


def test_both_sides_and_every_resource() -> None:
    small = state(VOLUME, "disk", size=100, type="gp3")
    large = state(VOLUME, "disk", size=300, type="gp3")
    gone = state("aws:ec2/natGateway:NatGateway", "gone")
    strange = state("aws:rds/instance:Instance", "db")
    answer = priced(
        digest(
            {"op": "update", "oldState": small, "newState": large},
            {"op": "delete", "oldState": gone},
            {"op": "create", "newState": strange},
            {"op": "create", "newState": state("aws:ec2/vpc:Vpc", "vpc")},
        )
    )
    assert [(each["urn"], each["state"]) for each in answer["resources"]] == [
        (urn(VOLUME, "disk"), "priced"),
        (urn("aws:rds/instance:Instance", "db"), "unpriced"),
        (urn("aws:ec2/vpc:Vpc", "vpc"), "free"),
    ]
    assert answer["resources"][0]["usd_per_month"] == {"min": "24", "expected": "24", "max": "24"}
    assert answer["resources"][1]["usd_per_month"] is None
    assert answer["resources"][2]["reason"]
    readings = {"min": "40.85", "expected": "40.85", "max": "40.85"}
    assert answer["old"] == {"usd_per_month": readings, "unpriced": [], "estimated": []}
    assert answer["new"]["usd_per_month"]["max"] == "24"
    assert [line["note"] for line in answer["new"]["unpriced"]] == ["no rule for aws:rds/instance:Instance"]
    assert answer["stack"] == "test"


def test_a_line_says_where_its_price_comes_from() -> None:
    answer = priced(digest({"op": "create", "newState": state(VOLUME, "disk", size=100, type="gp3")}))
    (line,) = answer["resources"][0]["lines"]
    assert line == {
        "key": "disk/disk",
        "label": "disk: disk",
        "group": "storage",
        "item": "disk",
        "state": "priced",
        "quantity": {"min": "100", "expected": "100", "max": "100"},
        "unit": "hour",
        "usd_per_unit": "0.08",
        "usd_per_unit_range": None,
        "usd_per_month": {"min": "8", "expected": "8", "max": "8"},
        "source": "made up",
        "as_of": "2026-09-01",
        "note": "",
    }


def test_a_file_without_an_old_state_has_no_old_side() -> None:
    plan = {"stack": "s", "resources": [state(VOLUME, "disk", size=1, type="gp3")], "config": {"aws:region": REGION}}
    assert priced(plan)["old"] is None


def test_what_the_file_leaves_out_is_in_the_notes() -> None:
    answer = priced({**digest(), "changeSummary": {"same": 7}})
    assert answer["notes"] == [
        "7 unchanged resources are not in this preview: run `pulumi preview --json --show-sames` for whole totals"
    ]


@pytest.mark.parametrize(
    "inputs",
    [
        {"size": {SIGNATURE: SECRET_SIGNATURE, "plaintext": f'"{HUSH}"'}, "type": "gp3"},
        {"size": 10, "type": {SIGNATURE: SECRET_SIGNATURE, "ciphertext": HUSH}},
        {"size": HUSH, "type": "gp3"},
        {"size": 10, "type": "gp3", "region": {SIGNATURE: SECRET_SIGNATURE, "plaintext": HUSH}},
        {"size": 10, "type": "gp3", "tags": {"password": HUSH}},
    ],
)
def test_no_secret_reaches_the_answer(inputs: dict[str, Any]) -> None:
    answer = priced(digest({"op": "create", "newState": state(VOLUME, "disk", **inputs)}))
    assert HUSH not in json.dumps(answer)


def test_secrets_in_declared_charges_stay_secret() -> None:
    charge = {"key": "a", "label": {SIGNATURE: SECRET_SIGNATURE, "plaintext": HUSH}, "group": "storage"}
    owner = {**state("atoll:storage:Bucket", "b", charges=[charge], provider="aws", region=REGION), "custom": False}
    answer = priced(digest({"op": "create", "newState": owner}))
    assert answer["resources"][0]["state"] == "unpriced"
    assert HUSH not in json.dumps(answer)
