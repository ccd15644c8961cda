from __future__ import annotations

import json
import re
from ipaddress import IPv4Network
from typing import Any

import pytest
from differences_kit import across, at, catalog, demo, shown, with_spec
from pydantic import TypeAdapter, ValidationError

from planning.clone.comparison.parity import ControlClaim, Parity, compare_levels, parities, read_controls
from planning.clone.comparison.residency import latency, residences
from planning.clone.comparison.stack_comparison import CloneComparison, compare
from planning.spec.lock import Lock
from planning.values.json_format import to_json

HOME = demo("aws", "us-east-1")


def by_name(old: Lock, new: Lock) -> dict[str, Parity]:
    return {each.name: each for each in parities(old, new)}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("full", "full", "equal"),
        ("full", "part", "weaker"),
        ("full", "none", "none"),
        ("part", "none", "none"),
        ("part", "full", "stronger"),
        ("none", "part", "stronger"),
        ("part", "part", "differs"),
        ("full", "theirs", "yours"),
        ("theirs", "full", "yours"),
        ("full", "open", "undetermined"),
        ("open", "theirs", "undetermined"),
    ],
)
def test_a_claim_beside_another(old: str, new: str, expected: str) -> None:
    one, other = (ControlClaim(level=level, words=f"{side} {level}") for side, level in (("old", old), ("new", new)))
    assert compare_levels(one, other) == expected


def test_the_same_part_on_both_sides_is_equal() -> None:
    assert (
        compare_levels(ControlClaim(level="part", words="a tenth"), ControlClaim(level="part", words="a tenth"))
        == "equal"
    )


def test_within_one_cloud_no_control_is_lost() -> None:
    assert {each.standing for each in parities(HOME, at(HOME, region="us-west-2"))} == {"equal"}


def test_to_coreweave_the_customers_key_is_lost_and_said() -> None:
    found = by_name(HOME, at(HOME, provider="coreweave", region="north-america", target="coreweave"))
    lost = {name for name, each in found.items() if each.standing == "none"}
    assert {"secrets_key", "storage_key", "key_rotation", "deletion_protection", "flow_logs", "budget"} <= lost
    assert found["private_nodes"].standing == "undetermined"
    assert found["bucket_versions"].standing == "equal"


def test_from_aws_to_google_some_are_weaker_and_some_stronger() -> None:
    found = by_name(HOME, at(HOME, provider="gcp", region="us-central1", target="gcp"))
    assert {name for name, each in found.items() if each.standing == "weaker"} == {
        "api_audit",
        "account_trail",
        "logs_kept",
        "budget",
    }
    assert found["verified_boot"].standing == "stronger"


def test_what_is_weaker_one_way_is_stronger_the_other() -> None:
    google = at(HOME, provider="gcp", region="us-central1", target="gcp")
    there, back = by_name(HOME, google), by_name(google, HOME)
    for name, each in there.items():
        if each.standing in {"weaker", "none"}:
            assert back[name].standing == "stronger", name


def test_on_a_cluster_of_somebody_else_most_is_theirs() -> None:
    found = by_name(HOME, at(HOME, provider="lambda", region="any", target="existing"))
    assert found["secrets_key"].standing == "yours"
    assert found["pod_security"].standing == "equal"
    assert found["workload_identity"].standing == "none"


def test_where_nothing_is_built_nobody_can_tell() -> None:
    clone = at(HOME, provider="azure", region="eastus", target="none")
    assert {each.standing for each in parities(HOME, clone)} == {"undetermined"}
    assert "a quote, not a cluster" in compare(HOME, clone, catalog=catalog()).notes[0]


def test_an_api_that_is_open_to_ranges_is_held_against_ranges() -> None:
    network = HOME.spec.network.model_copy(update={"api_cidrs": (IPv4Network("198.51.100.0/24"),)})
    opened = with_spec(HOME, network=network)
    found = by_name(opened, at(opened, provider="coreweave", region="north-america", target="coreweave"))
    assert found["api_ranges"].standing == "none"
    assert "private_api" not in found


def test_a_stack_without_a_ceiling_has_no_budget_to_lose() -> None:
    free = HOME.model_copy(
        update={"ceiling": HOME.ceiling.model_copy(update={"usd_per_month": None, "usd_per_contract": None})}
    )
    assert "budget" not in by_name(free, at(free, provider="coreweave", region="north-america", target="coreweave"))


@pytest.mark.parametrize(
    ("old", "new", "demanded", "verdict"),
    [
        (("aws", "us-east-1"), ("gcp", "us-central1"), "any", "kept"),
        (("aws", "us-east-1"), ("gcp", "us-central1"), "US", "kept"),
        (("aws", "eu-central-1"), ("aws", "eu-west-1"), "EU", "moves"),
        (("aws", "eu-central-1"), ("aws", "us-east-1"), "EU", "refused"),
        (("aws", "eu-central-1"), ("aws", "eu-west-2"), "EU", "refused"),
        (("aws", "us-east-1"), ("coreweave", "north-america"), "US", "undetermined"),
        (("aws", "us-east-1"), ("aws", "xx-nowhere-1"), "any", "undetermined"),
        (("lambda", "any"), ("aws", "us-east-1"), "any", "undetermined"),
        (("lambda", "any"), ("aws", "us-east-1"), "EU", "refused"),
    ],
)
def test_where_data_may_lie(old: tuple[str, str], new: tuple[str, str], demanded: str, verdict: str) -> None:
    before = at(HOME, provider=old[0], region=old[1])
    after = at(HOME, provider=new[0], region=new[1], residency=demanded)
    (found,) = residences(before, after, catalog=catalog())
    assert found.verdict == verdict
    assert found.words
    assert found.demanded == demanded
    assert all("regions.csv" in side.source for side in (found.old, found.new))


@pytest.mark.parametrize(
    ("provider", "region"), [("aws", "us-west-2"), ("gcp", "us-central1"), ("coreweave", "north-america")]
)
def test_a_latency_is_never_invented(provider: str, region: str) -> None:
    found = latency(HOME, at(HOME, provider=provider, region=region))
    assert found.words.startswith("unknown")
    assert found.commands
    assert not re.search(r"\d\s*ms", " ".join((found.words, *found.commands, *found.notes)))
    assert any("https://s3.us-east-1.amazonaws.com" in each for each in found.commands)


def test_between_clouds_that_are_not_aws_the_clones_own_address_is_measured() -> None:
    google = at(HOME, provider="gcp", region="us-central1")
    found = latency(google, at(HOME, provider="coreweave", region="north-america"))
    assert len(found.commands) == 1
    assert "once the clone is up" in found.commands[0]


def test_a_main_cloud_that_stays_behind_is_said() -> None:
    found = latency(HOME, at(HOME, region="us-west-2"))
    assert any("the main cloud stays in us-east-1" in each for each in found.notes)


def test_the_form_is_closed_and_survives_json() -> None:
    form: Any = to_json(across())
    adapter = TypeAdapter(CloneComparison)
    assert adapter.validate_json(json.dumps(form), strict=True) == across()
    with pytest.raises(ValidationError):
        adapter.validate_python({**form, "more": 1})
    text = json.dumps(adapter.json_schema())
    assert text.count('"additionalProperties": false') == text.count('"type": "object"')


def test_what_is_lost_is_printed_before_what_is_won() -> None:
    text = shown(
        compare(HOME, at(HOME, provider="coreweave", region="north-america", target="coreweave"), catalog=catalog())
    )
    titles = {control.name: control.title for control in read_controls()}
    assert text.index("lost") < text.index("undetermined")
    for name in ("secrets_key", "deletion_protection"):
        assert titles[name].split()[0] in text
    assert "Residency" in text
    assert "Latency: unknown" in text
