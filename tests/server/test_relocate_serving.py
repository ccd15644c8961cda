"""Model servers of every kind as KServe's own definitions have them, made again at a real API server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import definitions
import pytest

from operations.clouds.kubernetes import client
from operations.relocation.cluster import recreation as kubeflow
from operations.relocation.cluster.client import RelocationCluster
from operations.relocation.databases.uri_rules import rules_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kube_client import KubeClient, Manifest

    from operations.clouds.kubernetes.objects import ResourceKind

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"]), definitions.here]

HOME = "work-served"
GROUP = "serving.kserve.io"
OLD, NEW = "s3://here/models/m", "s3://there/models/m"


def made(version: str, kind: str, spec: Mapping[str, object]) -> Manifest:
    metadata = {"name": "m", "namespace": HOME}
    return {"apiVersion": f"{GROUP}/{version}", "kind": kind, "metadata": metadata, "spec": dict(spec)}


# kvCacheOffloading is in the version of LLMInferenceService that is stored, and in no older one.
OBJECTS = (
    made("v1alpha1", "ServingRuntime", {"containers": [{"name": "kserve-container", "image": "none"}]}),
    made("v1beta1", "InferenceService", {"predictor": {"model": {"modelFormat": {"name": "x"}, "storageUri": OLD}}}),
    made("v1alpha2", "LLMInferenceService", {"model": {"uri": OLD}, "kvCacheOffloading": {"cpu": "1Gi"}}),
    made("v1alpha1", "InferenceGraph", {"nodes": {"root": {"routerType": "Sequence"}}}),
)


@dataclass
class Before:
    """The source as it was read: its objects are gone by the time at which they are made again."""

    found: dict[str, Sequence[Mapping[str, object]]]

    def list_objects(self, kind: ResourceKind, *, namespace: str = "") -> Sequence[Mapping[str, object]]:
        assert not namespace
        return self.found[kind.plural]


def test_every_model_server_is_made_again_stopped_with_every_field_that_is_stored(kube: KubeClient) -> None:
    kube.have_namespace(HOME)
    for each in OBJECTS:
        assert definitions.is_served(kube, each) or definitions.install(kube, GROUP, each["kind"])
        answer = kube.apply(each)
        assert answer.ok, answer.text
    with client.open_api(str(kube.plane.kubeconfig), context=None) as api:
        target = RelocationCluster(client.KubernetesClient(api))
        source: Any = Before(
            {kind.plural: target.list_objects(kind) for kind in (kubeflow.RUNTIMES, *kubeflow.SERVICES)}
        )
        kube.delete_all(OBJECTS)
        rules = rules_of([("s3://here", "s3://there")])
        told = kubeflow.recreate_models(source=source, target=target, rules=rules)
        assert {name: each.made for name, each in told.items()} == {each["kind"]: (f"{HOME}/m",) for each in OBJECTS}
        again = kubeflow.recreate_models(source=source, target=target, rules=rules)
        assert {name: each.there for name, each in again.items()} == {each["kind"]: (f"{HOME}/m",) for each in OBJECTS}
    runtime, *servers = (kube.get(each).json() for each in OBJECTS)
    assert kubeflow.STOP not in runtime["metadata"].get("annotations", {})
    assert {each["metadata"]["annotations"][kubeflow.STOP] for each in servers} == {"true"}
    assert servers[0]["spec"]["predictor"]["model"]["storageUri"] == NEW
    assert (servers[1]["spec"]["model"]["uri"], servers[1]["spec"]["kvCacheOffloading"]["cpu"]) == (NEW, "1Gi")
    kube.delete_all(OBJECTS)
