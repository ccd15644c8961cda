from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from freeze_scene import Clock, Scene
from hypothesis import given
from hypothesis import strategies as st
from moto import mock_aws

from operations.relocation.config.endpoints import NamesMove
from operations.relocation.dns.names import HostsFile, ManualSwitcher, addresses, switch_addresses
from operations.relocation.dns.route53 import Route53
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from operations.relocation.runner.step import Move

HOSTS = (
    "127.0.0.1 localhost  # ours\n\n10.0.0.1 mlflow.acme kubeflow.acme other.acme # shared\n# 10.0.0.1 mlflow.acme\n"
)
NAMES = ("mlflow.acme", "kubeflow.acme", "new.acme")


@pytest.fixture
def move(tmp_path: Path) -> Move:
    return Scene(tmp_path).move


def hosts(path: Path, **changes: Any) -> NamesMove:
    said = {"names": NAMES, "source": "10.0.0.1", "target": "10.0.0.2", "file": str(path), **changes}
    return NamesMove.model_validate({"kind": "hosts_file", **said})


def test_names_are_switched_where_they_stand_and_every_other_line_is_kept() -> None:
    text = switch_addresses(HOSTS, dict.fromkeys(NAMES, "10.0.0.2"))
    assert text.splitlines() == [
        "127.0.0.1 localhost  # ours",
        "",
        "10.0.0.1 other.acme  # shared",
        "10.0.0.2 mlflow.acme",
        "10.0.0.2 kubeflow.acme",
        "# 10.0.0.1 mlflow.acme",
        "10.0.0.2 new.acme",
    ]


WORDS = st.from_regex(r"[a-z]{1,8}\.acme", fullmatch=True)
LINES = st.builds(
    lambda names, end: f"10.1.1.1 {' '.join(names)}{end}", st.lists(WORDS, min_size=1), st.sampled_from(["", " # x"])
)


@given(st.lists(LINES), st.sets(WORDS, min_size=1))
def test_afterwards_each_name_has_its_address_and_no_other_name_has_changed(lines: list[str], names: set[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    others = sorted({name for line in lines for name in line.partition("#")[0].split()[1:]} - names)
    after = switch_addresses(text, dict.fromkeys(sorted(names), "10.2.2.2"))
    assert set(addresses(after, sorted(names)).values()) == {"10.2.2.2"}
    assert addresses(after, others) == addresses(text, others)
    assert switch_addresses(after, dict.fromkeys(sorted(names), "10.2.2.2")) == after


def test_a_hosts_file_is_put_back_to_the_byte(tmp_path: Path, move: Move) -> None:
    path = tmp_path / "hosts"
    path.write_text(HOSTS)
    for _ in range(2):
        evidence: Any = HostsFile().switch(hosts(path), move)
    assert evidence["now"] == dict.fromkeys(NAMES, "10.0.0.2")
    assert evidence["before"] == {"mlflow.acme": "10.0.0.1", "kubeflow.acme": "10.0.0.1", "new.acme": None}
    for _ in range(2):
        HostsFile().put_back(hosts(path), move)
        assert path.read_text() == HOSTS


def test_what_others_wrote_into_a_hosts_file_meanwhile_stays(tmp_path: Path, move: Move) -> None:
    path = tmp_path / "hosts"
    path.write_text(HOSTS)
    HostsFile().switch(hosts(path), move)
    path.write_text(path.read_text() + "10.9.9.9 theirs\n")
    HostsFile().put_back(hosts(path), move)
    found = addresses(path.read_text(), [*NAMES, "theirs", "other.acme"])
    assert list(found.values()) == ["10.0.0.1", "10.0.0.1", None, "10.9.9.9", "10.0.0.1"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"source": "10.7.7.7"}, "which is neither the source's 10.7.7.7"),
        ({"target": "new.example"}, "is no address"),
        ({"names": ("*.acme",)}, "knows no stars"),
        ({"file": ""}, "no hosts file is named"),
        ({"file": "/nowhere/hosts"}, "cannot be read: No such file"),
    ],
)
def test_a_hosts_file_that_cannot_be_switched_is_left(
    tmp_path: Path, move: Move, changes: dict[str, Any], words: str
) -> None:
    path = tmp_path / "hosts"
    path.write_text(HOSTS)
    with pytest.raises(StepError, match=words):
        HostsFile().switch(hosts(path, **changes), move)
    assert path.read_text() == HOSTS


def by_hand(answers: list[str], clock: Clock) -> ManualSwitcher:
    """A resolver that knows the target's name, and answers for every other what comes next."""
    left = list(answers)

    def resolve(name: str) -> frozenset[str]:
        if name == "entrance.new":
            return frozenset({"10.0.0.2", "10.0.0.3"})
        if name == "entrance.old":
            return frozenset({"10.0.0.1"})
        return frozenset({left.pop(0) if len(left) > 1 else left[0]})

    return ManualSwitcher(resolve, patience=clock.patience())


SAID = NamesMove(kind="by_hand", names=("*.acme",), source="entrance.old", target="entrance.new", ttl_seconds=30)


def test_a_person_is_told_what_to_set_and_waited_for(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    hand = by_hand(["10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.2"], scene.clock)
    assert hand.switch(SAID, scene.move)["now"] == {"*.acme": ["10.0.0.2"]}
    assert scene.said == ["set these names to entrance.new, with a time to live of 30 s: *.acme"]
    assert by_hand(["10.0.0.1"], scene.clock).put_back(SAID, scene.move)["now"] == {"*.acme": ["10.0.0.1"]}


def test_names_that_nobody_sets_are_named_with_where_they_are(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    with pytest.raises(StepError, match=r"\*\.acme is at 10\.0\.0\.1"):
        by_hand(["10.0.0.1"], scene.clock).switch(SAID, scene.move)


def test_nobody_is_asked_to_put_back_what_was_never_switched(move: Move) -> None:
    assert by_hand(["10.0.0.9"], Clock()).put_back(SAID, move) == {}


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    with mock_aws():
        client = boto3.client("route53", region_name="us-east-1")
        made = client.create_hosted_zone(Name="acme.example.", CallerReference="1")
        yield client, made["HostedZone"]["Id"].rpartition("/")[2]


def put(zone: Any, name: str, type_: str, value: str, ttl: int = 60) -> None:
    client, id_ = zone
    record = {"Name": name, "Type": type_, "TTL": ttl, "ResourceRecords": [{"Value": value}]}
    changes = {"Changes": [{"Action": "UPSERT", "ResourceRecordSet": record}]}
    client.change_resource_record_sets(HostedZoneId=id_, ChangeBatch=changes)


def records(zone: Any) -> list[tuple[str, str, str]]:
    client, id_ = zone
    every = client.list_resource_record_sets(HostedZoneId=id_)["ResourceRecordSets"]
    mine = [each for each in every if each["Type"] in {"A", "AAAA", "CNAME", "TXT"}]
    return sorted((each["Name"], each["Type"], each["ResourceRecords"][0]["Value"]) for each in mine)


def in_zone(zone: Any, *names: str, target: str = "10.0.0.2") -> NamesMove:
    return NamesMove(kind="route53", names=names, source="10.0.0.1", target=target, zone=zone[1])


@pytest.mark.parametrize("target", ["10.0.0.2", "2001:db8::2", "entrance.new"])
def test_records_are_switched_whatever_their_type_and_put_back(zone: Any, move: Move, target: str) -> None:
    put(zone, "mlflow.acme.example.", "A", "10.0.0.1")
    put(zone, "next.acme.example.", "A", "10.5.5.5")
    before = records(zone)
    hand = Route53(patience=Clock().patience())
    for _ in range(2):
        hand.switch(in_zone(zone, "mlflow.acme.example", target=target), move)
    type_ = {"10.0.0.2": "A", "2001:db8::2": "AAAA", "entrance.new": "CNAME"}[target]
    assert ("mlflow.acme.example.", type_, target) in records(zone)
    assert ("next.acme.example.", "A", "10.5.5.5") in records(zone)
    assert len(records(zone)) == 2
    for _ in range(2):
        hand.put_back(in_zone(zone, "mlflow.acme.example", target=target), move)
        assert records(zone) == before


@pytest.mark.parametrize(
    ("value", "ttl", "words"),
    [("10.0.0.1", 3600, "is remembered for 3600 s"), ("10.8.8.8", 60, "which is neither 10.0.0.1 nor 10.0.0.2")],
)
def test_a_record_that_may_not_be_switched_is_left(zone: Any, move: Move, value: str, ttl: int, words: str) -> None:
    put(zone, "mlflow.acme.example.", "A", value, ttl)
    with pytest.raises(StepError, match=words):
        Route53(patience=Clock().patience()).switch(in_zone(zone, "mlflow.acme.example"), move)
    assert records(zone) == [("mlflow.acme.example.", "A", value)]


def test_a_zone_that_is_not_there_is_said(zone: Any, move: Move) -> None:
    names = in_zone((zone[0], "Z0000000000000"), "mlflow.acme.example")
    with pytest.raises(StepError, match="Route 53 refuses list_resource_record_sets: NoSuchHostedZone"):
        Route53(patience=Clock().patience()).switch(names, replace(move))


def test_a_profile_of_amazon_that_is_not_there_is_said(zone: Any, move: Move, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(StepError, match="Route 53 refuses list_resource_record_sets: ProfileNotFound"):
        Route53(patience=Clock().patience()).switch(in_zone(zone, "mlflow.acme.example"), move)
