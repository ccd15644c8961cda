"""What sees nodes fail where no provider does: one owner, few rights, on every node, and counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
import specs
from look import at, of_type, one
from platform_samples import checklist, run_part, spec_with

from catalogs.catalog import load
from catalogs.providers import profiles
from catalogs.software.reader import images_of, parts
from components.platform.operations import node_problem_detector as detector
from planning.checklist.rules.platform_components import ROLES
from planning.quoting.assembly.cluster import profile_of
from planning.quoting.assembly.platform import FORBIDDEN, platform
from planning.sizing import assumptions

if TYPE_CHECKING:
    from operations.offline.program import OfflineRun

PART: Final = "node_problem_detector"


def skipped(provider: str, *, forbidden: tuple[str, ...] = (), **asked: Any) -> str:
    """Why the part is left out; "" where it is installed."""
    profile = profile_of(provider, load())
    profile = profile.model_copy(update={"forbidden": (*profile.forbidden, *forbidden)})
    decided = platform(checklist(**asked), profile=profile, pools=specs.POOLS)
    reasons = {each.name: each.reason for each in decided.skipped}
    assert (decided.part(PART) is None) == (PART in reasons)
    return reasons.get(PART, "")


def registered() -> OfflineRun:
    spec = specs.existing_cluster(profile=specs.RENTED.model_copy(update={"node_repair": "none"}))
    return run_part(PART, detector.build, spec_with(spec))


@pytest.mark.parametrize("provider", sorted(profiles().keys() - {"on_premises"} | {"runpod"}))
def test_it_is_installed_exactly_where_no_provider_repairs_nodes(provider: str) -> None:
    assert bool(skipped(provider)) == (profile_of(provider, load()).node_repair == "provider")


def test_it_is_left_out_where_privileged_pods_are_forbidden_or_nobody_wants_it() -> None:
    assert skipped("hyperstack", forbidden=("burn_in",)) == FORBIDDEN
    assert skipped("hyperstack", platform={"without": [PART]}) == "left out by platform.without"


def test_every_part_that_has_an_owner_has_words_for_what_it_owns() -> None:
    assert {role for part in parts().values() for role in part.owns} <= set(ROLES)


def test_it_stands_on_every_node_whatever_its_taints() -> None:
    pod = at(one(registered(), "kubernetes:apps/v1:DaemonSet", detector.NAME), "spec", "template", "spec")
    assert pod["tolerations"] == [{"operator": "Exists"}]
    assert pod["nodeSelector"] == {"kubernetes.io/os": "linux"}


def test_of_its_node_it_sees_the_kernels_log_and_nothing_else() -> None:
    found = registered()
    pod: Any = at(one(found, "kubernetes:apps/v1:DaemonSet", detector.NAME), "spec", "template", "spec")
    assert [each["hostPath"] for each in pod["volumes"] if "hostPath" in each] == [
        {"path": "/dev/kmsg", "type": "CharDevice"}
    ]
    (container,) = pod["containers"]
    assert all(mount["readOnly"] for mount in container["volumeMounts"])
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod)
    assert container["image"] in {each.pulled for each in images_of(PART)}
    said: Any = at(one(found, "kubernetes:core/v1:ConfigMap", detector.NAME), "data")
    assert f"--config.system-log-monitor=/rules/{detector.FILE}" in container["command"]
    assert json.loads(said[detector.FILE])["logPath"] == "/dev/kmsg"


def test_it_may_write_conditions_and_events_and_nothing_more() -> None:
    found = registered()
    wide, near = (one(found, f"kubernetes:rbac.authorization.k8s.io/v1:{kind}", detector.NAME).inputs["rules"]
                  for kind in ("ClusterRole", "Role"))  # fmt: skip
    assert [(rule["resources"], rule["verbs"]) for rule in wide] == [
        (["nodes"], ["get"]),
        (["nodes/status"], ["patch"]),
    ]
    assert [(rule["resources"], rule["verbs"]) for rule in near] == [(["events"], ["create", "patch", "update"])]
    bound = of_type(found, "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding")
    assert [at(each, "metadata", "namespace") for each in bound] == ["default"]


def test_its_footprint_is_a_pod_on_each_system_node() -> None:
    nodes, row = int(assumptions.SYSTEM_NODES.value), parts()[PART]
    assert row.cpu_millicores == int(detector.REQUESTS["cpu"].removesuffix("m")) * nodes
    assert row.memory_mib == int(detector.REQUESTS["memory"].removesuffix("Mi")) * nodes
