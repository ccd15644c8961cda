from __future__ import annotations

import copy
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import pytest

from operations.clouds.kubernetes.objects import ResourceKind, name_of, namespace_of
from operations.relocation.cluster import recreation
from operations.relocation.cluster.recreation import clean_document, regional_images
from operations.relocation.databases.uri_rules import rules_of
from operations.relocation.runner.step import StepError
from operations.relocation.steps import smoke

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RULES = rules_of([("s3://old", "s3://new"), ("minio://old", "minio://new")])
UID = "0f0e0d0c-1111-2222-3333-{:012d}"


@dataclass
class Cluster:
    """A cluster in memory, that gives each object an id of its own and fills in what servers fill in."""

    first: int
    objects: dict[str, dict[tuple[str, str], dict[str, Any]]] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    node: str = "node-1"

    def list_objects(self, kind: ResourceKind, *, namespace: str = "") -> Sequence[Mapping[str, object]]:
        found = self.objects.get(kind.name, {})
        return [each for (space, _), each in sorted(found.items()) if namespace in {"", space}]

    def get(self, kind: ResourceKind, *, namespace: str, name: str) -> Mapping[str, object] | None:
        return self.objects.get(kind.name, {}).get((namespace, name))

    def change(self, kind: ResourceKind, *, namespace: str, name: str, change: Mapping[str, object]) -> bool:
        found = self.objects.get(kind.name, {}).get((namespace, name))
        if found is None:
            return False
        merged(found, cast("dict[str, Any]", change))
        return True

    def create(self, kind: ResourceKind, document: Mapping[str, object]) -> bool:
        key = (namespace_of(document), name_of(document))
        if key in self.objects.setdefault(kind.name, {}):
            return False
        kept = copy.deepcopy(cast("dict[str, Any]", document))
        self.first += 1
        kept["metadata"] = {**kept["metadata"], "uid": UID.format(self.first), "resourceVersion": "7"}
        kept.setdefault("status", {"phase": "Pending"})
        if kind.name == "Pod":
            kept["spec"]["nodeName"] = self.node
        self.objects[kind.name][key] = kept
        self.made.append(f"{kind.name} {key[0]}/{key[1]}")
        return True

    def delete(self, kind: ResourceKind, *, namespace: str, name: str) -> bool:
        self.deleted.append(f"{kind.name} {namespace}/{name}")
        return self.objects.get(kind.name, {}).pop((namespace, name), None) is not None


def merged(document: dict[str, Any], change: dict[str, Any]) -> None:
    for name, value in change.items():
        if isinstance(value, dict):
            merged(document.setdefault(name, {}), cast("dict[str, Any]", value))
        elif value is None:
            document.pop(name, None)
        else:
            document[name] = value


def schedule(name: str = "nightly", *, enabled: bool = True, cron: str = "0 0 2 * * *") -> dict[str, Any]:
    return {
        "apiVersion": "kubeflow.org/v1beta1",
        "kind": "ScheduledWorkflow",
        "metadata": {
            "name": name,
            "namespace": "team-vision",
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "note": "of s3://old/x"},
            "managedFields": [{}],
        },
        "spec": {
            "enabled": enabled,
            "trigger": {"cronSchedule": {"cron": cron}},
            "workflow": {"parameters": [{"name": "root", "value": "minio://old/v2/artifacts"}]},
        },
        "status": {"conditions": [{"type": "Enabled"}]},
    }


@pytest.fixture
def sides() -> tuple[Cluster, Cluster]:
    here, there = Cluster(0), Cluster(500)
    here.create(recreation.RECURRING, schedule())
    here.create(recreation.RECURRING, schedule("weekly", enabled=False))
    here.made.clear()
    return here, there


def test_recurring_runs_are_made_again_disabled_and_with_new_addresses(sides: tuple[Cluster, Cluster]) -> None:
    here, there = sides
    found = recreation.recreate_schedules(source=here, target=there, rules=RULES)
    assert found.made == ("team-vision/nightly", "team-vision/weekly")
    kept = cast("dict[str, Any]", there.get(recreation.RECURRING, namespace="team-vision", name="nightly"))
    assert kept["spec"]["enabled"] is False
    assert kept["spec"]["workflow"]["parameters"][0]["value"] == "minio://new/v2/artifacts"
    assert kept["metadata"]["annotations"] == {"note": "of s3://new/x"}
    assert kept["status"] == {"phase": "Pending"}, "the status is the target's own"
    assert found.uids == {UID.format(1): UID.format(501), UID.format(2): UID.format(502)}
    assert here.made == []
    assert here.deleted == []


def test_a_second_time_nothing_is_made_and_the_ids_are_the_same(sides: tuple[Cluster, Cluster]) -> None:
    here, there = sides
    first = recreation.recreate_schedules(source=here, target=there, rules=RULES)
    again = recreation.recreate_schedules(source=here, target=there, rules=RULES)
    assert again.made == ()
    assert again.there == ("team-vision/nightly", "team-vision/weekly")
    assert again.uids == first.uids
    assert recreation.summary({"x": again}) == {"x": {"made": [], "there_already": list(again.there)}}


def test_another_schedule_of_the_same_name_is_named_and_nothing_is_made(sides: tuple[Cluster, Cluster]) -> None:
    here, there = sides
    there.create(recreation.RECURRING, schedule("weekly", cron="0 0 5 * * *"))
    there.made.clear()
    with pytest.raises(StepError, match="another ScheduledWorkflow of the same name: team-vision/weekly"):
        recreation.recreate_schedules(source=here, target=there, rules=RULES)
    assert there.made == []


def test_what_another_object_makes_is_left_to_it() -> None:
    here, there = Cluster(0), Cluster(9)
    owned = schedule()
    owned["metadata"]["ownerReferences"] = [{"kind": "Thing"}]
    here.create(recreation.RECURRING, owned)
    assert recreation.recreate_schedules(source=here, target=there, rules=RULES).made == ()


def test_ids_are_changed_in_one_transaction_and_only_ids_get_in() -> None:
    old, new = UID.format(1), UID.format(501)
    script = recreation.statements({old: new})
    lines = script.splitlines()
    assert lines[0] == "START TRANSACTION;"
    assert lines[-1] == "COMMIT;"
    assert lines[1] == "UPDATE `jobs` SET `UUID` = 'NEW' WHERE `UUID` = 'OLD';".replace("NEW", new).replace("OLD", old)
    assert len(lines) == 6
    assert re.search(r"`ReferenceUUID` = '.*' AND `ReferenceType` = 'Job';", script)
    assert recreation.statements({}) == ""


def test_model_servers_are_made_stopped_and_run_at_commit_as_they_ran() -> None:
    here, there = Cluster(0), Cluster(500)
    service = recreation.SERVICES[0]
    document = {
        "metadata": {"name": "llm", "namespace": "team-vision"},
        "spec": {"predictor": {"model": {"storageUri": "s3://old/models/llm", "image": IMAGES[0]}}},
    }
    here.create(service, document)
    found = recreation.recreate_models(source=here, target=there, rules=RULES)
    kept = cast("dict[str, Any]", there.get(service, namespace="team-vision", name="llm"))
    assert kept["spec"]["predictor"]["model"]["storageUri"] == "s3://new/models/llm"
    assert kept["metadata"]["annotations"] == {recreation.STOP: "true"}
    assert (kept["apiVersion"], kept["kind"]) == ("serving.kserve.io/v1beta1", "InferenceService")
    assert recreation.images(list(found.values())) == [IMAGES[0]]
    memory = Remembering({recreation.memory_key_of_kind(service): {"made": True}})
    assert recreation.start_all(memory, source=here, target=there) == ["InferenceService team-vision/llm"]
    assert recreation.STOP not in kept["metadata"]["annotations"]


class Remembering(dict[str, object]):
    def remember(self, key: str, value: object) -> object:
        return self.setdefault(key, value)

    def recall(self, key: str) -> object | None:
        return self.get(key)


IMAGES = (
    "123456789012.dkr.ecr.eu-west-1.amazonaws.com/team/model:1",
    "europe-west4-docker.pkg.dev/project/repository/model@sha256:0",
)


def test_images_of_one_region_are_listed() -> None:
    document = {"spec": {"a": [{"image": IMAGES[0]}, {"image": "ghcr.io/kubeflow/x:1"}], "b": IMAGES[1]}}
    assert regional_images(document) == list(IMAGES)
    assert regional_images({"spec": {"note": "see 123456789012.dkr.ecr.eu-west-1.amazonaws.com/x"}}) == []


def test_what_the_old_server_wrote_is_not_taken_along() -> None:
    found = clean_document(schedule(), rules_of([]))
    assert set(found) == {"apiVersion", "kind", "metadata", "spec"}
    assert set(cast("dict[str, Any]", found["metadata"])) == {"name", "namespace", "annotations"}


def test_what_a_server_fills_in_beside_is_no_difference() -> None:
    assert recreation.matches_wanted({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2, "c": 3}], "d": 4})
    assert not recreation.matches_wanted({"a": [1]}, {"a": [1, 2]})
    assert not recreation.matches_wanted({"a": 1}, {})


def test_a_pod_is_placed_and_gone_again() -> None:
    there = Cluster(0)
    assert smoke.try_placement(there) == "node-1"
    assert there.list_objects(smoke.POD) == []


def test_a_pod_that_no_node_takes_is_named_and_gone_again() -> None:
    there = Cluster(0, node="")
    there.create(smoke.POD, smoke.manifest())  # of a run that was killed
    there.change(
        smoke.POD,
        namespace=smoke.NAMESPACE,
        name=smoke.NAME,
        change={"status": {"conditions": [{"type": "PodScheduled", "message": "0/3 nodes are available"}]}},
    )
    said = smoke.try_placement(there, sleep=lambda _: None)
    assert said == "! no node took it within 90 s: 0/3 nodes are available"
    assert there.list_objects(smoke.POD) == []
