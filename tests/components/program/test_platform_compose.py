from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pytest
from look import of_type
from platform_samples import run_part, spec_with
from programs import program_of

from catalogs.software.reader import parts
from components.platform.building_blocks.context import Charges, PlatformContext, RegisteredComponent
from components.platform.installation import BUILDERS, in_order
from operations.offline.program import run
from planning.spec.platform import Platform
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from planning.spec.cluster import ClusterSpec


def _asks_twice(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    del charges, options
    ground.keyring.get_secret("key")
    ground.keyring.hash_secret("key")
    return RegisteredComponent(resource=ground.keyring)


def platform_of(spec: ClusterSpec) -> Platform:
    assert spec.platform is not None
    return spec.platform


@pytest.mark.parametrize("size", ["small", "standard", "full"])
def test_every_part_comes_after_what_it_needs(size: str) -> None:
    order = [part.name for part in in_order(platform_of(spec_with(platform={"size": size})))]
    assert len(order) == len(set(order)) > 20
    for at, name in enumerate(order):
        assert not set(parts()[name].needs) & set(order[at:]), name


def test_every_part_of_the_catalog_has_a_builder_and_every_builder_a_part() -> None:
    assert set(BUILDERS) == set(parts())


def test_every_part_is_chosen_or_skipped_with_a_reason() -> None:
    decided = platform_of(spec_with())
    chosen = {part.name for part in decided.parts}
    skipped = {part.name: part.reason for part in decided.skipped}
    assert chosen | set(skipped) == set(parts())
    assert not chosen & set(skipped)
    assert all(skipped.values())


def test_the_small_platform_has_no_knative_and_no_katib_unless_asked() -> None:
    small = platform_of(spec_with(platform={"size": "small"}))
    assert not any(small.part(name) for name in ("knative", "katib", "pipelines"))
    assert platform_of(spec_with(platform={"size": "small", "extra": ["katib"]})).part("katib")


def test_software_outside_the_tested_release_is_refused() -> None:
    spec = spec_with()
    decided = platform_of(spec)
    others = tuple(
        part.model_copy(update={"version": "0.0.1"}) if part.name == "loki" else part for part in decided.parts
    )
    changed = spec.model_copy(update={"platform": decided.model_copy(update={"parts": others})})
    with pytest.raises(AtollError, match=r"loki 0\.0\.1, which was tested at"):
        run("sample", program=program_of(changed))


def test_a_generated_secret_is_made_once_however_often_it_is_asked_for() -> None:
    run_of_keys = run_part("namespaces", _asks_twice, spec_with())
    assert [each.name for each in of_type(run_of_keys, "random:index/randomPassword:RandomPassword")] == ["key"]
