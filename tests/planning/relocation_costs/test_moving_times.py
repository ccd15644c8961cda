from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from moving_kit import TB

from planning.relocation.durations import Rate, Rates, estimate_copy_time, estimate_first_copy, one_after_another
from planning.relocation.inventory.volume import MIB, TransferVolume
from planning.relocation.write_freeze import FreezeRequest, rounds_until, times
from planning.values.money import Range

HOUR, DAY = 3600, 86_400
STREAM = Rate.of_mib(60, basis="measured", note="VolSync, one stream")
ASKED = FreezeRequest(window_seconds=1800, dns_ttl_seconds=60, smoke_seconds=120, rewrite_seconds=10)
# No row of the research has small files: a rate of objects that never limits.
MANY = Rate(per_second=Decimal(10**9))


def data(tb: str | int = 1, **changes: object) -> TransferVolume:
    volume = TransferVolume.from_measurement(
        "bucket", "datasets", size=int(Decimal(tb) * TB), objects=1000, change_bytes_per_day=0
    )
    return replace(volume, **changes)


# research/policy_migration.md §3.5: hours, rounded there to what is written.
@pytest.mark.parametrize(
    ("tb", "stream", "one", "four", "ten"),
    [
        (1, "4.4", "2.2", "0.6", "0.2"),
        (10, "44", "22", "5.6", "2.2"),
        (50, "220.8", "111.1", "28", "11"),  # there as 9.2 and 4.6 days
        (100, "441.5", "222.2", "56", "22"),  # there as 18 and 9.3 days
    ],
)
def test_the_hours_of_the_research_hold(tb: int, stream: str, one: str, four: str, ten: str) -> None:
    rates = (STREAM, Rate.of_gbps(1), Rate.of_gbps(4), Rate.of_gbps(10))
    for rate, said in zip(rates, (stream, one, four, ten), strict=True):
        hours = estimate_first_copy([data(tb)], Rates(bytes=rate, objects=MANY)).seconds.expected / HOUR
        assert round(hours, len(said.partition(".")[2])) == Decimal(said)


def test_days_of_the_research_hold() -> None:
    days = estimate_first_copy([data(50)], Rates(bytes=STREAM, objects=MANY)).seconds.expected / DAY
    assert round(days, 1) == Decimal("9.2")


def test_small_files_are_as_slow_as_they_are_many() -> None:
    tiny = data("0.01", objects=Range.exactly(10**7))
    rates = Rates(bytes=Rate.of_gbps(10), objects=Rate(per_second=Decimal(500), basis="measured"))
    found = estimate_copy_time(tiny, rates)
    assert found.seconds == Range.exactly(20_000)
    assert found.basis == "objects at 500 a second, measured"


def test_a_rate_that_nobody_gave_makes_the_time_a_floor_and_two_make_it_unknown() -> None:
    found = estimate_copy_time(data(), Rates(bytes=Rate.of_gbps(1)))
    assert found.at_least
    assert found.seconds == Range.exactly(8000)
    assert estimate_copy_time(data(), Rates()).seconds is None


def test_a_rate_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="more than nothing"):
        Rate.of_gbps(0)


def test_a_database_takes_the_time_of_its_dump_and_nothing_else_does_for_it() -> None:
    database = TransferVolume.from_measurement("database", "mlflow", size=60 * MIB * 100)
    assert estimate_copy_time(database, Rates(bytes=Rate.of_gbps(10))).seconds is None
    assert estimate_copy_time(database, Rates(dump=STREAM)).seconds == Range.exactly(100)


def test_all_together_take_between_side_by_side_and_one_after_another() -> None:
    large = data("0.1", name="large", objects=Range.exactly(1))
    tiny = data("0.000001", name="tiny", objects=Range.exactly(400_000))
    rates = Rates(bytes=Rate.of_gbps(1), objects=Rate(per_second=Decimal(500)))
    found = estimate_first_copy([large, tiny], rates)
    assert found.seconds.min == pytest.approx(Decimal(800), abs=1)
    assert found.seconds.max == 1600
    assert one_after_another([]).seconds == Range.exactly(0)


@given(
    sizes=st.lists(st.integers(0, 10**14), min_size=1, max_size=5),
    objects=st.lists(st.integers(0, 10**8), min_size=5, max_size=5),
)
def test_the_whole_is_never_faster_than_its_longest_part(sizes: list[int], objects: list[int]) -> None:
    volumes = [
        TransferVolume.from_measurement("bucket", f"b{index}", size=size, objects=count)
        for index, (size, count) in enumerate(zip(sizes, objects, strict=False))
    ]
    rates = Rates(bytes=Rate.of_gbps(10), objects=Rate(per_second=Decimal(1000)))
    whole = estimate_first_copy(volumes, rates)
    assert whole.seconds.min >= max(estimate_copy_time(each, rates).seconds.min for each in volumes)
    assert whole.seconds.min <= whole.seconds.expected <= whole.seconds.max


LISTS = Rate(per_second=Decimal(10_000))


def test_rounds_shrink_until_one_fits_into_the_window() -> None:
    # a tenth of the bandwidth is written to: 8,000 s, 800 s, 80 s, and listing of 1,000 keys takes 0.1 s each time
    changing = data(1, change_bytes_per_day=Range.exactly(12_500_000 * DAY))
    rates = Rates(bytes=Rate.of_gbps(1), objects=MANY, lists=LISTS)
    found = rounds_until([changing], rates=rates, first=estimate_first_copy([changing], rates), window_seconds=100)
    assert found.count == 2
    assert found.last.seconds.max == pytest.approx(Decimal("80.11"))


def test_a_source_that_is_written_faster_than_it_is_copied_never_fits() -> None:
    changing = data(1, change_bytes_per_day=Range.exactly(125_000_000 * DAY))
    rates = Rates(bytes=Rate.of_gbps(1), objects=MANY, lists=LISTS)
    found = rounds_until([changing], rates=rates, first=estimate_first_copy([changing], rates), window_seconds=1800)
    assert found.count is None
    assert found.words == "never: the source is written faster than it is copied (1.00 of the bandwidth)"


def test_listing_that_takes_longer_than_the_window_never_fits() -> None:
    many = data(1, objects=Range.exactly(10**9))
    rates = Rates(bytes=Rate.of_gbps(1), objects=MANY, lists=LISTS)
    found = rounds_until([many], rates=rates, first=estimate_first_copy([many], rates), window_seconds=1800)
    assert found.words == "never: listing alone takes longer than the window"


@pytest.mark.parametrize(
    ("rates", "volume", "words"),
    [
        (Rates(lists=LISTS, objects=MANY), data(), "undetermined: it needs a bandwidth"),
        (Rates(bytes=STREAM, objects=MANY), data(), "undetermined: it needs a rate of listing"),
        (Rates(bytes=STREAM, lists=LISTS), data(), "undetermined: the time of the first copy is not known"),
        (
            Rates(bytes=STREAM, objects=MANY, lists=LISTS),
            data(change_bytes_per_day=None),
            "undetermined: how fast datasets changes is not known",
        ),
    ],
)
def test_what_is_missing_for_the_rounds_is_named(rates: Rates, volume: TransferVolume, words: str) -> None:
    assert (
        rounds_until([volume], rates=rates, first=estimate_first_copy([volume], rates), window_seconds=60).words
        == words
    )


def test_the_freeze_is_its_parts_each_with_what_it_is_based_on() -> None:
    database = TransferVolume.from_measurement("database", "mlflow", size=60 * MIB * 100)
    sample = data("0.1", verified_share=Decimal("0.05"))
    rates = Rates(bytes=Rate.of_gbps(1), objects=MANY, dump=STREAM, verify=Rate.of_gbps(4), lists=LISTS)
    found = times([sample, database], rates=rates, asked=ASKED)
    parts = {part.step: part.span.seconds.max for part in found.freeze}
    assert parts == {
        "final_delta": Decimal("0.1"),
        "databases": 100,
        "verify": 10,
        "rewrite": 10,
        "smoke": 120,
        "dns": 60,
    }
    assert found.frozen.seconds.max == Decimal("300.1")
    assert found.fits == "yes"
    assert all(part.span.basis for part in found.freeze)


def test_a_freeze_of_which_a_part_is_not_known_is_a_floor_and_does_not_fit_by_that() -> None:
    rates = Rates(bytes=Rate.of_gbps(1), objects=MANY, lists=LISTS)
    found = times([data("0.1")], rates=rates, asked=FreezeRequest(window_seconds=3600, rewrite_seconds=1))
    assert found.frozen.at_least
    assert found.fits == "undetermined"


def test_a_freeze_that_is_too_long_at_the_least_does_not_fit_whatever_is_missing() -> None:
    rates = Rates(bytes=Rate.of_gbps(1), objects=MANY, lists=LISTS)
    found = times([data(1)], rates=rates, asked=FreezeRequest(window_seconds=60))
    assert found.fits == "no"
