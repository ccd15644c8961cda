"""Which terms an annex holds: those of this stack, settled ones as figures and the rest as lines to be filled in."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from accepted import EXAMPLES, accepted, catalog, checklist, known
from test_contract_figures import SETTLED, blanks, made, tables, titles, whole
from tracing import untraced

from components.acceptance.burn_in_gate import list_burn_in_pools
from planning.acceptance.expectations import build_expectations
from planning.agents.measurement_records import CHECKS
from planning.agreements.contract.annex import annex
from planning.checklist.model.agreement import AgreedSpeed, Agreement, Contact, Credit, Response, Role
from planning.documents.blocks import Document, Notice, Paragraph
from planning.platform.accelerators import list_eligible_pools

TERMS = {
    "fix_within_days": "Days to bring a deliverable up to its figures",
    "replace_within_hours": "Hours to replace a failed node",
    "provider_spares": "Spare nodes that the provider keeps beyond those that are paid for",
    "maintenance_notice_hours": "Hours of notice before maintenance",
    "starts": "Start date",
    "migration_by": "Party that moves the data",
}
WITH_A_TERM = {
    "exit_after_days": "Days of one fault after which the customer may terminate without a charge",
    "upgrade_after_months": "Months after which the customer may upgrade before the term ends",
}


@pytest.mark.parametrize("field", [*TERMS, *WITH_A_TERM])
def test_what_nobody_settled_is_a_line_and_what_was_settled_is_none(field: str) -> None:
    label = {**TERMS, **WITH_A_TERM}[field]
    assert label in blanks(made("demo", Agreement()))
    assert label not in blanks(made("demo", SETTLED))
    text = whole(made("demo", SETTLED))
    assert str(getattr(SETTLED, field)) in text


@pytest.mark.parametrize("example", EXAMPLES)
def test_nobody_leaves_or_moves_early_without_a_term(example: str) -> None:
    lock = accepted(example)
    reserved = any(pool.kind == "reserved" for spec in lock.placements for pool in spec.pools)
    for agreement in (Agreement(), SETTLED):
        found = titles(made(example, agreement))
        assert ("Early exit" in found) is (lock.contract_months > 0 or reserved)
        assert ("Hardware upgrade" in found) is (lock.contract_months > 0)


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_fabric_is_promised_where_nodes_work_together(example: str) -> None:
    several = any(
        pool.accelerators and pool.working + pool.spares > 1 and pool.fabric not in {"ethernet", "unknown"}
        for spec in accepted(example).placements
        for pool in spec.pools
    )
    text = whole(made(example))
    assert ("Fabric" in titles(made(example))) is several
    assert ("all_reduce" in text) is several
    assert ("spine" in text) is several


def test_a_pool_of_one_node_has_no_all_reduce_over_nodes() -> None:
    assert [each.working for each in accepted("demo", option=0).spec.pools if each.workload == "finetune-7b"] == [1]
    assert "Bus bandwidth" not in whole(made("demo", option=0))


def test_the_fabric_is_measured_at_the_node_counts_that_the_pool_reaches() -> None:
    """Sixteen nodes of 100 Gbps: 12.5 GB/s in theory, of which 80% are 10."""
    lock = accepted("coreweave-pretrain")
    spec = lock.spec
    pool = next(each for each in spec.pools if each.accelerators)
    grown = pool.model_copy(update={"working": 18, "spares": 2, "max_nodes": 20})
    pools = tuple(grown if each is pool else each for each in spec.pools)
    placed = (spec.model_copy(update={"pools": pools}),)
    changed = lock.model_copy(update={"placements": placed})
    document = annex(changed, checklist=checklist("coreweave-pretrain"), catalog=catalog())
    row = next(row for table in tables(document) for row in table if row[1] == "infiniband")
    assert row[2] == "4, 8, 16 and 20"
    assert row[3:] == ["400", "320"]


def test_a_small_pool_is_measured_whole_and_by_two() -> None:
    row = next(row for table in tables(made("coreweave-pretrain")) for row in table if row[1] == "infiniband")
    nodes = next(each for each in accepted("coreweave-pretrain").spec.pools if each.accelerators)
    assert row[2] == f"2 and {nodes.max_nodes}" or row[2].endswith(str(nodes.max_nodes))


def test_what_the_catalog_does_not_know_is_to_be_agreed() -> None:
    """Nobody states how fast CoreWeave's file system is."""
    document = made("coreweave-pretrain")
    assert "warm: reads, MB/s" in blanks(document)
    row = next(row for table in tables(document) for row in table if row[0] == "warm" and "to be agreed" in row)
    assert row == ["warm", "to be agreed", "to be agreed", "30 minutes", "2 minutes"]
    assert any("availability of the Kubernetes API" in label for label in blanks(document))


def test_credits_are_those_of_the_catalog_until_others_are_settled() -> None:
    assert [["below 99.5%", "3.65", "10%"], ["below 99%", "7.3", "25%"]] in tables(made("demo", Agreement()))
    assert [["below 99.9%", "0.73", "5%"], ["below 99%", "7.3", "12.5%"]] in tables(made("demo", SETTLED))


def test_a_promise_above_the_best_credit_is_pointed_out() -> None:
    """inference-247 promises 99.95%, and the catalog pays back from 99.5% down."""
    said = "misses the promised availability of the control plane and earns no credit"
    assert said in whole(made("inference-247", Agreement()))
    paid = Agreement(credits=(Credit(below_percent=Decimal("99.95"), credit_percent=Decimal(5)),))
    assert said not in whole(made("inference-247", paid))


@pytest.mark.parametrize("role", ["customer_lead", "customer_engineer", "account", "support", "security"])
def test_whom_to_call_is_named_or_a_line(role: Role) -> None:
    agreement = Agreement(contacts=(Contact(role=role, name="Ines", email="ines@p.example"),))
    document = made("demo", agreement)
    assert len([label for label in blanks(document) if label.startswith(("customer:", "provider:"))]) == 5
    assert ["Ines", "ines@p.example", ""] in [row[1:] for table in tables(document) for row in table]


def test_each_response_that_is_missing_is_a_line() -> None:
    agreement = Agreement(responses=(Response(sort="high", within_minutes=45),))
    labels = [label for label in blanks(made("demo", agreement)) if "First response" in label]
    assert [label.split("(")[1].split(":")[0] for label in labels] == ["urgent", "normal"]
    assert "restore the cluster themselves" in whole(made("demo", agreement))
    assert "restore the cluster themselves" not in whole(made("demo", SETTLED))


def test_without_support_there_are_no_lines_for_it_but_a_warning() -> None:
    assert accepted("existing-lambda").spec.services.support == "none"
    document = made("existing-lambda", Agreement())
    assert not [label for label in blanks(document) if "First response" in label]
    assert "there is no response time" in whole(document)


def test_a_checklist_that_asks_for_something_else_by_now_is_said() -> None:
    said = "The checklist has changed since this option was accepted."
    assert said not in whole(made("demo"))
    asked = checklist("demo").model_copy(update={"burn_in": False})
    assert said in whole(annex(accepted("demo"), checklist=asked, catalog=catalog()))


def test_a_start_after_the_prices_end_is_pointed_out() -> None:
    late, early = date(2027, 12, 1), date(2026, 1, 5)
    assert "when the option was priced" in whole(made("demo", Agreement(starts=early)))
    assert "which is before the start date: have them confirmed" in whole(made("demo", Agreement(starts=late)))
    assert "which is before the start date: have them confirmed" not in whole(made("demo", SETTLED))


def test_slurm_and_an_existing_cluster_bring_what_they_need() -> None:
    assert "Engineers who know Slurm" in whole(made("pretrain-7b"))
    assert "Engineers who know Slurm" not in whole(made("demo"))
    assert "an administrator's kubeconfig" in whole(made("existing-lambda"))


def test_several_places_sign_for_themselves() -> None:
    text = whole(made("spanning-two"))
    assert "For the provider of home:" in text
    assert "For the provider of training:" in text
    assert "the provider's own records count" in text


def test_each_deliverable_names_checks_of_the_acceptance() -> None:
    known = {each.id for each in CHECKS}
    for example in EXAMPLES:
        for block in made(example).blocks:
            if isinstance(block, Paragraph) and block.sentence.text.startswith("Measured by"):
                named = block.sentence.text.split(": ", 1)[1].split(". ")[0]
                found = {word.split(" ")[0] for word in named.replace(" and ", ", ").split(", ")}
                assert found <= known | {"burn_in."}, named


def test_onboarding_comes_to_what_was_asked() -> None:
    assert "costs USD 3,500.00, paid as USD 291.67 in each of 12 months" in whole(made("demo"))


def test_hardware_that_the_catalog_does_not_know_is_to_be_agreed() -> None:
    lock, asked = accepted("coreweave-pretrain"), checklist("coreweave-pretrain")
    spec = lock.spec
    pools = tuple(
        pool.model_copy(update={"machine": "box-9", "accelerator": "Q9-SXM-7GB"}) if pool.accelerators else pool
        for pool in spec.pools
    )
    place = spec.placement.model_copy(update={"provider": "cloud9"})
    changed = lock.model_copy(update={"placements": (spec.model_copy(update={"pools": pools, "placement": place}),)})
    document = annex(changed, checklist=asked, catalog=catalog())
    assert untraced(document, known(changed, asked)) == []
    row = next(row for table in tables(document) for row in table if row[1] == "to be agreed" and len(row) == 6)
    assert row[1:] == ["to be agreed"] * 5
    assert "pretrain-13b: usable memory of an accelerator, MiB" in blanks(document)
    assert "pretrain-13b: bus bandwidth of an all-reduce, GB/s" in blanks(document)


def test_processors_alone_promise_no_accelerators() -> None:
    lock, asked = accepted("rl-cpu"), checklist("rl-cpu")
    spec = lock.spec
    pools = tuple(pool for pool in spec.pools if not pool.accelerators)
    changed = lock.model_copy(update={"placements": (spec.model_copy(update={"pools": pools, "storage": ()}),)})
    document = annex(changed, checklist=asked, catalog=catalog())
    assert untraced(document, known(changed, asked)) == []
    assert "No pool has accelerators" in whole(document)
    assert not {"Burn-in", "Fabric", "Storage", "Hardware upgrade", "Migration"} & {*titles(document)}


def test_only_nodes_that_the_program_sets_apart_are_promised_a_burn_in() -> None:
    """The demo asks for a burn-in, and all of its accelerators come and go."""
    demo = whole(made("demo", Agreement(), option=0))
    assert "finetune-7b: no burn-in, since nodes that come and go with the work" in demo
    assert "are stressed for" not in demo
    assert "Burn the accelerator nodes in" not in demo
    served = whole(made("spanning-two", Agreement()))
    assert "their replacements are stressed for at least 48 hours" in served
    assert "training: weekly: no burn-in, since nodes that come and go" in served
    # At Google some copies are always up, but in one group with those that come and go.
    one_group = whole(made("inference-247", Agreement(), option=0, provider="gcp"))
    assert "assistant: no burn-in, since nodes that come and go" in one_group
    assert "admits a node by itself after 48 hours" not in served
    longer = whole(made("spanning-two", Agreement(burn_in_hours=Decimal(60))))
    assert "are stressed for 60 hours" in longer
    assert "admits a node by itself after 48 hours" in longer


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_burn_in_is_promised_where_the_program_runs_and_the_acceptance_asks_for_one(example: str) -> None:
    lock = accepted(example)
    for spec in lock.placements:
        assert list_eligible_pools(spec) == list_burn_in_pools(spec)
    asked = build_expectations(lock, catalog(), checklist(example)).pools
    promised = {pool.name for spec in lock.placements for pool in list_eligible_pools(spec)}
    assert {pool.name for pool in asked if pool.burn_in} == promised


def test_what_no_fault_follows_from_is_no_promise() -> None:
    """Of an L4 in eight bits nobody has published what can be reached; less than a share of its peak proves nothing."""
    document = made("inference-247", Agreement(), option=0, provider="gcp")
    row = next(row for table in tables(document) for row in table if row[0] == "assistant" and row[-2] == "fp8")
    assert row[3] == "to be agreed"
    assert any("the peak is 242.5" in label for label in blanks(document))


def test_maintenance_is_no_excuse_until_its_notice_is_settled() -> None:
    """As `atoll sla` counts it."""
    said = "maintenance counts as a failure"
    assert said in whole(made("demo", Agreement()))
    assert said not in whole(made("demo", SETTLED))


@pytest.mark.parametrize(
    ("example", "weekends", "said"),
    [
        ("existing-lambda", False, "the price includes no support"),
        ("demo", True, "are more than what was bought"),
        ("inference-247", False, "are less than what was bought"),
    ],
)
def test_times_to_answer_that_differ_from_the_support_that_was_bought_are_pointed_out(
    example: str, *, weekends: bool, said: str
) -> None:
    answers = Agreement(responses=(Response(sort="urgent", within_minutes=15, weekends=weekends),))
    assert said in whole(made(example, answers))
    assert said not in whole(made(example, Agreement()))


def test_storage_that_fails_and_data_at_the_end_are_lines_where_there_is_storage() -> None:
    labels = blanks(made("demo", Agreement()))
    assert "Hours until a failed storage tier is usable again" in labels
    assert [label for label in labels if label.startswith("Days after the end of the contract")]


def agreed(example: str, *speeds: AgreedSpeed) -> Document:
    """The annex with agreed throughputs, every figure of it traced."""
    agreement = Agreement(tier_speeds=speeds)
    document = made(example, agreement)
    asked = checklist(example).model_copy(update={"agreement": agreement})
    assert untraced(document, known(accepted(example), asked)) == []
    return document


def test_an_agreed_throughput_is_a_deliverable_and_no_line() -> None:
    speed = AgreedSpeed(tier="warm", read_mb_per_s=Decimal(10_000), write_mb_per_s=Decimal(5000))
    document = agreed("coreweave-pretrain", speed)
    assert ["warm", "10,000", "5,000", "30 minutes", "2 minutes"] in [
        row for table in tables(document) for row in table
    ]
    assert not [label for label in blanks(document) if label.startswith("warm: ")]
    assert (
        "Agreed figures, which apply in full and not as a share of what is sold: warm reads and warm writes."
        in whole(document)
    )


def test_what_was_not_agreed_stays_a_line_or_the_share_of_what_is_sold() -> None:
    half = AgreedSpeed(tier="warm", write_mb_per_s=Decimal(500))
    open_still = agreed("coreweave-pretrain", half)
    assert [label for label in blanks(open_still) if label.startswith("warm: ")] == ["warm: reads, MB/s"]
    before = next(row for table in tables(made("pretrain-7b", Agreement())) for row in table if row[-1] == "2 minutes")
    row = next(row for table in tables(agreed("pretrain-7b", half)) for row in table if row[-1] == "2 minutes")
    assert row == [*before[:2], "500", *before[3:]]
    assert "Agreed figures" not in whole(made("pretrain-7b", Agreement()))


def test_more_than_the_provider_sells_is_pointed_out_and_still_held() -> None:
    tier = next(tier for tier in accepted("pretrain-7b").spec.storage if tier.tier == "warm")
    sold = tier.provisioned_gb * 10**9 / Decimal(2**40) * 125
    for value, doubted in ((int(sold), False), (int(sold) + 1, True)):
        document = agreed("pretrain-7b", AgreedSpeed(tier="warm", read_mb_per_s=Decimal(value)))
        said = f"warm reads: {value:,} MB/s are agreed, but the provider sells a tier of this size with "
        assert any(isinstance(each, Notice) and said in each.sentence.text for each in document.blocks) is doubted
        assert f"{value:,}" in {cell for table in tables(document) for row in table for cell in row}


def test_a_tier_beside_home_is_named_with_its_place() -> None:
    document = agreed("spanning-two", AgreedSpeed(tier="warm", placement="training", read_mb_per_s=Decimal(900)))
    assert "training: warm reads" in whole(document)
