from __future__ import annotations

import pytest
import specs
from look import at, of_type
from platform_samples import run_part, spec_with

from components.platform.kubeflow import training
from components.platform.kubeflow.training import BY_FRAMEWORK, runtimes_of
from operations.offline.program import OfflineRun
from planning.checklist.model.vocabulary import Framework
from planning.costs.resources.resource import Resource
from planning.values.errors import AtollError


@pytest.fixture(scope="module")
def made() -> dict[str, Resource]:
    run = run_part("runtimes", training.build_runtimes, spec_with(specs.aws_cluster()))
    return {each.name: each for each in run.resources if each.inputs.get("kind") == "ClusterTrainingRuntime"}


def pods(runtime: Resource) -> list[dict[str, object]]:
    jobs = at(runtime, "spec", "template", "spec", "replicatedJobs")
    return [job["template"]["spec"]["template"] for job in jobs]  # type: ignore[union-attr,index]


def test_each_framework_of_the_checklist_has_its_runtime(made: dict[str, Resource]) -> None:
    assert set(made) == {"torch-distributed", "jax-distributed", "deepspeed-distributed"}


def test_every_framework_is_decided_about() -> None:
    assert set(BY_FRAMEWORK) == {each.value for each in Framework}
    with pytest.raises(AtollError, match="fortran"):
        runtimes_of(["fortran"])


def test_the_runtime_of_pytorch_is_always_there() -> None:
    assert [each.name for each in runtimes_of(["tensorflow"])] == ["torch-distributed"]


def test_training_pods_pass_the_restricted_standard_without_a_sidecar(made: dict[str, Resource]) -> None:
    for runtime in made.values():
        for pod in pods(runtime):
            assert pod["metadata"] == {"labels": {"sidecar.istio.io/inject": "false"}}
            (container,) = pod["spec"]["containers"]  # type: ignore[index]
            context = container["securityContext"]
            assert context["runAsNonRoot"] is True
            assert context["seccompProfile"] == {"type": "RuntimeDefault"}
            assert context["capabilities"] == {"drop": ["ALL"]}


def test_every_image_has_an_exact_tag(made: dict[str, Resource]) -> None:
    for runtime in made.values():
        for pod in pods(runtime):
            image = pod["spec"]["containers"][0]["image"]  # type: ignore[index]
            assert ":" in image
            assert not image.endswith("latest")


def test_mpi_has_a_launcher_and_nodes_that_listen(made: dict[str, Resource]) -> None:
    mpi = made["deepspeed-distributed"]
    assert at(mpi, "spec", "mlPolicy", "mpi", "mpiImplementation") == "OpenMPI"
    launcher, node = pods(mpi)
    assert "command" not in launcher["spec"]["containers"][0]  # type: ignore[index]
    assert node["spec"]["containers"][0]["command"] == ["/usr/sbin/sshd"]  # type: ignore[index]


def test_upstreams_runtimes_are_left_out() -> None:
    run: OfflineRun = run_part("trainer", training.build_trainer, spec_with())
    assert of_type(run, "kubernetes:kustomize/v2:Directory")
