"""Verdicts of a comparison in words, as loud as they must be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.values.errors import OverCeilingError, StalePricesError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.diff.form import DiffForm, JudgedForm, StackDiffForm

LOUD: Final[Mapping[str, str]] = {
    "within": "",
    "over": "**OVER** A limit is passed or a rule is broken.",
    "cannot tell": "**CANNOT TELL** Nobody can tell whether the limits hold.",
    "failed": "**FAILED** Not everything could be compared.",
}
_LIMITS: Final[Mapping[str, str]] = {
    "usd_per_month": "USD a month",
    "usd_per_contract": "USD in the whole contract",
    "usd_per_gpu_hour": "USD per accelerator and hour",
    "binds": "what the ceiling binds",
    "contract_months": "months of the contract",
    "residency": "where data may lie",
}
WITHIN: Final = "within the limits"


def headline(form: DiffForm) -> str:
    if form["verdict"] == "over":
        return _over(form["exit_code"])
    if form["verdict"] == "failed":
        failed = sum(each["state"] == "failed" for each in form["stacks"])
        over = any(each["after"] and each["after"]["verdict"] == "over" for each in form["stacks"])
        return f"FAILED for {failed} stack{'s' if failed != 1 else ''}{' and OVER for others' if over else ''}"
    return WITHIN if form["verdict"] == "within" else "CANNOT TELL"


def _over(exit_code: int) -> str:
    codes = {OverCeilingError.exit_code: "OVER THE CEILING", StalePricesError.exit_code: "PRICES TOO OLD"}
    return codes.get(exit_code, "A RULE IS BROKEN")


def loudness(stack: StackDiffForm) -> int:
    """0 for what is within its limits; failed is loudest."""
    if stack["state"] == "failed":
        return 3
    verdict = stack["after"]["verdict"] if stack["after"] else "within"
    return {"within": 0, "cannot tell": 1, "over": 2}.get(verdict, 1)


def row_verdict(stack: StackDiffForm) -> str:
    """One stack's verdict after the change: "OVER", "OVER, as before", "within"."""
    if stack["state"] == "failed":
        return "FAILED"
    if stack["after"] is None:
        return "gone" if stack["state"] == "removed" else "not judged"
    now, was = stack["after"]["verdict"], stack["before"]["verdict"] if stack["before"] else ""
    if now == "within":
        return f"within (was {was})" if was in ("over", "cannot tell") else "within"
    said = {"over": "OVER"}.get(now, "CANNOT TELL")
    return f"{said}, as before" if was == now else said


def verdict_word(form: JudgedForm) -> str:
    return {"over": "over", "within": "within"}.get(form["verdict"], "cannot tell")


def stack_reason(stack: StackDiffForm) -> str:
    if stack["state"] == "failed":
        return stack["failure"] or "nothing is known of it"
    stopping = [each["sentence"] for each in stack["breaches"] if each["stops"]]
    if stopping:
        more = len(stopping) - 1
        return stopping[0] + (f" And {more} more." if more else "")
    return stack["after"]["reason"] if stack["after"] else ""


def limit_words(what: str) -> str:
    return _LIMITS.get(what, "a limit")
