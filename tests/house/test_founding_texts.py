"""Figures that the founding texts state, reproduced from the catalog and the rules."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from catalogs.catalog import load
from planning.costs import tco
from planning.quoting.price_performance import Worth, worth_of_machines
from planning.sizing.workloads.memory import accelerators_for, inference_gb, training_gb
from planning.sizing.workloads.storage import calculate_provisioned_gb

BIG_THREE = {"aws", "gcp", "azure"}
WITHIN_A_CENT = Decimal("0.01")  # the text rounds some figures and truncates others


@pytest.fixture(scope="module")
def january_2025() -> tuple[Worth, ...]:
    return worth_of_machines(load("2025-01-28"), precision="tf32")


def least(rows: tuple[Worth, ...], *, providers: set[str], accelerator: str) -> Decimal:
    return min(
        row.usd_per_1000_tflops_hour
        for row in rows
        if row.provider in providers and row.accelerator.startswith(accelerator)
    )


@pytest.mark.parametrize(
    ("providers", "accelerator", "usd"),
    [
        (BIG_THREE, "A100", "14.89"),
        (BIG_THREE, "H100", "12.34"),
        ({"lambda"}, "A100-SXM-40GB", "4.69"),
        ({"lambda"}, "A100-SXM-80GB", "6.50"),
        ({"lambda"}, "H100-SXM-80GB", "3.36"),
        ({"coreweave"}, "H100-SXM-80GB", "6.91"),
        ({"digitalocean"}, "H100-SXM-80GB", "3.35"),
    ],
)
def test_usd_per_1000_tf32_tflops_of_january_2025(
    january_2025: tuple[Worth, ...], providers: set[str], accelerator: str, usd: str
) -> None:
    assert abs(least(january_2025, providers=providers, accelerator=accelerator) - Decimal(usd)) <= WITHIN_A_CENT


def test_lambda_is_72_8_percent_cheaper_than_the_big_three(january_2025: tuple[Worth, ...]) -> None:
    micro = least(january_2025, providers={"lambda"}, accelerator="H100")
    big = least(january_2025, providers=BIG_THREE, accelerator="H100")
    assert round((1 - micro / big) * 100, 1) == Decimal("72.8")


def test_80_billion_parameters_need_23_gpus_to_train_and_3_to_serve() -> None:
    parameters = Decimal(80 * 10**9)
    assert accelerators_for(training_gb(parameters), 80) == 23
    assert accelerators_for(inference_gb(parameters), 80) == 3


def test_100_terabytes_of_lustre_need_125() -> None:
    assert calculate_provisioned_gb(usable_gb=Decimal(100_000), usable_share=Decimal("0.8")) == Decimal(125_000)


@pytest.mark.parametrize(
    ("servers", "discount", "buying", "renting"),
    [(1, "0", 153_000, 70_000), (6, "0.15", 372_000, 420_000)],
)
def test_renting_against_buying(servers: int, discount: str, buying: int, renting: int) -> None:
    usd = tco.usd_per_year(tco.A100_SERVER, servers=servers, bulk_discount=Decimal(discount))
    assert abs(usd - buying) / buying <= Decimal("0.005")
    assert servers * tco.A100_RENT_PER_YEAR == renting


def test_no_source_is_named_by_a_number_of_ours() -> None:
    """Titles of sources reach customers: each names its author or its page, never a text that only we can look up."""
    root = Path(__file__).parents[2]
    texts = [
        path
        for folder in ("catalogs", "planning", "components", "policies", "operations", "cli", "docs")
        for suffix in ("py", "csv", "md", "j2", "yaml")
        for path in (root / folder).rglob(f"*.{suffix}")
    ]
    assert len(texts) > 500
    assert [path for path in texts if "founding text" in path.read_text(encoding="utf-8").casefold()] == []
