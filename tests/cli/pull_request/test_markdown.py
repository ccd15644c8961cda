from __future__ import annotations

import re
from typing import Any

import forms
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from cli.pages.diff import markdown
from cli.terminal.escaping import name, prose

OURS = {
    "h2", "p", "br", "ul", "li", "strong", "b", "em", "sub", "code", "details", "summary",
    "table", "thead", "tbody", "tr", "th", "td", "blockquote",
}  # fmt: skip


def html(comment: str) -> str:
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(comment.partition("\n")[2])


def tags(page: str) -> set[str]:
    return {found.lower() for found in re.findall(r"</?([a-zA-Z][\w-]*)", page)}


def seen(page: str) -> str:
    """What a reader sees outside of code type, where GitHub looks for mentions."""
    return re.sub(r"<[^>]*>", "", re.sub(r"<code>.*?</code>", "", page, flags=re.DOTALL))


def test_the_first_line_is_the_marker_and_the_second_says_verdict_and_sum() -> None:
    first, second, *_ = markdown.text(forms.diff(forms.stack())).splitlines()
    assert first == markdown.MARKER
    assert second == "## Atoll: OVER THE CEILING, +45,937.44 USD a month (+91.9%)"


@pytest.mark.parametrize(
    ("verdict", "code", "words"),
    [
        ("within", 0, "within the limits"),
        ("undetermined", 11, "UNDETERMINED"),
        ("over", 10, "OVER THE CEILING"),
        ("over", 1, "A RULE IS BROKEN"),
        ("over", 12, "PRICES TOO OLD"),
    ],
)
def test_the_headline_is_as_loud_as_the_verdict(verdict: str, code: int, words: str) -> None:
    said = markdown.text(forms.diff(forms.within("acme"), verdict=verdict, exit_code=code)).splitlines()[1]
    assert words in said


def test_a_failed_stack_is_said_first_and_not_counted_into_the_sum() -> None:
    comment = markdown.text(forms.diff(forms.failed("gamma"), forms.stack(), verdict="failed", exit_code=1))
    assert "FAILED for 1 stack and OVER for others" in comment.splitlines()[1]
    assert "failed stacks not counted" in comment.splitlines()[1]
    assert "stacks/x/quote.lock.json" in html(comment)


def test_what_nobody_can_price_is_never_nothing() -> None:
    none, some = forms.amount("0", unpriced=2), forms.amount("10", unpriced=1)
    stack = forms.within("acme", old=none, new=some, delta=forms.delta(none, some), components=[])
    comment = markdown.text(
        forms.diff(stack, old=none, new=some, delta=forms.delta(none, some), verdict="undetermined")
    )
    assert "not known, 2 without a price" in comment
    assert "at least 10.00, 1 without a price" in comment
    assert "+10.00 as far as priced" in comment
    assert " 0.00 " not in comment


def test_changes_of_what_judges_have_rows_of_their_own() -> None:
    judges = [
        forms.judge_change(),
        forms.judge_change(what="exemptions", path="stacks/policies.yaml", words="one more"),
    ]
    comment = markdown.text(forms.diff(forms.within("acme", ceilings=[forms.ceiling()]), judge_changes=judges))
    assert "**LIMIT RAISED**" in comment
    assert "60,000.00 → <strong>120,000.00</strong>" in comment
    assert "**WORKFLOW CHANGED**" in comment
    assert "**EXEMPTIONS CHANGED**" in comment
    assert comment.index("LIMIT RAISED") < comment.index("| stack |")


def test_new_breaches_stand_before_old_ones_and_mended_ones_after() -> None:
    stack = forms.stack(
        breaches=[forms.breach(sentence="first"), forms.breach("tags", new=False, stops=False, sentence="second")],
        mended=[forms.breach("tags", sentence="third")],
        exemptions=[forms.exemption(), forms.exemption(standing="expired")],
    )
    page = seen(html(markdown.text(forms.diff(stack))))
    order = [
        "Rules newly broken",
        "stops: first",
        "and still",
        "advice: second",
        "Mended",
        "third",
        "UNUSED",
        "EXPIRED",
    ]
    assert [page.index(each) for each in order] == sorted(page.index(each) for each in order)


def test_price_drift_stands_apart_from_the_change() -> None:
    moved = forms.delta(forms.amount("100"), forms.amount("90"))
    comment = markdown.text(forms.diff(forms.stack(by_prices=moved)))
    assert "The change itself: +45,937.44 USD a month" in comment
    assert "The head's price book would move it by -10.00 USD on top" in comment


def test_what_holds_data_and_goes_is_loud_outside_the_fold() -> None:
    comment = markdown.text(forms.diff(forms.within("acme", called_out=[forms.called_out()]), verdict="within"))
    assert comment.index("**LOOK CLOSELY**") < comment.index("<details>")
    assert "**REPLACES** <code>warm</code>" in comment


def noisy(noise: str) -> Any:
    """A comparison with something of a stranger's in every text."""
    line: Any = {
        **forms.line(noise, None, None, unit=noise, label=noise, usd_per_unit=["", noise]),
        "new": forms.amount(noise),
    }
    moved = {"usd_per_month": forms.readings(noise), "percent": noise}
    component: Any = {**forms.component(noise, line, old=None, new=None), "delta": moved}
    stack = forms.stack(
        noise,
        state="renamed",
        was=noise,
        notes=[noise],
        breaches=[forms.breach(sentence=noise, exemption=noise)],
        mended=[forms.breach(sentence=noise)],
        exemptions=[forms.exemption(rule=noise, resource=noise, owner=noise, reason=noise, expires=noise)],
        called_out=[forms.called_out(name=noise, type=noise, because=[noise])],
        ceilings=[forms.ceiling(what=noise, where=noise, old=noise, new=noise)],
        components=[component],
    )
    side = {"ref": noise, "commit": noise, "prices": noise, "prices_digest": noise, "prices_as_of": noise}
    judges = [forms.judge_change(path=noise, words=noise)]
    return forms.diff(stack, forms.failed(noise, noise), base=side, head=side, notes=[noise], judge_changes=judges)


def test_nothing_from_outside_is_mark_up_a_mention_or_a_link() -> None:
    page = html(markdown.text(noisy(forms.NOISE)))
    assert tags(page) <= OURS
    assert not re.search(r"[@#]\w|\bGH-\d|://|www\.|[\u202e\u2066]", seen(page))
    assert "<img" not in page
    assert "href" not in page


@settings(max_examples=30)
@given(st.text(max_size=120) | st.text(alphabet="@#|`*_<>[]()!&\\\n\r -+=~:/.w1a$'\"\u202e\u200b\u0301", max_size=60))
def test_no_text_whatever_becomes_mark_up(noise: str) -> None:
    comment = markdown.text(noisy(noise))
    page = html(comment)
    assert tags(page) <= OURS
    assert comment.count("<details>") == comment.count("</details>") == page.count("</details>")
    assert not re.search(r"[@#]\w", seen(page))


@settings(max_examples=100)
@given(st.text(max_size=80))
def test_escaped_text_is_one_line_that_reads_as_it_was(noise: str) -> None:
    for said in (prose(noise), name(noise)):
        assert not set("\n\r\t|`<>*_[]@#~\\") & set(re.sub(r"</?code>|&#\d+;", "", said))


@settings(max_examples=2)
@given(
    noise=st.sampled_from([forms.NOISE * 9, "|" * 400, "a" * 400, "𐀀" * 400, "`"]),
    stacks=st.integers(min_value=200, max_value=260),
    lines=st.integers(min_value=0, max_value=40),
    alarms=st.integers(min_value=0, max_value=60),
)
def test_two_hundred_stacks_fit_into_a_comment(noise: str, stacks: int, lines: int, alarms: int) -> None:
    pool = forms.line("pool", forms.amount("1"), forms.amount("2"), label=noise)
    part = forms.component(noise, *[pool] * lines, old=None, new=None)
    each = forms.stack(
        noise,
        components=[part] * 5,
        breaches=[forms.breach(sentence=noise)] * alarms,
        ceilings=[forms.ceiling(where=noise)] * alarms,
        notes=[noise] * alarms,
    )
    change = forms.diff(
        *[each] * stacks, notes=[noise] * alarms, judge_changes=[forms.judge_change(words=noise)] * alarms
    )
    comment = markdown.text(change)
    assert len(comment) <= markdown.LIMIT
    assert comment.startswith(f"{markdown.MARKER}\n## Atoll: OVER THE CEILING")
    assert "Left out of some stacks" in comment
    assert "atoll diff --json" in comment


def test_lines_go_first_then_components_then_stacks_that_do_not_change() -> None:
    def comment(lines: int, stacks: int) -> str:
        pool = forms.line("pool", forms.amount("1"), forms.amount("2"))
        part = forms.component("storage/warm", *[pool] * lines, old=None, new=None)
        changed = [forms.stack(f"changed-{at}", components=[part] * 4) for at in range(stacks)]
        still = [forms.within(f"still-{at}", state="unchanged", components=[]) for at in range(30)]
        return markdown.text(forms.diff(*changed, *still))

    few, lines, components, stills = comment(2, 3), comment(60, 4), comment(60, 40), comment(60, 90)
    assert "Left out" not in few
    assert "and 50 more" in lines
    assert "<strong>storage/warm" in components
    assert "<code>still-1</code>" in components
    assert "the lines of components" in components
    assert "<code>still-1</code>" not in stills
    assert "30 stacks that do not change" in stills


def test_a_stack_with_a_long_name_and_sentence_hides_no_other_alarm() -> None:
    noisy = [forms.failed(":" * 400, ":" * 400) for _ in range(10)]
    comment = markdown.text(forms.diff(*noisy, forms.stack("acme"), verdict="failed", exit_code=1))
    assert "**OVER** <code>acme</code>" in comment


def test_a_removed_an_added_and_a_renamed_stack_are_told_apart() -> None:
    removed = forms.stack("gone", state="removed", new=None, after=None, breaches=[])
    added = forms.stack("fresh", state="added", old=None, before=None)
    renamed = forms.within("now", state="renamed", was="then")
    comment = markdown.text(forms.diff(removed, added, renamed))
    for words in (
        "<code>gone</code> (removed)",
        "<code>fresh</code> (added)",
        "<code>now</code> (was <code>then</code>)",
    ):
        assert words in comment
    assert "| gone |" in comment
    assert "| none |" in comment
