"""`atoll handbook` with what people get wrong: nothing is half written, and every refusal says what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from handbook_kit import scene
from locked_stack import write_locked

from cli.main.application import run
from operations.handbook import site as writing
from operations.handbook.stack_outputs import read_outputs
from planning.values.errors import AtollError, InputError

GOOD: dict[str, Any] = {
    "vpnAddress": "192.0.2.7",
    "clusterName": "demo",
    "buckets": {"checkpoints": "demo-checkpoints", "artifacts": "demo-artifacts"},
    "roleArns": {"engineer/notebooks": "arn:aws:iam::1:role/engineer"},
    "entrance": {"names": "*.atoll.internal", "address": "internal.elb.example"},
    "signIn": "https://kubeflow.atoll.internal",
    "vpnProfiles": {"ada": "PRIVATE-ADA", "grace": "PRIVATE-GRACE", "linus": "PRIVATE-LINUS"},
    "grafanaAdminPassword": "PRIVATE-GRAFANA",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the demo accepted; MkDocs is not started, its page is written by hand."""
    stack = tmp_path / "stacks/demo"
    stack.mkdir(parents=True)
    (tmp_path / "Pulumi.yaml").write_text("name: atoll\n", encoding="utf-8")
    found = scene("demo")
    write_locked(tmp_path, found.lock)
    original = Path(__file__).parents[3] / "stacks/demo/checklist.yaml"
    (stack / "checklist.yaml").write_text(original.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(writing, "build", built)
    return tmp_path


def built(folder: Path) -> None:
    (folder / "site").mkdir()
    (folder / "site/index.html").write_text("<p>built</p>", encoding="utf-8")


def outputs(folder: Path, **changed: Any) -> str:
    path = folder / "outputs.json"
    path.write_text(json.dumps({**GOOD, **changed}), encoding="utf-8")
    return str(path)


def handbook(*words: str) -> int:
    return run(["handbook", "demo", *words])


def test_one_command_writes_source_and_site(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert handbook("--to", "book") == 0
    assert (project / "book/site/index.html").is_file()
    assert (project / "book/docs/index.md").is_file()
    told = capsys.readouterr()
    assert "book/site/index.html" in told.out
    assert "agreement.contacts" in told.err
    assert "atoll outputs demo" in told.err


def test_it_is_written_again_over_itself_and_old_pages_go(project: Path) -> None:
    assert handbook("--to", "book") == 0
    (project / "book/docs/old.md").write_text("# Old", encoding="utf-8")
    assert handbook("--to", "book") == 0
    assert not (project / "book/docs/old.md").exists()
    assert sorted(path.name for path in project.iterdir()) == ["Pulumi.yaml", "book", "stacks"]


def test_an_empty_folder_is_taken(project: Path) -> None:
    (project / "book").mkdir()
    assert handbook("--to", "book") == 0


def test_no_secret_of_the_outputs_is_in_the_handbook(project: Path) -> None:
    assert handbook("--to", "book", "--outputs", outputs(project)) == 0
    every = "".join(path.read_text(encoding="utf-8") for path in (project / "book").rglob("*") if path.is_file())
    assert "PRIVATE" not in every
    assert "192.0.2.7" in every
    assert "demo-checkpoints" in every


@pytest.mark.parametrize("file", ["notes.txt", ".atoll-handbook.json"])
def test_a_folder_with_something_else_is_left_alone(
    project: Path, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "book").mkdir()
    (project / "book" / file).write_text("mine", encoding="utf-8")
    assert handbook("--to", "book") == 1
    assert "nothing was written" in capsys.readouterr().err
    assert [path.name for path in (project / "book").iterdir()] == [file]
    assert (project / "book" / file).read_text(encoding="utf-8") == "mine"


def test_the_handbook_of_another_stack_is_left_alone(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "book").mkdir()
    (project / "book/.atoll-handbook.json").write_text('{"stack": "other"}', encoding="utf-8")
    assert handbook("--to", "book") == 1
    assert "the handbook of other" in capsys.readouterr().err


def test_a_file_is_no_folder(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "book").write_text("mine", encoding="utf-8")
    assert handbook("--to", "book") == 1
    assert "is a file" in capsys.readouterr().err


def test_a_build_that_fails_leaves_what_was_there(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert handbook("--to", "book") == 0
    before = {path: path.read_bytes() for path in (project / "book").rglob("*") if path.is_file()}

    def fails(folder: Path) -> None:
        raise AtollError(f"no site in {folder.name}")

    monkeypatch.setattr(writing, "build", fails)
    assert handbook("--to", "book") == 1
    assert {path: path.read_bytes() for path in (project / "book").rglob("*") if path.is_file()} == before
    assert sorted(path.name for path in project.iterdir()) == ["Pulumi.yaml", "book", "stacks"]


def test_a_folder_that_cannot_be_written_is_said(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "file").write_text("", encoding="utf-8")
    assert handbook("--to", "file/book") == 1
    said = capsys.readouterr().err
    assert "file" in said
    assert "Traceback" not in said


def test_without_a_lock_it_says_how_to_get_one(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "stacks/demo/quote.lock.json").unlink()
    assert handbook("--to", "book") == 1
    assert "atoll accept" in capsys.readouterr().err
    assert not (project / "book").exists()


def test_without_a_folder_it_is_misuse(project: Path) -> None:
    assert handbook() == 2
    assert (project / "stacks").is_dir()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        ("{}", "nothing is built"),
        ('{"signIn": "https://kubeflow.ml.other.example"}', "not the outputs of demo"),
        ('{"vpnProfiles": {"eve": "[secret]"}}', "eve"),
        ('{"buckets": {"videos": "b"}}', "videos"),
        ('{"stack": "demo-two"}', 'the outputs of the stack "demo-two", and this is "demo"'),
        ('{"stack": ["demo"]}', 'this is "demo"'),
        ("\udcff", "not JSON"),
        ("[" * 100_000, "JSON"),
    ],
)
def test_outputs_that_are_not_this_stacks_are_refused(project: Path, text: str, said: str) -> None:
    path = project / "outputs.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as caught:
        read_outputs(path, lock=scene("demo").lock)
    assert said in " ".join([str(caught.value), *(each.message for each in caught.value.faults)])


def test_every_contradiction_is_named_at_once(project: Path) -> None:
    path = outputs(project, signIn="https://kubeflow.x.example", buckets={"videos": "b"})
    with pytest.raises(InputError) as caught:
        read_outputs(Path(path), lock=scene("demo").lock)
    assert len(caught.value.faults) == 2


def test_outputs_that_are_missing_are_said(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert handbook("--to", "book", "--outputs", "nowhere.json") == 1
    assert "atoll outputs demo --json" in capsys.readouterr().err
    assert not (project / "book").exists()


@pytest.mark.parametrize("named", [{"stack": "demo"}, {"stack": None}, {}], ids=["named", "null", "of before"])
def test_outputs_of_this_stack_are_read_also_where_they_do_not_name_it(project: Path, named: dict[str, Any]) -> None:
    found = read_outputs(Path(outputs(project, **named)), lock=scene("demo").lock)
    assert found.vpn_address == "192.0.2.7"


def test_outputs_of_an_alike_stack_are_refused_by_their_name(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert handbook("--to", "book", "--outputs", outputs(project, stack="demo-two")) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert '"demo-two"' in said
    assert '"demo"' in said
    assert not (project / "book").exists()


def test_masked_outputs_are_read(project: Path) -> None:
    path = outputs(project, vpnProfiles="[secret]", roleArns="[secret]")
    found = read_outputs(Path(path), lock=scene("demo").lock)
    assert found.vpn_address == "192.0.2.7"
    assert found.roles == {}
