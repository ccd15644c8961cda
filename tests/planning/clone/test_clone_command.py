"""`atoll clone` from the first word to the last file: what it writes, what it refuses, all or none."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from clone_kit import call, enter, files_of, project_at
from pydantic import TypeAdapter

from cli.commands.relocation import clone as command
from cli.main import application
from operations.clone import resource_names
from operations.clone.report import CloneForm
from planning.checklist.reading.checklist_file import read_file
from planning.clone.field_table import FieldHandling, list_leaves
from planning.costs.resources.resource import Resource
from planning.spec.lock import read_lock
from planning.values.errors import InputError

FIXED = ("--allow-stale", "--today", "2026-11-21")
KMS = """\
secretsprovider: awskms://alias/atoll?region=us-east-1
encryptedkey: AQICAHhsource
config:
  atoll:accepted: OPTION
  atoll:alertKind: slack
  atoll:auditTrail: "false"
  aws:region: us-east-1
  atoll:alertReceiver:
    secure: v1:sourcesecret
  atoll:poolZones:
    finetune-7b: us-east-1a
"""


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with demo and spanning-two, both accepted."""
    folder = project_at(tmp_path_factory.mktemp("accepted"), "demo", "spanning-two", "rl-cpu")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert application.run(["accept", "demo", "same_cloud", *FIXED]) == 0
        assert application.run(["accept", "spanning-two", "cheapest", *FIXED]) == 0
    return folder


@pytest.fixture
def project(accepted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, with the working directory in it; programs are not run, which tests of their own do."""
    folder = tmp_path / "project"
    shutil.copytree(accepted, folder)
    enter(folder, monkeypatch)
    monkeypatch.setattr(command, "preview_resources", nothing_registered)
    return folder


def nothing_registered(stack: str, **_: object) -> tuple[Resource, ...]:
    assert stack
    return ()


@pytest.mark.parametrize(
    ("new", "place"),
    [
        pytest.param("demo-west", ("--region", "us-west-2"), marks=pytest.mark.long),
        ("demo-gcp", ("--provider", "gcp", "--region", "us-central1")),
    ],
)
def test_the_demo_is_cloned_and_planned_to_the_cent_and_no_name_is_shared(
    new: str, place: tuple[str, ...], project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "preview_resources", resource_names.preview_resources)
    before = files_of(project)
    told = call(capsys, "clone", "demo", new, *place, *FIXED)
    assert told.code == 0, told.err
    for said in (
        "Decided:",
        "Re-derived:",
        "Kept: ",
        "No state was read",
        "is shared",
        f"next:\n  atoll preflight {new}\n",
    ):
        assert said in told.out
    after = files_of(project)
    made = {f"stacks/{new}/checklist.yaml", f"stacks/{new}/quote.lock.json", f"stacks/Pulumi.{new}.yaml"}
    assert set(after) - set(before) == made
    assert {name: after[name] for name in before} == before
    old, clone = read_file(project / "stacks/demo/checklist.yaml"), read_file(project / f"stacks/{new}/checklist.yaml")
    assert clone.where.cidr != old.where.cidr
    lock = read_lock(project / f"stacks/{new}/quote.lock.json")
    assert lock.stack == new
    assert lock.spec.placement.region == place[-1]
    planned = call(capsys, "plan", new, *FIXED)
    assert "Resources and accepted cluster agree to the cent." in planned.out
    assert call(capsys, "check", new).code == 0


def test_a_dry_run_shows_the_same_and_writes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files_of(project)
    told = call(capsys, "clone", "demo", "demo-west", "--region", "us-west-2", "--dry-run", *FIXED)
    assert told.code == 0
    assert "dry run: nothing was written" in told.out
    assert files_of(project) == before


def test_json_has_every_field_and_is_of_its_shape(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = call(capsys, "clone", "demo", "demo-west", "--region", "us-west-2", "--json", "-", *FIXED)
    form = TypeAdapter(CloneForm).validate_python(json.loads(told.out))
    fields = {each["field"]: each for each in form["fields"]}
    assert set(fields) >= set(list_leaves(read_file(project / "stacks/demo/checklist.yaml")))
    assert fields["where.cidr"]["care"] == FieldHandling.DERIVED.value
    assert form["assumed"] == {"contract.months": "keep"}
    assert form["source"]["region"] == "us-east-1"
    assert form["clone"]["region"] == "us-west-2"
    assert {"state", "encryption keys", "WireGuard keys", "certificates", "images", "quotas"} <= {
        each["field"] for each in form["placed"]
    }


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("demo", "demo", "--region", "us-west-2"), 1, "cannot be cloned into itself"),
        (("demo", "rl-cpu", "--region", "us-west-2"), 1, "stacks/rl-cpu is already there"),
        (("demo", "West", "--region", "us-west-2"), 1, "cannot name a stack"),
        (("demo", "west", "--region", "us-east-1"), 1, "demo is at aws us-east-1 already"),
        (("demo", "west", "--region", "us-wets-2"), 1, 'did you mean "us-west-2"?'),
        (("demo", "west", "--region", "us-central1"), 1, "--provider gcp"),
        (("demo", "west", "--region", "us-west-2", "--provider", "awss"), 1, 'did you mean "aws"?'),
        (("demo", "west", "--region", "us-west-2", "--cidr", "10.0.128.0/20"), 1, "the main VPC of demo"),
        (("demo", "west", "--region", "us-west-2", "--cidr", "10.64.0.5/20"), 2, "is an address inside a range"),
        (
            ("demo", "west", "--region", "us-west-2", "--cidr", "11.0.0.0/16"),
            1,
            "11.0.0.0/16 is not a range of private addresses",
        ),
        (("demo", "west", "--region", "us-west-2", "--zones", "usw2-az1,usw2-az7"), 1, 'no zone "usw2-az7"'),
        (("demo", "west", "--region", "us-west-2", "--zones", "usw2-az1"), 1, "spans 2 or 3 different zones"),
        (("demo", "west", "--region", "us-west-2", "--option", "fasted"), 1, 'did you mean "fastest"?'),
        (("demo", "west", "--region", "eu-west-1"), 1, "where.residency   now US"),
        (("demo", "west", "--region", "us-west-1"), 10, "B200-SXM-180GB is not sold in aws us-west-1; aws sells it in"),
        (("rl-cpu", "west", "--region", "us-west-2"), 1, "first: atoll accept rl-cpu OPTION"),
        (("nowhere", "west", "--region", "us-west-2"), 1, "there is no stack 'nowhere'"),
        (("spanning-two", "spanning-two-training", "--region", "us-west-2"), 1, "would share the physical name"),
        (
            ("demo", "west", "--region", "us-west-2", "--decisions", "absent.yaml"),
            1,
            "absent.yaml: there is no such file",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_words_and_nothing_is_written(
    arguments: tuple[str, ...], code: int, said: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files_of(project)
    told = call(capsys, "clone", *arguments, *FIXED)
    assert (told.code, said in told.err) == (code, True), told.err
    assert "Traceback" not in told.err
    assert files_of(project) == before


def test_a_region_without_any_machine_that_fits_says_which_machine_and_who_has_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    decided = project / "d.yaml"
    decided.write_text("where.residency: any\n")
    told = call(
        capsys, "clone", "demo", "south", "--region", "af-south-1", "--decisions", str(decided), "--allow-stale"
    )
    assert told.code == 1
    assert "nothing on sale satisfies this checklist: B200-SXM-180GB is not sold in aws af-south-1" in told.err


def test_a_checklist_that_changed_since_is_not_cloned(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = project / "stacks/demo/checklist.yaml"
    path.write_text(path.read_text().replace("count: 8", "count: 9"))
    told = call(capsys, "clone", "demo", "west", "--region", "us-west-2", *FIXED)
    assert told.code == 1
    assert "has changed since" in told.err


def test_zones_that_were_named_are_those_of_the_lock(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = call(capsys, "clone", "demo", "west", "--region", "us-west-2", "--zones", "usw2-az3,usw2-az2", *FIXED)
    assert told.code == 0, told.err
    lock = read_lock(project / "stacks/west/quote.lock.json")
    assert lock.spec.placement.zones == ("usw2-az3", "usw2-az2")
    assert all(set(pool.zones) <= {"usw2-az3", "usw2-az2"} for pool in lock.spec.pools)


def test_secrets_and_their_key_are_never_copied(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    option = read_lock(project / "stacks/demo/quote.lock.json").option
    (project / "stacks/Pulumi.demo.yaml").write_text(KMS.replace("OPTION", option))
    told = call(capsys, "clone", "demo", "west", "--region", "us-west-2", *FIXED)
    assert told.code == 1
    assert "secretsprovider: URL" in told.err
    decided = project / "d.yaml"
    decided.write_text("secretsprovider: awskms://alias/atoll?region=us-east-1\n")
    assert "that is the source's key" in call(
        capsys, "clone", "demo", "west", "--region", "us-west-2", "--decisions", str(decided), *FIXED
    ).err  # fmt: skip
    decided.write_text("secretsprovider: awskms://alias/west?region=us-west-2\n")
    told = call(capsys, "clone", "demo", "west", "--region", "us-west-2", "--decisions", str(decided), *FIXED)
    assert told.code == 0, told.err
    text = (project / "stacks/Pulumi.west.yaml").read_text()
    assert text.startswith("secretsprovider: awskms://alias/west?region=us-west-2\n")
    assert "  atoll:alertKind: slack\n" in text
    assert "  atoll:auditTrail: 'false'\n" in text
    for never in ("encryptedkey", "AQICAH", "secure", "v1:", "us-east-1a", "aws:region"):
        assert never not in text
    assert "pulumi config set --secret --stack west atoll:alertReceiver" in told.out
    assert "sourcesecret" not in told.out + told.err


def test_a_disk_that_fills_up_leaves_nothing(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files_of(project)
    real = Path.replace

    def full(self: Path, target: Path) -> Path:
        if target.name == "Pulumi.west.yaml":
            raise OSError(28, "No space left on device", str(target))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", full)
    told = call(capsys, "clone", "demo", "west", "--region", "us-west-2", *FIXED)
    assert told.code == 1
    assert files_of(project) == before
    assert not (project / "stacks/west").exists()


def test_a_spanning_stack_is_cloned_with_every_cluster_of_it(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    decided = project / "d.yaml"
    decided.write_text("workloads.answers.hardware.accelerator: none\nwhere.elsewhere.training: aws/us-east-2\n")
    told = call(capsys, "clone", "spanning-two", "west", "--region", "us-west-2", "--decisions", str(decided), *FIXED)
    assert told.code == 0, told.err
    lock = read_lock(project / "stacks/west/quote.lock.json")
    places = [(each.placement.provider, each.placement.region) for each in lock.placements]
    assert places == [("aws", "us-west-2"), ("aws", "us-east-2")]
    ranges = [each.network.cidr for each in lock.placements]
    assert not ranges[0].overlaps(ranges[1])


def resource(kind: str, **inputs: str) -> Resource:
    return Resource(
        urn=f"urn:{kind}", type=kind, name="x", parent=None, custom=True, inputs=inputs, property_dependencies={}
    )


def test_a_name_that_both_programs_give_is_refused_and_one_inside_a_cluster_is_not() -> None:
    bucket = resource("aws:s3/bucket:Bucket", bucket="ours")
    inside = resource("kubernetes:core/v1:Namespace", name="mlflow")
    assert resource_names.refuse_shared([bucket, inside], [inside], source="a", clone="b") == 1
    with pytest.raises(InputError, match=r"b and a would share 1 physical names: ours \(aws:s3/bucket:Bucket\)"):
        resource_names.refuse_shared([bucket], [bucket, inside], source="a", clone="b")
