from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cli.commands.relocation import retire
from cli.main.application import run as run_cli
from operations.project.journal import Journal, RecordKind
from operations.relocation.decommission import PROTECTED, RETAINED, deletions, list_retained, resources_of
from planning.costs.resources.formats.values import Preview
from planning.costs.resources.resource import Resource
from planning.relocation.inventory.stack_inventory import Inventory, with_resources
from planning.relocation.steps import NAMES
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
EVIDENCE = {"committed_at": NOW.isoformat(), "retain_days": 14}


def resource(type_: str, name: str, **changes: Any) -> Resource:
    inputs = changes.pop("inputs", {})
    return Resource(
        urn=f"urn:pulumi:old::atoll::{type_}::{name}",
        type=type_,
        name=name,
        parent=None,
        custom=True,
        inputs=inputs,
        property_dependencies={},
        **changes,
    )


CLUSTER = resource("aws:eks/cluster:Cluster", "cluster")
BUCKET = resource("aws:s3/bucket:Bucket", "cold", protect=True)
RUNS = resource(
    "kubernetes:postgresql.cnpg.io/v1:Cluster",
    "mlflow-database",
    inputs={"metadata": {"name": "mlflow-database", "namespace": "mlflow"}},
    retain_on_delete=True,
)
DATABASE = resource("aws:rds/instance:Instance", "strange")


def keys(*resources: Resource) -> tuple[list[str], dict[str, str]]:
    inventory = with_resources(Inventory(things=()), resources)
    return sorted(each.key for each in deletions(resources, inventory)), dict(list_retained(resources, inventory))


def test_what_is_protected_stays_and_what_lies_in_the_cluster_goes_with_it() -> None:
    assert keys(CLUSTER, BUCKET, RUNS) == (["database/mlflow"], {"bucket/cold": PROTECTED})


def test_what_a_destroy_forgets_stays_where_the_cluster_stays() -> None:
    assert keys(BUCKET, RUNS) == ([], {"bucket/cold": PROTECTED, "database/mlflow": RETAINED})


def test_what_no_row_knows_is_a_deletion_of_nothing_known() -> None:
    assert keys(CLUSTER, DATABASE)[0] == [""]


def test_a_preview_of_a_destroy_and_an_exported_state_say_the_same() -> None:
    preview = Preview(stack="old", old=(CLUSTER, BUCKET), new=())
    export = Preview(stack="old", old=None, new=(CLUSTER, BUCKET))
    assert tuple(resources_of(preview)) == tuple(resources_of(export)) == (CLUSTER, BUCKET)


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose stack is accepted."""
    folder = tmp_path_factory.mktemp("retired")
    shutil.copy(ROOT / "Pulumi.yaml", folder)
    ignored = shutil.ignore_patterns("quote.lock.json", "Pulumi.*.yaml", "__pycache__")
    shutil.copytree(ROOT / "stacks", folder / "stacks", ignore=ignored)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("ATOLL_TODAY", "2026-11-21")
        assert run_cli(["accept", "existing-lambda", "cheapest"]) in (0, 11)
    return folder


@pytest.fixture
def project(accepted: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(accepted)
    monkeypatch.setattr(retire, "_preview_resources", lambda *_: (BUCKET, RUNS))
    shutil.rmtree(accepted / "relocations", ignore_errors=True)
    return accepted


def journal(project: Path, write: Callable[[Journal], None]) -> None:
    folder = project / "relocations" / "existing-lambda--new"
    folder.mkdir(parents=True)
    found = Journal(folder / "journal.jsonl", now=lambda: NOW)
    found.append(RecordKind.OPENED)
    write(found)
    found.close()


def everything_done(found: Journal, *, but: str = "") -> None:
    for name in NAMES:
        found.append(RecordKind.BEGUN, step=name)
        if name != but:
            found.append(RecordKind.DONE, step=name, content={"evidence": EVIDENCE if name == "commit" else {}})


def committed(found: Journal) -> None:
    everything_done(found)
    found.append(RecordKind.COMMITTED)


def called(today: str = "2026-11-21", **options: Any) -> int:
    form: dict[str, Any] = {"state": "", "after": False, "prices": "current", "own": "", "as_json": True, **options}
    return retire.run_retire("existing-lambda", "new", today=today, **form)


def test_without_a_relocation_nothing_is_retired(project: Path) -> None:
    assert project
    with pytest.raises(InputError, match="nothing was relocated from existing-lambda to new"):
        called()


def test_before_the_commit_the_source_is_all_there_is(project: Path) -> None:
    journal(project, lambda found: everything_done(found, but="commit"))
    with pytest.raises(InputError, match="is not committed"):
        called()


def test_while_a_step_is_open_nothing_is_retired(project: Path) -> None:
    def write(found: Journal) -> None:
        everything_done(found, but="observe")
        found.append(RecordKind.COMMITTED)

    journal(project, write)
    with pytest.raises(InputError, match="not finished: observe"):
        called()


def test_before_its_days_are_over_the_source_is_kept(project: Path) -> None:
    journal(project, committed)
    with pytest.raises(InputError, match="is kept until 2026-11-15: 1 day left"):
        called("2026-11-14")


def test_after_its_days_the_command_to_run_is_said_and_nothing_is_deleted(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal(project, committed)
    assert called("2026-11-15") == 0
    form = json.loads(capsys.readouterr().out)
    assert form["next"][0] == "atoll destroy existing-lambda"
    assert form["kept"]["bucket/cold"] == PROTECTED
    assert form["may_go_since"] == "2026-11-15"


def test_what_would_be_deleted_and_is_not_in_the_inventory_is_named(project: Path, tmp_path: Path) -> None:
    journal(project, committed)
    state = {
        "urn": f"urn:pulumi:existing-lambda::atoll::{DATABASE.type}::strange",
        "type": DATABASE.type,
        "custom": True,
    }
    file = tmp_path / "destroy.json"
    file.write_text(json.dumps({"steps": [{"op": "delete", "urn": state["urn"], "oldState": state}]}))
    with pytest.raises(InputError, match="may not go: 1 differences") as caught:
        called(state=str(file))
    assert "aws:rds/instance:Instance strange would be deleted" in caught.value.faults[0].message


def test_a_clock_that_is_behind_the_commit_is_found(project: Path) -> None:
    journal(project, committed)
    with pytest.raises(InputError, match="lies ahead of today"):
        called("2026-10-01")


@pytest.mark.parametrize("as_json", [True, False])
def test_after_the_destroy_a_cloud_that_does_not_answer_says_nothing_is_nothing(
    project: Path, as_json: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ATOLL_KUBECONFIG", raising=False)
    journal(project, committed)
    assert called(after=True, as_json=as_json) == 11
    said = capsys.readouterr().out
    if as_json:
        form = json.loads(said)
        assert (form["verdict"], len(form["unanswered"]) > 0) == ("undetermined", True)
    else:
        assert "whether existing-lambda still costs anything is undetermined" in " ".join(said.split())
