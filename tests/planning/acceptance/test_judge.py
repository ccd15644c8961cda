"""The verdict: a node below 80% fails by name, what is unknown never passes, and worse is never judged better."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from decimal import Decimal

import pytest
from acceptance_cases import GIB, MATMUL, all_reduce, expected, good, of, pool, put
from hypothesis import given, settings
from hypothesis import strategies as st

from planning.acceptance import storage_limits
from planning.acceptance.judgement import judge
from planning.acceptance.limits import AcceptanceLimit
from planning.acceptance.records import results_of
from planning.acceptance.report.builder import fill_curves
from planning.acceptance.verdicts import About, CheckOutcome, CheckVerdict, Verdicts, judge_figure
from planning.agents.measurement_records import Results
from planning.checklist.model.agreement import AgreedSpeed, Agreement
from planning.values.errors import InputError


def passed_nodes(verdicts: Verdicts) -> tuple[str, ...]:
    return tuple(node.name for node in verdicts.nodes if node.outcome is CheckOutcome.PASSED)


def verdict(verdicts: Verdicts, check: str, subject: str = "") -> CheckVerdict:
    found = [each for each in verdicts.verdicts if each.check == check and each.subject.endswith(subject)]
    return min(
        found, key=lambda each: list(CheckOutcome).index(each.outcome) if each.outcome is not CheckOutcome.PASSED else 9
    )


def test_a_cluster_as_it_was_sold_passes() -> None:
    verdicts = judge(good(), expected())
    assert verdicts.outcome is CheckOutcome.PASSED
    assert verdicts.failed_nodes == ()
    assert passed_nodes(verdicts) == ("ip-1", "ip-2", "ip-3", "ip-4")
    assert verdicts.faults == ()
    assert {each.check for each in verdicts.of(CheckOutcome.NOTED)} == {"code"}


def test_a_node_below_80_percent_fails_by_name() -> None:
    results = good()
    put(of(results, "matmul", "ip-3"), "635.5")
    verdicts = judge(results, expected())
    assert verdicts.outcome is CheckOutcome.FAILED
    assert verdicts.failed_nodes == ("ip-3",)
    assert passed_nodes(verdicts) == ("ip-1", "ip-2", "ip-4")
    (node,) = [each for each in verdicts.nodes if each.name == "ip-3"]
    assert "635.5 TFLOPS, 79.99% of 794.5; at least 635.6 is asked" in node.reasons[0]
    put(of(results, "matmul", "ip-3"), "635.6")
    assert judge(results, expected()).failed_nodes == ()


def test_a_verdict_says_where_its_figure_stands() -> None:
    results = good()
    found = verdict(judge(results, expected()), "usable_memory", "ip-2")
    _, index, _, place, _ = found.at.split(".")
    assert results["measured"][int(index)]["readings"][int(place)]["value"] == str(found.measured)


def test_a_burn_in_that_is_too_short_is_no_fault_of_the_node_and_no_pass() -> None:
    results = good()
    put(of(results, "burn_in", "ip-2"), "47.9")
    verdicts = judge(results, expected())
    assert (verdicts.outcome, verdicts.failed_nodes) == (CheckOutcome.MISSING, ())
    assert "ip-2" not in passed_nodes(verdicts)
    assert any("47.9 h without a fault" in each.sentence for each in verdicts.of(CheckOutcome.MISSING))


@pytest.mark.parametrize(
    ("check", "value", "words"),
    [
        ("inventory", "7", "7 of 8 accelerators"),
        ("usable_memory", "76800", "at least 76,801 is asked"),
        ("nvlink", "359", "79.78% of 450"),
    ],
)
def test_each_check_of_a_node_fails_by_name(check: str, value: str, words: str) -> None:
    results = good()
    put(of(results, check, "ip-2"), value)
    verdicts = judge(results, expected())
    assert verdicts.failed_nodes == ("ip-2",)
    assert words in verdict(verdicts, check, "ip-2").sentence


def test_what_a_tool_found_wrong_fails_in_its_words_however_good_the_figure() -> None:
    results = good()
    of(results, "dcgm", "ip-4")["failed"] = ["SM Stress of GPU 0: double-bit ECC error"]
    verdicts = judge(results, expected())
    assert verdicts.failed_nodes == ("ip-4",)
    assert verdict(verdicts, "dcgm", "ip-4").sentence == "SM Stress of GPU 0: double-bit ECC error"


def test_dcgm_that_skipped_everything_says_nothing() -> None:
    results = good()
    put(of(results, "dcgm", "ip-1"), "0")
    put(of(results, "dcgm", "ip-1"), "0", reading=1)
    assert verdict(judge(results, expected()), "dcgm", "ip-1").outcome is CheckOutcome.UNDETERMINED
    put(of(results, "dcgm", "ip-2"), "39", reading=1)
    assert judge(results, expected()).failed_nodes == ("ip-2",)


def test_a_fabric_below_80_percent_of_its_theory_fails_and_names_the_group() -> None:
    results = good()
    results["measured"].append(all_reduce(2, "319.9", on="ip-1, ip-3"))
    verdicts = judge(results, expected())
    found = verdict(verdicts, "all_reduce")
    assert (verdicts.outcome, found.outcome) == (CheckOutcome.FAILED, CheckOutcome.FAILED)
    assert "319.9 GB/s, 79.98% of 400" in found.sentence
    assert "(over ip-1, ip-3)" in found.sentence


def test_a_node_count_or_a_payload_that_was_not_run_is_missing() -> None:
    results = good()
    results["measured"] = [each for each in results["measured"] if each["params"].get("nodes") != "4"]
    found = verdict(judge(results, expected()), "all_reduce")
    assert found.outcome is CheckOutcome.MISSING
    assert dict(found.params) == {"nodes": "4", "payload_bytes": str(4 * GIB)}


def test_a_node_that_wrote_nothing_is_missing_and_a_spot_node_cannot_be_told() -> None:
    results = good()
    results["measured"] = [each for each in results["measured"] if not each["subject"].endswith("ip-4")]
    found = verdict(judge(results, expected()), "inventory", "gpu")
    assert (found.outcome, found.sentence) == (CheckOutcome.MISSING, "3 of 4 nodes were measured")
    assert (
        verdict(judge(results, expected(pool(guaranteed=False))), "inventory", "gpu").outcome
        is CheckOutcome.UNDETERMINED
    )
    other = expected(pool(guaranteed=True, measurable=False, accelerator="Trainium2-96GB"))
    assert "no program here measures Trainium2-96GB" in verdict(judge(results, other), "inventory", "gpu").sentence


@pytest.mark.parametrize("check", ["inventory", "usable_memory", "dcgm", "matmul", "nvlink", "burn_in"])
def test_a_check_that_was_left_out_keeps_the_node_from_passing(check: str) -> None:
    results = good()
    results["measured"].remove(of(results, check, "ip-1"))
    verdicts = judge(results, expected())
    assert verdict(verdicts, check, "ip-1").outcome is CheckOutcome.MISSING
    assert "ip-1" not in passed_nodes(verdicts)


def test_what_the_catalog_does_not_know_cannot_be_told() -> None:
    blind = pool(matmul=AcceptanceLimit(reading="tflops", unit="TFLOPS", why="the catalog has no bf16 peak"))
    verdicts = judge(good(), expected(blind))
    assert verdicts.outcome is CheckOutcome.UNDETERMINED
    assert "760.5 TFLOPS; the limit is unknown" in verdict(verdicts, "matmul", "ip-1").sentence
    assert passed_nodes(verdicts) == ()


def test_an_odd_one_is_named_even_where_no_peak_is_known() -> None:
    blind = pool(matmul=AcceptanceLimit(reading="tflops", unit="TFLOPS", why="the catalog has no bf16 peak"))
    results = good()
    put(of(results, "matmul", "ip-2"), "600")
    verdicts = judge(results, expected(blind))
    assert verdicts.failed_nodes == ("ip-2",)
    assert "the median of the other nodes of its pool is 760.5" in verdict(verdicts, "matmul", "ip-2").sentence


def test_less_than_a_peak_that_nobody_reaches_is_no_proof() -> None:
    soft = pool(
        matmul=AcceptanceLimit(reading="tflops", unit="TFLOPS", least=Decimal(800), why="peak", beyond="nobody knows")
    )
    assert verdict(judge(good(), expected(soft)), "matmul", "ip-1").outcome is CheckOutcome.UNDETERMINED


def test_more_than_the_hardware_can_do_is_not_believed() -> None:
    results = good()
    put(of(results, "matmul", "ip-1"), "1500")
    found = verdict(judge(results, expected()), "matmul", "ip-1")
    assert found.outcome is CheckOutcome.UNDETERMINED
    assert "more than the hardware can do" in found.sentence


def test_another_precision_than_the_works_does_not_count() -> None:
    results = good()
    of(results, "matmul", "ip-1")["params"]["precision"] = "fp8"
    found = verdict(judge(results, expected()), "matmul", "ip-1")
    assert found.outcome is CheckOutcome.MISSING
    assert "measured in fp8, while the work is in bf16" in found.sentence


def test_of_several_rounds_the_worst_counts() -> None:
    results = good()
    worse = deepcopy(of(results, "matmul", "ip-1"))
    worse["params"]["round"] = "17"
    put(worse, "601")
    results["measured"].append(worse)
    assert judge(results, expected()).failed_nodes == ("ip-1",)


def test_a_burn_in_that_was_begun_again_counts_by_its_longest_run() -> None:
    results = good()
    short = deepcopy(of(results, "burn_in", "ip-1"))
    put(short, "3")
    results["measured"].insert(0, short)
    assert judge(results, expected()).failed_nodes == ()


def test_nodes_add_up_what_they_read_together() -> None:
    results = good()
    found = verdict(judge(results, expected()), "loader")
    assert (found.measured, found.outcome) == (600, CheckOutcome.PASSED)
    results["measured"].remove(of(results, "loader"))
    found = verdict(judge(results, expected()), "loader")
    assert found.outcome is CheckOutcome.UNDETERMINED
    assert "1 of 2 nodes" in found.sentence


@pytest.mark.parametrize(("agreed", "outcome"), [(600, CheckOutcome.PASSED), (601, CheckOutcome.FAILED)])
def test_an_agreed_throughput_is_held_in_full_and_says_where_it_stands(agreed: int, outcome: CheckOutcome) -> None:
    """The two nodes read 600 MB/s together; a share of 601 would pass."""
    speeds = Agreement(tier_speeds=(AgreedSpeed(tier="warm", read_mb_per_s=Decimal(agreed)),))
    asked = expected()
    tier = replace(
        asked.tiers[0], loader=storage_limits.list_agreed_limits(speeds, placement="home", tier="warm")["read"]
    )
    found = verdict(judge(good(), replace(asked, tiers=(tier,))), "loader")
    assert found.outcome is outcome
    assert found.source == "checklist.yaml agreement.tier_speeds.0.read_mb_per_s"
    said = "at least 601 is asked: agreed on in the checklist, agreement.tier_speeds.0.read_mb_per_s"
    assert (said in found.sentence) is (outcome is CheckOutcome.FAILED)


def test_small_files_that_take_too_long_fail() -> None:
    results = good()
    put(of(results, "small_files"), "1801")
    assert verdict(judge(results, expected()), "small_files").outcome is CheckOutcome.FAILED


@pytest.mark.parametrize(("value", "outcome"), [("2", CheckOutcome.FAILED), ("3", CheckOutcome.PASSED)])
def test_a_name_that_is_not_found_fails(value: str, outcome: CheckOutcome) -> None:
    results = good()
    put(of(results, "dns"), value)
    assert verdict(judge(results, expected()), "dns").outcome is outcome


def test_a_service_that_nobody_tried_is_missing() -> None:
    results = good()
    results["measured"].remove(of(results, "smoke"))
    assert judge(results, expected()).outcome is CheckOutcome.MISSING


@pytest.mark.parametrize("change", [{"stack": "other"}, {"option": "cheapest"}])
def test_results_of_another_stack_or_option_are_not_used(change: dict[str, str]) -> None:
    results: Results = {**good(), **change}  # pyright: ignore[reportAssignmentType]
    verdicts = judge(results, expected())
    assert verdicts.outcome is CheckOutcome.MISSING
    assert "none is used" in verdicts.faults[0]
    assert verdicts.nodes == ()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"at": "2026-11-19T12:00:00Z"}, "which is not between"),
        ({"at": "yesterday"}, "is no time"),
        ({"check": "speed"}, "unknown check"),
        ({"subject": "pool/home/gpu"}, "is about a node"),
        ({"params": {"placement": "home", "pool": "gpu"}}, "does not say its precision"),
        ({"params": {"placement": "home", "pool": "cpu", "precision": "bf16"}}, "no pool of accelerators 'cpu'"),
        ({"readings": []}, "no figure of tflops"),
        ({"readings": [{"name": "tflops", "value": "NaN", "unit": "TFLOPS"}]}, "no figure of tflops"),
        ({"readings": [{"name": "tflops", "value": "760.5", "unit": "GFLOPS"}]}, "no figure of tflops"),
    ],
)
def test_a_record_that_cannot_be_used_is_named_and_left_out(change: dict[str, object], fault: str) -> None:
    results = good()
    of(results, "matmul", "ip-1").update(change)  # pyright: ignore[reportCallIssue, reportArgumentType]
    verdicts = judge(results, expected())
    assert [fault in each for each in verdicts.faults] == [True]
    assert verdict(verdicts, "matmul", "ip-1").outcome is CheckOutcome.MISSING


def test_a_node_in_two_pools_and_the_same_record_twice_are_named() -> None:
    results = good()
    results["measured"].append(deepcopy(results["measured"][0]))
    stranger = deepcopy(of(results, "matmul", "ip-1"))
    stranger["params"]["pool"] = "other"
    results["measured"].append(stranger)
    faults = judge(results, expected(pool(), pool(name="other", subject="pool/home/other", nodes=0))).faults
    assert "counts once" in faults[0]
    assert "it stands in 'gpu' of 'home' by another record" in faults[1]


def test_results_are_written_and_read_again() -> None:
    results = good()
    assert results_of(json.dumps(results), file="results.json") == results
    with pytest.raises(InputError) as refused:
        results_of(json.dumps(results).replace('"failed": []', '"failed": "no"', 1), file="results.json")
    assert "measured.0: no record: failed" in refused.value.faults[0].message


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"schema_version": 2}', "[" * 5000])
def test_a_file_that_holds_no_results_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        results_of(text, file="results.json")


@given(st.text())
def test_no_text_breaks_the_reading_of_results(text: str) -> None:
    with pytest.raises(InputError):
        results_of(text, file="results.json")


@settings(max_examples=40)
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "check": st.sampled_from(["matmul", "nvlink", "all_reduce", "loader", "dns", "x", ""]),
                "subject": st.sampled_from(["node/ip-1", "pool/home/gpu", "tier/home/warm", "/", ""]),
                "at": st.sampled_from(["2026-11-21T12:00:00Z", "", "9999-99-99"]),
                "tool": st.text(max_size=3),
                "readings": st.lists(
                    st.fixed_dictionaries(
                        {
                            "name": st.sampled_from(["tflops", "bus", "read", "asked"]),
                            "value": st.one_of(st.text(max_size=6), st.floats().map(str), st.integers().map(str)),
                            "unit": st.sampled_from(["TFLOPS", "GB/s", "MB/s", ""]),
                        }
                    ),
                    max_size=3,
                ),
                "failed": st.lists(st.text(max_size=3), max_size=1),
                "params": st.dictionaries(
                    st.sampled_from(["placement", "pool", "precision", "payload_bytes", "nodes", "node"]),
                    st.sampled_from(["home", "gpu", "bf16", "4", "4294967296", "-1", "²"]),
                ),
            }
        ),
        max_size=6,
    )
)
def test_no_records_break_the_judge_and_nothing_passes_of_nothing(records: list[dict[str, object]]) -> None:
    results: Results = {**good(), "measured": records}  # pyright: ignore[reportAssignmentType]
    verdicts = judge(results, expected())
    assert verdicts.outcome is not CheckOutcome.PASSED
    assert all(each["node_counts"] == [2, 4] for each in fill_curves(results, expected()))


@given(st.decimals(min_value=0, max_value=Decimal("989.4"), places=2), st.decimals(0, 500, places=2))
def test_a_better_figure_is_never_a_worse_verdict(value: Decimal, more: Decimal) -> None:
    about = About(check="matmul", subject="node/ip-1")
    order = [CheckOutcome.FAILED, CheckOutcome.PASSED]
    first, second = (judge_figure(about, each, MATMUL).outcome for each in (value, min(value + more, Decimal("989.4"))))
    assert order.index(first) <= order.index(second)


@settings(max_examples=20)
@given(st.integers(0, 1200), st.integers(0, 1200))
def test_one_more_round_never_turns_a_failed_node_into_a_good_one(first: int, second: int) -> None:
    results = good()
    put(of(results, "matmul", "ip-1"), str(first))
    before = judge(results, expected()).failed_nodes
    again = deepcopy(of(results, "matmul", "ip-1"))
    again["params"]["round"] = "2"
    put(again, str(second))
    results["measured"].append(again)
    assert set(before) <= set(judge(results, expected()).failed_nodes)


def test_points_of_the_curve_with_theory_and_threshold() -> None:
    results = good()
    results["measured"].append(all_reduce(4, "355"))
    (curve,) = fill_curves(results, expected())
    assert (curve["theory"], curve["least"]) == ("400", "320")
    assert [(each["nodes"], each["payload_bytes"] // GIB, each["bus_gb_per_s"]) for each in curve["points"]] == [
        (2, 4, "385"),
        (4, 1, "120"),
        (4, 4, "355"),
    ]


@pytest.mark.parametrize("text", ["two", "-2", "2.0", "\u00b2", "\u0662", "9" * 5000])
@pytest.mark.parametrize(
    ("check", "param"),
    [("all_reduce", "nodes"), ("all_reduce", "payload_bytes"), ("loader", "nodes"), ("nvlink", "payload_bytes")],
)
def test_a_count_that_is_no_whole_number_is_a_fault_and_never_0(check: str, param: str, text: str) -> None:
    results = good()
    record = next(each for each in results["measured"] if each["check"] == check)
    record["params"][param] = text
    assert any(f"{param} is no whole number" in each for each in judge(results, expected()).faults)
    list(fill_curves(results, expected()))
