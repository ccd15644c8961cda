"""What is planned for a lock: everything that it has, nothing that it has not, and each thing by its name."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from catalogs.catalog import load
from catalogs.software.reader import images_of
from components.acceptance import job_context
from components.acceptance.job_context import code_files, code_items
from components.acceptance.jobs import foundation, list_unmeasured, plan_jobs
from components.acceptance.model import JOB_DONE, JOB_FAILED, JobState, StatusMatcher
from components.agents.measure import PACKAGE
from components.agents.measure import services as tries
from components.agents.measure.services import one_step
from planning.agents.measurement_records import CHECKS
from planning.checklist.reading.checklist_file import read_file
from planning.quoting.candidates.market import Market
from planning.quoting.quote_builder import quote
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.spec.cluster import ClusterSpec


ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def spec() -> ClusterSpec:
    """The demo's, of the option that the engineers take in the guides."""
    checklist = read_file(ROOT / "stacks/demo/checklist.yaml")
    found = quote(checklist, checklist_digest="", stack="demo", market=Market(load()), today=date(2026, 11, 21))
    return next(option.spec for option in found.options if "same_cloud" in option.views)


def names(count: int) -> list[str]:
    return [f"ip-10-64-0-{number}.ec2.internal" for number in range(count)]


def test_every_check_and_service_of_the_lock_is_planned_once(spec: ClusterSpec) -> None:
    jobs = plan_jobs(spec, nodes={"finetune-7b": names(1)}, run="r1", peers=("10.0.0.2:443",))
    ids = {check for job in jobs for check in job.checks}
    assert ids == {each.id for each in CHECKS} - {"burn_in", "all_reduce"}  # one node has no fabric
    assert len({job.name for job in jobs}) == len(jobs)
    services = {job.subject for job in jobs if job.checks == ("smoke",)}
    wanted = ("notebook", "pipeline", "training", "sweep", "serving", "mlflow", "s3")
    assert services == {f"service/home/{name}" for name in wanted}
    assert [job.stage for job in jobs] == sorted(job.stage for job in jobs)


@pytest.mark.parametrize(
    ("count", "groups"),
    [(1, []), (2, [2]), (3, [2, 2, 3]), (4, [4]), (9, [4, 4, 4, 8, 9]), (16, [4, 4, 4, 4, 8, 16])],
)
def test_every_node_is_in_one_of_the_smallest_groups(spec: ClusterSpec, count: int, groups: list[int]) -> None:
    nodes = names(count)
    jobs = [job for job in plan_jobs(spec, nodes={"notebooks": nodes}, run="r1") if job.checks == ("all_reduce",)]
    assert [len(job.nodes) for job in jobs] == groups
    first = [job for job in jobs if job.stage == min(job.stage for job in jobs)] if jobs else []
    assert {name for job in first for name in job.nodes} == (set(nodes) if count > 1 else set())
    assert all(len(set(job.nodes)) == len(job.nodes) for job in jobs)


def test_what_is_not_measured_is_said(spec: ClusterSpec) -> None:
    without = spec.model_copy(update={"platform": None})
    said = dict(list_unmeasured(without, nodes={"finetune-7b": names(2)}))
    assert "Kubeflow Trainer" in said["pool/home/finetune-7b"]
    assert "host:port" in said["network/home/peering"]
    amd = tuple(pool.model_copy(update={"accelerator": "MI300X-192GB"}) for pool in spec.pools[:1])
    other = dict(list_unmeasured(spec.model_copy(update={"pools": amd}), nodes={"finetune-7b": names(1)}))
    assert "NVIDIA" in other["pool/home/finetune-7b"]


def test_names_that_cannot_be_are_refused_all_at_once(spec: ClusterSpec) -> None:
    with pytest.raises(InputError, match=r"no pool other.*'A_B'"):
        plan_jobs(spec, nodes={"other": []}, run="A_B")


def words(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in cast("dict[str, object]", value).items():
            yield from words(each) if name != "image" else iter(())
            if name == "image":
                yield f"image {each}"
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from words(each)


def test_every_image_is_a_row_of_the_catalog(spec: ClusterSpec) -> None:
    jobs = plan_jobs(spec, nodes={"finetune-7b": names(2), "notebooks": names(2)}, run="r1")
    pulled = {word.removeprefix("image ") for job in jobs for each in job.objects for word in words(each)}
    assert pulled <= {image.name for image in images_of("acceptance")}
    assert {image.name for image in images_of("acceptance")} - pulled == set()
    assert {image.name for image in images_of("burn_in")} <= pulled
    assert one_step("a:1")["deploymentSpec"]


def test_a_mirror_is_pulled_from(spec: ClusterSpec) -> None:
    assert spec.platform is not None
    platform = spec.platform.model_copy(update={"mirror": "oci://registry.example/copies"})
    mirrored = spec.model_copy(update={"platform": platform})
    jobs = plan_jobs(mirrored, nodes={"finetune-7b": names(2)}, run="r1")
    pulled = {word for job in jobs for each in job.objects for word in words(each)}
    assert all(word.startswith("image registry.example/copies/") for word in pulled)


def test_no_pod_gains_rights_and_none_has_a_token(spec: ClusterSpec) -> None:
    for job in plan_jobs(spec, nodes={"finetune-7b": names(2)}, run="r1"):
        for text in map(json.dumps, job.objects):
            for pod in text.split('"containers"')[1:]:
                assert '"allowPrivilegeEscalation": false' in pod
            assert "privileged" not in text
            assert text.count('"automountServiceAccountToken": false') == text.count('"containers"'), job.name


def test_code_lies_where_python_looks_for_it(tmp_path: Path) -> None:
    files = code_files()
    for item in code_items():
        path = tmp_path / str(item["path"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[str(item["key"])], encoding="utf-8")
    measuring = [f"{PACKAGE}.{name}" for name in ("node", "fabric", "storage", "network", "burn_in")]
    for name in (*measuring, tries.__name__):
        command = [sys.executable, "-S", "-m", name, "--help"]
        ran = subprocess.run(command, cwd=tmp_path, env={}, capture_output=True, text=True, timeout=300, check=False)
        assert ran.returncode == 0, ran.stderr
        assert "--placement" in ran.stdout
    assert sum(map(len, files.values())) < 900_000  # a ConfigMap holds 1 MiB


def test_a_program_is_carried_with_its_libraries(tmp_path: Path) -> None:
    script = tmp_path / "carry.sh"
    script.write_text(job_context.SCRIPTS["carry.sh"], encoding="utf-8")
    subprocess.run(["/bin/sh", str(script), "env", str(tmp_path / "tools")], check=True, timeout=300)
    ran = subprocess.run(
        [str(tmp_path / "tools" / "bin" / "env"), "A=two words"],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
        env={},
    )
    assert "A=two words" in ran.stdout


def conditions(**found: str) -> dict[str, Any]:
    return {"status": {"conditions": [{"type": name, "status": status} for name, status in found.items()]}}


def test_signs_are_read_as_the_api_shows_them(spec: ClusterSpec) -> None:
    job = next(each for each in plan_jobs(spec, nodes={}, run="r1") if each.done == JOB_DONE)
    assert job.failed == JOB_FAILED
    assert job.judge_state(conditions(Complete="True")) is JobState.DONE
    assert job.judge_state(conditions(Complete="False", Suspended="True")) is JobState.WAITING
    assert job.judge_state(conditions(Complete="True", Failed="True")) is JobState.FAILED
    assert job.judge_state({"status": None}) is JobState.WAITING
    ready = StatusMatcher(path=("status", "readyReplicas"), value="1")
    assert ready.matches({"status": {"readyReplicas": 1}})
    assert not ready.matches({"status": {}})


def test_the_foundation_opens_no_door_inwards(spec: ClusterSpec) -> None:
    found = foundation(spec)
    assert [each["kind"] for each in found] == ["Namespace", "ServiceAccount", *["NetworkPolicy"] * 3, "ConfigMap"]
    text = json.dumps(found)
    assert "169.254.169.254/32" in text
    assert '"automountServiceAccountToken": false' in text
