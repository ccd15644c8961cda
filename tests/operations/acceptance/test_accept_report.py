from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from accepted_project import project_with
from tracing import Known, untraced

from cli.main.application import run as atoll
from cli.pages.documents.rendering import render_markdown
from cli.pages.reports import acceptance_page as page
from operations.acceptance import signatures
from operations.acceptance.records import validate_record
from operations.acceptance.request import AcceptanceRequest, read_request
from operations.acceptance.result_store import merge_records
from planning.acceptance.report.document import document
from planning.values.errors import InputError, in_one_line

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "docs/examples/acceptance"
STACK, SLOW = "pretrain-7b", "ip-10-64-4-18"


class Accepted(NamedTuple):
    folder: Path
    it: AcceptanceRequest


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Accepted]:
    folder = tmp_path_factory.mktemp("accepted")
    with project_with(folder, STACK, "cheapest"), pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield Accepted(folder, read_request(STACK))


@pytest.fixture(autouse=True)
def at_home(accepted: Accepted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(accepted.folder)
    monkeypatch.delenv("ATOLL_SIGNING_KEY", raising=False)
    monkeypatch.delenv("ATOLL_KUBECONFIG", raising=False)


def made() -> Any:
    """docs/examples/acceptance/make.py, under a name that no other example has."""
    spec = spec_from_file_location("acceptance_example", EXAMPLE / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def example() -> list[Any]:
    return [validate_record(each) for each in made().records()]


def form_of(it: AcceptanceRequest, records: Sequence[Any], **more: Any) -> Any:
    times = sorted(each["at"] for each in records)
    results: Any = {
        "schema_version": 1,
        "stack": it.lock.stack,
        "option": it.lock.option,
        "started": times[0],
        "ended": times[-1],
        "measured": list(records),
    }
    return it.build_form(results, **more)


def test_the_committed_results_are_what_their_script_makes() -> None:
    committed = (EXAMPLE / "results.jsonl").read_text(encoding="utf-8")
    assert committed == made().text(), "write it anew: .venv/bin/python docs/examples/acceptance/make.py"


def test_a_node_below_four_fifths_fails_by_name_and_no_other(accepted: Accepted) -> None:
    form = form_of(accepted.it, example())
    assert (form["outcome"], form["failed_nodes"]) == ("failed", [SLOW])
    assert form["nodes"][0]["name"] == SLOW
    assert {each["outcome"] for each in form["nodes"][1:]} == {"passed"}
    text = render_markdown(document(form, sources=accepted.it.sources))
    assert f"The node that failed: {SLOW}." in text.splitlines()[4]
    assert f"- node {SLOW}, matrix multiplication on the slowest accelerator: 497.2 TFLOPS" in text
    assert "This report is not signed:" in text


def test_the_same_cluster_with_that_node_in_order_passes(accepted: Accepted) -> None:
    fast = [{"name": "tflops", "value": "733.2", "unit": "TFLOPS"}]
    records = [{**each, "readings": fast} if each["check"] == "matmul" else each for each in example()]
    form = form_of(accepted.it, records)
    assert (form["outcome"], form["failed_nodes"]) == ("passed", [])
    assert "Nothing failed." in render_markdown(document(form, sources=accepted.it.sources))


@pytest.mark.parametrize(
    ("left_out", "words"),
    [
        ("dcgm", "DCGM diagnostics: nothing was measured"),
        ("all_reduce", "all-reduce over the fabric over 4 nodes with 4 GiB"),
        ("loader", "tier warm, reads of data loaders: nothing was measured"),
        ("smoke", "service notebook, the service does its work: nothing was measured"),
    ],
)
def test_what_was_not_measured_is_no_pass_and_is_named(accepted: Accepted, left_out: str, words: str) -> None:
    fast = [each for each in example() if not each["subject"].endswith(SLOW)]
    form = form_of(accepted.it, [each for each in fast if each["check"] != left_out])
    assert form["outcome"] == "missing"
    text = render_markdown(document(form, sources=accepted.it.sources))
    assert words in text.replace("<sup>[2]</sup>", "").replace("<sup>[1]</sup>", "")
    assert "10 of 11 nodes were measured" in text


def test_every_figure_of_a_report_is_where_it_says(accepted: Accepted) -> None:
    broken = {**example()[2], "failed": ["GPU 3: pcie replay 17"], "at": "2026-11-20T09:00:00+00:00"}
    for records, more in (
        (example(), {}),
        (
            [each for each in example() if each["check"] not in {"dcgm", "loader"}],
            {"unfinished": ["job-1: not over after 65 s"]},
        ),
        ([*example(), broken, {**broken, "subject": "node/stranger-7", "params": {}}], {"only": ("node",)}),
        (example(), {"nodes": (SLOW,), "only": ("node",)}),
    ):
        form = form_of(accepted.it, records, **more)
        known = Known.of(accepted.folder / "stacks" / STACK, measured=json.loads(json.dumps(form)))
        found = document(form, sources=accepted.it.sources)
        assert untraced(found, known) == []
        assert render_markdown(found)
        assert SLOW in page(found, form)


def test_an_agreed_throughput_is_named_with_its_place_in_the_checklist(
    accepted: Accepted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "agreed"
    shutil.copytree(accepted.folder, folder)
    with (folder / "stacks" / STACK / "checklist.yaml").open("a", encoding="utf-8") as file:
        file.write("\nagreement:\n  tier_speeds: [{tier: warm, read_mb_per_s: 90000, write_mb_per_s: 10}]\n")
    monkeypatch.chdir(folder)
    it = read_request(STACK)
    form = form_of(it, example())
    (loader,) = [each for each in form["verdicts"] if each["check"] == "loader"]
    assert (loader["outcome"], loader["least"], loader["theory"]) == ("failed", "90000", None)
    assert loader["source"] == "checklist.yaml agreement.tier_speeds.0.read_mb_per_s"
    assert loader["sentence"].endswith("agreed on in the checklist, agreement.tier_speeds.0.read_mb_per_s")
    found = document(form, sources=it.sources)
    assert untraced(found, Known.of(folder / "stacks" / STACK, measured=json.loads(json.dumps(form)))) == []
    text = render_markdown(found).replace("\\", "")
    assert re.search(r"1,631\.4 MB/s, and at least 90,000<sup>\[\d+\]</sup> MB/s was promised", text)
    assert "agreed on in the checklist, agreement.tier_speeds.0.read_mb_per_s" in text


def test_the_page_draws_the_failed_node_and_the_theory_and_needs_nothing_else(accepted: Accepted) -> None:
    form = form_of(accepted.it, example())
    text = page(document(form, sources=accepted.it.sources), form)
    assert 'class="right failed">ip-10-64-4-18</text>' in text
    assert "theory 400" in text
    assert "least 635.6" in text
    assert text.count("<svg") == 2
    assert "src=" not in text
    assert "<script" not in text


def test_only_a_part_is_judged_and_the_report_says_so(accepted: Accepted) -> None:
    records = [each for each in example() if not each["subject"].startswith("node/")]
    form = form_of(accepted.it, records, only=("fabric", "storage"))
    assert (form["outcome"], form["only"]) == ("passed", ["fabric", "storage"])
    assert "It is not the acceptance of the cluster." in render_markdown(document(form, sources=accepted.it.sources))


def test_the_command_judges_records_writes_everything_and_signs(
    accepted: Accepted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    it, key = accepted.it, key_in(tmp_path)
    files = {name: tmp_path / f"report.{name}" for name in ("html", "json", "markdown")}
    options = [part for name, path in files.items() for part in (f"--{name}", str(path))]
    given = ["accept-test", STACK, "--from", str(run_in(tmp_path / "run", it)), *options]
    assert atoll([*given, "--key", str(key)]) == 1
    said = capsys.readouterr()
    assert f"nodes that failed: {SLOW}" in said.out
    assert "signed with the key SHA256:" in said.out
    assert all(path.stat().st_size > 5_000 for path in files.values())
    check = ["accept-test", STACK, "--verify", str(files["json"]), "--public-key", f"{key}.pub"]
    assert atoll(check) == 0
    report = json.loads(files["json"].read_text())
    spoil = [
        ({**report, "outcome": "passed"}, "it was changed after it was signed"),
        ({**report, "stack": "demo"}, "it is about the stack 'demo'"),
        ({**report, "lock_digest": "sha256:0"}, "it is about another lock: sha256:0"),
        ({**report, "signature": None}, "it is not signed"),
    ]
    for spoilt, words in spoil:
        files["json"].write_text(json.dumps(spoilt))
        form, raw = signatures.read_report(files["json"])
        public = Path(f"{key}.pub")
        found = signatures.faults(files["json"], form, raw, key_file=public, stack=STACK, lock_digest=it.digest)
        assert words in " ".join(found)
    assert atoll(check) == 1
    assert "is not to be believed" in capsys.readouterr().err
    whole = json.dumps(report, indent=2)
    for text, words in (
        (whole[:-300], "ends before it is complete"),
        (whole.replace('"stack"', '"stack": "x", "stack"', 1), "'stack' stands twice"),
        ('{"document": "atoll acceptance"}', "not the report of an acceptance"),
        ("[" * 100_000, "report"),
    ):
        files["json"].write_text(text)
        with pytest.raises(InputError) as told:
            signatures.read_report(files["json"])
        assert words in in_one_line(told.value)
    files["json"].write_text(whole)
    other = key_in(tmp_path, name="other")
    assert atoll([*check[:-1], f"{other}.pub"]) == 1
    assert "it was signed with the key SHA256:" in capsys.readouterr().err


def test_the_command_signs_nothing_that_names_no_stack(
    accepted: Accepted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert accepted.it.lock.stack == STACK
    bare, report = tmp_path / "bare.jsonl", tmp_path / "report.json"
    bare.write_text("".join(json.dumps(each) + "\n" for each in example()))
    given = ["accept-test", STACK, "--from", str(bare), "--json", str(report)]
    assert atoll([*given, "--key", str(key_in(tmp_path))]) == 1
    said = capsys.readouterr().err
    assert "bare.jsonl does not say of which stack it is: such results cannot be signed" in said
    assert not report.exists()
    assert atoll(given) == 1
    assert f"nodes that failed: {SLOW}" in capsys.readouterr().out


def run_in(folder: Path, it: AcceptanceRequest) -> Path:
    """The example's records as a run keeps them: beside what says of which lock they are."""
    from dataclasses import replace

    from accept_scene import meta

    from operations.acceptance.result_store import ResultStore

    store = ResultStore(folder)
    store.append(example())
    store.write_meta(replace(meta(), stack=STACK, option=it.lock.option, lock_digest=it.digest))
    return folder


def key_in(folder: Path, *, name: str = "key") -> Path:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from test_accept_signing import written

    home = folder / name
    home.mkdir()
    return written(home, Ed25519PrivateKey.generate()).private.rename(home / "key")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--only", "node,spirit"), "spirit: there are node, fabric"),
        (("--verify", "report.json"), "go together"),
        (("--from", "nowhere"), "there is no such file or folder"),
        (("--from", "stacks"), "there is no results.jsonl in it"),
        (("--dry-run", "--placement", "moon"), "has no placement 'moon'"),
        (("--dry-run", "--node", "gpu-99"), "no ready node gpu-99"),
        (("--dry-run", "--run", "A B"), "cannot name a run"),
        (("--key", "nowhere", "--dry-run"), "nowhere cannot be read"),
        ((), "ATOLL_KUBECONFIG is not set"),
    ],
)
def test_what_cannot_be_is_refused(arguments: Sequence[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert atoll(["accept-test", STACK, *arguments]) in {1, 2}
    assert words in capsys.readouterr().err


def test_results_of_another_cluster_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from accept_scene import meta

    from operations.acceptance.result_store import ResultStore

    store = ResultStore(tmp_path / "run")
    store.append(example()[:5])
    store.write_meta(meta())
    assert atoll(["accept-test", STACK, "--from", str(tmp_path)]) == 1
    assert "was measured for demo cheapest" in capsys.readouterr().err


def test_runs_of_two_days_are_one_acceptance(
    accepted: Accepted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from dataclasses import replace

    from accept_scene import meta

    from operations.acceptance.result_store import ResultStore

    mine = replace(meta(), stack=STACK, option=accepted.it.lock.option, lock_digest=accepted.it.digest)
    records = example()
    for name, part in (("a", records[:100]), ("b", records[90:])):
        store = ResultStore(tmp_path / name)
        store.append(part)
        store.write_meta(mine)
    assert atoll(["accept-test", STACK, "--from", str(tmp_path), "--json", "-"]) == 1
    form = json.loads(capsys.readouterr().out)
    assert form["results"]["measured"] == merge_records([records])
    assert form["failed_nodes"] == [SLOW]
    report = tmp_path / "report.json"
    report.write_text(json.dumps(form))
    assert atoll(["accept-test", STACK, "--from", str(report)]) == 1


def test_a_dry_run_without_a_cluster_shows_every_job_and_makes_nothing(
    accepted: Accepted, capsys: pytest.CaptureFixture[str]
) -> None:
    assert atoll(["accept-test", STACK, "--dry-run", "--only", "fabric,network"]) == 0
    said = capsys.readouterr()
    assert "all_reduce" in said.out
    assert "network/home/dns" in said.out
    assert "matmul" not in said.out
    assert "nothing was made" in said.err
    assert not (accepted.folder / "stacks" / STACK / "acceptance").exists()


def test_a_run_goes_on_where_it_is_the_same_cluster_and_not_where_it_is_another(
    accepted: Accepted, tmp_path: Path
) -> None:
    from dataclasses import replace

    from accept_scene import START, meta

    from operations.acceptance.result_store import store_of
    from operations.acceptance.run_plan import select_run

    it = replace(accepted.it, folder=tmp_path)

    def chosen(run: str = "", placement: str = "home") -> str:
        return select_run(it, run=run, placement=placement, now=START)[1].run

    assert chosen() == "20261122-090000"
    mine = replace(meta(), stack=STACK, lock_digest=it.digest)
    for name, more in (("a", {}), ("b", {"ended": "2026-11-22T11:00:00+00:00"}), ("c", {"lock_digest": "sha256:1"})):
        store_of(tmp_path, name).write_meta(replace(mine, run=name, **more))
    assert (chosen(), chosen("b"), chosen("d"), chosen(placement="west")) == ("a", "b", "d", "20261122-090000")
    with pytest.raises(InputError, match="the run c is of another lock or placement"):
        chosen("c")


@pytest.mark.skipif(not (shutil.which("jq") and shutil.which("openssl")), reason="jq and openssl are not on PATH")
def test_a_signature_holds_without_us_too_as_the_guide_says(accepted: Accepted, tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    from cli.terminal.console import json_text
    from operations.acceptance.signatures import sign_report

    key = Ed25519PrivateKey.generate()
    report = tmp_path / "report.json"
    report.write_text(json_text(sign_report(form_of(accepted.it, example()), key)))
    (tmp_path / "key.pub").write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    guide = (ROOT / "docs/guides/acceptance.md").read_text(encoding="utf-8")
    commands = guide[guide.index("jq -cjS") : guide.index("[The schema]")].removesuffix("```\n\n")
    done = subprocess.run(
        [shutil.which("sh") or "sh", "-euc", commands],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout == "Signature Verified Successfully\n", done.stderr
    spoilt = report.read_text().replace("497.2", "697.2")
    report.write_text(spoilt)
    done = subprocess.run(
        [shutil.which("sh") or "sh", "-euc", commands], cwd=tmp_path, capture_output=True, timeout=300, check=False
    )
    assert done.returncode != 0


def test_what_a_tool_says_moves_no_cursor_and_makes_no_markup(
    accepted: Accepted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from operations.acceptance.records import to_line

    evil: Any = {**example()[2], "failed": ["\x1b[2J<script>alert(1)</script> | [passed](x)"]}
    (tmp_path / "results.jsonl").write_text(to_line(evil))
    page_file, text_file = tmp_path / "report.html", tmp_path / "report.md"
    options = ["--html", str(page_file), "--markdown", str(text_file)]
    assert atoll(["accept-test", STACK, "--from", str(tmp_path), *options]) == 1
    assert "\x1b" not in capsys.readouterr().out
    assert "<script" not in page_file.read_text()
    assert "\\<script\\>" in text_file.read_text()
    assert accepted.it.lock.stack == STACK
