from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from components.agents.mover.ledger import Written
from components.agents.mover.store.model import Listed
from components.agents.mover.transfer_plan import KeyState, side_by_side, verdict

KEYS = st.frozensets(st.sampled_from(["a", "a/", "b", "ü", "z", "😀"]))


def written(key: str) -> Written:
    return Written(
        key=key,
        version="",
        etag="e",
        size=1,
        modified=1.0,
        target_etag="t",
        target_version="",
        target_time=5.0,
        line=b"",
    )


@given(KEYS, KEYS, KEYS)
def test_every_key_comes_once_with_all_that_is_known(
    source: frozenset[str], target: frozenset[str], ledger: frozenset[str]
) -> None:
    found = list(
        side_by_side(
            [Listed(key=key, size=1) for key in sorted(source)],
            [Listed(key=key, size=2) for key in sorted(target)],
            [(key, (written(key),)) for key in sorted(ledger)],
            intended=frozenset({"a"}),
        )
    )
    assert [each.name for each in found] == sorted(source | target | ledger)
    assert {each.name for each in found if each.source} == source
    assert {each.name for each in found if each.target} == target
    assert {each.name for each in found if each.written} == ledger
    assert all(each.intended == (each.name == "a") for each in found)


def test_a_store_that_lists_another_etag_than_it_answered_is_believed_by_time_and_size() -> None:
    """MinIO with encryption on lists another etag."""
    source = Listed(key="a", size=1, etag="e", modified=1.0)
    same = Listed(key="a", size=1, etag="other", modified=5.0)
    later = Listed(key="a", size=1, etag="other", modified=60.0)
    kept = [
        verdict(KeyState(name="a", source=(source,), target=(each,), written=(written("a"),)))[0]
        for each in (same, later)
    ]
    assert kept == ["keep", "foreign"]
