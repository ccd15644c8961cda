"""Argo CD and the hand-over: who gets in, and files that hold the platform, the same each time, and no secret."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pulumi
import pytest
import yaml
from locked_stack import write_locked
from look import at, of_type, one
from platform_samples import handle_of, run_part, spec_with

from catalogs.catalog import load
from cli.main.application import run as command
from components.context.placement import PlatformBucket
from components.context.settings import StackSettings
from components.platform.building_blocks.context import Keyring, KeyringArgs, PlatformContext
from components.platform.foundation import namespaces
from components.platform.operations import argo_cd, velero
from operations.gitops.argo_cd import HEADER, OLD_HEADER, ArgoCdSource, files, find_outdated_files
from operations.gitops.components import groups, plain
from operations.offline.program import OfflineRun, run
from planning.checklist.reading.checklist_file import read_file
from planning.costs.resources.resource import UNKNOWN, Resource, Secret
from planning.quoting.candidates.market import Market
from planning.quoting.option import ceilings
from planning.quoting.quote import lock
from planning.quoting.quote_builder import quote
from planning.values.errors import InputError

if TYPE_CHECKING:
    from planning.spec.cluster import ClusterSpec

ROOT = Path(__file__).parents[3]
RELEASE = "kubernetes:helm.sh/v3:Release"
ADA = {"name": "ada", "email": "ada@lagoon-labs.example", "group": "admin"}
HANDED = {"handover": "argo_cd"}
PLACE = ArgoCdSource(
    repository="https://git.lagoon-labs.example/platform.git", revision="main", folder="clusters/lagoon"
)
BUCKET = PlatformBucket(name="backups", endpoint="https://s3.us-east-1.amazonaws.com", region="us-east-1")


def spec() -> ClusterSpec:
    return spec_with(platform=HANDED, access={"users": [ADA]})


@pytest.fixture(scope="module")
def installed() -> OfflineRun:
    return run_part("argo_cd", argo_cd.build, spec())


def values(found: OfflineRun) -> Any:
    return at(one(found, RELEASE, "argocd"), "values")


def test_nobody_signs_in_with_a_password_of_argo_cds_own(installed: OfflineRun) -> None:
    found = values(installed)["configs"]["cm"]
    assert found["admin.enabled"] is False
    (sign_in,) = json.loads(found["dex.config"])["connectors"]
    assert sign_in["config"]["clientSecret"] == "$argocd-sign-in:clientSecret"


def test_only_browsers_need_to_know_the_name_that_people_sign_in_at(installed: OfflineRun) -> None:
    cm = values(installed)["configs"]["cm"]
    (sign_in,) = json.loads(cm["dex.config"])["connectors"]
    asked = {key: value for key, value in sign_in["config"].items() if key.endswith("URL")}
    assert asked.pop("authorizationURL") == "https://auth.atoll.internal/dex/auth"
    assert {urlsplit(each).hostname for each in asked.values()} == {"dex.auth.svc.cluster.local"}
    assert "oidc.config" not in cm


def test_admins_of_the_checklist_change_and_all_others_look(installed: OfflineRun) -> None:
    rights = values(installed)["configs"]["rbac"]
    assert rights["policy.csv"] == "g, ada@lagoon-labs.example, role:admin"
    assert rights["policy.default"] == "role:readonly"


def test_the_password_of_its_cache_is_generated_by_us_before_the_chart(installed: OfflineRun) -> None:
    secret = one(installed, "kubernetes:core/v1:Secret", "argocd-redis")
    assert isinstance(at(secret, "stringData"), Secret)
    assert values(installed)["redisSecretInit"] == {"enabled": False}
    assert secret.urn in one(installed, RELEASE, "argocd").dependencies


def test_its_page_is_behind_the_sign_in(installed: OfflineRun) -> None:
    (page,) = of_type(installed, "kubernetes:networking.istio.io/v1:VirtualService")
    assert at(page, "spec", "hosts", 0) == "argocd.atoll.internal"


def platform(*, bucket: PlatformBucket | None = BUCKET) -> OfflineRun:
    """Two parts, the second after the first, as the composer registers them."""
    chosen = spec()

    def program() -> None:
        decided = chosen.platform
        assert decided is not None
        handle = handle_of(chosen, bucket=bucket)
        ground = PlatformContext(
            spec=chosen,
            platform=decided,
            handle=handle,
            settings=StackSettings(offline=True, allow_destroy=False, reservations={}),
            keyring=Keyring("keyring", KeyringArgs()),
        )
        options = pulumi.ResourceOptions(provider=handle.provider)
        first = namespaces.build(ground, [], options)
        later = pulumi.ResourceOptions(provider=handle.provider, depends_on=[first.resource])
        velero.build(ground, [], later)
        argo_cd.build(ground, [], later)

    return run("sample", program=program)


def written(found: OfflineRun) -> dict[str, str]:
    chosen, staying = groups(found.resources)
    return files(chosen, staying, place=PLACE, overlay=lambda _: "")


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return written(platform())


def documents(texts: dict[str, str]) -> list[Any]:
    return [yaml.safe_load(text) for path, text in texts.items() if path.endswith(".yaml")]


def test_a_chart_becomes_an_application_with_our_values(texts: dict[str, str]) -> None:
    source = yaml.safe_load(texts["applications/velero.yaml"])["spec"]["source"]
    assert source["repoURL"] == "https://vmware-tanzu.github.io/helm-charts"
    assert (source["chart"], source["targetRevision"]) == ("velero", "12.1.0")
    assert source["helm"]["valuesObject"]["deployNodeAgent"] is True


def test_objects_of_our_own_are_files_that_an_application_reads_after_its_chart(texts: dict[str, str]) -> None:
    schedule = yaml.safe_load(texts["objects/velero/schedule-nightly.yaml"])
    assert (schedule["apiVersion"], schedule["kind"]) == ("velero.io/v1", "Schedule")
    application = yaml.safe_load(texts["applications/velero-objects.yaml"])
    assert application["spec"]["source"]["path"] == "clusters/lagoon/objects/velero"
    waves = [
        int(yaml.safe_load(texts[f"applications/{name}.yaml"])["metadata"]["annotations"][WAVE])
        for name in ("namespaces-objects", "velero", "velero-objects")
    ]
    assert waves == sorted(waves)


WAVE = "argocd.argoproj.io/sync-wave"


def test_no_secret_is_written_and_each_is_named(texts: dict[str, str]) -> None:
    assert not [each for each in documents(texts) if each["kind"] == "Secret"]
    assert "| Secret velero/velero-repo-credentials | a secret" in texts["README.md"]


def test_what_only_the_cloud_knows_stays_with_atoll() -> None:
    unknown = Resource(
        urn="u", type=RELEASE, name="x", parent="t", custom=True, inputs={"values": UNKNOWN}, property_dependencies={}
    )
    top = Resource(
        urn="t", type="atoll:platform:X", name="x", parent=None, custom=False, inputs={}, property_dependencies={}
    )
    chosen, staying = groups([top, unknown])
    assert chosen == []
    assert staying[0].reason.startswith("part of it is known only")


def test_argo_cd_does_not_take_itself_over(texts: dict[str, str]) -> None:
    assert "applications/argocd.yaml" not in texts


def test_the_project_admits_the_sources_of_the_platform_and_no_other(texts: dict[str, str]) -> None:
    project = yaml.safe_load(texts["project.yaml"])["spec"]
    assert project["sourceRepos"] == [PLACE.repository, "https://vmware-tanzu.github.io/helm-charts"]
    assert project["destinations"] == [{"server": "https://kubernetes.default.svc", "namespace": "*"}]


def test_the_same_program_gives_the_same_files(texts: dict[str, str]) -> None:
    assert written(platform()) == texts


def test_nothing_syncs_by_itself(texts: dict[str, str]) -> None:
    for each in documents(texts):
        if each["kind"] == "Application":
            assert "automated" not in each["spec"]["syncPolicy"]


def test_a_folder_of_this_machine_is_refused() -> None:
    top = Resource(
        urn="t", type="atoll:platform:X", name="x", parent=None, custom=False, inputs={}, property_dependencies={}
    )
    local = Resource(
        urn="u",
        type=RELEASE,
        name="x",
        parent="t",
        custom=True,
        inputs={"name": "x", "chart": "../mirror/charts/x-1.0.0.tgz", "version": "1.0.0", "values": {}},
        property_dependencies={},
    )
    with pytest.raises(InputError, match="folder of this machine"):
        files(groups([top, local])[0], (), place=PLACE, overlay=lambda _: "")


def test_files_of_an_earlier_hand_over_are_found_and_the_customers_own_left(tmp_path: Path) -> None:
    (tmp_path / "applications").mkdir()
    (tmp_path / "applications/old.yaml").write_text(HEADER + "kind: Application\n")
    (tmp_path / "applications/new.yaml").write_text(HEADER + "kind: Application\n")
    (tmp_path / "ours.yaml").write_text("kind: ConfigMap\n")
    assert find_outdated_files(tmp_path, {"applications/new.yaml": ""}) == [tmp_path / "applications/old.yaml"]


def accepted(folder: Path, *, handover: str) -> None:
    """A project whose only stack has a small platform, on a cluster that exists."""
    (folder / "stacks").mkdir()
    for name in ("Pulumi.yaml", "stacks/__main__.py"):
        (folder / name).write_text((ROOT / name).read_text())
    rented = read_file(ROOT / "stacks/existing-lambda/checklist.yaml")
    small = rented.platform.model_copy(update={"handover": handover, "size": "small"})
    asked = rented.model_copy(update={"platform": small})
    found = quote(asked, checklist_digest="", stack="lagoon", market=Market(load()), today=date(2026, 11, 21))
    chosen = lock(found, found.options[0], ceiling=ceilings(asked), contract_months=asked.contract.months)
    write_locked(folder, chosen)


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    accepted(tmp_path, handover="argo_cd")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def overlays(stack: Path) -> None:
    """What an update writes beside the project."""
    for each in run("lagoon", root=stack).resources:
        if each.type == "kubernetes:kustomize/v2:Directory":
            folder = stack / "stacks" / str(each.inputs["directory"])
            folder.mkdir(parents=True)
            (folder / "kustomization.yaml").write_text('resources: ["https://git.example/a//b?ref=1"]\n')


def export(*arguments: str) -> int:
    return command(
        ["gitops", "export", "lagoon", "--to", "out", "--repository", "https://git.example/x.git", *arguments]
    )


def test_the_command_writes_the_whole_platform_and_the_same_again(stack: Path) -> None:
    overlays(stack)
    assert export() == 0
    first = {path: path.read_text() for path in sorted((stack / "out").rglob("*")) if path.is_file()}
    assert {stack / "out" / name for name in ("root.yaml", "project.yaml", "applications/velero.yaml")} <= set(first)
    (stack / "out/applications/gone.yaml").write_text(HEADER)
    (stack / "out/applications/older.yaml").write_text(OLD_HEADER)
    assert export() == 0
    assert {path: path.read_text() for path in sorted((stack / "out").rglob("*")) if path.is_file()} == first


def test_before_the_first_update_the_command_says_what_is_missing(
    stack: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export() == 1
    assert "run atoll preview lagoon first" in capsys.readouterr().err
    assert not (stack / "out").exists()


def test_a_platform_that_is_not_handed_over_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    accepted(tmp_path, handover="none")
    monkeypatch.chdir(tmp_path)
    assert export() == 1
    assert "does not export its platform to Argo CD" in capsys.readouterr().err


def test_whole_numbers_are_written_without_a_point() -> None:
    assert plain({"replicas": 2.0, "share": 0.5}) == {"replicas": 2, "share": 0.5}
