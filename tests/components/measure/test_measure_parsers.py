"""The parsers on what real tools print, on what is cut short, and on any text at all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.agents.measure import child_process, fabric, nvidia, storage
from components.agents.measure.child_process import CannotMeasureError, FoundWrongError

RECORDED = Path(__file__).parent / "recorded"
PARSERS: dict[str, Callable[[str], object]] = {
    "nccl": fabric.parse_nccl_tests,
    "fio": storage.parse_fio,
    "dcgm": nvidia.parse_dcgm,
    "nvidia": nvidia.parse_nvidia_smi,
}
FILES = sorted(path.name for path in RECORDED.iterdir() if path.name != "README.md")


def recorded(name: str) -> str:
    return (RECORDED / name).read_text()


def test_two_nodes_of_nccl_tests() -> None:
    output = fabric.parse_nccl_tests(recorded("nccl_two_nodes.txt"))
    assert (output.ranks, output.hosts, output.wrong) == (4, ("worker-0", "worker-1"), 0)
    assert [row.payload_bytes for row in output.rows] == [2**31, 2**32, 2**33, 2**34]
    assert output.rows[1].bus == Decimal("337.11"), "the slower of in place and out of place"
    assert output.rows[1].algorithm == Decimal("168.72")


def test_lines_that_mpirun_tags_and_stamps_of_time_are_read_past() -> None:
    output = fabric.parse_nccl_tests(recorded("nccl_2_17_launched.txt"))
    assert output.version == "nccl-tests 2.17.1"
    assert output.hosts == ("nid005471", "nid005487")
    assert [(row.payload_bytes, row.bus) for row in output.rows] == [
        (2**30, Decimal("313.29")),
        (2**31, Decimal("437.79")),
    ]


def test_columns_are_those_of_the_header() -> None:
    old = fabric.parse_nccl_tests(recorded("nccl_2_6_without_root.txt"))
    assert [row.bus for row in old.rows] == [Decimal("21.40"), Decimal("20.34")]
    new = fabric.parse_nccl_tests(recorded("nccl_per_iteration.txt"))
    assert [(row.bus, row.wrong) for row in new.rows] == [(Decimal("358.21"), 0)]


def test_wrong_values_are_counted_and_na_is_no_count() -> None:
    output = fabric.parse_nccl_tests(recorded("nccl_wrong_values.txt"))
    assert output.wrong == 50
    assert output.rows[0].wrong == 25


def test_a_run_that_nccl_gave_up_is_found_wrong_in_its_words() -> None:
    with pytest.raises(FoundWrongError, match="worker-1: Test NCCL failure"):
        fabric.parse_nccl_tests(recorded("nccl_failed.txt"))


def test_one_accelerator_has_no_bus_and_great_figures_are_read() -> None:
    output = fabric.parse_nccl_tests(recorded("nccl_2_19_one.txt"))
    assert (output.version, output.ranks, output.hosts, output.wrong) == ("nccl-tests 2.19.6", 1, ("worker-0",), 0)
    assert [(row.payload_bytes, str(row.bus), str(row.algorithm)) for row in output.rows] == [
        (4096, "0.00", "0.68"),
        (268435456, "0.00", "1487.0"),
        (536870912, "0.00", "1493.3"),
        (1073741824, "0.00", "1505.4"),
    ]


def test_why_it_gave_up_stands_on_the_other_output() -> None:
    out, err = recorded("nccl_2_19_too_few.txt"), recorded("nccl_2_19_too_few.err.txt")
    with pytest.raises(FoundWrongError, match="Invalid number of GPUs: 2 requested but only 1 were found"):
        fabric.parse_nccl_tests(out, beside=err)
    with pytest.raises(FoundWrongError, match="Invalid number of GPUs"):
        fabric.parse_nccl_tests("", beside=err)
    with pytest.raises(FoundWrongError, match=r"worker-0 pid 1205: Test failure common.cu:1454"):
        fabric.parse_nccl_tests(out)


def test_a_run_that_ended_well_is_believed_whatever_is_said_beside_it() -> None:
    assert (
        fabric.parse_nccl_tests(recorded("nccl_2_19_one.txt"), beside=recorded("nccl_2_19_too_few.err.txt")).ranks == 1
    )


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda text: text[: text.index("# Out of bounds")], "cut short"),
        (lambda text: text + text, "2 outputs in one"),
        (lambda text: text.replace("365.65", "365,65"), "no figure"),
        (lambda text: text.replace("337.11", "inf"), "no figure"),
        (lambda text: "\n".join(line for line in text.splitlines() if "busbw" not in line), "no header"),
        (lambda text: "\n".join(line for line in text.splitlines() if "float" not in line), "no row"),
        (lambda text: text.replace("  367.44      0", ""), "cut short"),
    ],
)
def test_an_output_of_nccl_tests_that_is_broken_is_a_named_fault(change: Callable[[str], str], fault: str) -> None:
    with pytest.raises(CannotMeasureError, match=fault):
        fabric.parse_nccl_tests(change(recorded("nccl_two_nodes.txt")))


def test_colours_of_a_terminal_change_nothing() -> None:
    plain = recorded("nccl_two_nodes.txt")
    coloured = "\n".join(f"\x1b[32m{line}\x1b[0m" for line in plain.splitlines())
    assert fabric.parse_nccl_tests(coloured) == fabric.parse_nccl_tests(plain)


def test_fio_in_megabytes_of_ten_to_the_sixth() -> None:
    output = storage.parse_fio(recorded("fio_3_33_read.json"))
    assert output.version == "fio-3.33"
    assert output.read_mb_per_s == Decimal("585.968941")
    assert output.write_mb_per_s == 0
    assert output.read_iops == Decimal("558.823529")


def test_notes_before_fio_speaks_json_are_read_past() -> None:
    noted = "note: both iodepth >= 1 and synchronous I/O engine are selected\n" + recorded("fio_3_33_read.json")
    assert storage.parse_fio(noted) == storage.parse_fio(recorded("fio_3_33_read.json"))


def test_a_job_of_fio_that_failed_is_found_wrong() -> None:
    text = recorded("fio_3_33_read.json").replace('"error": 0', '"error": 28')
    with pytest.raises(FoundWrongError, match="error 28"):
        storage.parse_fio(text)


def test_zeros_without_an_error_are_no_measurement() -> None:
    with pytest.raises(CannotMeasureError, match="neither read nor wrote"):
        storage.parse_fio(recorded("fio_3_33_error.json"))


def test_dcgm_3_counts_each_accelerator_and_reads_past_nulls() -> None:
    output = nvidia.parse_dcgm(recorded("dcgm_3_pass.json"))
    assert (output.version, output.tests, output.passed, output.failed) == ("DCGM 3.3.9", 4, 4, ())


def test_dcgm_3_says_which_accelerator_failed() -> None:
    output = nvidia.parse_dcgm(recorded("dcgm_3_fail.json"))
    assert (output.tests, output.passed) == (2, 1)
    assert output.failed[0].startswith("SM Stress of GPU 0: GPU 0 has a volatile double-bit ECC error")


def test_what_dcgm_skipped_says_nothing() -> None:
    output = nvidia.parse_dcgm(recorded("dcgm_3_skipped.json"))
    assert (output.tests, output.passed) == (0, 0)


def test_dcgm_4_passes_warns_and_fails() -> None:
    fine = nvidia.parse_dcgm(recorded("dcgm_4_pass.json"))
    assert (fine.version, fine.tests, fine.passed) == ("DCGM 4.2.3", 4, 4)
    assert fine.warned == ("pcie of GPU 1: NvLink is not supported by dcgm on this GPU",)
    bad = nvidia.parse_dcgm(recorded("dcgm_4_fail.json"))
    assert (bad.tests, bad.passed) == (1, 0)
    assert "Persistence mode for GPU 0 is disabled" in bad.failed[0]


def test_a_test_of_dcgm_that_did_not_run_is_no_pass() -> None:
    output = nvidia.parse_dcgm(recorded("dcgm_4_pass.json").replace('"Warn"', '"Not Run"'))
    assert (output.tests, output.passed, output.failed) == (4, 3, ())


def test_a_status_that_dcgm_has_not_used_yet_is_no_pass() -> None:
    with pytest.raises(CannotMeasureError, match="inconclusive"):
        nvidia.parse_dcgm(recorded("dcgm_4_pass.json").replace('"Pass"', '"Inconclusive"'))


def test_an_error_of_dcgm_itself_is_found_wrong() -> None:
    with pytest.raises(FoundWrongError, match="No GPUs available"):
        nvidia.parse_dcgm('{"DCGM GPU Diagnostic": {"runtime_error": "No GPUs available", "version": "3.3.9"}}')


def test_nvidia_smi_by_the_names_of_its_columns() -> None:
    first, second = nvidia.parse_nvidia_smi(recorded("nvidia_smi_h100.csv"))
    assert (first.name, first.total_mib, second.free_mib) == ("NVIDIA H100 80GB HBM3", 81559, 80990)


@pytest.mark.parametrize(
    "words",
    [
        "No devices were found",
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
        "Failed to initialize NVML: Driver/library version mismatch",
        "Unable to determine the device handle for GPU0000:0A:00.0: Unknown Error",
    ],
)
def test_a_broken_driver_or_accelerator_is_found_wrong(words: str) -> None:
    with pytest.raises(FoundWrongError, match="nvidia-smi: "):
        nvidia.parse_nvidia_smi(words + "\n")


@pytest.mark.parametrize("cell", ["[N/A]", "81,559 MiB", "-1 MiB", "81559", "81559 GiB"])
def test_memory_that_is_no_figure_in_mebibytes_is_a_named_fault(cell: str) -> None:
    with pytest.raises(CannotMeasureError):
        nvidia.parse_nvidia_smi(recorded("nvidia_smi_h100.csv").replace("81559 MiB", cell))


@pytest.mark.parametrize("parser", PARSERS)
@settings(max_examples=50)
@given(text=st.text())
def test_no_text_at_all_breaks_a_parser(parser: str, text: str) -> None:
    with pytest.raises((CannotMeasureError, FoundWrongError)):
        PARSERS[parser](text)


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=25)
@given(cut=st.integers(min_value=0, max_value=6000), junk=st.text(max_size=8))
def test_a_recorded_output_that_was_cut_or_spoilt_is_read_or_named(name: str, cut: int, junk: str) -> None:
    text = recorded(name)
    spoilt = text[:cut] + junk + text[cut + len(junk) :]
    for candidate in (text[:cut], spoilt):
        with suppress(CannotMeasureError, FoundWrongError):
            assert PARSERS[name.partition("_")[0]](candidate)


@given(st.decimals(min_value=0, max_value=10**9, places=3))
def test_a_figure_written_and_read_again_is_the_same(value: Decimal) -> None:
    assert child_process.number(child_process.text(value)) == value
