"""The bucket of the platform: one on every cloud, kept and shut, and each user in its own prefix."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pulumi
import pytest
import specs
import specs_coreweave
import specs_gcp
from look import at, of_type, one
from platform_samples import spec_with

from catalogs.catalog import load
from components.clouds.aws.storage.platform_bucket import rights
from components.context.names import workloads
from components.context.placement import ChargeLedger, PlacementContext
from components.context.settings import read_settings
from components.platform.building_blocks.names import BUCKET_USERS
from components.platform.building_blocks.object_store_access import bucket_users, list_visitors
from components.stack.targets import BUILDERS
from operations.offline.program import OfflineRun, run
from operations.plans.plan import differences
from operations.plans.price_book import as_book
from planning.checklist.model.vocabulary import Support
from planning.costs.charges import charges, list_declared_charges
from planning.costs.resources.stack_cost import price_resources
from planning.platform.backups import MADE_ANEW, PLANS, estimate_backup_gb
from planning.quoting.candidates.market import Market
from planning.quoting.option import bill
from planning.spec.platform import Platform
from planning.values.errors import InputError

if TYPE_CHECKING:
    from planning.spec.cluster import ClusterSpec

WHERE = {"aws": specs.aws_cluster, "gcp": specs_gcp.gcp_cluster, "coreweave": specs_coreweave.coreweave_cluster}


KEY = "platform/bucket"


def with_volumes(spec: ClusterSpec) -> ClusterSpec:
    """A platform with volumes, whatever the catalog says of its parts today."""
    assert spec.platform is not None
    parts = tuple(part.model_copy(update={"disk_gb": 10}) for part in spec.platform.parts)
    return spec.model_copy(update={"platform": spec.platform.model_copy(update={"parts": parts})})


def cluster(provider: str, **changes: Any) -> ClusterSpec:
    return spec_with(WHERE[provider](), **changes)


def built(spec: ClusterSpec) -> OfflineRun:
    def program() -> None:
        site = PlacementContext(spec=spec, ledger=ChargeLedger(list_declared_charges(spec)), settings=read_settings())
        BUILDERS[spec.placement.target](site)

    return run("sample", program=program)


@pytest.fixture(scope="module")
def on_aws() -> OfflineRun:
    return built(cluster("aws"))


@pytest.fixture(scope="module")
def on_gcp() -> OfflineRun:
    return built(cluster("gcp"))


@pytest.mark.parametrize("provider", WHERE)
def test_what_the_bucket_is_foreseen_to_hold_is_billed_as_it_is_counted(provider: str) -> None:
    spec = with_volumes(cluster(provider))
    catalog = load()
    accepted = bill(spec, Market(catalog))
    counted = price_resources(built(spec).resources, catalog=as_book(catalog)).bill
    (line,) = [each for each in counted.lines if each.key == KEY]
    assert line.usd_per_month is not None
    assert line.usd_per_month.expected > 0
    assert [each for each in differences(accepted, counted) if each.key == KEY] == []


def test_more_support_means_more_copies_and_more_gb() -> None:
    none, always = (estimate_backup_gb(PLANS[support], disk_gb=100) for support in (Support.NONE, Support.ALWAYS))
    assert none.min == Decimal("1.14") * 100
    assert none.expected == Decimal("1.42") * 100
    assert none.max < always.max == Decimal("5.4") * 100


def test_logs_lie_in_the_bucket_where_no_store_in_the_cluster_holds_them() -> None:
    spec = cluster("aws", platform={"object_store": "provider"})
    assert spec.platform is not None
    kept = [part.disk_gb for part in spec.platform.parts if part.namespace not in MADE_ANEW]
    volumes = estimate_backup_gb(PLANS[spec.services.support], disk_gb=sum(kept))
    (charge,) = [each for each in charges(spec) if each.key == KEY]
    assert charge.quantity == volumes + spec.logs_gb.as_range()


@pytest.mark.parametrize(
    ("provider", "token"),
    [
        ("aws", "aws:s3/bucket:Bucket"),
        ("gcp", "gcp:storage/bucket:Bucket"),
        ("coreweave", "coreweave:index/objectStorageBucket:ObjectStorageBucket"),
    ],
)
def test_the_bucket_is_protected_and_kept(provider: str, token: str) -> None:
    bucket = one(built(cluster(provider)), token, "platform")
    assert bucket.protect
    assert bucket.retain_on_delete


def test_a_cluster_without_a_platform_has_no_such_bucket(aws_run: OfflineRun) -> None:
    assert not [each for each in aws_run.resources if each.type == "atoll:storage:PlatformStorage"]


def test_only_users_whose_part_is_installed_get_in() -> None:
    decided = cluster("aws").platform
    assert decided is not None
    assert set(bucket_users(decided)) == {"velero", "mlflow-database", "object-store"}
    without = decided.model_copy(update={"parts": tuple(each for each in decided.parts if each.name != "mlflow")})
    assert "mlflow-database" not in bucket_users(without)


def test_a_store_at_the_provider_lets_those_in_who_write_to_it_themselves() -> None:
    decided = cluster("aws", platform={"object_store": "provider", "size": "standard"}).platform
    assert decided is not None
    assert {"loki", "tempo", "mlflow"} <= set(bucket_users(decided))
    assert "object-store" not in bucket_users(decided)


def test_every_user_of_the_bucket_can_come_in_one_way_or_the_other() -> None:
    everything = Platform.model_validate(
        {"release": "x", "size": "full", "parts": cluster("aws", schedulers=["airflow"]).platform.parts}  # type: ignore[union-attr]
    )
    inside = set(bucket_users(everything))
    outside = set(bucket_users(everything.model_copy(update={"object_store": "provider"})))
    assert inside | outside | {"tempo"} == set(BUCKET_USERS)


def at_provider(provider: str) -> ClusterSpec:
    """A team and Airflow, with the provider's bucket as the object store."""
    asked = {"platform": {"object_store": "provider", "size": "standard"}, "schedulers": ["airflow"]}
    people = {"users": [{"name": "ada", "email": "ada@lagoon-labs.example", "team": "vision"}]}
    spec = cluster(provider, **asked, teams=[{"name": "vision"}], access=people)
    assert spec.platform is not None
    (workload, *_) = workloads(spec)
    teams = tuple(each.model_copy(update={"workloads": (workload,)}) for each in spec.platform.teams)
    return spec.model_copy(update={"platform": spec.platform.model_copy(update={"teams": teams})})


def test_a_store_at_the_provider_lets_pipelines_airflow_and_teams_in() -> None:
    found = list_visitors(at_provider("aws"))
    assert found["pipelines"].accounts == (("kubeflow", "ml-pipeline"),)
    (team,) = [each for name, each in found.items() if name.startswith("teams-")]
    assert (team.accounts[0].name, team.prefixes) == ("default-editor", ("team-vision",))
    assert list_visitors(cluster("aws")) == {}


def test_on_aws_every_visitor_takes_a_role_and_nobody_two() -> None:
    taken = of_type(built(at_provider("aws")), "aws:eks/podIdentityAssociation:PodIdentityAssociation")
    accounts = [(at(each, "namespace"), at(each, "serviceAccount")) for each in taken]
    assert {("kubeflow", "ml-pipeline"), ("airflow", "airflow-worker")} <= set(accounts)
    assert len(accounts) == len(set(accounts))


def test_on_google_cloud_a_team_gets_its_prefix_and_pipelines_are_left_out() -> None:
    spec = at_provider("gcp")
    assert spec.platform is not None
    assert spec.platform.part("pipelines") is None
    assert "over S3" in next(each.reason for each in spec.platform.skipped if each.name == "pipelines")
    titles = {
        at(each, "condition", "title")
        for each in of_type(built(spec), "gcp:storage/bucketIAMMember:BucketIAMMember")
        if each.name.endswith("-objects")
    }
    assert {"prefix-team-vision", "prefix-airflow"} <= titles


def test_on_aws_a_role_reaches_its_own_prefix_and_no_other() -> None:
    objects, listed, *others = rights("velero", bucket="arn:b", objects="arn:b/velero/*", key="arn:k")
    assert objects["Resource"] == "arn:b/velero/*"
    assert listed["Action"] == ["s3:ListBucket"]
    assert listed["Condition"] == {"StringLike": {"s3:prefix": ["velero", "velero/*"]}}
    assert not [each for each in others if "s3:ListBucket" in each["Action"]]  # type: ignore[operator]


def test_on_aws_a_database_may_ask_whether_the_bucket_is_there() -> None:
    given = rights("mlflow-database", bucket="arn:b", objects="arn:b/mlflow-database/*", key="arn:k")
    assert {"Null": {"s3:prefix": "true"}} in [each.get("Condition") for each in given]


def test_on_aws_each_role_is_taken_by_one_service_account(on_aws: OfflineRun) -> None:
    taken = one(on_aws, "aws:eks/podIdentityAssociation:PodIdentityAssociation", "platform-velero")
    assert at(taken, "namespace") == "velero"
    assert at(taken, "serviceAccount") == "velero"


def test_on_google_cloud_a_condition_names_the_prefix(on_gcp: OfflineRun) -> None:
    given = one(on_gcp, "gcp:storage/bucketIAMMember:BucketIAMMember", "platform-velero-objects")
    condition = at(given, "condition")
    assert isinstance(condition, dict)
    assert condition["title"] == "prefix-velero"
    signs = one(on_gcp, "gcp:serviceaccount/iAMMember:IAMMember", "platform-velero-signs")
    assert at(signs, "role") == "roles/iam.serviceAccountTokenCreator"


def test_on_google_cloud_names_of_accounts_are_short_enough(on_gcp: OfflineRun) -> None:
    accounts = of_type(on_gcp, "gcp:serviceaccount/account:Account")
    assert all(6 <= len(str(at(each, "accountId"))) <= 30 for each in accounts)


def test_on_coreweave_every_user_has_a_statement_of_its_own() -> None:
    found = built(cluster("coreweave"))
    given = one(
        found, "coreweave:index/objectStorageOrganizationAccessPolicy:ObjectStorageOrganizationAccessPolicy", "platform"
    )
    statements = at(given, "statements")
    assert isinstance(statements, list)
    assert {str(each["name"]) for each in statements} == {"velero", "mlflow-database", "object-store", "names"}  # type: ignore[index,call-overload]


def settings(**values: str) -> Any:
    found: list[Any] = []

    def program() -> None:
        for key, value in values.items():
            pulumi.runtime.set_config(f"atoll:{key}", value)
        found.append(read_settings())

    run("sample", program=program)
    return found[0]


def test_a_bucket_of_the_customers_own_needs_its_keys() -> None:
    with pytest.raises(InputError, match="backupAccessKey and backupSecretKey missing"):
        settings(backupBucket="ours")
    assert settings(backupBucket="ours", backupAccessKey="a", backupSecretKey="b").backup_bucket == "ours"


def test_backups_do_not_travel_in_the_clear() -> None:
    with pytest.raises(InputError, match="https"):
        settings(backupEndpoint="http://minio.example")
