from __future__ import annotations

from decimal import Decimal

import pytest

from planning.quoting import price_performance

A100_X8 = 2_200
H100_X8 = 7_120


@pytest.mark.parametrize(
    ("usd_per_hour", "tflops", "text"),
    [
        ("32.77", A100_X8, "14.89"),
        ("87.83", H100_X8, "12.34"),
        ("10.32", A100_X8, "4.69"),
        ("14.32", A100_X8, "6.50"),
        ("23.92", H100_X8, "3.36"),
        ("49.24", H100_X8, "6.91"),
    ],
)
def test_the_table_of_the_founding_text(usd_per_hour: str, tflops: int, text: str) -> None:
    found = price_performance.usd_per_1000_tflops(usd_per_hour=Decimal(usd_per_hour), tflops=tflops)
    assert abs(found - Decimal(text)) < Decimal("0.01")


def test_of_a_machine() -> None:
    found = price_performance.usd_per_1000_tflops_of(usd_per_hour=Decimal(80), peak=Decimal(1000), accelerators=8)
    assert found == 10


@pytest.mark.parametrize(("peak", "accelerators"), [(None, 8), (Decimal(0), 8), (Decimal(1), 0)])
def test_an_unknown_peak_has_no_worth(peak: Decimal | None, accelerators: int) -> None:
    assert (
        price_performance.usd_per_1000_tflops_of(usd_per_hour=Decimal(80), peak=peak, accelerators=accelerators) is None
    )


def test_a_machine_without_a_peak_is_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        price_performance.usd_per_1000_tflops(usd_per_hour=Decimal(1), tflops=0)
