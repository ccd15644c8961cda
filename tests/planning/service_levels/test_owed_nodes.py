"""What is owed of a cluster, as rules and reports both read it."""

from __future__ import annotations

from sla_samples import lock, pool, specs, tier

from planning.platform.alerts import availability
from planning.platform.alerts.availability import list_shared_tiers, list_slo_targets
from planning.platform.alerts.model import AlertFacts
from planning.platform.alerts.rulebook import rule_groups
from planning.service_levels.service_parts import list_parts


def test_spares_are_not_owed_and_what_scales_is_owed_from_its_least() -> None:
    reserved = specs.pool("train", working=4, spares=1, min_nodes=5, max_nodes=5)
    (train, burst) = list_slo_targets(specs.aws_cluster(pools=(reserved, pool("burst", fixed=1, most=3))))
    assert (train.fixed, train.most, train.elastic) == (4, 4, False)
    assert (train.accelerators, train.resource, train.fabric, train.ports) == (8, "nvidia_com_gpu", "efa", 32)
    assert (burst.fixed, burst.most, burst.elastic) == (1, 3, True)
    assert burst.fabric == ""


def test_pools_of_one_machine_are_one_where_nodes_carry_only_their_machine() -> None:
    pools = (pool("one", fixed=2, most=2), pool("two", fixed=0, most=3))
    (both,) = list_slo_targets(specs.existing_cluster(pools=pools))
    assert (both.pool, both.pools, both.fixed, both.most) == ("p5.48xlarge", ("one", "two"), 2, 5)


def test_two_shared_file_systems_cannot_be_told_apart() -> None:
    one, two = tier("warm", "shared_ssd"), tier("cold", "shared_disk")
    assert list_shared_tiers(specs.aws_cluster(storage=(one, tier("archive", "object")))) == ("warm",)
    assert list_shared_tiers(specs.aws_cluster(storage=(one, two))) == ()


def test_parts_name_the_lines_that_they_cost() -> None:
    found = lock()
    lines = {part.key: [found.bill[at].key for at in part.lines] for part in list_parts(found)}
    assert lines == {
        "nodes/train": ["pool/train/machine", "pool/train/disk"],
        "nodes/burst": ["pool/burst/machine"],
        "fabric/train": ["pool/train/machine", "pool/train/disk"],
        "storage/warm": ["storage/warm"],
        "control_plane": ["control_plane"],
    }


def test_every_part_is_recorded_though_nothing_was_promised() -> None:
    spec = lock().spec
    facts = AlertFacts(
        parts=frozenset(),
        pool_label="label_atoll_pool",
        prices={},
        other_usd_per_month=specs.HOURS,
        ceiling_usd_per_month=None,
        teams={},
        slo_percent=None,
        idle_minutes=60,
        gpu_pools=(),
        owed=list_slo_targets(spec),
        shared_tiers=list_shared_tiers(spec),
    )
    (group,) = [each for each in rule_groups(facts) if each.name == "atoll-delivered"]
    recorded = {(rule.name, *rule.as_rule().get("labels", {}).values()) for rule in group.rules}  # type: ignore[union-attr,attr-defined]
    wanted = {
        (name.metric, name.of) if name.of else (name.metric,) for part in list_parts(lock()) for name in part.names
    }
    assert recorded == wanted
    assert {name for name, *_ in recorded} == set(availability.RECORDED)
