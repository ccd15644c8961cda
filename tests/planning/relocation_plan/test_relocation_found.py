"""What a running cluster says: volumes, databases, counts of what people made, names of secrets and no values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from operations.clouds.kubernetes.objects import ClusterError, ResourceKind
from operations.relocation.cluster.inventory import read_cluster_inventory
from planning.relocation.inventory import assets
from planning.relocation.inventory.assets import AssetTreatment, Loss


def meta(namespace: str, name: str, **more: object) -> dict[str, object]:
    return {"metadata": {"namespace": namespace, "name": name, **more}}


def server(namespace: str, name: str, image: str) -> dict[str, object]:
    return {**meta(namespace, name), "spec": {"template": {"spec": {"containers": [{"image": image}]}}}}


def claim(
    namespace: str, name: str, *, size: str = "20Gi", storage: str = "atoll-disk", **more: object
) -> dict[str, object]:
    spec = {"storageClassName": storage, "resources": {"requests": {"storage": size}}}
    return {**meta(namespace, name, **more), "spec": spec}


class Fake:
    """A cluster of a few objects."""

    def __init__(self, **objects: Sequence[Mapping[str, object]]) -> None:
        self.objects = objects
        self.names_only: list[str] = []

    def list_objects(self, kind: ResourceKind, *, names_only: bool = False) -> Sequence[Mapping[str, object]]:
        if names_only:
            self.names_only.append(kind.plural)
        return self.objects.get(kind.plural, ())


class Broken:
    def __init__(self, fault: Exception) -> None:
        self.fault = fault

    def list_objects(self, kind: ResourceKind, *, names_only: bool = False) -> Sequence[Mapping[str, object]]:
        del kind, names_only
        raise self.fault


def by_key(fake: Fake) -> dict[str, assets.StatefulAsset]:
    said = read_cluster_inventory(fake)
    assert said.silence == ""
    return {each.key: each for each in said.things}


def test_volumes_of_people_are_moved_and_those_of_parts_databases_and_tiers_are_known_already() -> None:
    keys = by_key(
        Fake(
            persistentvolumeclaims=[
                claim("work-research", "anna", size="20Gi"),
                claim("work-research", "shared", storage="atoll-shared"),
                claim("work-research", "db-1", labels={"cnpg.io/cluster": "own"}),
                claim("observability", "prometheus-0"),
                claim("default", "strange"),
            ]
        )
    )
    volumes = {key for key in keys if key.startswith("volumes/")}
    assert volumes == {"volumes/work-research/anna", "volumes/default/strange"}
    anna = keys["volumes/work-research/anna"]
    assert (anna.loss, anna.treatment) == (Loss.IRREPLACEABLE, AssetTreatment.MOVED)
    assert anna.bytes is not None
    assert anna.bytes.max == 20 * 2**30
    assert anna.bytes.min == 0


def test_databases_are_recognised_by_operator_image_and_address() -> None:
    keys = by_key(
        Fake(
            clusters=[
                {**meta("mlflow", "mlflow-database"), "spec": {"storage": {"size": "20Gi"}}},
                {**meta("work-a", "own"), "spec": {}},
            ],
            deployments=[
                server("kubeflow", "mysql", "docker.io/library/mysql:8.4.8"),
                server("work-a", "orders", "registry.example/bitnami/postgresql@sha256:0"),
                server("kubeflow", "exporter", "prom/mysqld-exporter:1"),
                server("kubeflow", "model-catalog-postgres", "postgres:16"),
            ],
            configmaps=[{**meta("kubeflow", "pipeline-install-config"), "data": {"dbHost": "rds.example"}}],
        )
    )
    databases = {
        key: each.kind
        for key, each in keys.items()
        if each.kind in {assets.AssetKind.POSTGRESQL, assets.AssetKind.MYSQL}
    }
    assert databases == {
        "database/mlflow": assets.AssetKind.POSTGRESQL,
        "database/work-a/own": assets.AssetKind.POSTGRESQL,
        "database/pipelines": assets.AssetKind.MYSQL,
        "database/work-a/orders": assets.AssetKind.POSTGRESQL,
        "database/outside/rds.example": assets.AssetKind.MYSQL,
    }


def test_what_people_made_is_counted_and_secrets_are_named_without_their_values() -> None:
    fake = Fake(
        notebooks=[meta("work-a", "anna"), meta("work-a", "ben")],
        inferenceservices=[meta("work-a", "chat")],
        secrets=[
            meta("work-a", "hf-token"),
            meta("work-a", "sh.helm.release.v1.x.v1"),
            meta("work-a", "made", ownerReferences=[{"kind": "Certificate"}]),
            meta("work-a", "ours", labels={"app.kubernetes.io/managed-by": "pulumi"}),
            meta("kube-system", "other"),
        ],
    )
    keys = by_key(fake)
    assert keys["objects/people"].locator == "2 Notebook, 1 InferenceService"
    assert keys["secrets/people"].locator == "work-a/hf-token"
    assert fake.names_only == ["secrets"]


def test_a_cluster_that_refuses_or_is_silent_is_said_and_nothing_is_guessed() -> None:
    refused = read_cluster_inventory(Broken(ClusterError("the cluster refused GET /api: 403")))
    assert refused.silence == "the cluster refused GET /api: 403"
    assert refused.things == ()
