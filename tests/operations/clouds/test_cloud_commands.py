"""`atoll preflight` and `atoll orphans` as a person runs them, with a made-up cloud and with none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from locked_stack import write_locked
from samples import STACK, TODAY, cluster, cpu_pool, existing_cluster, lock, placement, pool
from small_account import TAGS, Account, tags

from cli.commands.checklist.schema import schema
from cli.main.application import run
from operations.clouds.aws import placement as aws
from operations.clouds.aws.client import Clients
from operations.clouds.registry import MODULES, cloud_of
from operations.project.stack_config import with_accepted
from planning.cloud_checks.cloud_reports import CLOUD, CloudReport, OfferReport, QuotaReport, ReservationReport
from planning.spec.cluster import ClusterSpec, Placement

DAY = ("--today", TODAY.isoformat())
BLOCK = "cr-0123456789abcdef0"
Atoll = Callable[..., tuple[int, str, str]]


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Write the lock of stack `demo`, and its configuration, into a project of its own."""
    (tmp_path / "Pulumi.yaml").write_text("name: atoll\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)

    def write(*placements: ClusterSpec, config: str = "") -> None:
        write_locked(tmp_path, lock(*placements))
        if config:
            path = tmp_path / "stacks" / f"Pulumi.{STACK}.yaml"
            path.write_text(config)
            path.write_text(with_accepted(path, option=lock(*placements).option))

    return write


@pytest.fixture
def atoll(capsys: pytest.CaptureFixture[str]) -> Atoll:
    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def valid(name: str, text: str) -> Any:
    document = json.loads(text)
    jsonschema.validate(document, schema(name), cls=jsonschema.Draft202012Validator)
    return document


def all_right(**changes: Any) -> CloudReport:
    codes = ("L-417A185B", "L-1216C47A", "L-0263D0A3", "L-F678F1CE")
    quotas = {code: QuotaReport(limit=1000, used=0) for code in codes}
    there = OfferReport(zones=("use1-az4",), offered=True, efa_interfaces=32, source=CLOUD)
    return CloudReport(**{"quotas": quotas, "offers": {"p5.48xlarge": there, "m7i.2xlarge": there}, **changes})


def answers(monkeypatch: pytest.MonkeyPatch, told: CloudReport) -> None:
    monkeypatch.setattr(aws, "read_capacity", lambda _: told)


def test_every_target_that_is_built_has_a_module_that_is_asked() -> None:
    targets = set(Placement.model_json_schema()["properties"]["target"]["enum"])
    assert targets - {"none"} == set(MODULES)
    assert all(cloud_of(target) for target in MODULES)
    assert cloud_of("none") is None


def test_preflight_is_0_where_all_is_right(
    stack: Callable[..., None], atoll: Atoll, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack()
    answers(monkeypatch, all_right())
    code, out, _ = atoll("preflight", STACK, *DAY)
    assert code == 0
    assert "enough: 384 of 1,000 vCPUs (L-417A185B)" in " ".join(out.split())
    assert "demo: nothing is in the way" in out


def test_preflight_is_1_where_a_quota_is_short(
    stack: Callable[..., None], atoll: Atoll, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack()
    short = QuotaReport(limit=192, used=0, name="Running On-Demand P instances")
    answers(monkeypatch, all_right(quotas={"L-417A185B": short}))
    code, out, _ = atoll("preflight", STACK, "--json", *DAY)
    document = valid("preflight", out)
    assert (code, document["standing"]) == (1, "wrong")
    train = document["placements"][0]["pools"][1]
    assert (train["quota"]["state"], train["quota"]["limit"]) == ("short", 192)


def test_preflight_is_1_where_a_reservation_is_of_another_machine(
    stack: Callable[..., None], atoll: Atoll, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack(config=f"config:\n  atoll:capacityReservations:\n    train: {BLOCK}\n")
    other = ReservationReport(id=BLOCK, status="active", machine="p4d.24xlarge", zone="use1-az4", count=2, ends=None)
    answers(monkeypatch, all_right(reservations={BLOCK: other}))
    code, out, _ = atoll("preflight", STACK, *DAY)
    assert code == 1
    assert "it is of p4d.24xlarge, and the pool runs p5.48xlarge" in " ".join(out.split())


def test_a_reservation_for_a_pool_that_is_not_there_is_wrong(
    stack: Callable[..., None], atoll: Atoll, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack(config=f"config:\n  atoll:capacityReservations:\n    trian: {BLOCK}\n")
    answers(monkeypatch, all_right())
    code, out, _ = atoll("preflight", STACK, *DAY)
    assert (code, "names a reservation for pool trian, which it does not have" in out) == (1, True)


def test_a_faulty_setting_is_bad_input_and_no_traceback(stack: Callable[..., None], atoll: Atoll) -> None:
    stack(config="config:\n  atoll:capacityReservations: cr-1\n")
    code, _, err = atoll("preflight", STACK, *DAY)
    assert code == 1
    assert "atoll:capacityReservations must map pool names to reservation ids" in err
    assert "Traceback" not in err


@pytest.mark.usefixtures("no_credentials")
def test_without_credentials_the_catalog_answers_what_is_offered(stack: Callable[..., None], atoll: Atoll) -> None:
    stack(cluster(pools=(pool("train"),)))
    code, out, _ = atoll("preflight", STACK, "--json", *DAY)
    (train,) = valid("preflight", out)["placements"][0]["pools"]
    assert code == 11
    assert (train["quota"]["state"], train["offered"]["source"]) == ("unknown", "catalog")
    assert (train["offered"]["state"], train["offered"]["as_of"]) == ("offered", "2026-01-01")


@pytest.mark.parametrize(
    ("region", "zones", "reason"),
    [
        ("eu-west-1", ("euw1-az1",), "eu-west-1 does not offer p4de.24xlarge"),
        ("us-east-1", ("use1-az3",), "is not offered in use1-az3"),
    ],
)
def test_the_catalog_alone_finds_a_region_or_a_zone_without_the_machine(
    region: str, zones: tuple[str, ...], reason: str, stack: Callable[..., None], atoll: Atoll
) -> None:
    train_pool = pool("train", machine="p4de.24xlarge", vcpus=96, efa_interfaces=4, zones=zones)
    stack(cluster(placement=placement(region=region, zones=zones), pools=(train_pool,)))
    code, out, _ = atoll("preflight", STACK, "--no-cloud", "--json", *DAY)
    (train,) = valid("preflight", out)["placements"][0]["pools"]
    assert code == 1
    assert train["offered"]["state"] == "not_offered"
    assert reason in train["offered"]["reason"]


@pytest.mark.usefixtures("no_credentials")
def test_a_stack_of_two_places_asks_each_by_its_own_target(
    stack: Callable[..., None], atoll: Atoll, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ATOLL_TEST_KUBECONFIG", raising=False)
    away = placement(name="training", provider="lambda", region="us-south-2", zones=(), target="existing")
    stack(cluster(pools=(cpu_pool(),)), existing_cluster(placement=away))
    code, out, _ = atoll("preflight", STACK, "--json", *DAY)
    home, training = valid("preflight", out)["placements"]
    assert code == 11
    assert "no AWS credentials" in home["silence"]
    assert training["silence"].startswith("ATOLL_TEST_KUBECONFIG is not set")


def test_leftovers_is_1_while_the_stack_stands_and_0_once_it_is_gone(
    stack: Callable[..., None], atoll: Atoll, clients_of_aws: Clients
) -> None:
    stack()
    account = Account(clients_of_aws)
    account.build()
    code, out, _ = atoll("orphans", STACK)
    assert code == 1
    assert "Still there, and it costs:" in out
    assert "data: protected and kept" in " ".join(out.split())
    account.tear_down()
    code, out, _ = atoll("orphans", STACK)
    assert code == 0
    assert "demo: nothing is left that costs, but for what is kept" in out


def test_leftovers_as_json_keep_amounts_exact(
    stack: Callable[..., None], atoll: Atoll, clients_of_aws: Clients
) -> None:
    stack()
    clients_of_aws.ec2.allocate_address(Domain="vpc", TagSpecifications=tags("elastic-ip", marked=TAGS))
    code, out, _ = atoll("orphans", STACK, "--json")
    document = valid("leftovers", out)
    (address,) = document["forgotten"]
    assert code == 1
    assert (address["usd_per_month"], address["state"]) == ("3.65", "priced")


@pytest.mark.usefixtures("no_credentials")
def test_leftovers_is_11_where_nobody_can_tell(stack: Callable[..., None], atoll: Atoll) -> None:
    stack()
    code, out, err = atoll("orphans", STACK)
    assert code == 11
    assert "Not answered: AWS of home: no AWS credentials" in out
    assert "Traceback" not in err
