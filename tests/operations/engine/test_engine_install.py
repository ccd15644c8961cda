"""Finding and getting the CLI and its plugins, with the SDK's own installer played by a fake."""

from __future__ import annotations

import json
import subprocess
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import URLError

import pytest
from command_project import Atoll
from pulumi.automation import CommandError, PulumiCommand

from operations.engine import binary, environment
from operations.engine.environment import Plugin
from planning.values.errors import AtollError

AWS, RANDOM = Plugin("aws", "7.1.0"), Plugin("random", "4.2.0")


class Workspace:
    """Lists one plugin and can install those it is told it can."""

    def __init__(self, *, can: tuple[str, ...] = ()) -> None:
        self.can = can
        self.got: list[tuple[str, str]] = []
        self.work_dir = "/project"
        self.env_vars: dict[str, str] = {}
        self.pulumi_command = self

    def run(self, *_arguments: object) -> SimpleNamespace:
        return SimpleNamespace(stdout=json.dumps([{"name": "aws", "kind": "resource", "version": "7.1.0"}]))

    def install_plugin(self, name: str, version: str) -> None:
        if name not in self.can:
            raise CommandError("\n code: 1\n stdout: \n stderr: error: no network")  # pyright: ignore[reportArgumentType]
        self.got.append((name, version))


@pytest.fixture
def no_cli(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing on PATH, and nothing installed before."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.usefixtures("no_cli")
def test_a_missing_cli_says_how_to_get_it() -> None:
    with pytest.raises(AtollError, match="not on PATH") as refused:
        binary.find_cli()
    assert refused.value.hint.startswith("atoll engine install")


@pytest.mark.usefixtures("no_cli")
@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (URLError("Name or service not known"), "Name or service not known"),
        (
            subprocess.CalledProcessError(1, "sh", output=b"downloading\nno space left\n\n"),
            "no space left",
        ),
    ],
)
def test_an_installation_that_fails_says_why_and_how_by_hand(
    failure: Exception, words: str, monkeypatch: pytest.MonkeyPatch, atoll: Atoll
) -> None:
    def install(**_more: object) -> PulumiCommand:
        raise failure

    monkeypatch.setattr(PulumiCommand, "install", install)
    outcome = atoll("engine", "install")
    assert outcome.code == 1
    assert words in outcome.err
    assert f"by hand: unpack the archive of {version('pulumi')}" in outcome.err


@pytest.mark.parametrize(("major", "minor", "good"), [(3, 100, False), (3, 260, True), (4, 0, True)])
def test_a_cli_older_than_what_was_tested_is_refused(
    major: int, minor: int, good: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Found:
        def __init__(self, **_more: object) -> None:
            self.version = type("V", (), {"major": major, "minor": minor, "__str__": lambda _: f"{major}.{minor}.0"})()

    monkeypatch.setattr(binary, "PulumiCommand", Found)
    if good:
        assert binary.version_of(binary.find_cli()) == f"{major}.{minor}.0"
        return
    with pytest.raises(AtollError, match=r"is 3\.100\.0 and 3\.100\.0; at least 3\.220 is needed"):
        binary.find_cli()


def test_the_cli_that_belongs_to_the_sdk_goes_where_the_sdk_puts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def install(*, root: str) -> PulumiCommand:
        asked.append(root)
        return SimpleNamespace(command="x")  # pyright: ignore[reportReturnType]

    monkeypatch.setattr(PulumiCommand, "install", install)
    binary.install()
    assert asked == [str(Path.home() / ".pulumi" / "versions" / version("pulumi"))]


def test_a_cli_that_works_too_is_used_where_the_pinned_one_cannot_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    other = SimpleNamespace(version="3.260.0")
    said: list[str] = []

    def install() -> PulumiCommand:
        raise AtollError("no network")

    monkeypatch.setattr(binary, "find_cli", lambda: other)
    monkeypatch.setattr(binary, "install", install)
    assert binary.find_or_install(said.append) is other  # pyright: ignore[reportUnnecessaryComparison]
    assert said == ["warning: no network; 3.260.0, which is here, is used"]


def test_a_pinned_cli_that_is_here_is_not_downloaded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pinned = SimpleNamespace(version=version("pulumi"))
    monkeypatch.setattr(binary, "find_cli", lambda: pinned)
    monkeypatch.setattr(binary, "install", lambda: pytest.fail("downloaded"))
    assert binary.find_or_install(pytest.fail) is pinned  # pyright: ignore[reportUnnecessaryComparison]


def test_plugins_have_the_versions_of_their_packages() -> None:
    assert Plugin("kubernetes", version("pulumi-kubernetes")) in environment.list_pinned_plugins()
    assert {each.name for each in environment.list_pinned_plugins()} == set(environment.PROVIDERS)


def test_only_plugins_of_another_version_or_none_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    wanted = (AWS, Plugin("aws", "7.2.0"), RANDOM)
    assert environment.find_missing_plugins(Workspace(), wanted=wanted) == wanted[1:]  # pyright: ignore[reportArgumentType]


def test_every_plugin_that_can_be_had_is_got_and_the_others_are_named() -> None:
    workspace = Workspace(can=("random",))
    said: list[str] = []
    with pytest.raises(AtollError, match=r"could not be installed: aws 7\.1\.0: no network") as failed:
        environment.install_plugins(workspace, wanted=(AWS, RANDOM), say=said.append)  # pyright: ignore[reportArgumentType]
    assert workspace.got == [("random", "v4.2.0")]
    assert said == ["getting plugin aws 7.1.0", "getting plugin random 4.2.0"]
    assert "pulumi plugin install resource" in failed.value.hint


@pytest.mark.usefixtures("no_cli")
def test_the_status_names_what_is_missing(atoll: Atoll, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PULUMI_BACKEND_URL", "PULUMI_ACCESS_TOKEN", "PULUMI_HOME", "PULUMI_CONFIG_PASSPHRASE"):
        monkeypatch.delenv(name, raising=False)
    outcome = atoll("engine", "status")
    assert outcome.code == 1
    assert "missing: the Pulumi CLI is not on PATH" in outcome.out
    assert ".pulumi-state" in outcome.out
    assert f"export PULUMI_BACKEND_URL=file://{Path.cwd()}/.pulumi-state" in outcome.err


def test_a_stack_needs_only_the_plugins_of_its_resources() -> None:
    types = (
        "aws:eks/cluster:Cluster",
        "pulumi:providers:kubernetes",
        "atoll:cluster:AwsCluster",
        "pulumi:pulumi:Stack",
    )
    assert [each.name for each in environment.select_plugins(types)] == ["aws", "kubernetes"]
