"""Slurm: its share of the nodes, who signs in, and that what it holds Kubernetes does not promise too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import specs
from chart_values import PLATFORM, chart, faults
from look import at, of_type, one
from platform_samples import run_part, spec_with

from components.platform.scheduling import slurm
from components.platform.scheduling.slurm import account_id, lines
from planning.checklist.model.vocabulary import Orchestration
from planning.costs.resources.resource import Secret
from planning.platform.queues import shares, without_slurm_nodes

if TYPE_CHECKING:
    from planning.spec.cluster import ClusterSpec

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEmorg2hTqJVNiWuOqVTLx7ZwcTD5BHZvQ8A0AbcDeFg"
ADA = {"name": "ada", "email": "ada@lagoon-labs.example", "group": "admin", "ssh_key": KEY}
RELEASE = "kubernetes:helm.sh/v3:Release"


def spec_of(orchestration: str = "slurm", *, working: int = 4, least: int = 2, **changes: Any) -> ClusterSpec:
    spec = spec_with(specs.aws_cluster(), orchestration=orchestration, **changes)
    pools = tuple(
        pool.model_copy(update={"working": working, "min_nodes": least, "max_nodes": working})
        if pool.workload == "burst"
        else pool
        for pool in spec.pools
    )
    return spec.model_copy(update={"orchestration": Orchestration(orchestration), "pools": pools})


def values(spec: ClusterSpec) -> Any:
    return at(one(run_part("slurm", slurm.build_slurm, spec), RELEASE, "slurm"), "values")


def nodeset(spec: ClusterSpec) -> Any:
    return values(spec)["nodesets"]["burst"]


def test_all_working_nodes_are_slurms_where_nothing_else_starts_jobs() -> None:
    (share,) = shares(spec_of())
    assert (share.pool.name, share.nodes, share.standing) == ("burst", 4, 2)


@pytest.mark.parametrize(("working", "nodes"), [(4, 2), (5, 2)])
def test_half_of_them_where_kubernetes_starts_jobs_too(working: int, nodes: int) -> None:
    (share,) = shares(spec_of("both", working=working))
    assert share.nodes == nodes


def test_a_pool_of_one_node_stays_with_kubernetes() -> None:
    assert shares(spec_of("both", working=1)) == ()


@pytest.mark.parametrize(("orchestration", "working"), [("kubernetes", 5), ("both", 3), ("slurm", 0)])
def test_queues_promise_the_nodes_that_slurm_does_not_have(orchestration: str, working: int) -> None:
    spec = spec_of(orchestration, working=5)
    kinds = {work.name: work.kind for work in spec.platform.works} if spec.platform else {}
    seen = without_slurm_nodes(spec.pools, kinds=kinds, orchestration=spec.orchestration)
    assert next(pool.working for pool in seen if pool.name == "burst") == working
    others = [(old, new) for old, new in zip(spec.pools, seen, strict=True) if old.name != "burst"]
    assert all(old == new for old, new in others)


@pytest.mark.skipif(not PLATFORM.is_dir(), reason="the chart's own values are not on this machine")
def test_every_value_of_a_node_set_and_of_the_login_pod_exists_among_the_charts_defaults() -> None:
    found = values(spec_of(access={"users": [ADA]}))
    (workers,), (people,) = found["nodesets"].values(), found["loginsets"].values()
    own = ("extraConfMap", "partition.configMap", "slurmd.resources")  # words of Slurm, and names of devices
    free = frozenset(f"nodesetDefaults.{each}" for each in own)
    assert faults(chart("slurm", free), {"nodesetDefaults": workers, "loginsetDefaults": people}) == []


def test_without_slurm_it_has_nothing() -> None:
    assert shares(spec_of("kubernetes")) == ()


def test_workers_of_a_pool_that_scales_to_zero_do_not_keep_it_up() -> None:
    assert nodeset(spec_of(least=0))["replicas"] == 0
    assert nodeset(spec_of(least=2))["replicas"] == 2


def test_a_worker_holds_its_nodes_accelerators_and_tolerates_their_taint() -> None:
    found = nodeset(spec_of())
    assert found["slurmd"]["resources"]["limits"]["nvidia.com/gpu"] == 8
    assert found["extraConfMap"] == {"Gres": ["gpu:8"]}
    assert {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"} in found["podSpec"]["tolerations"]
    assert found["podSpec"]["nodeSelector"]["atoll/pool"] == "burst"
    assert values(spec_of())["configFiles"] == {"gres.conf": "AutoDetect=nvidia\n"}


def test_no_worker_tolerates_a_node_that_is_not_tested_yet() -> None:
    assert "burn-in" not in str(nodeset(spec_of()))


def test_the_first_pool_is_the_default_partition() -> None:
    assert nodeset(spec_of())["partition"]["configMap"]["Default"] == "YES"


def test_everybody_with_a_key_has_an_account_and_nobody_a_password() -> None:
    run = run_part("slurm", slurm.build_slurm, spec_of(access={"users": [ADA]}))
    people = at(one(run, "kubernetes:core/v1:ConfigMap", "slurm-people"), "data")
    assert people["passwd"] == f"ada:x:{account_id('ada')}:{account_id('ada')}:ada:/home/ada:/bin/bash\n"  # type: ignore[index,call-overload]
    assert people["key-ada"] == f"{KEY}\n"  # type: ignore[index,call-overload]
    assert people["shadow"].startswith("ada:*:")  # type: ignore[index,call-overload,union-attr]
    login = at(one(run, RELEASE, "slurm"), "values", "loginsets", "people")
    assert "PermitRootLogin no" in login["extraSshdConfig"]  # type: ignore[index,call-overload,operator]
    assert login["service"] == {"spec": {"type": "ClusterIP"}}  # type: ignore[index,call-overload]


def test_nobody_with_a_key_means_no_login_pod() -> None:
    assert "loginsets" not in values(spec_of())


def test_a_persons_number_does_not_hang_on_who_else_is_there() -> None:
    alone, together = lines({"ada": KEY})["passwd"], lines({"bob": KEY, "ada": KEY})["passwd"]
    assert alone in together


def test_the_keys_of_the_daemons_are_generated_by_us() -> None:
    run = run_part("slurm", slurm.build_slurm, spec_of())
    secret = one(run, "kubernetes:core/v1:Secret", "slurm-keys")
    assert isinstance(at(secret, "stringData"), Secret)
    found = at(one(run, RELEASE, "slurm"), "values")
    assert found["slurmKey"]["create"] is False  # type: ignore[index,call-overload]
    assert secret.urn in one(run, RELEASE, "slurm").dependencies


def test_that_there_is_no_node_for_it_is_said(caplog: pytest.LogCaptureFixture) -> None:
    run_part("slurm", slurm.build_slurm, spec_of("both", working=1))
    assert "Slurm has no node" in caplog.text


def test_the_operator_brings_its_definitions_and_lets_the_api_call_its_webhook() -> None:
    run = run_part("slurm_operator", slurm.build_slurm_operator, spec_of())
    assert at(one(run, RELEASE, "slurm-operator"), "values", "crds") == {"enabled": True}
    (policy,) = of_type(run, "kubernetes:networking.k8s.io/v1:NetworkPolicy")
    assert at(policy, "spec", "ingress", 0, "ports", 0, "port") == 9443
