"""Where state is kept, and what opens its secrets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.terminal import prompts
from cli.terminal.prompts import ask_passphrase
from operations.engine.environment import Backend, backend, create_state_folder, passphrase_variables, secrets_provider
from planning.values.errors import InputError

VARIABLES = (
    "PULUMI_BACKEND_URL",
    "PULUMI_ACCESS_TOKEN",
    "PULUMI_CONFIG_PASSPHRASE",
    "PULUMI_CONFIG_PASSPHRASE_FILE",
    "PULUMI_CREDENTIALS_PATH",
    "ATOLL_SECRETS_PROVIDER",
)
BUCKET = Backend("s3://state", "")
KEY = "awskms://alias/acme?region=us-east-1"


@pytest.fixture(autouse=True)
def quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in the environment chooses anything, nobody is logged in, nobody is at a terminal."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)


def settings(folder: Path, text: str) -> Path:
    path = folder / "Pulumi.demo.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_choice_state_is_in_a_folder_for_its_owner_alone(tmp_path: Path) -> None:
    found = create_state_folder(backend(tmp_path))
    folder = tmp_path / ".pulumi-state"
    assert found.url == f"file://{folder}"
    assert found.list_variables() == {"PULUMI_BACKEND_URL": found.url}
    assert folder.stat().st_mode & 0o777 == 0o700


def test_that_folder_is_ignored_by_git() -> None:
    assert "/.pulumi-state/" in (Path(__file__).parents[3] / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_the_environment_decides_before_the_project_and_a_login(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "credentials.json").write_text(json.dumps({"current": "https://api.pulumi.com"}))
    assert backend(tmp_path).url == "https://api.pulumi.com"
    (tmp_path / "Pulumi.yaml").write_text("name: atoll\nbackend:\n  url: gs://acme\n")
    assert backend(tmp_path).url == "gs://acme"
    monkeypatch.setenv("PULUMI_BACKEND_URL", "s3://state")
    found = backend(tmp_path)
    assert found.url == "s3://state"
    assert (found.folder, found.list_variables(), found.prefix()) == (None, {}, "")


def test_a_token_means_the_cloud_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_ACCESS_TOKEN", "pul-made-up")
    assert backend(tmp_path).is_service


def test_a_new_stack_is_encrypted_as_asked_else_as_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = tmp_path / "Pulumi.demo.yaml"
    assert secrets_provider(absent, asked="", where=BUCKET) == "passphrase"
    assert secrets_provider(absent, asked="", where=Backend("https://api.pulumi.com", "")) == "default"
    monkeypatch.setenv("ATOLL_SECRETS_PROVIDER", "gcpkms://projects/acme")
    assert secrets_provider(absent, asked="", where=BUCKET) == "gcpkms://projects/acme"
    assert secrets_provider(absent, asked=KEY, where=BUCKET) == KEY


def test_a_stack_that_exists_keeps_its_provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = settings(tmp_path, f"secretsprovider: {KEY}\n")
    monkeypatch.setenv("ATOLL_SECRETS_PROVIDER", "passphrase")
    assert secrets_provider(path, asked="", where=BUCKET) == KEY
    with pytest.raises(InputError, match="awskms://alias/acme encrypts this stack's secrets, not passphrase"):
        secrets_provider(path, asked="passphrase", where=BUCKET)
    assert secrets_provider(settings(tmp_path, "encryptionsalt: v1:x\n"), asked="", where=BUCKET) == "passphrase"


def test_an_unknown_provider_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'rot13' is no secrets provider"):
        secrets_provider(tmp_path / "absent", asked="rot13", where=BUCKET)


def test_without_a_passphrase_and_a_person_it_is_refused() -> None:
    with pytest.raises(InputError, match="there is none") as refused:
        passphrase_variables(new=True, stack="demo", ask=ask_passphrase)
    assert "PULUMI_CONFIG_PASSPHRASE_FILE" in refused.value.hint


def test_an_empty_passphrase_makes_no_new_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG_PASSPHRASE", "")
    with pytest.raises(InputError):
        passphrase_variables(new=True, stack="demo", ask=ask_passphrase)
    assert passphrase_variables(new=False, stack="demo", ask=ask_passphrase) == {}


def test_a_person_is_asked_twice_for_a_new_passphrase(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = ["one", "two"]
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(prompts, "getpass", lambda _prompt: answers.pop(0))
    with pytest.raises(InputError, match="differ"):
        passphrase_variables(new=True, stack="demo", ask=ask_passphrase)
    answers.extend(["one"])
    assert passphrase_variables(new=False, stack="demo", ask=ask_passphrase) == {"PULUMI_CONFIG_PASSPHRASE": "one"}
    answers.extend([""])
    with pytest.raises(InputError, match="protects nothing"):
        passphrase_variables(new=False, stack="demo", ask=ask_passphrase)
