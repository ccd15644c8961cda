from __future__ import annotations

import csv
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest

from catalogs import validation
from catalogs.catalog import load
from catalogs.parsing import build_fact
from catalogs.providers import (
    FORBIDDABLE,
    NO_TRAITS,
    OLDEST_KUBERNETES,
    OWN_CLUSTER,
    OWNERS,
    PARTS,
    ROOT,
    ProviderTraits,
    profile,
    profiles,
)
from catalogs.reference_pages import profiles as profiles_page
from planning.checklist.model.checklist import Checklist
from planning.checklist.model.vocabulary import CloudName
from planning.checklist.rules.provider_limits import WANTS, conflicts, provider_restrictions_kept
from planning.quoting.assembly.cluster import profile_of
from planning.quoting.candidates.market import place_refusal

if TYPE_CHECKING:
    from pathlib import Path

SOUND = {
    "customer": {"name": "acme", "owner": "ml@acme.example"},
    "workloads": [{"kind": "inference", "name": "chat", "model": {"parameters": "8B"}, "replicas": 2}],
}
GROWING = [SOUND["workloads"][0] | {"max_replicas": 6}]  # type: ignore[operator]


def checklist(**fields: object) -> Checklist:
    return Checklist.model_validate({**SOUND, **fields})


def test_every_provider_that_sells_kubernetes_has_a_profile_and_no_other() -> None:
    sellers = {name for name, provider in load().providers.items() if provider.kubernetes}
    assert set(profiles()) == sellers | {OWN_CLUSTER}


@pytest.mark.parametrize("name", sorted(profiles()))
def test_each_part_has_exactly_one_owner(name: str) -> None:
    for part in PARTS:
        assert getattr(profile(name), part) in OWNERS


@pytest.mark.parametrize("name", sorted(profiles()))
def test_who_has_a_driver_and_a_plugin_of_the_provider_installs_no_gpu_operator(name: str) -> None:
    found = profile(name)
    if found.gpu_driver == found.device_plugin == "provider":
        assert "gpu_operator" in found.forbidden


@pytest.mark.parametrize("name", sorted(profiles()))
def test_forbidden_words_are_words_and_none_stands_twice(name: str) -> None:
    words = profile(name).forbidden
    assert set(words) <= FORBIDDABLE.keys()
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("name", sorted(profiles()))
def test_no_version_below_our_own_floor_is_built_on(name: str) -> None:
    oldest = tuple(int(part) for part in profile(name).oldest_kubernetes.split("."))
    assert oldest >= tuple(int(part) for part in OLDEST_KUBERNETES.split("."))


def test_nodes_that_nobody_scales_are_said_to_be_fixed_or_noted() -> None:
    for found in profiles().values():
        assert found.autoscaler != "provider" or "autoscaling" not in found.forbidden, found.provider


def test_coreweaves_gpu_operator_is_its_own() -> None:
    assert "gpu_operator" in profile("coreweave").forbidden


@pytest.mark.parametrize("name", ["runpod", "paperspace"])
def test_where_no_kubernetes_is_sold_nothing_is_taken_for_granted(name: str) -> None:
    found = profile_of(name, load())
    assert (found.provider, found.gpu_driver, found.disk_class) == (name, "atoll", "")


@pytest.mark.parametrize("cloud", list(CloudName))
def test_every_provider_of_the_checklist_has_a_whole_profile(cloud: CloudName) -> None:
    found = profile_of(cloud, load())
    assert found.title
    assert found.oldest_kubernetes


def test_every_word_that_a_checklist_can_ask_for_is_a_word() -> None:
    assert WANTS.keys() <= FORBIDDABLE.keys()


@pytest.mark.parametrize(
    ("word", "fields", "path"),
    [
        ("autoscaling", {"workloads": GROWING}, ("workloads", 0, "max_replicas")),
        ("vpn", {}, ("access", "vpn")),
        ("burn_in", {}, ("burn_in",)),
        ("ssh", {"access": {"ssh": True}}, ("access", "ssh")),
    ],
)
def test_what_asks_for_a_forbidden_thing_is_named(word: str, fields: dict[str, object], path: tuple[str, ...]) -> None:
    ((found, broken),) = conflicts(checklist(**fields), {word})
    assert (found, broken.path) == (word, path)
    assert broken.hint


def test_a_cluster_of_fixed_size_takes_no_copies_that_come_with_the_load() -> None:
    fixed = {"existing": {"provider": "lambda"}}
    (broken,) = provider_restrictions_kept(checklist(workloads=GROWING, where=fixed))
    assert broken.message == 'up to 4 copies come with the load, and at "lambda" the number of nodes is fixed'
    assert not list(provider_restrictions_kept(checklist(where=fixed)))


def test_a_placement_elsewhere_is_held_to_its_own_provider() -> None:
    apart = {"name": "far", "workloads": ["chat"], "existing": {"provider": "lambda"}}
    asked = checklist(workloads=[*GROWING, {**GROWING[0], "name": "near"}], where={"elsewhere": [apart]})
    assert [broken.path for broken in provider_restrictions_kept(asked)] == [("workloads", 0, "max_replicas")]


def test_where_several_providers_are_wanted_the_one_that_forbids_is_left_out() -> None:
    asked = checklist(access={"ssh": True}, where={"wanted": ["coreweave", "aws"]})
    assert not list(provider_restrictions_kept(asked))
    providers = load().providers
    refused = place_refusal(("coreweave", "north-america"), None, asked, provider=providers["coreweave"])
    assert refused == FORBIDDABLE["ssh"]
    assert not place_refusal(("aws", "us-east-1"), None, asked, provider=providers["aws"])


def test_a_faulty_profile_is_told_by_its_line(tmp_path: Path) -> None:
    for path in (*ROOT.glob("*.csv"), *ROOT.glob("coreweave/*.csv")):
        (tmp_path / path.relative_to(ROOT)).parent.mkdir(exist_ok=True)
        (tmp_path / path.relative_to(ROOT)).write_text(path.read_text())
    with (tmp_path / "profiles.csv").open(newline="") as file:
        header, first, *others = csv.reader(file)
    first[2] = "both"
    with (tmp_path / "profiles.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, first, *others[1:], ["moon", *others[0][1:]]])
    told = [str(fault) for fault in validation.faults(tmp_path) if fault.path.name == "profiles.csv"]
    assert any(":2: gpu_driver has one owner" in text for text in told)
    assert any("unknown provider 'moon'" in text for text in told)
    assert any("gcp sells Kubernetes and has no row" in text for text in told)


def test_the_page_of_profiles_is_of_today() -> None:
    page = ROOT.parent / "docs/reference/profiles.md"
    assert page.read_text() == profiles_page.render(), f"run: {profiles_page.COMMAND}"


@pytest.mark.parametrize("machine", ["HGX-B200", "HGX-B300", "HGX-H100", "HGX-H200", "L40S", "RTX-PRO-6000-HM"])
def test_a_zone_of_coreweave_sells_a_machine_and_nodes_for_the_system(machine: str) -> None:
    zones = {
        name: set(load().zones(provider="coreweave", machine=name, region="north-america"))
        for name in (machine, "cd-gp-i64-erapids", "turin-gp")
    }
    assert zones[machine] & (zones["cd-gp-i64-erapids"] | zones["turin-gp"])


def test_a_trait_of_words_takes_no_other_word_and_its_column_is_always_there() -> None:
    row = dict.fromkeys((each.name for each in fields(ProviderTraits)), "")
    assert build_fact(ProviderTraits, row) == NO_TRAITS
    assert build_fact(ProviderTraits, {**row, "nat_billing": "node"}).nat_billing == "node"
    with pytest.raises(ValueError, match="nat_billing is one of"):
        build_fact(ProviderTraits, {**row, "nat_billing": "hour"})
    del row["nat_billing"]
    with pytest.raises(KeyError, match="nat_billing"):
        build_fact(ProviderTraits, row)
