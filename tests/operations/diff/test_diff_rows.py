from __future__ import annotations

from typing import TYPE_CHECKING

from operations.diff.stack_report import over_own

if TYPE_CHECKING:
    from operations.diff.protocol import JudgedAnswerForm


def answer(ceiling: str | None) -> JudgedAnswerForm:
    usd = {"min": "100", "expected": "200", "max": "300"}
    line = {"key": "pool/train/machine", "state": "priced", "usd_per_month": usd}
    return {
        "failure": "",
        "bill": {"lines": [line], "usd_per_month": usd, "unpriced": [], "estimated": []},  # type: ignore[list-item, typeddict-item]
        "ceilings": {
            "usd_per_month": ceiling,
            "usd_per_contract": None,
            "usd_per_gpu_hour": None,
            "binds": "expected",
        },
    }


def test_a_ceiling_that_the_change_lowers_below_the_bill_is_said() -> None:
    (said,) = over_own(answer("150"))
    assert "200.00 USD a month (expected)" in said
    assert "150 USD" in said


def test_a_ceiling_that_holds_the_bill_needs_no_word() -> None:
    assert list(over_own(answer("200"))) == []
    assert list(over_own(answer(None))) == []
