"""What a GPU cloud may answer that is no price list: each is one sentence, and none becomes a price."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from price_recordings import (
    HYPERSTACK_BOOK,
    HYPERSTACK_FLAVORS,
    book_entry,
    droplet,
    flavor,
    lambda_type,
    oracle_part,
    runpod_gpu,
)

from catalogs.catalog import load
from operations.price_refresh.amounts import read_amount, read_amount_text
from operations.price_refresh.gpu_clouds import droplets, hyperstack, lambda_cloud, oracle, runpod
from operations.price_refresh.model import PriceReadError, PriceRequest, PriceSection, SectionKind, SilentSection
from operations.project.http import HttpResponse

TODAY = date(2026, 11, 23)
Section = PriceSection | SilentSection


class Recorded:
    """Answers by path instead of a network."""

    def __init__(self, answers: dict[str, object]) -> None:
        self._answers = answers

    def request(self, _method: str, url: str, **_options: object) -> HttpResponse:
        return HttpResponse(status=200, body=json.dumps(self._answers[url.removeprefix("https://x")]).encode())


def request(provider: str, answers: dict[str, object]) -> PriceRequest:
    catalog = load()
    return PriceRequest(
        provider=provider,
        regions=tuple(name for owner, name in catalog.regions if owner == provider),
        kinds=frozenset(SectionKind),
        address="https://x",
        today=TODAY,
        catalog=catalog,
        session=Recorded(answers),  # type: ignore[arg-type]
        keys={"KEY": "k"},
    )


def of_lambda(answer: object) -> list[Section]:
    return list(lambda_cloud.read(request("lambda", {lambda_cloud.PATH: answer})))


def of_runpod(answer: object) -> list[Section]:
    return list(runpod.read(request("runpod", {runpod.PATH: answer})))


def of_droplets(answer: object) -> list[Section]:
    return list(droplets.read(request("digitalocean", {droplets.PATH: answer})))


def of_oracle(answer: object) -> list[Section]:
    return list(oracle.read(request("oci", {oracle.PATH: answer})))


def of_book(answer: object) -> list[Section]:
    answers = {hyperstack.BOOK: answer, hyperstack.FLAVORS: HYPERSTACK_FLAVORS}
    return list(hyperstack.read(request("hyperstack", answers)))


def of_flavors(answer: object) -> list[Section]:
    answers = {hyperstack.BOOK: HYPERSTACK_BOOK, hyperstack.FLAVORS: answer}
    return list(hyperstack.read(request("hyperstack", answers)))


def one_lambda(**changes: Any) -> dict[str, Any]:
    entry = lambda_type("gpu_1x_a10", 129)
    return {"data": {"gpu_1x_a10": {**entry, "instance_type": {**entry["instance_type"], **changes}}}}


def pods(*gpus: Any) -> dict[str, Any]:
    return {"data": {"gpuTypes": list(gpus)}}


def sizes(*found: Any, total: Any = 1) -> dict[str, Any]:
    return {"sizes": list(found), "meta": {"total": total}}


def parts(*found: Any, **changes: Any) -> dict[str, Any]:
    return {"lastUpdated": "2026-01-05T13:27:33.583Z", "items": list(found), **changes}


def tier(**changes: Any) -> dict[str, Any]:
    part = oracle_part("B98415", "GPU Per Hour", (0, 10))
    part["currencyCodeLocalizations"][0]["prices"][0] |= changes
    return part


WRONG: list[tuple[Callable[[object], list[Section]], object, str]] = [
    (of_lambda, {"error": {"code": "global/invalid-api-key"}}, "data is no list of objects"),
    (of_lambda, {"data": []}, "data is no list of objects"),
    (of_lambda, {"data": {"gpu_1x_a10": None}}, "gpu_1x_a10 is no list of objects"),
    (of_lambda, one_lambda(price_cents_per_hour=1.29), "is 1.29, no whole cents: the source has changed its unit"),
    (of_lambda, one_lambda(price_cents_per_hour="129"), "price_cents_per_hour is '129' and no number"),
    (of_lambda, one_lambda(price_cents_per_hour=True), "price_cents_per_hour is 'True' and no number"),
    (of_lambda, one_lambda(price_cents_per_hour=None), "price_cents_per_hour is 'None' and no number"),
    (of_lambda, one_lambda(price_cents_per_hour=float("nan")), "price_cents_per_hour is 'nan' and no amount"),
    (of_lambda, one_lambda(price_cents_per_hour=10**400), "and no amount"),
    (of_lambda, one_lambda(specs={"gpus": -1}), "gpus is '-1' and no count"),
    (of_lambda, one_lambda(specs=None), "specs is no list of objects"),
    (of_runpod, {"errors": [{"message": "Cannot query field securePrice"}]}, "refuses the query: Cannot query field"),
    (of_runpod, {"data": None}, "data is no list of objects"),
    (of_runpod, pods("H100"), "gpuTypes is no list of objects"),
    (of_runpod, pods(runpod_gpu("NVIDIA H200", "4.59", None)), "NVIDIA H200: secure is '4.59' and no number"),
    (of_runpod, pods(runpod_gpu("NVIDIA H200", float("inf"), None)), "NVIDIA H200: secure is 'inf' and no amount"),
    (of_runpod, pods({"id": "NVIDIA H200", "securePrice": 1}), "maxGpuCount is 'None' and no count"),
    (of_droplets, {"id": "Unauthorized", "message": "Unable to authenticate you"}, "sizes is no list of objects"),
    (of_droplets, {"sizes": []}, "meta is no list of objects"),
    (of_droplets, sizes(droplet("gpu-h100x1-80gb", "4.41", 3281)), "price_hourly is '4.41' and no number"),
    (of_droplets, sizes(droplet("gpu-h100x1-80gb", 4.41, 3281, "nyc1")), "regions is no list"),
    (of_droplets, sizes(droplet("gpu-h100x1-80gb", 4.41, 3281, (1,))), "regions is no text"),
    (of_droplets, sizes(droplet("gpu-h100x1-80gb", 4.41, 3281.04), total=10**6), "has more than 20 pages"),
    (of_oracle, {"items": []}, "lastUpdated is no text"),
    (of_oracle, parts(lastUpdated="yesterday"), "lastUpdated is 'yesterday' and no time"),
    (of_oracle, parts(tier(), hasMore=True), "the price list came in part"),
    (of_oracle, parts(oracle_part("B98415", "GPU Per Hour", (0, 37.5), currency="SAR")), "is in SAR and not in USD"),
    (of_oracle, parts(tier(value="10")), "B98415: value is '10' and no number"),
    (of_oracle, parts(tier(rangeMin=5)), "B98415 has no price from 0 on"),
    (of_oracle, parts(oracle_part("B98415", "GPU Per Hour", (0, 10), (0, 11))), "or two from one amount on"),
    (of_book, {"status": False, "message": "Unauthorized"}, "the price book is no list of objects"),
    (of_book, [*HYPERSTACK_BOOK, book_entry("L40", 2)], "the price book has two prices of L40"),
    (of_book, [{"name": "L40", "value": 1}], "L40: original_value is 'None' and no number"),
    (of_flavors, {"status": False}, "data is no list of objects"),
    (of_flavors, {"data": [{"flavors": [{**flavor("n3-L40x1", "L40", 1), "gpu_count": 1.5}]}]}, "gpu_count is '1.5'"),
    (of_flavors, {"data": [{"flavors": [{**flavor("n3-L40x1", "L40", 1), "region_name": None}]}]}, "is no text"),
]


@pytest.mark.parametrize(("read", "answer", "said"), WRONG)
def test_a_wrong_answer_is_one_sentence(read: Callable[[object], list[Section]], answer: object, said: str) -> None:
    with pytest.raises(PriceReadError, match=said) as raised:
        read(answer)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 200


def found(section: Section) -> dict[tuple[str, str], tuple[Decimal, str]]:
    assert isinstance(section, PriceSection)
    return {(price.item, price.purchase): (price.amount, price.unit) for price in section.prices}


def test_another_unit_of_oracle_is_passed_on_for_the_gates_to_refuse() -> None:
    machines = of_oracle(parts(oracle_part("B98415", "GPU Per Month", (0, 7300))))[1]
    assert found(machines) == {("BM.GPU.H100.8", "on_demand"): (Decimal(58400), "GPU Per Month")}


def test_prices_below_zero_and_of_zero_reach_the_gates() -> None:
    (section,) = of_lambda(one_lambda(price_cents_per_hour=-129))
    assert found(section) == {("gpu_1x_a10", "on_demand"): (Decimal("-1.29"), "hour")}
    (section,) = of_lambda(one_lambda(price_cents_per_hour=0))
    assert found(section) == {("gpu_1x_a10", "on_demand"): (Decimal(0), "hour")}


def test_a_bid_as_high_as_the_rate_is_no_spot_price() -> None:
    (section,) = of_runpod(pods(runpod_gpu("NVIDIA A100 80GB PCIe", 1.79, None, bid=1.79, most=1)))
    assert set(found(section)) == {("1x_A100-80GB_SECURE", "on_demand")}


def test_what_runpod_does_not_offer_is_no_price() -> None:
    (section,) = of_runpod(pods(runpod_gpu("NVIDIA H200", None, 0)))
    assert isinstance(section, SilentSection)


def test_hours_and_months_that_disagree_are_left_out() -> None:
    answer = sizes(droplet("gpu-h100x1-80gb", 4.41, 3281.04, gpus=1), droplet("gpu-h200x1-141gb", 3325.0, 4.47, gpus=1))
    first = of_droplets(answer)[0]
    assert set(found(first)) == {("gpu-h100x1-80gb", "on_demand")}
    assert isinstance(first, PriceSection)
    assert first.skipped == ("sizes whose prices by hour and by month disagree: gpu-h200x1-141gb",)


def test_a_source_of_unknown_machines_alone_is_silent() -> None:
    (section,) = of_lambda({"data": {f"gpu_{number}": lambda_type("x", 100) for number in range(9)}})
    assert isinstance(section, SilentSection)
    assert section.reason == (
        "no price of a machine that the catalog knows: 9 machines that the catalog does not know: "
        "gpu_0, gpu_1, gpu_2, gpu_3 and 5 more"
    )


@pytest.mark.parametrize(
    ("text", "amount"),
    [("35.99999999999999", "36"), ("1e-05", "0.00001"), ("0.00595", "0.00595"), ("-1", "-1"), ("1E+2", "100")],
)
def test_a_binary_fraction_is_read_as_it_was_meant(text: str, amount: str) -> None:
    assert str(read_amount_text(text, name="x")) == amount
    assert str(read_amount(float(text), name="x")) == amount
