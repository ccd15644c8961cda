"""The mistakes that a quote must not make, one test each."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from small import (
    LAB,
    SERVING,
    TRAINING,
    SmallCatalog,
    accelerator,
    candidate_set,
    checklist,
    machine,
    price,
    services,
)

from catalogs.model import Fabric, Form, Price
from planning.checklist.model.checklist import Checklist
from planning.quoting.search.least_cost import ClusterPick, find_cheapest
from planning.quoting.search.views import VIEWS

CPU = machine("cpu-8", gpu=None)
FAR_CPU = machine("far-cpu", provider="nebius", gpu=None)


def cpu_prices(*regions: tuple[str, str]) -> list[Price]:
    names = {"aws": "cpu-8", "nebius": "far-cpu"}
    return [price(provider, names[provider], region, "0.4") for provider, region in regions]


def catalog(*prices: Price, machines: tuple[object, ...] = (), **parts: object) -> SmallCatalog:
    rows = [*prices, *cpu_prices(("aws", "us-east-1"), ("nebius", "eu-north1")), *services("aws"), *services("nebius")]
    return SmallCatalog((CPU, FAR_CPU, *machines), rows, **parts)  # type: ignore[arg-type]


def picked(small: SmallCatalog, wanted: Checklist) -> ClusterPick | None:
    return find_cheapest(candidate_set(small, wanted))


def machines_of(pick: ClusterPick | None) -> set[str]:
    return set() if pick is None else {each.machine.name for each in pick.candidates if each.accelerator}


def test_a_pcie_card_is_not_sold_as_sxm() -> None:
    cards = (accelerator(), accelerator("H100-PCIe-80GB", form=Form.PCIE, bf16=756))
    small = catalog(
        price("aws", "sxm", "us-east-1", "60"),
        price("aws", "card", "us-east-1", "10"),
        machines=(machine("sxm"), machine("card", gpu="H100-PCIe-80GB")),
        accelerators_list=cards,
    )
    asked = TRAINING | {"hardware": {"accelerator": "H100", "form": "SXM"}}
    assert machines_of(picked(small, checklist(asked))) == {"sxm"}


def test_single_pods_without_a_fabric_are_not_nodes_of_one_job() -> None:
    pod = machine("pod", gpus=8, cluster=False, fabric=Fabric.UNKNOWN)
    small = catalog(price("aws", "pod", "us-east-1", "5"), machines=(pod,))
    many = TRAINING | {"hardware": {"accelerator": "H100", "nodes": 16}}
    assert picked(small, checklist(many)) is None


def test_accelerators_that_no_shape_gives_are_refused_rather_than_rounded() -> None:
    small = catalog(price("aws", "big", "us-east-1", "60"), machines=(machine("big"),))
    odd = TRAINING | {"hardware": {"accelerator": "H100", "count": 12}}
    assert picked(small, checklist(odd)) is None


@pytest.mark.parametrize(("cap", "found"), [("6", set()), ("8", {"big"})])
def test_a_price_cap_per_accelerator_hour_is_kept(cap: str, found: set[str]) -> None:
    small = catalog(price("aws", "big", "us-east-1", "60"), machines=(machine("big"),))
    capped = TRAINING | {"hardware": {"accelerator": "H100", "usd_per_hour_cap": cap}}
    assert machines_of(picked(small, checklist(capped))) == found


def test_the_ceiling_per_gpu_hour_excludes_dearer_offers() -> None:
    small = catalog(
        price("aws", "big", "us-east-1", "60"),
        price("aws", "big", "us-east-1", "20", purchase="spot"),
        machines=(machine("big"),),
    )
    pick = picked(small, checklist(TRAINING | {"spot": True}, ceiling={"usd_per_gpu_hour": "3"}))
    assert pick is not None
    assert pick.candidates[0].parts[0].offer.price.purchase == "spot"


def test_spot_of_one_thin_zone_is_not_a_price_to_plan_with() -> None:
    small = catalog(
        price("aws", "big", "us-east-1", "60"),
        price("aws", "big", "us-east-1", "9", purchase="spot"),
        machines=(machine("big"),),
        flags={("big", "us-east-1", "spot"): ("thin spot: one zone",)},
    )
    pick = picked(small, checklist(TRAINING | {"spot": True}))
    assert pick is not None
    assert pick.candidates[0].parts[0].offer.price.purchase == "on_demand"


def test_a_spot_price_without_a_date_is_not_a_price_to_plan_with() -> None:
    undated = replace(price("aws", "big", "us-east-1", "9", purchase="spot"), as_of=None)
    small = catalog(price("aws", "big", "us-east-1", "60"), undated, machines=(machine("big"),))
    pick = picked(small, checklist(TRAINING | {"spot": True}))
    assert pick is not None
    assert pick.candidates[0].parts[0].offer.price.purchase == "on_demand"


def test_spot_is_used_only_where_the_customer_allows_it() -> None:
    small = catalog(price("aws", "big", "us-east-1", "9", purchase="spot"), machines=(machine("big"),))
    assert picked(small, checklist(TRAINING)) is None
    assert machines_of(picked(small, checklist(TRAINING | {"spot": True}))) == {"big"}


def test_the_view_without_spot_takes_no_spot() -> None:
    small = catalog(
        price("aws", "big", "us-east-1", "60"),
        price("aws", "big", "us-east-1", "20", purchase="spot"),
        machines=(machine("big"),),
    )
    candidates = candidate_set(small, checklist(TRAINING | {"spot": True}))
    pick = VIEWS["no_spot"].find(candidates)
    assert isinstance(pick, ClusterPick)
    assert {part.offer.price.purchase for each in pick.candidates for part in each.parts} == {"on_demand"}


def test_a_reservation_needs_a_contract_of_its_length() -> None:
    small = catalog(
        price("aws", "big", "us-east-1", "60"),
        price("aws", "big", "us-east-1", "10", purchase="reserved_36m"),
        machines=(machine("big"),),
    )
    for months, purchase in ((0, "on_demand"), (12, "on_demand"), (36, "reserved_36m")):
        wanted = checklist(SERVING, contract={"months": months, "reserve": "all" if months else "nothing"})
        pick = picked(small, wanted)
        assert pick is not None
        assert pick.candidates[0].parts[0].offer.price.purchase == purchase


def test_what_is_reserved_is_paid_around_the_clock() -> None:
    small = catalog(
        price("aws", "big", "us-east-1", "60"),
        price("aws", "big", "us-east-1", "1", purchase="reserved_12m"),
        machines=(machine("big"),),
    )
    pick = picked(small, checklist(TRAINING, contract={"months": 12, "reserve": "all"}))
    assert pick is not None
    usd = pick.candidates[0].machine_usd
    assert (usd.min, usd.expected, usd.max) == (Decimal(730), Decimal(730), Decimal(730))


def test_capacity_blocks_are_sold_only_when_asked_for() -> None:
    small = catalog(price("aws", "big", "us-east-1", "9", purchase="capacity_block"), machines=(machine("big"),))
    assert picked(small, checklist(TRAINING)) is None
    block = TRAINING | {"hardware": {"accelerator": "H100", "purchase": "capacity_block"}}
    assert machines_of(picked(small, checklist(block))) == {"big"}


@pytest.mark.parametrize(
    "where",
    [{"excluded": ["nebius"]}, {"wanted": ["aws"]}, {"regions": ["us-east-1"]}, {"residency": "US"}],
    ids=lambda where: next(iter(where)),
)
def test_a_cheaper_place_that_is_not_wanted_is_left_out(where: dict[str, object]) -> None:
    small = catalog(
        price("aws", "big", "us-east-1", "60"),
        price("nebius", "far", "eu-north1", "10"),
        machines=(machine("big"), machine("far", provider="nebius")),
    )
    assert machines_of(picked(small, checklist(LAB, engineers={"count": 2}))) == {"far"}
    assert machines_of(picked(small, checklist(LAB, engineers={"count": 2}, where=where))) == {"big"}


def test_a_provider_without_kubernetes_is_left_out() -> None:
    small = catalog(price("aws", "big", "us-east-1", "60"), machines=(machine("big"),), kubernetes=False)
    assert picked(small, checklist(TRAINING)) is None


def test_a_single_server_is_no_node_where_kubernetes_comes_with_clusters_only() -> None:
    small = catalog(
        price("lambda", "single", "us-east-1", "2"),
        price("lambda", "lambda-cpu", "us-east-1", "0.4"),
        price("aws", "one", "us-east-1", "60"),
        machines=(
            machine("single", provider="lambda", gpus=1, cluster=False),
            machine("lambda-cpu", provider="lambda", gpu=None),
            machine("one", gpus=1, cluster=False),
        ),
    )
    assert machines_of(picked(small, checklist(LAB, engineers={"count": 2}))) == {"one"}
    there = {"existing": {"provider": "lambda"}}
    assert picked(small, checklist(LAB, engineers={"count": 2}, where=there)) is None


def test_another_maker_is_offered_only_by_name() -> None:
    other = replace(accelerator("MI300X-OAM-192GB", form=Form.OAM, gb=192, bf16=1307), maker="AMD")
    small = catalog(
        price("aws", "amd", "us-east-1", "5"),
        machines=(machine("amd", gpu="MI300X-OAM-192GB"),),
        accelerators_list=(other,),
    )
    assert picked(small, checklist(TRAINING)) is None
    named = TRAINING | {"hardware": {"accelerator": "MI300X-OAM-192GB"}}
    assert machines_of(picked(small, checklist(named))) == {"amd"}


def test_a_cheap_accelerator_the_work_does_not_fit_into_is_not_recommended() -> None:
    small = catalog(
        price("aws", "tiny", "us-east-1", "1"),
        price("aws", "big", "us-east-1", "60"),
        machines=(machine("tiny", gpu="L4-PCIe-24GB", gpus=1, cluster=False), machine("big")),
        accelerators_list=(accelerator(), accelerator("L4-PCIe-24GB", form=Form.PCIE, gb=24, bf16=121)),
    )
    heavy = TRAINING | {"model": {"parameters": "20B"}}
    assert machines_of(picked(small, checklist(heavy))) == {"big"}
