"""The first screen of a quote at every width from 60 columns up, and what it says of options, twins and misses."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

import hand_built
import pytest
import quote_page_kit as kit

from cli.terminal.amounts import duration, number, term_number, usd_short
from cli.terminal.console import ScreenLine, wrap, wrap_name
from cli.views.quote.options import explain_verdict, lay_out_details, order_options
from cli.views.quote.summary import MOST_LINES, describe_guard, lay_out_quote
from operations.plans.quote import exit_code, option_named
from planning.ceilings.verdict import NO_CEILING
from planning.costs.bill import BillGroup
from planning.quoting.option import ceilings
from planning.quoting.quote import Option, Quote, Twin
from planning.values.errors import InputError, OverCeilingError
from planning.values.money import Range

WIDTHS = (60, 80, 100, 120)
SENTENCE = "Gained: no spot machines and " + "a good deal of other things besides, " * 12 + "at last."
LONG_NAME = "azure-southcentralus-standard-nd96isr-h100-v5-4096-reserved-and-coreweave-north-america-gb200-512"


def shown(quote: Quote, *, width: int) -> list[str]:
    return texts(lay_out_quote(order_options(quote), ceilings=hand_built.ceilings(), asked="demo", width=width))


def texts(lines: list[ScreenLine]) -> list[str]:
    return [each.text + each.tail for each in lines]


def crowded(*, names: tuple[str, ...], usd: str = "24.5") -> Quote:
    """Five options with everything that an option can have."""
    machine = hand_built.line("pool/train/machine", BillGroup.COMPUTE, usd=usd, quantity=Range.exactly(730))
    twins = tuple(Twin(provider="aws", region=f"eu-west-{at}", share=Decimal(at) / 1000) for at in range(6))
    options = tuple(
        replace(
            hand_built.option(name, views=(f"goal_{at}", "same_cloud", "no_spot"), whole=hand_built.bill(machine)),
            recommended=at == 3,
            tradeoff=SENTENCE,
            twins=twins,
            misses=("train: 2,821 h of a deadline of 720 h",) if at < 2 else (),
            guarded_usd_per_month=Decimal("1e9"),
        )
        for at, name in enumerate(names)
    )
    return replace(
        hand_built.quote(*options),
        reason=SENTENCE,
        advice=(SENTENCE, SENTENCE),
        unmet_providers=tuple((f"cloud-{at}", "it sells no Kubernetes to build on") for at in range(9)),
    )


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("stack", kit.STACKS)
def test_the_screen_of_every_stack_fits(stack: str, width: int) -> None:
    made = kit.made(stack)
    lines = texts(lay_out_quote(made.quote, ceilings=ceilings(made.checklist), asked=stack, width=width))
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= width
    for option in made.quote.options:
        assert option.id in "".join(line.strip() for line in lines[:20])
    why = made.quote.options[0].tradeoff
    assert f"{why[0].lower()}{why[1:]}" in " ".join(line.strip() for line in lines), "why is read in full"
    assert sum(line.startswith("A  Recommended: ") for line in lines) == 1
    assert any(line.startswith("Details: atoll quote ") for line in lines)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("usd", ["0", "24.5", "1e7", "1e30"])
def test_a_crowded_screen_fits_and_keeps_every_name_and_figure(width: int, usd: str) -> None:
    quote = crowded(names=tuple(f"aws-us-east-1-b200-{8 * 10**at}-spot" for at in range(5)), usd=usd)
    lines = shown(quote, width=width)
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= width
    assert not any("…" in line for line in lines)
    for option in quote.options:
        assert any(option.id in line.split() for line in lines)
    assert sum("expected" in line and "max" in line for line in lines) == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_a_name_longer_than_the_line_is_folded_at_a_dash_and_nowhere_else(width: int) -> None:
    lines = texts(wrap_name(LONG_NAME, width=width, first="A  ", rest="   "))
    assert max(map(len, lines)) <= width
    assert "".join(line[3:] for line in lines) == LONG_NAME
    assert all(line.endswith("-") for line in lines[:-1])
    assert len(wrap_name(LONG_NAME, width=len(LONG_NAME) + 3, first="A  ")) == 1
    screen = shown(crowded(names=(LONG_NAME,)), width=width)
    assert LONG_NAME in "".join(line.strip() for line in screen)


def test_a_word_longer_than_the_line_stays_whole() -> None:
    address = f"https://example.com/{'a' * 60}"
    assert texts(wrap(f"see {address} there", width=60)) == ["see", address, "there"]
    assert max(map(len, texts(wrap(f"see {LONG_NAME} there", width=60)))) <= 60


def test_the_recommended_option_is_first_and_what_misses_something_is_last_and_marked() -> None:
    quote = crowded(names=("a", "b", "c", "d", "e"))
    assert [each.id for each in order_options(quote).options] == ["d", "c", "e", "a", "b"]
    lines = shown(quote, width=120)
    first = next(at for at, line in enumerate(lines) if line.startswith("A  d "))
    assert [line.split()[-1] for line in lines[first : first + 10 : 2]] == [
        "within",
        "within",
        "within",
        "misses",
        "misses",
    ]
    assert lines.count("    misses: train: 2,821 h of a deadline of 720 h") == 2


def test_an_option_that_is_a_line_under_another_is_no_row_and_named_there() -> None:
    twin = Twin(provider="gcp", region="us-west1", share=Decimal("0.003"), option_id="b", views=("same_cloud",))
    near = Twin(provider="aws", region="us-east-2", share=Decimal("-0.0001"))
    quote = hand_built.quote(
        replace(hand_built.option("a"), twins=(twin, near)), replace(hand_built.option("b"), twin_of="a")
    )
    lines = shown(quote, width=100)
    assert "    also at gcp us-west1, +0.3% (same cloud); in us-east-2, same cost" in lines
    assert not any(line.startswith("B  ") for line in lines)


def test_a_twin_at_the_same_place_says_which_pool_differs() -> None:
    home = hand_built.option("a").spec.placement
    change = "lab on demand instead of spot"
    twin = Twin(
        provider=home.provider,
        region=home.region,
        share=Decimal("0.003"),
        option_id="a-v2",
        views=("no_spot",),
        difference=change,
    )
    quote = hand_built.quote(
        replace(hand_built.option("a"), twins=(twin,)), replace(hand_built.option("a-v2"), twin_of="a")
    )
    assert f"    also as a-v2 with {change}, +0.3% (no spot)" in shown(quote, width=100)


def test_only_the_nearest_twins_and_those_with_a_view_are_named_on_the_first_screen() -> None:
    twins = tuple(Twin(provider="aws", region=f"r{at}", share=Decimal(at) / 100) for at in range(6))
    named = Twin(provider="aws", region="r9", share=Decimal("0.09"), option_id="b", views=("fastest",))
    option = replace(hand_built.option(), twins=(*twins, named))
    assert "also in r0, same cost; in r1, +1.0%; in r2, +2.0%; in r9, +9.0% (fastest); and at 3 more places" in "".join(
        shown(hand_built.quote(option), width=120)
    )
    assert "in r5, +5.0%" in "".join(texts(list(lay_out_details(hand_built.quote(option), width=120))))


def test_the_details_leave_no_remark_out() -> None:
    quote = crowded(names=("a", "b", "c", "d", "e"))
    short = shown(quote, width=60)
    whole = lay_out_quote(quote, ceilings=hand_built.ceilings(), asked="demo", width=60, whole=True)
    assert "More remarks: --details" in short
    assert "More remarks: --details" not in texts(whole)
    said = " ".join(line.strip() for line in texts(whole))
    assert said.count(SENTENCE[1:]) == 5 + 1 + 2
    assert "Guarded cap" in said


def test_each_provider_asked_for_says_why_it_has_no_option_once_for_a_reason() -> None:
    quote = replace(
        hand_built.quote(), unmet_providers=(("azure", "no H100 here"), ("oci", "no H100 here"), ("gcp", "x"))
    )
    lines = shown(quote, width=100)
    assert "No option at azure, oci: no H100 here" in lines
    assert "No option at gcp: x" in lines


def test_what_holds_for_all_options_is_said_once_in_the_details() -> None:
    quote = hand_built.quote()
    text = "\n".join(texts(list(lay_out_details(quote, width=100))))
    assert text.count("spot machines may be interrupted") == 1
    assert text.count("the VPN gateway") == 1
    alone = "\n".join(texts(list(lay_out_details(hand_built.quote(hand_built.option()), width=100))))
    assert "All options" not in alone
    assert alone.count("the VPN gateway") == 1


def test_the_screen_says_which_reading_the_budget_applies_to() -> None:
    limits = hand_built.ceilings().model_copy(update={"binds": "max"})
    lines = texts(lay_out_quote(hand_built.quote(), ceilings=limits, asked="demo", width=100))
    assert "Ceiling: 30,000.00 USD a month; it applies to the maximum cost." in lines


@pytest.mark.parametrize(
    ("asked", "refused"),
    [("demo", False), ("demo --provider aws", True), ("elsewhere/checklist.yaml", True)],
)
def test_only_what_can_be_accepted_is_offered_to_be(asked: str, *, refused: bool) -> None:
    lines = texts(lay_out_quote(hand_built.quote(), ceilings=hand_built.ceilings(), asked=asked, width=100))
    assert any(line.startswith("Next: atoll accept") for line in lines) is not refused
    stale = replace(hand_built.quote(), stale=True)
    lines = texts(lay_out_quote(stale, ceilings=hand_built.ceilings(), asked="demo", width=100))
    assert not any(line.startswith("Next: ") for line in lines)


def test_nothing_is_within_a_ceiling_that_nobody_set() -> None:
    free = hand_built.option(reason=NO_CEILING)
    lines = shown(hand_built.quote(free), width=80)
    assert any(line.endswith("no ceiling") for line in lines)
    assert not any("within" in line for line in lines)
    assert explain_verdict(free) == NO_CEILING


class TestExitCode:
    def missing(self, option: Option) -> Option:
        return replace(option, misses=("train: 2,821 h of a deadline of 720 h",))

    def test_10_where_every_option_misses_something(self) -> None:
        quote = hand_built.quote(self.missing(hand_built.option()), self.missing(hand_built.doubtful()))
        assert exit_code(quote, allow_stale=True) == OverCeilingError.exit_code

    def test_an_option_that_misses_something_is_not_the_one_within(self) -> None:
        quote = hand_built.quote(self.missing(hand_built.option()), hand_built.dear())
        assert exit_code(quote, allow_stale=True) == OverCeilingError.exit_code
        assert exit_code(hand_built.quote(self.missing(hand_built.dear()), hand_built.option()), allow_stale=True) == 0


@pytest.mark.parametrize(
    ("name", "view"), [("dependable", "no_spot"), ("at-home", "same_cloud"), ("at_home", "same_cloud")]
)
def test_the_views_of_before_are_still_understood(name: str, view: str) -> None:
    quote = hand_built.quote(hand_built.option("other", views=("cheapest",)), hand_built.option("it", views=(view,)))
    assert option_named(quote, name).id == "it"
    gone = replace(hand_built.quote(hand_built.option(views=("cheapest",))), missing_views={view: "nothing is sold"})
    with pytest.raises(InputError, match="nothing is sold"):
        option_named(gone, name)


@pytest.mark.parametrize(
    ("hours", "said"),
    [
        ("0", "< 1 min"),
        ("0.001", "< 1 min"),
        ("0.04", "2 min"),
        ("1.04", "1 h"),
        ("9.44", "9.4 h"),
        ("32.41", "32 h"),
        ("72", "72 h"),
        ("76", "3 d 4 h"),
        ("96", "4 d"),
        ("2821", "118 d"),
        ("1e9", "41,666,667 d"),
        ("1e40", "4.17e38 d"),
    ],
)
def test_hours_are_said_as_people_say_them(hours: str, said: str) -> None:
    assert duration(Decimal(hours)) == said


@pytest.mark.parametrize("digits", range(45))
def test_a_number_of_any_length_is_shown_short(digits: int) -> None:
    value = Decimal("8.4") * 10**digits
    assert len(number(value)) <= 19
    assert len(usd_short(value, bill=hand_built.bill(hand_built.unpriced("x", BillGroup.NETWORK)))) <= 13
    assert Decimal(term_number(str(value)).replace(",", "")) == value
    assert re.fullmatch(r"[\d,.]+|8\.4e\d\d", number(value))


def test_of_what_misses_the_checklist_the_nearest_comes_first_and_both_changes_are_one_sentence() -> None:
    missed = [
        replace(
            hand_built.option(name),
            misses=("train: too late",),
            runs=(replace(hand_built.option().runs[0], hours=hours),),
        )
        for name, hours in (("slow", Decimal(2000)), ("near", Decimal(900)))
    ]
    quote = replace(hand_built.quote(*missed), advice=("raise the deadline", "ask for fewer runs"))
    assert [each.id for each in order_options(quote).options] == ["near", "slow"]
    assert "What would work: raise the deadline and ask for fewer runs" in shown(quote, width=120)


def test_a_missing_view_is_named_in_english() -> None:
    quote = replace(hand_built.quote(), missing_views={"no_spot": "nothing else is sold", "committed": "no contract"})
    said = shown(quote, width=120)
    assert "No option without spot: nothing else is sold" in said
    assert "No committed option: no contract" in said


@pytest.mark.parametrize(
    ("caps", "said"),
    [
        (("30000", "30000"), "Guarded cap: the spend guard stops new work at 30,000.00 USD a month."),
        ((None, None), ""),
        (("30000", "41000"), "A 30,000, B 41,000 USD a month. Above the ceiling are nodes that it cannot hold"),
    ],
)
def test_a_guarded_cap_above_the_ceiling_says_why(caps: tuple[str | None, ...], said: str) -> None:
    options = [
        replace(hand_built.option(f"o{at}"), guarded_usd_per_month=None if cap is None else Decimal(cap))
        for at, cap in enumerate(caps)
    ]
    found = describe_guard(hand_built.quote(*options), hand_built.ceilings())
    assert said in found
    assert bool(found) == bool(said)


def test_lines_without_a_price_are_counted_where_their_names_would_be_cut() -> None:
    bare = hand_built.doubtful()
    many = [
        replace(each, label=f"{each.label} of a long name of many words", key=f"{each.key}{at}")
        for at, each in enumerate(bare.bill.lines * 4)
    ]
    full = replace(bare, id="full", bill=type(bare.bill)(tuple(many)))
    other = replace(
        full, id="other", bill=type(bare.bill)(tuple(replace(each, label=f"x{each.label}") for each in many))
    )
    quote = hand_built.quote(full, other)
    count = len(full.bill.unpriced)
    assert f"Lines without a price: A {count}, B {count}; names with --details." in shown(quote, width=120)
