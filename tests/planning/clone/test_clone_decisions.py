"""What only a person can decide: when it is asked, what can be answered, and every fault of a file at once."""

from __future__ import annotations

import pytest
from clone_kit import example, ground_at, open_at

from cli.commands.relocation.clone import ask_decisions
from operations.clone.stack_config import provider_decision
from planning.checklist.model.checklist import Checklist
from planning.clone.decisions.answers_file import open_hint, open_text, read_answers
from planning.clone.decisions.decision import Need, replace_value
from planning.clone.target import Target, region_of
from planning.clone.transformation import transform_checklist
from planning.values.errors import InputError

Asked = tuple[Checklist, tuple[str, str], set[str]]
WEST = Target(provider="aws", region="us-west-2")


def needed(checklist: Checklist, provider: str, region: str) -> set[str]:
    return {each.path for each in open_at(checklist, provider, region) if each.need is Need.NEEDED}


def named(domain: str | None = "ml.example.com") -> Checklist:
    return replace_value(example("demo"), ("where", "domain"), domain)


NEEDED: list[Asked] = [
    (example("demo"), ("aws", "us-west-2"), set()),
    (example("demo"), ("gcp", "us-central1"), set()),
    (example("demo"), ("aws", "eu-west-1"), {"where.residency"}),
    (named(), ("aws", "us-west-2"), {"where.domain"}),
    (example("finetune-70b"), ("aws", "us-west-2"), {"access.sso.client_id"}),
    (example("existing-lambda"), ("aws", "us-east-1"), {"where.existing"}),
    (example("spanning-two"), ("aws", "us-west-2"), {"workloads.answers.hardware.accelerator"}),
    (replace_value(example("demo"), ("where", "excluded"), ("gcp",)), ("gcp", "us-central1"), {"where.excluded"}),
]


@pytest.mark.parametrize(("checklist", "place", "paths"), NEEDED)
def test_only_what_cannot_be_kept_is_asked(checklist: Checklist, place: tuple[str, str], paths: set[str]) -> None:
    assert needed(checklist, *place) == paths


def test_a_lost_way_to_the_main_vpc_and_a_new_term_are_assumed_and_said() -> None:
    assumed = {
        each.path: each.assumed for each in open_at(example("demo"), "gcp", "us-central1") if each.assumed == "keep"
    }
    assert assumed["main_cloud.vpc_id"] == "keep"
    assert assumed["contract.months"] == "keep"
    near = [each.path for each in open_at(example("demo"), "aws", "us-west-2")]
    assert "main_cloud.vpc_id" not in near  # the same cloud peers across regions


def test_a_file_answers_and_the_checklist_has_the_answers() -> None:
    found = open_at(named(), "aws", "eu-west-1")
    text = "where.domain: west.example.com # ours\nwhere.residency: EU\nceiling.usd_per_month: 45000\n"
    answers = read_answers(text, file="d.yaml", decisions=found, checklist=named())
    clone = named()
    for each in found:
        clone = each.settle(clone, answers.get(each.path, each.assumed))
    assert clone.where.domain == "west.example.com"
    assert clone.where.residency == "EU"
    assert clone.ceiling.usd_per_month == 45000


def test_every_fault_of_a_file_is_told_at_once_with_its_line_and_what_is_missing_too() -> None:
    found = open_at(named(), "aws", "eu-west-1")
    text = (
        "where.domian: a.example.com\n"
        "where.residency: US\n"
        "ceiling.usd_per_month: much\n"
        "contract.months: [12]\n"
        "contract.months: 24\n"
        "colour: blue\n"
    )
    with pytest.raises(InputError) as refused:
        read_answers(text, file="d.yaml", decisions=found, checklist=named())
    faults = {(fault.line, fault.column): fault for fault in refused.value.faults}
    assert [line for line, _ in faults] == [1, 2, 3, 4, 5, 6]
    assert 'did you mean "where.domain"?' in faults[1, 1].hint
    assert "no answer to it" in faults[2, 18].message
    assert "is not a number" in faults[3, 24].message
    assert "takes one word" in faults[4, 18].message
    assert "written twice" in faults[5, 1].message
    assert str(refused.value) == "d.yaml: 6 faults"


def test_what_is_missing_is_a_fault_of_the_file() -> None:
    with pytest.raises(InputError) as refused:
        read_answers("", file="d.yaml", decisions=open_at(named(), "aws", "eu-west-1"), checklist=named())
    assert [fault.message.split(":")[0] for fault in refused.value.faults] == [
        "where.domain needs a decision",
        "where.residency needs a decision",
    ]


@pytest.mark.parametrize("text", ["- a\n", "where.domain\n", "a: &b 1\nc: *b\n", "a: [\n", "---\n---\n"])
def test_whatever_is_no_decisions_file_is_refused_in_words(text: str) -> None:
    with pytest.raises(InputError) as refused:
        read_answers(text, file="d.yaml", decisions=open_at(named(), "aws", "us-west-2"), checklist=named())
    assert refused.value.faults


def test_the_sources_own_name_cluster_and_key_are_no_answer() -> None:
    by_path = {each.path: each for each in open_at(named(), "aws", "us-west-2")}
    with pytest.raises(InputError, match=r"ml\.example\.com is the source's own"):
        by_path["where.domain"].settle(named(), "ml.example.com")
    lambda_ = example("existing-lambda")
    existing = next(each for each in open_at(lambda_, "nebius", "eu-north1") if each.path == "where.existing")
    with pytest.raises(InputError, match="the source's own cluster"):
        existing.settle(lambda_, "TERN_KUBECONFIG/tern-prod")
    assert existing.settle(lambda_, "OTHER/prod").where.existing is not None
    assert existing.settle(lambda_, "none").where.existing is None


def test_a_key_of_the_sources_region_is_a_decision_and_no_answer() -> None:
    has = "awskms://alias/atoll?region=us-east-1"
    (found,) = provider_decision(has, lock_region="us-east-1", target=WEST)
    for wrong in (has, "awskms://alias/other?region=us-east-1", "rot13"):
        with pytest.raises(InputError):
            found.settle(example("demo"), wrong)
    for right in ("awskms://alias/atoll?region=us-west-2", "gcpkms://projects/a/b", "passphrase", "default"):
        assert found.settle(example("demo"), right) == example("demo")
    assert list(provider_decision("", lock_region="us-east-1", target=WEST)) == []


def test_an_accelerator_that_is_not_sold_there_is_named_with_those_that_are() -> None:
    source = example("spanning-two")
    (found,) = (each for each in open_at(source, "aws", "us-west-2") if each.need is Need.NEEDED)
    assert "L40S is not sold at aws us-west-2; aws sells it in us-east-1" in found.why
    sold = ground_at("aws", "us-west-2").kinds
    assert found.settle(source, next(iter(sold))).workloads[0].hardware is not None
    with pytest.raises(InputError, match="is not sold there"):
        found.settle(source, "TPU-v9")


def test_no_term_takes_along_what_needs_one() -> None:
    found = next(each for each in open_at(example("demo"), "aws", "us-west-2") if each.path == "contract.months")
    clone = found.settle(example("demo"), "0")
    assert (clone.contract.months, clone.contract.incentives) == (0, False)


def test_a_cluster_beside_home_stays_or_moves_as_it_is_told() -> None:
    source = example("spanning-two")
    found = next(each for each in open_at(source, "aws", "us-west-2") if each.path == "where.elsewhere.training")
    assert found.settle(source, "keep") == source
    assert found.settle(source, "gcp/us-east4").where.elsewhere[0].regions == ("us-east4",)
    for wrong in ("gcp", "nowhere/us-east4", "/x"):
        with pytest.raises(InputError):
            found.settle(source, wrong)


def test_what_the_provider_forbids_is_told_field_by_field_with_the_decision_that_mends_it() -> None:
    assert needed(example("notebooks-eight"), "nebius", "eu-north1") == {"platform.sharing", "access.sso.client_id"}
    source = replace_value(example("existing-lambda"), ("access", "users"), example("demo").access.users[:1])
    target = Target(provider="aws", region="us-east-1")
    found = open_at(source, "aws", "us-east-1")
    with pytest.raises(InputError) as refused:
        transform_checklist(source, target=target, decisions=found, answers={"where.existing": "none"}, taken=())
    assert [fault.path for fault in refused.value.faults] == ["access.vpn"]
    assert '"access.vpn: ..."' in refused.value.faults[0].hint
    mended = {"where.existing": "none", "access.vpn": "true"}
    assert transform_checklist(source, target=target, decisions=found, answers=mended, taken=()).access.vpn


@pytest.mark.parametrize(
    ("region", "hint"),
    [("us-west-3", 'did you mean "us-west-2"?'), ("us-central1", "--provider gcp"), ("x", "its regions: ")],
)
def test_a_region_that_is_not_there_is_met_with_the_one_that_was_meant(region: str, hint: str) -> None:
    from clone_kit import market

    with pytest.raises(InputError) as refused:
        region_of(market().catalog.regions.values(), provider="aws", name=region)
    assert hint in refused.value.hint


def test_a_person_is_asked_one_by_one_and_a_wrong_answer_is_asked_again() -> None:
    typed = iter(["ml.example.com", "", "west.example.com", ""])
    lines: list[str] = []
    found = open_at(named(), "aws", "us-west-2")
    answers = ask_decisions(found, named(), ask=lambda _: next(typed), say=lines.append)
    assert answers == {"where.domain": "west.example.com", "contract.months": "keep"}
    assert any("is the source's own" in line for line in lines)
    assert any("an answer is needed" in line for line in lines)


def test_what_is_open_is_listed_with_every_answer_and_the_lines_to_write() -> None:
    found = [each for each in open_at(named(), "aws", "eu-west-1") if each.need is Need.NEEDED]
    text = open_text(found, stack="west", target="aws eu-west-1")
    assert text.startswith("2 decisions are needed before west can be quoted at aws eu-west-1")
    assert "where.domain   now ml.example.com" in text
    assert "    EU                data may lie there from now on" in text
    assert "    where.residency: EU" in open_hint(found)
