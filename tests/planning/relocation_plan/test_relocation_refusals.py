"""A relocation that cannot be is refused with every reason at once, each with a hint."""

from __future__ import annotations

from ipaddress import IPv4Network

import pytest
from relocation_plan_kit import Kit

from operations.relocation.config.plan_inputs import MeasuredFile
from planning.relocation.refusals import refusals
from planning.spec.lock import Lock
from planning.values.errors import InputError


def said(kit: Kit, target: Lock, *, source: Lock | None = None, file: MeasuredFile | None = None) -> list[str]:
    found = refusals(source or kit.source, target, kit.inventory(file))
    assert all(each.hint for each in found)
    return [each.message for each in found]


def changed(lock: Lock, **spec: object) -> Lock:
    home = lock.spec.model_copy(update=spec)
    return lock.model_copy(update={"placements": (home, *lock.placements[1:])})


def without_part(lock: Lock, name: str) -> Lock:
    assert lock.spec.platform is not None
    parts = tuple(each for each in lock.spec.platform.parts if each.name != name)
    return changed(lock, platform=lock.spec.platform.model_copy(update={"parts": parts}))


def with_version(lock: Lock, name: str, **changes: object) -> Lock:
    assert lock.spec.platform is not None
    parts = tuple(each.model_copy(update=changes) if each.name == name else each for each in lock.spec.platform.parts)
    return changed(lock, platform=lock.spec.platform.model_copy(update={"parts": parts}))


def test_a_relocation_that_can_be_is_not_refused(kit: Kit) -> None:
    assert said(kit, kit.west) == []
    assert said(kit, kit.google) == []


def test_the_same_stack_is_named_before_everything_else(kit: Kit) -> None:
    assert said(kit, kit.source)[0] == "source and target are the same stack"


def test_the_same_place_moves_nothing(kit: Kit) -> None:
    target = kit.source.model_copy(update={"stack": "twin"})
    found = said(kit, changed(target, network=kit.west.spec.network))
    assert found == ["both stacks are at aws us-east-1: nothing would move"]


def test_overlapping_ranges_are_named(kit: Kit) -> None:
    network = kit.west.spec.network.model_copy(update={"cidr": IPv4Network("10.64.128.0/17")})
    (found,) = said(kit, changed(kit.west, network=network))
    assert "10.64.0.0/16 overlaps the target's network 10.64.128.0/17" in found


def test_another_version_of_pipelines_is_refused_because_of_its_metadata_store(kit: Kit) -> None:
    (found,) = said(kit, with_version(kit.west, "pipelines", version="2.17.0"))
    assert "2.16.1 at the source and 2.17.0 at the target" in found
    assert "MLMD" in found


def test_another_version_of_what_keeps_nothing_is_not_refused(kit: Kit) -> None:
    assert said(kit, with_version(kit.west, "kueue", version="9.9.9")) == []


def test_a_part_that_is_missing_at_the_target_is_named_with_what_it_keeps(kit: Kit) -> None:
    (found,) = said(kit, without_part(kit.west, "katib"))
    assert found == "the target does not install Katib, where the source has: database of Katib"


def test_a_target_without_the_tier_is_refused(kit: Kit) -> None:
    (found,) = said(kit, changed(kit.west, storage=()))
    assert found == "the target has no cold tier, and the source keeps 50,000 GB there"


def test_a_bucket_takes_what_comes_and_a_file_system_does_not(kit: Kit) -> None:
    cold = kit.west.spec.storage[0]
    small = cold.model_copy(update={"asked_gb": cold.asked_gb / 10})
    assert said(kit, changed(kit.west, storage=(small,))) == []
    fixed = small.model_copy(update={"item": "shared_ssd"})
    (found,) = said(kit, changed(kit.west, storage=(fixed,)))
    assert found.startswith("target too small: its cold tier holds 5,000 GB")


def test_databases_and_drives_that_are_too_small_are_refused(kit: Kit) -> None:
    file = MeasuredFile.model_validate(
        {"things": {"database/mlflow": {"size": "900GB"}, "store/mlflow": {"size": "2TB"}}}
    )
    found = said(kit, kit.west, file=file)
    assert found == [
        "target too small: MLflow has 40 GB of disks, and 900 GB would come",
        "target too small: the drives of MinIO hold 150 GB, and 2,000 GB would come",
    ]


def test_data_that_may_not_leave_is_not_moved_out(kit: Kit) -> None:
    eu = kit.source.model_copy(update={"residency": "EU"})
    (found,) = said(kit, kit.west, source=eu)
    assert found == "data of atlas may lie in EU only, and aws us-west-2 is in US"


def test_a_region_that_nobody_knows_is_refused_where_residency_counts(kit: Kit) -> None:
    place = kit.west.spec.placement.model_copy(update={"region": "moon-1"})
    (found,) = said(kit, changed(kit.west, placement=place))
    assert found.endswith("is in an unknown area")


def test_all_reasons_come_at_once(kit: Kit) -> None:
    broken = with_version(without_part(changed(kit.west, storage=()), "katib"), "mlflow", version="1.0.0")
    with pytest.raises(InputError, match="3 reasons") as raised:
        kit.plan(broken)
    assert len(raised.value.faults) == 3
