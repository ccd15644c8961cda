from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from moving_kit import TB, at, billed, bucket, catalog, example, line, move, one, termed, terms

from cli.views.quote.derivations import lay_out_bill
from planning.costs.bill import total
from planning.relocation.costs.bill import moving_bill
from planning.relocation.costs.parallel_run import months_left
from planning.relocation.costs.route import Route
from planning.relocation.costs.transfer_charges import requests
from planning.relocation.inventory.volume import PART_BYTES, TransferVolume
from planning.spec.lock_content import State
from planning.values.money import Range, to_cents


def transfer(tb: int, **route: object) -> Decimal:
    found = move(bucket(tb), **route)
    lines = [each for each in found.bill.lines if each.key.startswith("move/transfer")]
    return to_cents(total(lines).expected)


# research/policy_migration.md §3.5, whose figures are rounded to two digits.
@pytest.mark.parametrize(("tb", "usd"), [(1, "20.00"), (10, "200.00"), (50, "1000.00"), (100, "2000.00")])
def test_between_regions_of_aws_the_table_of_the_research_holds(tb: int, usd: str) -> None:
    assert transfer(tb, to=("aws", "us-west-2")) == Decimal(usd)


@pytest.mark.parametrize(("tb", "usd"), [(1, "90.00"), (10, "900.00"), (50, "4301.20"), (100, "7819.20")])
def test_from_aws_to_another_cloud_the_tiers_are_those_of_the_research(tb: int, usd: str) -> None:
    assert transfer(tb, to=("gcp", "us-central1")) == Decimal(usd)


@pytest.mark.parametrize(("tb", "usd"), [(1, "45.00"), (10, "450.00"), (50, "2250.00"), (100, "4500.00")])
def test_through_nat_every_byte_is_paid_again(tb: int, usd: str) -> None:
    found = move(bucket(tb), leaves_by="nat")
    assert to_cents(one(found, "move/nat").usd_per_month.expected) == Decimal(usd)


def test_a_gateway_endpoint_adds_nothing() -> None:
    keys = [each.key for each in move(bucket(50), leaves_by="gateway_endpoint").bill.lines]
    assert not [key for key in keys if key.startswith("move/nat")]


def test_a_gateway_endpoint_ends_at_its_region_and_the_bill_says_what_nat_would_add() -> None:
    (note,) = [each for each in move(bucket(50)).notes if "gateway endpoint" in each.text]
    assert "2,250.00 USD more" in note.text
    assert note.source
    (own,) = [each for each in move(bucket(50), region="eu-west-1").notes if "gateway endpoint" in each.text]
    assert "2,400.00 USD more" in own.text  # 0.048 USD a GB there
    (open_,) = [each for each in move(bucket(50), region="ap-southeast-7").notes if "gateway endpoint" in each.text]
    assert "at a price that no row has" in open_.text


def test_inside_a_region_there_is_nothing_to_say_of_an_endpoint() -> None:
    found = move(bucket(50), to=("aws", "us-east-1"))
    assert not [each for each in found.notes if "gateway endpoint" in each.text]


def test_each_tier_is_a_line_with_its_own_source() -> None:
    found = move(bucket(100), to=("gcp", "us-central1"))
    lines = [each for each in found.bill.lines if each.key.startswith("move/transfer")]
    assert [each.usd_per_unit for each in lines] == [Decimal("0.09"), Decimal("0.085"), Decimal("0.07")]
    assert all(each.source and each.state is State.PRICED for each in lines)


def test_what_the_price_list_lacks_is_unpriced_and_never_nothing() -> None:
    found = move(bucket(50), provider="gcp", region="us-central1", to=("gcp", "us-east4"))
    line_ = one(found, "move/transfer")
    assert line_.state is State.UNPRICED
    assert line_.usd_per_month is None
    assert line_ in found.bill.unpriced
    assert "inter_region_data" in line_.note


def test_egress_that_a_provider_gives_for_nothing_is_free_by_its_source() -> None:
    found = move(bucket(50), provider="coreweave", region="north-america", to=("aws", "us-east-1"))
    assert one(found, "move/transfer").state is State.FREE
    assert one(found, "move/transfer").source == "coreweave-page"


def test_inside_one_region_of_aws_nothing_is_paid_and_a_source_says_so() -> None:
    found = move(bucket(50), to=("aws", "us-east-1"))
    assert one(found, "move/transfer").state is State.FREE
    assert one(found, "move/transfer").source == "aws.amazon.com/s3/pricing"


def test_data_coming_in_is_free_where_somebody_says_so_and_unpriced_elsewhere() -> None:
    assert one(move(bucket(1), to=("gcp", "us-central1")), "move/ingress").state is State.FREE
    assert one(move(bucket(1), to=("runpod", "any")), "move/ingress").state is State.UNPRICED


def test_what_is_read_back_to_be_verified_leaves_the_target() -> None:
    half = replace(bucket(10), verified_share=Decimal("0.5"))
    found = move(half, to=("gcp", "us-central1"), reads_back=True)
    back = [each for each in found.bill.lines if each.key.startswith("move/read_back")]
    # 1,024 GB at 0.12 and 3,976 at 0.11, Google's first tiers in Iowa
    assert to_cents(total(back).expected) == Decimal("560.24")


def test_what_changes_while_both_run_is_carried_too() -> None:
    changing = replace(bucket(10), change_bytes_per_day=Range.exactly(TB // 10))
    found = move(changing, terms_=terms(overlap_days=10))
    assert one(found, "move/transfer").quantity == Range.exactly(11_000)


def test_a_size_that_nobody_knows_is_a_line_without_a_price() -> None:
    found = move(bucket(1), TransferVolume(kind="files", name="homes", bytes=None))
    assert one(found, "move/size/homes").state is State.UNPRICED
    assert "1 of 2 things" in one(found, "move/transfer").note


def test_requests_are_priced_where_there_is_a_row_and_said_to_have_none_elsewhere() -> None:
    found = move(bucket(50, objects=10**8), to=("aws", "us-east-2"))
    # 10**8 objects of 500 kB: one read for the copy and one for the manifest each, 0.0004 USD a thousand
    assert to_cents(one(found, "move/requests/read").usd_per_month.expected) == Decimal("80.00")
    assert one(found, "move/requests/write").state is State.UNPRICED  # no row of us-east-2


def test_requests_to_the_key_service_have_no_row_and_are_said() -> None:
    found = move(bucket(50, objects=10**6))
    assert {each.key for each in found.bill.unpriced} >= {"move/keys/source", "move/keys/target"}


def test_a_store_in_the_cluster_is_not_paid_by_the_request() -> None:
    inside = replace(bucket(1, objects=10**6), billed_requests=("target",))
    found = [each.key for each in move(inside).bill.lines]
    assert "move/keys/target" in found
    assert "move/keys/source" not in found
    assert "move/requests/read" not in found
    minio = replace(inside, billed_requests=())
    assert not [each for each in move(minio).bill.lines if each.key.startswith(("move/requests", "move/keys"))]


def test_a_bucket_of_which_nobody_knows_the_objects_has_requests_without_a_price() -> None:
    assert one(move(bucket(1)), "move/requests/of/datasets").state is State.UNPRICED


@given(
    objects=st.integers(1, 10**9),
    size=st.integers(0, 10**17),
    share=st.decimals("0", "1", places=2),
)
def test_counted_requests_rise_and_cover_every_object_and_every_part(objects: int, size: int, share: Decimal) -> None:
    volume = replace(TransferVolume.from_measurement("bucket", "b", size=size, objects=objects), verified_share=share)
    found = requests(volume, copied=Range.exactly(size), rounds=3)
    assert found is not None
    assert found.written.min >= max(objects, Decimal(size) / PART_BYTES)
    assert found.written.max <= 3 * objects + Decimal(size) / PART_BYTES
    assert found.read.min <= found.read.expected <= found.read.max


def test_objects_of_one_part_are_written_by_one_request_and_larger_ones_by_two_more_than_parts() -> None:
    small = TransferVolume.from_measurement("bucket", "b", size=1000 * PART_BYTES, objects=1000)
    large = TransferVolume.from_measurement("bucket", "b", size=20 * 16 * PART_BYTES, objects=20)
    assert requests(small, copied=small.bytes, rounds=0).written.expected == 1000
    assert requests(large, copied=large.bytes, rounds=0).written.expected == 20 * 18


def two(*, old: tuple[object, ...] = (), new: tuple[object, ...] = (), **changes: object) -> object:
    home = example("demo")
    source = billed(at(home, provider="aws", region="us-east-1", stack="old"), *old)
    target = billed(at(home, provider="aws", region="us-west-2", stack="new"), *new)
    return moving_bill(
        (), source=source, target=target, route=Route.between(source, target), terms=terms(**changes), catalog=catalog()
    )


def test_double_running_is_the_targets_bill_by_the_day_component_by_component() -> None:
    found = two(
        new=(line("pool/train/machine", "7300", low="0", high="14600"), line("pool/train/disk", "73")),
        overlap_days=30,
    )
    usd = one(found, "overlap/pool/train").usd_per_month
    month = Decimal(730) / 24
    assert usd.min == pytest.approx(Decimal(73) * 30 / month)
    assert usd.expected == pytest.approx(Decimal(7373) * 30 / month)
    assert usd.max == pytest.approx(Decimal(14673) * 30 / month)


def test_a_line_that_the_lock_cannot_price_stays_without_a_price() -> None:
    found = two(new=(line("pool/train/machine", None),), overlap_days=3)
    assert one(found, "overlap/pool/train/machine").state is State.UNPRICED


def test_only_what_data_lies_on_is_kept_after_the_move() -> None:
    old = (
        line("storage/cold", "730", item="object"),
        line("storage/cold/reads", "9", item="object_get"),
        line("pool/train/machine", "5000"),
        line("pool/train/disk", "50", item="disk"),
        line("platform/mlflow/volumes", "10", item="disk"),
        line("access/vpn/disk", "1", item="disk"),
    )
    found = two(old=old, retain_days=30)
    kept = [each for each in found.bill.lines if each.key.startswith("retained/")]
    assert [each.key for each in kept] == ["retained/storage/cold", "retained/platform/mlflow"]
    assert to_cents(kept[0].usd_per_month.expected) == Decimal("720.00")


def test_onboarding_is_paid_once_and_not_by_the_day_too() -> None:
    found = two(new=(line("services/onboarding", "250"), line("services/support", "73")), overlap_days=10)
    assert one(found, "onboarding").usd_per_month == Range.exactly(250 * 12)
    assert to_cents(one(found, "overlap/services").usd_per_month.expected) == Decimal("24.00")


@pytest.mark.parametrize(("months", "spread"), [(0, "over 12 months"), (24, "over 24 months")])
def test_onboarding_is_due_whole_with_a_term_and_without(months: int, spread: str) -> None:
    home = at(example("demo"), provider="aws", region="us-east-1", stack="old")
    new = at(termed("demo", months=months, onboarding_usd=3500), provider="aws", region="us-west-2", stack="new")
    route = Route.between(home, new)
    moved = moving_bill((), source=home, target=new, route=route, terms=terms(), catalog=catalog())
    found = one(moved, "onboarding")
    assert found.usd_per_month == Range.exactly(3500)
    assert found.usd_per_unit == 3500
    assert found.note == f"once; the bill of a month spreads it {spread}"


def reserved(**starts: date) -> object:
    home = at(example("demo"), provider="aws", region="us-east-1", stack="old")
    spec = home.spec
    pool = spec.pools[0].model_copy(update={"name": "train", "kind": "reserved", "purchase": "reserved_12m_no_upfront"})
    source = billed(home, line("pool/train/machine", "1000")).model_copy(
        update={"placements": (spec.model_copy(update={"pools": (pool,)}),)}
    )
    target = billed(at(home, provider="aws", region="us-west-2", stack="new"))
    route = Route.between(source, target)
    return moving_bill((), source=source, target=target, route=route, terms=terms(**starts), catalog=catalog())


def test_what_is_left_of_a_term_is_lost() -> None:
    found = one(reserved(train=date(2026, 7, 31)), "commitment/pool/train/machine")
    # half a year of 365 days is left on 31 January 2027: 181 of 730/24 days each
    assert found.usd_per_month.expected == pytest.approx(Decimal(1000) * 181 / (Decimal(730) / 24))


def test_a_term_that_began_nobody_knows_when_has_no_price_and_a_most() -> None:
    found = one(reserved(), "commitment/pool/train/machine")
    assert found.state is State.UNPRICED
    assert found.at_most_usd_per_month == 12_000
    assert "first day of its term is not known" in found.note


def test_a_term_that_is_over_costs_nothing() -> None:
    assert one(reserved(train=date(2025, 1, 1)), "commitment/pool/train/machine").state is State.FREE


@given(start=st.dates(date(2020, 1, 1), date(2030, 1, 1)), days=st.integers(0, 4000))
def test_what_is_left_of_a_term_falls_and_is_never_negative(start: date, days: int) -> None:
    on = date.fromordinal(start.toordinal() + days)
    left = months_left(start, months=36, on=on)
    assert 0 <= left <= Decimal("36.1")
    assert months_left(start, months=36, on=date.fromordinal(on.toordinal() + 1)) <= left


def test_a_term_ends_on_the_last_day_of_a_shorter_month() -> None:
    assert months_left(date(2026, 8, 31), months=6, on=date(2027, 2, 28)) == 0


def test_waivers_are_notes_and_never_nothing_on_the_bill() -> None:
    found = move(bucket(50), region="eu-central-1", to=("gcp", "europe-west3"))
    waivers = [each for each in found.notes if each.text.startswith("may be waived, ask before")]
    assert len(waivers) == 2
    assert all(each.source for each in waivers)
    assert one(found, "move/transfer").state is State.PRICED


def test_inside_one_provider_nobody_waives_anything() -> None:
    assert not [each for each in move(bucket(50)).notes if "waived" in each.text]


def test_outside_the_union_its_law_is_not_named() -> None:
    found = move(bucket(50), to=("gcp", "us-central1"))
    assert not [each for each in found.notes if "2023/2854" in each.source]


def test_the_bill_of_a_50_tb_move_is_shown_by_line_with_sources() -> None:
    home = example("demo")
    target = at(home, provider="gcp", region="us-central1", stack="demo-gcp")
    volumes = (
        replace(bucket(45, objects=2_000_000), change_bytes_per_day=Range.exactly(2 * 10**10)),
        TransferVolume.from_measurement("files", "shared", size=5 * TB, objects=10**7, change_bytes_per_day=0),
        TransferVolume.from_measurement("database", "mlflow", size=2 * 10**9, change_bytes_per_day=0),
    )
    found = moving_bill(
        volumes,
        source=home,
        target=target,
        route=Route.between(home, target, leaves_by="nat"),
        terms=terms(overlap_days=14, retain_days=30),
        catalog=catalog(),
    )
    shown = "\n".join(line.text for line in lay_out_bill(found.bill, width=160))
    assert "data over the internet, aws/us-east-1 to gcp/us-central1" in shown
    assert "aws-transfer-2026-09" in shown
    assert "finops-mcp" in shown  # NAT
    assert "unpriced" in shown
    for each in found.bill.lines:
        assert each.source or (each.state is State.UNPRICED and each.note), each.key


def test_what_a_lock_estimated_is_still_an_estimate_beside_the_source() -> None:
    estimated = line("storage/cold", "10", low="5", high="20").model_copy(
        update={"state": "estimated", "basis": "to be confirmed; from 12 regions"}
    )
    found = two(new=(estimated, line("network/egress", "3")), overlap_days=3)
    assert one(found, "overlap/storage/cold").state is State.ESTIMATED
    assert one(found, "overlap/network").state is State.PRICED
