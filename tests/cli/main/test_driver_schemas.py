"""What the commands print is what their published schemas say, and the schemas are committed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import hand_built
import jsonschema
import pytest

from cli.commands.checklist.schema import NAMES, schema
from cli.terminal.console import json_text
from operations.plans.plan import Planned, plan_form
from planning.ceilings.verdict import Judgement
from planning.checklist.model.checklist import checklist_digest
from planning.checklist.reading.checklist_file import read
from planning.quoting.quote import lock
from planning.quoting.quote_form import explain_form, option_form, quote_form
from planning.spec.lock import to_text
from planning.values.verdict import Verdict

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"
UPDATE = "ATOLL_UPDATE_GOLDENS"
OURS = [name for name in NAMES if name != "checklist"]


def validate(name: str, document: object) -> None:
    jsonschema.validate(document, schema(name), cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize("name", OURS)
def test_a_schema_is_sound_and_committed(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))
    path = REFERENCE / f"{name}.schema.json"
    if os.environ.get(UPDATE) == "1":
        path.write_text(json_text(schema(name)), encoding="utf-8")
    assert path.read_text("utf-8") == json_text(schema(name)), f"{UPDATE}=1 make test writes it anew"


def test_a_quote_by_hand_is_valid() -> None:
    form: Any = quote_form(hand_built.quote())
    validate("quote", form)
    assert form["options"][1]["bill"]["unpriced"][0]["key"] == "network/egress"
    assert form["options"][0]["bill"]["usd_per_month"]["expected"] == "10029.27"
    assert form["options"][0]["pools"][0]["nodes"] == {"min": 0, "expected": 0.41, "max": 2}


def test_no_amount_is_a_float() -> None:
    def floats(value: object, path: str = "") -> list[str]:
        if isinstance(value, float):
            return [path]
        if isinstance(value, dict):
            return [each for key, inner in value.items() for each in floats(inner, f"{path}.{key}")]
        if isinstance(value, list):
            return [each for inner in value for each in floats(inner, path)]
        return []

    assert set(floats(quote_form(hand_built.quote()))) == {".options.pools.nodes.expected"}


def test_options_figures_and_locks_are_valid() -> None:
    quote = hand_built.quote()
    validate("option", option_form(quote.options[0]))
    validate("explain", explain_form("demo", hand_built.figures()))
    locked = to_text(lock(quote, quote.options[1], ceiling=hand_built.ceilings(), contract_months=12))
    validate("lock", json.loads(locked))


def test_a_plan_is_valid() -> None:
    quote = hand_built.quote()
    locked = lock(quote, quote.options[0], ceiling=hand_built.ceilings(), contract_months=12)
    plan = Planned(
        lock=locked,
        resources=(),
        bill=hand_built.bill(),
        accepted=hand_built.bill(),
        differences=(),
        judgement=Judgement(verdict=Verdict.WITHIN, reason="no ceiling is set"),
        config={"aws:region": "us-east-1"},
    )
    validate("plan", plan_form(plan, resources=[]))


@pytest.mark.parametrize("part", ["options", "stack", "prices"])
def test_a_quote_without_a_part_is_not_valid(part: str) -> None:
    form: Any = quote_form(hand_built.quote())
    del form[part]
    with pytest.raises(jsonschema.ValidationError):
        validate("quote", form)


def test_a_digest_changes_with_what_is_asked_and_not_with_how_it_is_written() -> None:
    text = (
        "customer: {name: acme, owner: a@b.example}\n"
        "workloads: [{name: n, kind: fine_tuning, model: {parameters: 7B}, tokens: 2B}]\n"
    )
    same = read(f"# a comment\n{text}burn_in: true\n", file="c")
    other = read(text.replace("7B", "8B"), file="c")
    assert checklist_digest(read(text, file="c")) == checklist_digest(same)
    assert checklist_digest(read(text, file="c")) != checklist_digest(other)


def test_every_schema_is_printed(atoll: Callable[..., Any]) -> None:
    for name in NAMES:
        assert json.loads(atoll("schema", "--of", name).out) == schema(name)
    assert atoll("schema", "--of", "nonsense").code == 1


def test_a_base_and_its_burst_each_show_their_own_rate() -> None:
    option = hand_built.option()
    (base,) = option.worth
    burst = replace(base, pool="train-burst", usd_per_gpu_hour=Decimal(9))
    pools = (hand_built.pool("train", gpu=True), option.spec.pools[0].model_copy(update={"name": "train-burst"}))
    both = replace(option, worth=(base, burst), placements=(option.spec.model_copy(update={"pools": pools}),))
    rates = {pool["name"]: pool["usd_per_gpu_hour"] for pool in option_form(both)["pools"]}
    assert rates == {"train": "3.0625", "train-burst": "9"}
