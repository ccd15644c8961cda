"""The loss matrix held against what is used: what is used and dropped is said with its number, silence is no proof."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from planning.relocation.inventory.assets import OF_KIND, AssetKind, Feature, FeatureUsage, is_relevant_loss
from planning.relocation.methods.data_loss import choose, losses
from planning.relocation.methods.move_methods import (
    BY_NAME,
    CANNOT_HOLD,
    MATRIX,
    MOVERS,
    SOURCES,
    Carries,
    applicable,
    cell,
)

EVERYTHING_COUNTED = dict.fromkeys(OF_KIND[AssetKind.BUCKET], 0)


def usage(**counts: int) -> FeatureUsage:
    return FeatureUsage(
        counts={**EVERYTHING_COUNTED, **{Feature[name.upper()]: count for name, count in counts.items()}}
    )


def test_every_cell_names_a_source_that_is_listed() -> None:
    cells = [each for row in (*MATRIX.values(), *CANNOT_HOLD.values()) for each in row.values()]
    assert cells
    assert {each.source for each in cells} <= set(SOURCES)


def test_every_source_is_used_by_a_cell() -> None:
    used = {each.source for row in (*MATRIX.values(), *CANNOT_HOLD.values()) for each in row.values()}
    assert set(SOURCES) == used


def test_every_row_is_of_a_mover_that_exists_and_moves_things_with_such_features() -> None:
    assert set(MATRIX) <= set(BY_NAME)
    for name, row in MATRIX.items():
        known = {feature for kind in BY_NAME[name].kinds for feature in OF_KIND.get(kind, ())}
        assert set(row) <= known, name


def test_tags_that_are_used_are_said_with_their_number_and_the_mover_that_drops_them_is_not_taken() -> None:
    movers = [BY_NAME["storage_transfer"], BY_NAME["atoll"]]
    choice = choose(movers, AssetKind.BUCKET, target="minio", usage=usage(tags=3412))
    assert choice is not None
    assert choice.mover.name == "atoll"
    assert choice.loses == ()
    ((other, why),) = choice.others
    assert other.name == "storage_transfer"
    assert why == "3,412 have tags; Storage Transfer Service of Google Cloud drops them"


def test_the_first_of_those_that_lose_nothing_is_taken() -> None:
    choice = choose([BY_NAME["datasync"], BY_NAME["atoll"]], AssetKind.BUCKET, target="minio", usage=usage())
    assert choice is not None
    assert choice.mover.name == "datasync"
    assert choice.why == "loses nothing that is used"


def test_what_nobody_looked_at_is_never_nothing() -> None:
    choice = choose([BY_NAME["atoll"]], AssetKind.BUCKET, target="minio", usage=None)
    assert choice is not None
    assert not choice.counted
    assert Feature.ACLS in {each.feature for each in choice.unlooked}
    assert "not looked at yet" in choice.why
    assert "nothing" not in choice.why


def test_a_target_that_cannot_hold_tags_loses_them_whatever_moves_them() -> None:
    candidates = applicable(AssetKind.BUCKET, source="aws", target="gcs")
    assert len(candidates) > 1
    for mover in candidates:
        lost = losses(mover, AssetKind.BUCKET, target="gcs", usage=usage(tags=5))
        assert [each.text for each in lost if each.count] == ["5 have tags; the target (gcs) cannot hold them"]
    choice = choose(candidates, AssetKind.BUCKET, target="gcs", usage=usage(tags=5))
    assert choice is not None
    assert choice.mover.name == "atoll"
    assert [each.count for each in choice.loses] == [5]
    assert choice.why == "nothing that applies loses less"


def test_what_no_page_says_counts_as_lost_where_it_is_used() -> None:
    assert cell("atoll", Feature.TAGS, kind=AssetKind.BUCKET, target="coreweave").carries is Carries.NOT_KNOWN
    (lost,) = losses(BY_NAME["atoll"], AssetKind.BUCKET, target="coreweave", usage=usage(tags=1))
    assert lost.text.endswith("is not known to keep them")


def test_a_store_has_no_say_over_file_systems() -> None:
    assert cell("rsync", Feature.ACLS, kind=AssetKind.FILE_SYSTEM, target="aws").carries is Carries.KEPT
    choice = choose(
        applicable(AssetKind.FILE_SYSTEM, source="aws", target="aws"), AssetKind.FILE_SYSTEM, target="aws", usage=None
    )
    assert choice is not None
    assert choice.mover.name == "rsync"
    assert choice.unlooked == ()


@pytest.mark.parametrize(
    "kind", [each for each in AssetKind if each not in {AssetKind.KEY, AssetKind.LOGS, AssetKind.REGISTRY}]
)
def test_every_kind_that_is_moved_has_a_mover_between_any_two_places(kind: AssetKind) -> None:
    assert applicable(kind, source="nebius", target="lambda")


def test_services_of_a_provider_apply_to_its_own_stores_only() -> None:
    names = {each.name for each in applicable(AssetKind.BUCKET, source="aws", target="gcs")}
    assert "s3_replication" not in names
    assert "storage_transfer" in names
    assert [each.name for each in applicable(AssetKind.BUCKET, source="minio", target="seaweedfs")] == ["atoll"]


def test_nothing_moves_what_has_no_mover() -> None:
    assert choose((), AssetKind.KEY, target="aws", usage=None) is None


@given(counts=some.dictionaries(some.sampled_from(list(OF_KIND[AssetKind.BUCKET])), some.integers(0, 10**6)))
def test_no_other_mover_loses_less_of_what_is_missed(counts: dict[Feature, int]) -> None:
    asked = FeatureUsage(counts=counts)
    candidates = [each for each in MOVERS if AssetKind.BUCKET in each.kinds]
    choice = choose(candidates, AssetKind.BUCKET, target="minio", usage=asked)
    assert choice is not None

    def weight(name: str) -> int:
        found = losses(BY_NAME[name], AssetKind.BUCKET, target="minio", usage=asked)
        return sum(each.count or 0 for each in found if is_relevant_loss(each.feature, AssetKind.BUCKET))

    assert weight(choice.mover.name) == min(weight(each.name) for each in candidates)
    assert sum(each.count or 0 for each in choice.loses if each.missed) == weight(choice.mover.name)
