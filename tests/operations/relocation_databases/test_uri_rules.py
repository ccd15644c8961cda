from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.relocation.databases.sql import MetadataError
from operations.relocation.databases.uri_rules import UriRules, rules_of

HERE = rules_of([("s3://old/runs", "s3://new"), ("s3://old", "s3://rest"), ("s3://kept", "s3://kept/")])
WORDS = st.text(alphabet="abx/.-_ é", max_size=12)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("s3://old", "s3://rest"),
        ("s3://old/", "s3://rest/"),
        ("s3://old/a", "s3://rest/a"),
        ("s3://old/runs", "s3://new"),
        ("s3://old/runs/1/artifacts", "s3://new/1/artifacts"),
        ("s3://old/runsX/1", "s3://rest/runsX/1"),
        ("s3://older/a", "s3://older/a"),
        ("s3://kept/a", "s3://kept/a"),
        ("xs3://old/a", "xs3://old/a"),
        ("mlflow-artifacts:/0", "mlflow-artifacts:/0"),
        ("", ""),
    ],
)
def test_a_prefix_ends_at_a_slash_and_the_longest_decides(before: str, after: str) -> None:
    assert HERE.apply(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"uri": "s3://old/runs/a"}', '{"uri": "s3://new/a"}'),
        ('["s3://old"]', '["s3://rest"]'),
        (r'"{\"uri\": \"s3://old\"}"', r'"{\"uri\": \"s3://rest\"}"'),
        ("s3://old/a, s3://old/runs; s3://older/b", "s3://rest/a, s3://new; s3://older/b"),
        ("see s3://old-2/a and s3://old.x", "see s3://old-2/a and s3://old.x"),
        ("as3://old/a", "as3://old/a"),
        ("(s3://old)", "(s3://rest)"),
    ],
)
def test_in_a_longer_text_an_address_ends_where_a_name_cannot_go_on(before: str, after: str) -> None:
    assert HERE.apply_within(before) == after


@given(WORDS)
def test_what_was_rewritten_stays_when_it_is_rewritten_again(tail: str) -> None:
    for before in (f"s3://old/{tail}", f"s3://old{tail}", tail):
        once = HERE.apply(before)
        assert HERE.apply(once) == once
        within = HERE.apply_within(before)
        assert HERE.apply_within(within) == within


def test_two_rules_may_not_feed_each_other() -> None:
    for pairs in (
        [("s3://a", "s3://b"), ("s3://b", "s3://c")],
        [("s3://a", "s3://b"), ("s3://b/x", "s3://c")],
        [("s3://a", "s3://a/moved")],
        [("s3://a/x", "s3://a")],
    ):
        with pytest.raises(MetadataError, match="would rewrite again"):
            rules_of(pairs)


def test_every_fault_of_the_rules_is_said_at_once() -> None:
    with pytest.raises(MetadataError) as caught:
        rules_of([("/mlruns", "s3://new"), ("s3://a", "s3://b"), ("s3://a/", "s3://c")])
    assert "'/mlruns' has no scheme" in str(caught.value)
    assert "s3://a is said twice" in str(caught.value)


def test_the_same_rule_twice_is_one() -> None:
    assert rules_of([("s3://a", "s3://b"), ("s3://a/", "s3://b/")]) == rules_of([("s3://a", "s3://b")])
    assert isinstance(HERE, UriRules)
    assert [each.source for each in HERE.moving] == ["s3://old/runs", "s3://old"]
