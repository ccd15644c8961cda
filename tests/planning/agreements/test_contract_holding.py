"""What a purchase holds, what is said of nodes that fail, and what is nobody's to pay yet."""

from __future__ import annotations

from decimal import Decimal

import pytest
from accepted import EXAMPLES, accepted, catalog, checklist, known
from test_contract_figures import blanks, tables, whole
from tracing import untraced

from operations.service_levels.monthly_report import find_promised_share
from planning.agreements.contract.annex import annex
from planning.agreements.contract.context import AgreementContext
from planning.agreements.contract.remedies import slo
from planning.checklist.model.agreement import Agreement
from planning.documents.blocks import Document
from planning.spec.cluster import Pool
from planning.spec.lock import Lock

NOBODY = Agreement()


def of(lock: Lock, example: str, agreement: Agreement = NOBODY) -> Document:
    """The annex of a changed lock, every figure of it traced."""
    asked = checklist(example).model_copy(update={"agreement": agreement})
    document = annex(lock, checklist=asked, catalog=catalog())
    assert untraced(document, known(lock, asked)) == []
    return document


def changed(example: str, *, provider: str = "aws", **fields: object) -> Lock:
    """The lock with other facts of its accelerated pools, at a provider."""
    lock = accepted(example)
    spec = lock.spec

    def one(pool: Pool) -> Pool:
        return pool.model_copy(update=fields) if pool.accelerators else pool.model_copy(update={"kind": "on_demand"})

    place = spec.placement.model_copy(update={"provider": provider})
    update = {"pools": tuple(map(one, spec.pools)), "placement": place}
    return lock.model_copy(update={"placements": (spec.model_copy(update=update),)})


@pytest.mark.parametrize(
    ("provider", "purchase"),
    [
        ("aws", "savings_plan_36m_no_upfront"),
        ("aws", "reserved_12m_partial_upfront"),
        ("aws", "reserved_12m"),
        ("gcp", "cud_12m"),
        ("azure", "reserved_36m"),
    ],
)
def test_a_discount_for_a_term_is_a_price_and_holds_no_node(provider: str, purchase: str) -> None:
    text = whole(of(changed("rl-cpu", provider=provider, kind="reserved", purchase=purchase), "rl-cpu"))
    assert "a price that reserves no capacity" in text
    assert "only with a capacity reservation" in text
    assert "the capacity stays with this customer" not in text
    assert "No capacity is reserved for policy" in text


@pytest.mark.parametrize(("provider", "purchase"), [("aws", "capacity_block"), ("gcp", "dws_calendar")])
def test_a_block_that_is_booked_is_held(provider: str, purchase: str) -> None:
    text = whole(of(changed("rl-cpu", provider=provider, kind="capacity_block", purchase=purchase), "rl-cpu"))
    assert "reserved for this customer on the booked days" in text
    assert "No capacity is reserved for" not in text


@pytest.mark.parametrize(("provider", "purchase"), [("lambda", "reserved_2w_to_12m"), ("nebius", "reserved")])
def test_what_no_source_says_is_held_is_a_line(provider: str, purchase: str) -> None:
    document = of(changed("rl-cpu", provider=provider, kind="reserved", purchase=purchase), "rl-cpu")
    assert "no source says whether the provider reserves the capacity" in whole(document)
    assert "the capacity stays with this customer" not in whole(document)
    assert "policy: whether the provider reserves its capacity while nodes do not run or are replaced" in blanks(
        document
    )
    assert f"{purchase}: share that is paid up front" in blanks(document)
    assert "paid up front: unknown" not in whole(document)


def test_nobody_holds_is_not_said_beside_nodes_that_the_provider_keeps() -> None:
    lock = changed("rl-cpu", kind="on_demand", purchase="on_demand")
    assert "No capacity is reserved for" in whole(of(lock, "rl-cpu"))
    assert "No capacity is reserved for" in whole(of(lock, "rl-cpu", Agreement(provider_spares=0)))
    assert "No capacity is reserved for" not in whole(of(lock, "rl-cpu", Agreement(provider_spares=2)))


@pytest.mark.parametrize(("least", "scales"), [(0, True), (3, False)])
def test_spares_of_a_pool_that_scales_are_there_while_its_nodes_run(least: int, *, scales: bool) -> None:
    fields = {"kind": "on_demand", "purchase": "on_demand", "working": 2, "spares": 1, "max_nodes": 3}
    text = whole(of(changed("pretrain-7b", min_nodes=least, **fields), "pretrain-7b"))
    assert "Spare nodes that are paid for" in text
    assert ("only while its nodes run" in text) is scales


def test_the_hours_of_a_credit_are_of_a_whole_part() -> None:
    document = of(accepted("demo"), "demo")
    heads = [head.text for block in document.blocks for head in getattr(block, "head", ())]
    assert "hours of full outage, more than" in heads
    assert "missing for more than, hours" not in heads
    assert "An unavailable node counts as its share of its pool" in whole(document)
    assert "actual length of the month counts" in whole(document)


def test_announced_maintenance_has_a_most_to_be_settled() -> None:
    document = of(accepted("demo"), "demo", Agreement(maintenance_notice_hours=Decimal(72)))
    assert "announced at least 72 hours ahead" in whole(document)
    assert "Maximum hours of announced maintenance in a month" in blanks(document)


def test_agreed_hours_of_burn_in_do_not_vanish_where_the_program_does_not_build() -> None:
    fields = {"burn_in": True, "kind": "on_demand", "purchase": "on_demand"}
    lock, said = changed("existing-lambda", provider="lambda", **fields), "60 hours of burn-in are agreed"
    assert said in whole(of(lock, "existing-lambda", Agreement(burn_in_hours=Decimal(60))))
    assert "The acceptance test does not measure them" in whole(
        of(lock, "existing-lambda", Agreement(burn_in_hours=Decimal(60)))
    )
    assert "hours of burn-in are agreed" not in whole(of(lock, "existing-lambda"))
    built = changed("spanning-two", **fields)
    assert said not in whole(of(built, "spanning-two", Agreement(burn_in_hours=Decimal(60))))


def test_whoever_runs_the_cluster_is_in_no_line_of_the_price() -> None:
    label = "Monthly fee of the operator, in USD"
    for example in EXAMPLES:
        served = accepted(example).spec.services.operation == "for_us"
        document = of(accepted(example), example)
        assert (label in blanks(document)) is served
        assert ("does not include the operator's fee" in whole(document)) is served


@pytest.mark.parametrize(
    ("item", "plan"), [("support_business_hours", "AWS Support Developer"), ("support_24x7", "AWS Support Business")]
)
def test_the_support_that_is_priced_is_named(item: str, plan: str) -> None:
    lock = accepted("rl-cpu")
    line = lock.bill[0].model_copy(update={"item": item, "source": "aws-support-page", "label": "platform support"})
    text = whole(of(lock.model_copy(update={"bill": (line, *lock.bill[1:])}), "rl-cpu"))
    assert f"The line platform support prices {plan}: the cloud's own plan" in text
    assert plan.removeprefix("AWS Support ") in catalog().sources["aws-support-page"].text


def test_storage_of_nodes_is_named_beside_what_is_counted() -> None:
    lock = accepted("coreweave-pretrain")
    spec = lock.spec
    local = spec.storage[0].model_copy(update={"tier": "hot", "item": "included"})
    stored = spec.model_copy(update={"storage": (local, *spec.storage)})
    text = whole(of(lock.model_copy(update={"placements": (stored,)}), "coreweave-pretrain"))
    assert "part of its node and fails with it: hot storage" in text


def test_the_annex_says_providers_by_their_title_and_what_is_unknown_is_to_be_agreed() -> None:
    document = of(accepted("coreweave-pretrain"), "coreweave-pretrain")
    lines = [label for label in blanks(document) if "availability of the Kubernetes API" in label]
    assert lines == ["CoreWeave: monthly availability of the Kubernetes API, in %"]
    lock = accepted("existing-lambda")
    spec = lock.spec
    tier = accepted("coreweave-pretrain").spec.storage[0]
    unknown = tier.model_copy(update={"engine": "how lambda sells it is not known"})
    asked = lock.model_copy(update={"placements": (spec.model_copy(update={"storage": (unknown,)}),)})
    found = of(asked, "existing-lambda")
    assert next(row[1] for table in tables(found) for row in table if row[0] == tier.tier) == "to be agreed"


def test_an_engineer_at_night_has_an_api_or_a_ticket() -> None:
    text = whole(of(accepted("existing-lambda"), "existing-lambda"))
    assert "each step has an API or a ticket" in text


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_promised_share_of_the_annex_is_the_one_that_sla_counts(example: str) -> None:
    lock, asked = accepted(example), checklist(example)
    sides = AgreementContext(lock=lock, checklist=asked, catalog=catalog(), changed=False)
    assert find_promised_share(lock, asked)[0] == slo(sides)[0]
