from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import specs
from look import at, of_type
from platform_samples import BUCKET, run_part, spec_with

from components.platform.building_blocks import manifests
from components.platform.foundation import istio
from components.platform.kubeflow import katib, model_registry, pipelines
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from components.platform.building_blocks.manifests import Patch
    from operations.offline.program import OfflineRun

FULL = {"size": "full"}
PARTS: dict[str, Any] = {"pipelines": pipelines, "katib": katib, "model_registry": model_registry}


def registered(name: str, **platform: Any) -> tuple[OfflineRun, list[Patch]]:
    """What a part registers, and how it changes upstream's manifests."""
    module = PARTS[name]
    original = module.manifests
    seen: list[list[Patch]] = []

    def watched(*arguments: Any, **named: Any) -> Any:
        seen.append(arguments[1])
        return original(*arguments, **named)

    module.manifests = watched
    try:
        run = run_part(name, module.build, spec_with(specs.aws_cluster(), platform={**FULL, **platform}), bucket=BUCKET)
    finally:
        module.manifests = original
    return run, seen[0]


def patches(overlay: list[Patch], kind: str, name: str) -> list[Patch]:
    return [each for each in overlay if (each.kind, each.name) == (kind, name)]


def environment(overlay: list[Patch], deployment: str) -> dict[str, Any]:
    changes = [each.change for each in patches(overlay, "Deployment", deployment) if each.change]
    containers: Any = changes[0]["spec"]["template"]["spec"]["containers"]  # type: ignore[index]
    return {each["name"]: each for each in containers[0]["env"]}


@pytest.mark.parametrize(
    ("part", "secrets"),
    [
        ("pipelines", {"mlpipeline-minio-artifact", "mysql-secret"}),
        ("katib", {"katib-mysql-secrets"}),
        ("model_registry", {"model-registry-db-secrets", "model-catalog-postgres"}),
    ],
)
def test_every_secret_that_upstream_publishes_is_replaced_by_a_generated_one(part: str, secrets: set[str]) -> None:
    run, overlay = registered(part)
    assert {at(each, "metadata", "name") for each in of_type(run, "kubernetes:core/v1:Secret")} == secrets
    dropped = {each.name for each in overlay if each.kind == "Secret" and each.change is None}
    assert dropped >= secrets
    assert of_type(run, "random:index/randomPassword:RandomPassword")


def test_the_placeholder_for_hugging_face_is_left_out() -> None:
    _, overlay = registered("model_registry")
    assert patches(overlay, "Secret", "model-catalog-hf-api-key")


def test_upstreams_own_store_and_its_controller_of_namespaces_are_left_out() -> None:
    _, overlay = registered("pipelines")
    gone = {(each.kind, each.name) for each in overlay if each.change is None and not each.operations}
    assert {
        ("Deployment", "seaweedfs"),
        ("StatefulSet", "metacontroller"),
        ("PersistentVolumeClaim", "seaweedfs-pvc"),
    } <= gone


def test_pipelines_use_our_store_with_tls_and_its_own_authority() -> None:
    _, overlay = registered("pipelines")
    env = environment(overlay, "ml-pipeline")
    assert env["OBJECTSTORECONFIG_HOST"]["value"] == "s3.object-store.svc.cluster.local"
    assert env["OBJECTSTORECONFIG_SECURE"]["value"] == "true"
    assert env["CABUNDLE_SECRET_NAME"]["value"] == "s3-ca"
    assert environment(overlay, "ml-pipeline-ui")["NODE_EXTRA_CA_CERTS"]["value"] == "/kfp/store/ca.crt"


def test_with_the_providers_bucket_there_are_no_keys_and_no_authority_of_ours() -> None:
    run, overlay = registered("pipelines", object_store="provider")
    assert not [each for each in run.resources if each.inputs.get("kind") == "Certificate"]
    assert "CABUNDLE_SECRET_NAME" not in environment(overlay, "ml-pipeline")
    assert environment(overlay, "ml-pipeline")["OBJECTSTORECONFIG_PIPELINEPATH"]["value"] == "pipelines/definitions"


def test_a_store_that_speaks_no_s3_is_refused_with_a_way_out() -> None:
    other = BUCKET.__class__(name="b", endpoint="https://storage.googleapis.com", region="us", scheme="gs")
    spec = spec_with(specs.aws_cluster(), platform={**FULL, "object_store": "provider"})
    with pytest.raises(AtollError, match="over S3"):
        run_part("pipelines", pipelines.build, spec, bucket=other)


@pytest.mark.parametrize(("part", "database"), [("pipelines", "mysql"), ("katib", "katib-mysql")])
def test_no_database_lets_anybody_in_without_a_password(part: str, database: str) -> None:
    _, overlay = registered(part)
    assert environment(overlay, database)["MYSQL_ALLOW_EMPTY_PASSWORD"] == {
        "name": "MYSQL_ALLOW_EMPTY_PASSWORD",
        "$patch": "delete",
    }


@pytest.mark.parametrize("part", sorted(PARTS))
def test_volumes_are_on_the_clusters_network_disks(part: str) -> None:
    _, overlay = registered(part)
    (patch,) = patches(overlay, "PersistentVolumeClaim", ".*")
    assert patch.change == {"spec": {"storageClassName": "disk"}}


def test_what_katib_starts_in_namespaces_passes_the_restricted_standard() -> None:
    seen: list[Any] = []

    def build(ground: Any, charges: Any, options: Any) -> Any:
        seen.append(katib.configuration(ground))
        return katib.build(ground, charges, options)

    run_part("katib", build, spec_with(specs.aws_cluster(), platform=FULL))
    suggestions = seen[0]["runtime"]["suggestions"]
    assert len(suggestions) > 8
    assert all(each["securityContext"]["runAsNonRoot"] for each in suggestions)
    assert seen[0]["init"]["controller"]["injectSecurityContext"] is True


def test_the_keeper_keeps_only_what_it_was_told_to() -> None:
    import pulumi

    keep = manifests.build_retention_transform(manifests.DEFINITION, ending="profiles.kubeflow.org", protect=True)

    def asked(type_: str, name: str) -> Any:
        return keep(pulumi.ResourceTransformArgs(True, type_, name, {}, pulumi.ResourceOptions()))

    kept = asked(manifests.DEFINITION, "dashboard:profiles.kubeflow.org")
    assert kept.opts.protect is True
    assert kept.opts.retain_on_delete is True
    assert asked(manifests.DEFINITION, "dashboard:poddefaults.kubeflow.org") is None
    assert asked("kubernetes:core/v1:Secret", "dashboard:profiles.kubeflow.org") is None


@pytest.mark.parametrize(
    ("part", "stays"), [("pipelines", True), ("katib", True), ("model_registry", True), ("", False)]
)
def test_the_namespace_stays_where_volumes_in_it_are_kept(part: str, *, stays: bool) -> None:
    import pulumi

    ground: Any = SimpleNamespace(has=lambda name: name == part)
    asked = [
        keep(pulumi.ResourceTransformArgs(True, manifests.NAMESPACE, f"istio:{name}", {}, pulumi.ResourceOptions()))
        for keep in istio.build_retention_transforms(ground)
        for name in ("kubeflow", "kubeflow-system")
    ]
    assert [each is not None for each in asked] == ([True, False] if stays else [])
