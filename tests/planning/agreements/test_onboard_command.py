from __future__ import annotations

import json
import stat
from datetime import date
from pathlib import Path

import pytest
from accepted import ROOT, accepted
from icalendar import Calendar
from locked_stack import write_locked

from cli.main.application import run
from operations.handbook.credentials import folders

OUTPUTS = {
    "vpnProfiles": {"ada": "[Interface] ada", "grace": "[Interface] grace", "linus": "[Interface] linus"},
    "kubeconfigs": {"admin": "of admins", "engineer": "of engineers", "viewer": "of viewers"},
    "signInPasswords": {"ada": "first-of-ada", "grace": "first-of-grace", "linus": "first-of-linus"},
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "stacks/demo").mkdir(parents=True)
    (folder / "Pulumi.yaml").write_text("name: x\n")
    (folder / "stacks/demo/checklist.yaml").write_text((ROOT / "stacks/demo/checklist.yaml").read_text())
    write_locked(folder, accepted("demo", option=0))
    monkeypatch.chdir(folder)
    return folder


def outputs(folder: Path, **changed: object) -> str:
    (folder / "outputs.json").write_text(json.dumps(OUTPUTS | changed))
    return str(folder / "outputs.json")


def test_the_plan_is_written_and_the_calendar_only_where_there_is_a_day(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["onboard", "demo", "--to", "handover"]) == 0
    assert sorted(path.name for path in (project / "handover").iterdir()) == ["onboarding.html", "onboarding.md"]
    assert "no calendar: agreement.starts" in capsys.readouterr().err
    with (project / "stacks/demo/checklist.yaml").open("a") as file:
        file.write('\nagreement:\n  starts: "2027-01-04"\n')
    assert run(["onboard", "demo", "--to", "handover"]) == 0
    assert "DTSTART;VALUE=DATE:20270104" in (project / "handover/onboarding.ics").read_text()


def test_each_person_gets_a_folder_with_what_is_theirs_and_nobody_elses(project: Path) -> None:
    away = project.parent / "keys"
    assert run(["onboard", "demo", "--credentials", str(away), "--outputs", outputs(project)]) == 0
    texts = {path.relative_to(away).as_posix(): path.read_text() for path in away.rglob("*") if path.is_file()}
    assert texts["ada/ada.conf"] == "[Interface] ada\n"
    assert texts["grace/engineer.kubeconfig"] == "of engineers\n"
    for name, text in texts.items():
        strangers = {"ada", "grace", "linus"} - {name.split("/")[0]}
        assert not [each for each in strangers if f"first-of-{each}" in text or f"[Interface] {each}" in text]
    assert {stat.S_IMODE(path.stat().st_mode) for path in away.rglob("*") if path.is_file()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (away, *away.iterdir()) if path.is_dir()} == {0o700}


def test_outputs_that_name_this_stack_are_handed_over(project: Path) -> None:
    away = project.parent / "keys"
    words = ["onboard", "demo", "--credentials", str(away), "--outputs", outputs(project, stack="demo")]
    assert run(words) == 0
    assert (away / "ada/ada.conf").is_file()


def test_credentials_never_go_into_a_repository(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / ".git").mkdir()
    assert run(["onboard", "demo", "--credentials", "deep/keys", "--outputs", outputs(project)]) == 1
    assert "is inside the repository" in capsys.readouterr().err
    assert not (project / "deep").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "not JSON"),
        ("[]", "not an object"),
        ("{}", "nothing is built yet"),
        ('{"vpnProfiles": {"ada": "x"}}', "no VPN profile was made for grace, linus"),
    ],
)
def test_outputs_that_do_not_fit_are_refused_and_nothing_is_written(
    project: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    (project / "outputs.json").write_text(text)
    away = project.parent / "keys"
    assert run(["onboard", "demo", "--credentials", str(away), "--outputs", "outputs.json"]) == 1
    assert said in capsys.readouterr().err
    assert not away.exists()


def test_outputs_without_credentials_to_write_are_a_wrong_use(project: Path) -> None:
    assert run(["onboard", "demo", "--outputs", outputs(project)]) == 2


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"stack": "demo-two"}, 'the outputs of the stack "demo-two", and this is "demo"'),
        ({"stack": {"name": "demo"}}, 'this is "demo"'),
        ({"vpnProfiles": ["ada"]}, "output vpnProfiles is not an object"),
        ({"vpnProfiles": {"ada": 7, "grace": "x", "linus": "x"}}, "what it holds for ada is no text"),
        ({"signInPasswords": {"grace": "[secret]"}}, "output signInPasswords: what it holds for grace"),
        ({"kubeconfigs": "all"}, "output kubeconfigs is not an object"),
    ],
)
def test_outputs_of_a_wrong_kind_are_named(
    project: Path, capsys: pytest.CaptureFixture[str], changed: dict[str, object], said: str
) -> None:
    away = project.parent / "keys"
    assert run(["onboard", "demo", "--credentials", str(away), "--outputs", outputs(project, **changed)]) == 1
    assert said in capsys.readouterr().err
    assert not away.exists()


def test_folders_that_others_can_look_into_or_exchange_are_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    away, text = project.parent / "keys", outputs(project)
    (away / "ada").mkdir(parents=True)
    (away / "ada").chmod(0o755)
    assert run(["onboard", "demo", "--credentials", str(away), "--outputs", text]) == 1
    (away / "ada").rmdir()
    (away / "ada").symlink_to(project)
    assert run(["onboard", "demo", "--credentials", str(away), "--outputs", text]) == 1
    (away / "ada").unlink()
    away.chmod(0o777)
    assert run(["onboard", "demo", "--credentials", str(away), "--outputs", text]) == 1
    told = capsys.readouterr().err
    assert not [words for words in ("others can look into", "is a link to", "others can write") if words not in told]
    assert list(away.iterdir()) == []
    away.chmod(0o755)
    assert run(["onboard", "demo", "--credentials", str(away), "--outputs", text]) == 0
    assert run(["onboard", "demo", "--credentials", str(away), "--outputs", text]) == 0


def test_a_worktree_is_a_repository_too(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / ".git").write_text("gitdir: elsewhere\n")
    (project.parent / "link").symlink_to(project)
    where = str(project.parent / "link" / "keys")
    assert run(["onboard", "demo", "--credentials", where, "--outputs", outputs(project)]) == 1
    assert "is inside the repository" in capsys.readouterr().err


def test_what_opens_another_placement_lies_below_its_name() -> None:
    beside = {"training": {"vpnProfiles": {"petra": "there", "olle": "too"}, "kubeconfig": {"apiVersion": "v1"}}}
    home = {"vpnProfiles": {"petra": "here", "olle": "also"}, "kubeconfigs": {"engineer": "of engineers"}}
    found = folders(accepted("spanning-two"), {**home, "placements": beside})
    assert found["petra/petra.conf"] == "here"
    assert found["petra/training/petra.conf"] == "there"
    assert json.loads(found["olle/training/cluster.kubeconfig"]) == {"apiVersion": "v1"}
    assert "petra/admin.kubeconfig" not in found
    assert ".kubeconfig" not in found["petra/READ-ME.txt"]


def test_the_administrators_kubeconfig_of_a_cluster_that_exists_is_handed_to_nobody() -> None:
    lock = accepted("existing-lambda")
    found = folders(lock, {"kubeconfigs": {"admin": "root"}, "kubeconfig": "root"})
    assert not [text for text in found.values() if "root" in text]
    assert any("for some hours" in text for text in found.values())


def test_a_lock_of_another_stack_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "stacks/demo").rename(project / "stacks/other")
    for command in ("onboard", "contract"):
        assert run([command, "other"]) == 1
        assert 'it is the lock of "demo"' in capsys.readouterr().err


def test_people_who_came_since_are_named_and_handed_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = project / "stacks/demo/checklist.yaml"
    path.write_text(path.read_text().replace("name: ada", "name: zoe"))
    assert run(["onboard", "demo"]) == 0
    told = capsys.readouterr().out
    assert "Without access until then: zoe. With access until then: ada." in told
    assert "| zoe |" not in told
    assert "| ada |" in told


def test_the_calendar_file_has_lines_as_the_standard_wants_them(project: Path) -> None:
    with (project / "stacks/demo/checklist.yaml").open("a") as file:
        long = "Ždenka; with, commas " + "日本語" * 8
        file.write(f"""
agreement:
  starts: "2028-02-26"
  contacts: [{{role: security, name: "{long}\\nEND:VEVENT", email: a@b.example}}]
""")
    assert run(["onboard", "demo", "--to", "out", "--today", "2028-02-01"]) == 0
    raw = (project / "out/onboarding.ics").read_bytes()
    lines = raw.split(b"\r\n")
    assert b"\n" not in b"".join(lines)
    assert max(map(len, lines)) <= 75
    assert lines[-1] == b""
    assert not [line for line in lines if line.startswith(b"METHOD")]
    events = Calendar.from_ical(raw.decode()).events
    assert date(2028, 2, 28) == events[0].DTSTART  # from Saturday to Monday; the leap day is the second of two
    assert date(2028, 3, 1) == events[0].DTEND
    assert any(f"{long}\nEND:VEVENT" in str(each["DESCRIPTION"]) for each in events)
