from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from components.agents import mover
from components.agents.mover.job import REFUSED, STOPPED, SpecError, read_spec
from components.agents.mover.progress import ProgressPage, as_json, metrics
from components.platform.operations import spend_guard
from operations.relocation.config.endpoints import MoversPlace, StorePeer
from operations.relocation.jobs import objects as jobs
from operations.relocation.jobs import runs
from operations.relocation.jobs.objects import IMAGE, MoverJob
from operations.relocation.jobs.runs import JobEnd
from planning.values.errors import AtollError, InputError

SECRET = "never-in-an-object"
SPEC: dict[str, Any] = {
    "do": "copy",
    "name": "seed",
    "reserved": ".atoll/",
    "source": {"endpoint": "https://a.example", "region": "r", "bucket": "models"},
    "target": {"endpoint": "https://b.example", "region": "r", "bucket": "models", "path_style": False},
}
JOB = MoverJob(
    name="move",
    pods=MoversPlace(
        namespace="moving",
        peers=(
            StorePeer(port=443, cidr="192.0.2.0/24"),
            StorePeer(port=9000, namespace="minio", labels={"app": "minio"}),
        ),
        shards=8,
        parallelism=4,
    ),
    spec=SPEC,
    secrets={"source": "keys-a", "target": "keys-b"},
    mib_per_s=100.0,
)


def made(job: MoverJob) -> dict[str, Any]:
    return {str(each["kind"]) + "/" + each["metadata"]["name"]: each for each in jobs.list_objects(job)}  # type: ignore[index]


def test_the_code_is_every_module_of_the_mover_and_fits() -> None:
    found = made(JOB)
    code = found["ConfigMap/move-code"]["data"]
    package = Path(str(mover.__file__)).parent
    for path in package.rglob("*.py"):
        inside = ".".join(path.relative_to(package).parts)
        assert code[f"{mover.__name__}.{inside}"] == path.read_text()
    above = mover.__name__.split(".")[:-1]
    assert all(f"{'.'.join(above[:depth])}.__init__.py" in code for depth in range(1, len(above) + 1))
    assert all(re.fullmatch(r"[-._a-zA-Z0-9]{1,253}", key) for key in code)
    assert sum(map(len, code.values())) < 2**20 * 0.6
    volume = found["Job/move"]["spec"]["template"]["spec"]["volumes"][0]["configMap"]
    assert {each["key"]: each["path"] for each in volume["items"]}.keys() == code.keys()
    assert {"key": "__main__.py", "path": "__main__.py"} in volume["items"]


def test_a_mover_that_has_become_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MOST_BYTES", 1000)
    with pytest.raises(AtollError, match="a ConfigMap holds less than 1000"):
        jobs.list_objects(JOB)


def test_the_image_is_one_that_clusters_pull_anyway() -> None:
    assert IMAGE == spend_guard.IMAGE


def test_bandwidth_is_shared_by_those_that_run_at_once_and_stores_have_their_authorities() -> None:
    job = replace(JOB, authorities={"target": "their-authority"})
    spec = json.loads(made(job)["ConfigMap/move-spec"]["data"]["spec.json"])
    assert (spec["mib_per_s"], spec["shards"]) == (25.0, 8)
    assert spec["target"]["authority"] == "/authority/target/ca.crt"
    assert "authority" not in spec["source"]
    assert (
        json.loads(made(replace(JOB, mib_per_s=None))["ConfigMap/move-spec"]["data"]["spec.json"])["mib_per_s"] is None
    )


def test_a_pod_that_was_stopped_or_evicted_counts_as_no_failure_and_one_that_was_refused_is_not_tried_again() -> None:
    job = made(JOB)["Job/move"]["spec"]
    rules = {
        rule["action"] + str(rule.get("onExitCodes", {}).get("values", "")): rule
        for rule in job["podFailurePolicy"]["rules"]
    }
    assert set(rules) == {f"FailIndex[{REFUSED}]", "Ignore", f"Ignore[{STOPPED}]"}
    assert rules["Ignore"]["onPodConditions"] == [{"type": "DisruptionTarget", "status": "True"}]
    assert (job["completionMode"], job["completions"], job["parallelism"]) == ("Indexed", 8, 4)
    assert job["podReplacementPolicy"] == "Failed"
    assert job["template"]["spec"]["restartPolicy"] == "Never"


def test_a_pod_is_nobody_holds_no_token_and_reaches_only_its_stores_and_names() -> None:
    found = made(JOB)
    pod = found["Job/move"]["spec"]["template"]["spec"]
    assert pod["automountServiceAccountToken"] is found["ServiceAccount/move"]["automountServiceAccountToken"] is False
    (container,) = pod["containers"]
    assert "env" not in container
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    policy = found["NetworkPolicy/move"]["spec"]
    ports = [[port["port"] for port in each["ports"]] for each in policy["egress"]]
    assert ports == [[53, 53], [443], [9000]]
    assert policy["egress"][1]["to"] == [{"ipBlock": {"cidr": "192.0.2.0/24"}}]
    assert set(policy["policyTypes"]) == {"Egress", "Ingress"}


def test_faults_of_a_job_are_told_together() -> None:
    none = JOB.pods.model_copy(update={"parallelism": 9, "peers": ()})
    with pytest.raises(InputError) as error:
        jobs.list_objects(replace(JOB, pods=none, mib_per_s=0.0, secrets={}))
    assert len(error.value.faults) == 4


@pytest.fixture
def told(tmp_path: Path) -> Path:
    for side in ("source", "target"):
        folder = tmp_path / "keys" / side
        folder.mkdir(parents=True)
        (folder / "access_key").write_text("mover\n")
        (folder / "secret_key").write_text(f"{SECRET}\n")
    return tmp_path


def written(told: Path, spec: object) -> Path:
    path = told / "spec.json"
    path.write_text(json.dumps(spec))
    return path


def test_a_spec_and_its_keys_are_read(told: Path) -> None:
    (told / "keys" / "target" / "session_token").write_text("token")
    here = {"folder": str(told), "keys": str(told / "keys"), "shards": 4, "mib_per_s": 2.5, "sample_percent": 5}
    spec = read_spec(written(told, {**SPEC, **here}), index="3")
    assert (spec.shard.index, spec.shard.of) == (3, 4)
    assert (spec.options.bandwidth_mib_per_s, spec.request.sample.percent) == (2.5, 5)
    assert (spec.source.access_key, spec.source.secret_key, spec.source.session_token) == ("mover", SECRET, "")
    assert (spec.target.session_token, spec.target.path_style) == ("token", False)
    assert SECRET not in repr(spec)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"do": "fly"}, "do is not one of copy, look"),
        ({"transfers": True}, "transfers is not a whole number of at least 1"),
        ({"versions": "yes"}, "versions is not true or false"),
        ({"mib_per_s": -1}, "mib_per_s is not a number over 0 or null"),
        ({"source": []}, "source. is no object"),
        ({"target": {"endpoint": 5, "region": "r", "bucket": ""}}, "target.endpoint is not a text; target.bucket"),
        ({"keys": "/nowhere"}, "no key is there"),
        ({"shards": 2}, "there is no shard '3' of 2"),
        ({"name": ""}, "name is not a text"),
    ],
)
def test_a_spec_that_is_wrong_is_named(told: Path, change: dict[str, Any], why: str) -> None:
    here = {"folder": str(told), "keys": str(told / "keys"), "shards": 4}
    with pytest.raises(SpecError, match=re.escape(why)):
        read_spec(written(told, {**SPEC, **here, **change}), index="3")


@pytest.mark.parametrize("text", ["", "[]", "{", "5"])
def test_what_is_no_spec_is_named(told: Path, text: str) -> None:
    (told / "spec.json").write_text(text)
    with pytest.raises(SpecError, match=r"spec\.json"):
        read_spec(told / "spec.json", index="")


def test_progress_tells_rate_and_what_is_left() -> None:
    now = [100.0]
    progress = ProgressPage(clock=lambda: now[0])
    progress.expect(objects=10, size=1000)
    for _ in range(4):
        now[0] += 10
        progress.add(objects=1, size=100)
    progress.fail("a: why")
    standing = progress.read_progress()
    assert (standing.objects, standing.size, standing.failures, standing.failed) == (4, 400, 1, ("a: why",))
    assert (standing.bytes_per_s, standing.remaining_s) == (10.0, 60.0)
    now[0] += 200
    progress.reach(5, 400)
    assert progress.read_progress().bytes_per_s == 0.0
    assert progress.read_progress().remaining_s is None
    read = json.loads(as_json(progress.read_progress(), {"bucket": "models"}))
    assert (read["bucket"], read["objects"], read["expected_size"]) == ("models", 5, 1000)


def test_metrics_survive_any_label() -> None:
    found = metrics(ProgressPage().read_progress(), {"bucket": 'a"b\\c\nd'})
    assert 'atoll_mover_objects_total{bucket="a\\"b\\\\c\\nd"} 0\n' in found
    assert "expected" not in found


def test_the_end_of_a_job_is_read_from_its_conditions() -> None:
    failed = {"type": "Failed", "status": "True", "reason": "FailedIndexes", "message": "shards failed"}
    target = {"type": "FailureTarget", "status": "True"}
    assert runs._read_end({}) is runs._read_end({"conditions": [target], "active": 1}) is None
    assert runs._read_end({"conditions": [target, failed], "succeeded": 2, "failedIndexes": "0,3-5"}) == JobEnd(
        done=False, shards=2, failed_shards="0,3-5", why="FailedIndexes: shards failed"
    )
    complete = {"type": "Complete", "status": "True"}
    assert runs._read_end({"conditions": [complete], "succeeded": 8}) == JobEnd(done=True, shards=8)
