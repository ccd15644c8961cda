"""Laws that hold for every quantity and for every damaged checklist."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from planning.checklist.model import units
from planning.checklist.model.checklist import Checklist
from planning.checklist.reading.checklist_file import read
from planning.inputs import plain_values
from planning.values.errors import InputError

STACKS = Path(__file__).parents[3] / "stacks"
EXAMPLES = [yaml.safe_load(path.read_text()) for path in sorted(STACKS.glob("*/checklist.yaml"))]
KINDS = {
    "size": (units.Gigabytes, units.parse_gigabytes, ("MB", "GB", "TB", "PB", "MiB", "GiB", "TiB", "PiB")),
    "rate": (units.GigabitsPerS, units.parse_gigabits_per_s, ("Mbps", "Gbps", "Tbps")),
    "count": (units.Count, units.parse_count, ("", "K", "M", "B", "T")),
    "time": (units.Days, units.parse_days, ("h", "d", "w")),
}
quantities = st.sampled_from(sorted(KINDS)).flatmap(
    lambda kind: st.tuples(st.just(kind), st.sampled_from(KINDS[kind][2]))
)
numbers = st.decimals(min_value="0.001", max_value=10**6, places=3)
junk = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.sampled_from(
        ["yes", "no", "7Q", "1e9", "2026-01-28", "12:30", "010", "-1", "0", "", "~", "[", "{a", "&a b", "*a"]
    ),
    st.just([]),
    st.just({}),
    st.lists(st.integers() | st.text(), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
)


@given(quantities, numbers)
def test_a_quantity_written_back_is_the_same_quantity(kind_and_unit: tuple[str, str], number: Decimal) -> None:
    kind, unit = kind_and_unit
    adapter = TypeAdapter(KINDS[kind][0])
    once = adapter.validate_python(f"{number}{unit}")
    again = adapter.validate_python(adapter.dump_python(once, mode="json"))
    assert again == once.normalize()


@given(quantities, numbers, numbers)
def test_a_larger_number_of_the_same_unit_is_not_smaller(
    kind_and_unit: tuple[str, str], one: Decimal, other: Decimal
) -> None:
    kind, unit = kind_and_unit
    parse = KINDS[kind][1]
    low, high = sorted((one, other))
    assert parse(f"{low}{unit}") <= parse(f"{high}{unit}")


@given(st.sampled_from(sorted(KINDS)), numbers)
def test_units_are_listed_by_their_size(kind: str, number: Decimal) -> None:
    _, parse, names = KINDS[kind]
    decimal = [name for name in names if "i" not in name]
    sizes = [parse(f"{number}{unit}") for unit in decimal]
    assert sizes == sorted(sizes)


@given(numbers)
def test_a_thousand_of_one_unit_is_one_of_the_next(number: Decimal) -> None:
    assert units.parse_gigabytes(f"{number * 1000}GB") == units.parse_gigabytes(f"{number}TB")
    assert units.parse_gigabytes(f"{number * 1024}GiB") == units.parse_gigabytes(f"{number}TiB")
    assert units.parse_count(f"{number * 1000}M") == units.parse_count(f"{number}B")
    assert units.parse_days(f"{number * 7}d") == units.parse_days(f"{number}w")


@given(st.sampled_from(sorted(KINDS)), st.text() | st.integers() | st.floats() | st.booleans() | st.none())
def test_anything_is_a_quantity_or_refused_with_a_hint(kind: str, given_value: object) -> None:
    result = parsed(given_value, kind=kind)
    assert result.hint if isinstance(result, units.QuantityError) else result >= 0


def parsed(given_value: object, *, kind: str) -> Decimal | units.QuantityError:
    try:
        return KINDS[kind][1](given_value)
    except units.QuantityError as error:
        return error


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9))
def test_a_number_keeps_every_digit(number: Decimal) -> None:
    assert units.parse_number(f"{number:f}") == number


@given(st.text())
def test_an_unquoted_word_has_one_meaning_or_is_refused(text: str) -> None:
    meaning = plain_values.value(text)
    assert meaning is None or isinstance(meaning, (bool, int, str))
    assert plain_values.objection(text) is None or plain_values.objection(text)[1]


def places(value: Any, *, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        yield (*at, key)
        yield from places(inner, at=(*at, key))


@st.composite
def damaged(draw: st.DrawFn) -> dict[str, Any]:
    whole = copy.deepcopy(draw(st.sampled_from(EXAMPLES)))
    for _ in range(draw(st.integers(min_value=1, max_value=3))):
        found = list(places(whole))
        if not found:
            break
        *above, last = draw(st.sampled_from(found))
        parent = whole
        for part in above:
            parent = parent[part]
        match draw(st.sampled_from(["delete", "rename", "replace", "duplicate"])):
            case "delete":
                del parent[last]
            case "rename" if isinstance(parent, dict):
                parent[draw(st.text(max_size=12) | st.just(f"{last}s"))] = parent.pop(last)
            case "duplicate" if isinstance(parent, list):
                parent.append(parent[last])
            case _:
                parent[last] = draw(junk)
    return whole


def outcome(text: str) -> Checklist | InputError:
    try:
        return read(text, file="damaged.yaml")
    except InputError as error:
        return error


@given(damaged())
def test_a_damaged_checklist_is_refused_or_read_and_never_breaks_the_reader(whole: dict[str, Any]) -> None:
    class Plain(yaml.SafeDumper):
        def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002
            return True

    result = outcome(yaml.dump(whole, Dumper=Plain, allow_unicode=True))
    if isinstance(result, InputError):
        assert result.faults
        assert all(fault.message and fault.file == "damaged.yaml" for fault in result.faults)
        assert not any("Refused" in fault.message or "object at" in fault.message for fault in result.faults)


@given(st.sampled_from(sorted(STACKS.glob("*/checklist.yaml"))), st.data())
def test_a_text_damaged_anywhere_never_breaks_the_reader(path: Path, data: st.DataObject) -> None:
    text = path.read_text()
    at = data.draw(st.integers(min_value=0, max_value=len(text)))
    length = data.draw(st.integers(min_value=0, max_value=30))
    put = data.draw(st.text(max_size=5) | st.sampled_from(list("[]{}:,&*!|>'\"%@`#-?\t\n")))
    outcome(text[:at] + put + text[at + length :])


@given(st.text())
def test_any_text_at_all_never_breaks_the_reader(text: str) -> None:
    assert isinstance(outcome(text), InputError)


@given(st.text() | st.integers() | st.lists(st.integers()))
def test_what_the_model_refuses_it_refuses_in_its_own_words_only(value: object) -> None:
    with pytest.raises(ValidationError):
        Checklist.model_validate({"customer": value, "workloads": value})


HUGE = ("9" * 30, "1" + "0" * 29)


@pytest.mark.parametrize("digits", HUGE)
@pytest.mark.parametrize("name", ["size", "rate", "count", "time"])
def test_a_quantity_beyond_any_cluster_is_refused(name: str, digits: str) -> None:
    with pytest.raises(ValidationError, match="which no cluster is"):
        TypeAdapter(KINDS[name][0]).validate_python(f"{digits}{KINDS[name][2][-1]}")


def test_a_number_beyond_any_cluster_is_refused() -> None:
    with pytest.raises(ValidationError, match="which no cluster is"):
        TypeAdapter(units.Number).validate_python(10**29)


def test_the_limit_of_all_numbers_leaves_a_field_its_own() -> None:
    for value, told in (("0.75", "at most 0.5"), ("1" + "0" * 20, "10^12")):
        text = (STACKS / "demo/checklist.yaml").read_text() + f"\nspare_share: {value}\n"
        with pytest.raises(InputError) as caught:
            read(text, file="c.yaml")
        assert told in caught.value.faults[0].message
