"""JSON of the tables about facts, and what 1000 TFLOPS cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from cli.commands.checklist.schema import schema


def printed(outcome: Any, shape: str) -> Any:
    assert outcome.code == 0, outcome.err
    document = json.loads(outcome.out)
    jsonschema.validate(document, schema(shape), cls=jsonschema.Draft202012Validator)
    return document


@pytest.mark.parametrize(
    ("command", "shape"),
    [
        (("catalog", "list"), "providers"),
        (("catalog", "check"), "soundness"),
        (("catalog", "show", "p5.48xlarge"), "facts"),
        (("catalog", "show", "H100"), "facts"),
        (("catalog", "show", "nat_gateway"), "facts"),
        (("catalog", "price-performance"), "worths"),
        (("check", "demo"), "demands"),
    ],
    ids=" ".join,
)
def test_what_prints_a_table_prints_json(atoll: Callable[..., Any], command: tuple[str, ...], shape: str) -> None:
    assert printed(atoll(*command, "--json"), shape)


def test_the_dated_book_gives_the_founding_texts_figures(atoll: Callable[..., Any]) -> None:
    found = printed(
        atoll("catalog", "price-performance", "--prices", "2025-01-28", "--precision", "tf32", "--json"), "worths"
    )
    rates = {(each["provider"], each["machine"]): float(each["usd_per_1000_tflops_hour"]) for each in found["machines"]}
    assert rates["lambda", "gpu_8x_h100_sxm5"] == pytest.approx(3.36, abs=0.01)
    assert rates["gcp", "a3-highgpu-8g"] == pytest.approx(12.34, abs=0.01)


def test_the_table_of_price_performance_starts_with_the_best(atoll: Callable[..., Any]) -> None:
    outcome = atoll("catalog", "price-performance", "--prices", "2025-01-28", "--precision", "tf32")
    assert outcome.code == 0
    assert outcome.out.index("digitalocean") < outcome.out.index("p4d.24xlarge")


def test_an_unknown_precision_is_refused(atoll: Callable[..., Any]) -> None:
    assert atoll("catalog", "price-performance", "--precision", "bf17").code == 1
