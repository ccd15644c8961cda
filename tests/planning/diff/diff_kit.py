from __future__ import annotations

from planning.costs.json_shapes import LineForm
from planning.costs.resources.resource import Resource, Value
from planning.diff.form import FoundForm


def line(key: str, usd: str | None, *, quantity: str = "1", per: str | None = "") -> LineForm:
    return {
        "key": key,
        "label": key,
        "group": "compute",
        "item": "machine",
        "state": "unpriced" if usd is None else "priced",
        "quantity": {"min": quantity, "expected": quantity, "max": quantity},
        "unit": "hour",
        "usd_per_unit": usd if per == "" else per,
        "usd_per_month": None if usd is None else {"min": usd, "expected": usd, "max": usd},
        "source": "a page",
        "as_of": None,
        "note": "",
    }


def resource(name: str, type_: str, *, stack: str = "one", protect: bool = False, **inputs: Value) -> Resource:
    return Resource(
        urn=f"urn:pulumi:{stack}::atoll::{type_}::{name}",
        type=type_,
        name=name,
        parent=None,
        custom=True,
        inputs=inputs,
        property_dependencies={},
        protect=protect,
    )


def found(rule: str, *, urn: str = "", verdict: str = "over", stops: bool = True) -> FoundForm:
    return {
        "rule": rule,
        "title": rule,
        "verdict": verdict,  # type: ignore[typeddict-item]
        "level": "mandatory",
        "stops": stops,
        "sentence": f"{rule}: 1 is over 0.",
        "urn": urn,
        "path": "",
        "exemption": "",
    }
