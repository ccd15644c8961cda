"""The report as people see it: every figure traced, the worked example, the command."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import TypeAdapter
from sla_samples import ROOT, dip, exclusion, line, lock, recorded, reported, runs
from tracing import Known, untraced

from cli.main.application import run
from cli.pages.documents.rendering import render_markdown
from cli.pages.reports import sla_page as page
from operations.service_levels.monthly_report import table_source
from planning.checklist.reading.checklist_file import read_file
from planning.service_levels.document import MOST_SPANS, document
from planning.service_levels.form import SlaForm
from planning.spec.lock import Lock, parse, to_text

EXAMPLE = ROOT / "docs" / "examples" / "sla"
GUIDE = ROOT / "docs" / "guides" / "sla.md"
WRITE = ".venv/bin/python docs/examples/sla/make.py"
MAKE = (
    "import json, sys, make; from planning.spec.lock import to_text;"
    " json.dump({**make.texts(), 'lock': to_text(make.locked()), SAMPLES: make.samples_text()}, sys.stdout)"
)
STACK = "coral-answers"
NO_SAMPLES = "series,of,from,until,value\n"


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """What make.py would write, and the lock that it is of."""
    path = {"PYTHONPATH": f"{EXAMPLE}:{ROOT}", "PATH": "/usr/local/bin:/usr/bin:/bin"}
    code = MAKE.replace("SAMPLES", "'samples.csv'")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return cast("dict[str, str]", json.loads(done.stdout))


@pytest.fixture
def project(made: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the example's stack; its folder."""
    folder = tmp_path / "stacks" / STACK
    folder.mkdir(parents=True)
    (tmp_path / "Pulumi.yaml").write_text("name: test\n")
    (folder / "quote.lock.json").write_text(made["lock"])
    (folder / "checklist.yaml").write_bytes((EXAMPLE / "checklist.yaml").read_bytes())
    (folder / "exclusions.yaml").write_bytes((EXAMPLE / "exclusions.yaml").read_bytes())
    (tmp_path / "samples.csv").write_text(made["samples.csv"])
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATOLL_TODAY", raising=False)
    return folder


Told = Callable[..., tuple[int, str, str]]


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    def call(*words: str, month: str = "2026-10", samples: str = "samples.csv") -> tuple[int, str, str]:
        asked = ["sla", STACK, "--month", month, "--today", "2026-11-21"]
        code = run([*asked, *(("--from", samples) if samples else ()), *words])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_the_example_is_what_the_command_says_today(made: dict[str, str]) -> None:
    for name in ("samples.csv", "report.md", "report.json"):
        assert (EXAMPLE / name).read_text(encoding="utf-8") == made[name], f"write it anew: {WRITE}"


def test_the_guide_computes_the_example_by_hand() -> None:
    guide, form = GUIDE.read_text(encoding="utf-8"), json.loads((EXAMPLE / "report.json").read_text())
    for part in form["parts"]:
        if part["verdict"] == "short":
            assert part["attained_percent"]["if_up"] in guide
            for each in part["lines"]:
                assert each["charge_usd"]["if_up"] in guide
                assert each["credit_usd"]["if_up"] in guide
    assert form["credit_usd"]["if_up"] == form["credit_usd"]["if_down"]
    assert f"**{form['credit_usd']['if_up']} USD**" in guide


def test_the_command_gives_the_example_and_leaves_with_ten(project: Path, told: Told, made: dict[str, str]) -> None:
    code, out, err = told("--json", "out.json", "--markdown", "out.md", "--html", "out.html", "--export", "again.csv")
    assert code == 10
    assert "SLA missed: nodes of assistant and warm storage. Service credit: 348.47 USD." in out
    assert "Not excluded: nodes/assistant" in out
    assert "written: out.html" in err
    here = project.parents[1]
    assert (here / "out.json").read_text() == made["report.json"]
    assert (here / "out.md").read_text() == made["report.md"]
    again, _, _ = told("--json", "second.json", samples="again.csv")
    assert again == 10
    first, second = (json.loads((here / name).read_text()) for name in ("out.json", "second.json"))
    assert {**first, "source": ""} == {**second, "source": ""}


@pytest.mark.usefixtures("project")
def test_json_goes_to_stdout_alone_and_is_what_its_schema_says(told: Told) -> None:
    code, out, _ = told("--json", "-")
    assert code == 10
    assert TypeAdapter(SlaForm).validate_json(out)["month"] == "2026-10"


def test_a_month_without_samples_of_a_part_cannot_be_told(project: Path, told: Told) -> None:
    row = "atoll:control_plane_up,,2026-10-01T00:00Z,2026-11-01T00:00Z,1\n"
    (project.parents[1] / "few.csv").write_text(NO_SAMPLES + row)
    code, out, _ = told(samples="few.csv")
    assert code == 11
    assert "No measurements of warm storage: atoll:storage_up{tier=" in out


def test_a_month_in_which_all_was_well_leaves_with_nothing(project: Path, told: Told, made: dict[str, str]) -> None:
    lines = made["samples.csv"].splitlines()
    names = {
        "atoll:control_plane_up,": "1",
        "atoll:storage_up,warm": "1",
        "atoll:storage_up,object_store": "1",
        "atoll:healthy_nodes,assistant": "3",
        "atoll:healthy_nodes,system": "5",
    }
    rows = [f"{name},2026-10-01T00:00Z,2026-11-01T00:00Z,{value}" for name, value in names.items()]
    burst = [row for row in lines if "assistant-burst" in row]
    owed = [row for row in lines if row.startswith("atoll:owed_nodes,") and "burst" not in row]
    (project.parents[1] / "well.csv").write_text(NO_SAMPLES + "\n".join([*rows, *burst, *owed]) + "\n")
    code, out, _ = told(samples="well.csv")
    assert (code, "SLA met: no service credit is due." in out) == (0, True)


@pytest.mark.parametrize(
    ("words", "month", "said"),
    [
        ((), "2026-99", "is not a month"),
        ((), "2026-12", "has not begun"),
        ((), "2026-05", "was over before the work began"),
        (("--from", "missing.csv"), "2026-10", "no such file"),
        (("--prometheus", "https://x.example"), "2026-10", "name where the samples are"),
        (("--exclusions", "missing.yaml"), "2026-10", "no such file"),
    ],
)
def test_bad_input_is_told_and_nothing_is_written(
    project: Path, told: Told, words: tuple[str, ...], month: str, said: str
) -> None:
    before = sorted(project.parents[1].rglob("*"))
    code, out, err = told(*words, "--json", "never.json", month=month)
    assert (code, out) == (1, "")
    assert said in err
    assert sorted(project.parents[1].rglob("*")) == before


@pytest.mark.usefixtures("project")
def test_samples_have_to_come_from_somewhere(told: Told) -> None:
    code, _, err = told(samples="")
    assert code == 1
    assert "either --from FILE, or --prometheus URL" in err


def test_a_faulty_file_of_exclusions_is_told_with_its_line(project: Path, told: Told) -> None:
    (project / "exclusions.yaml").write_text("exclusions:\n  - cause: weather\n")
    code, _, err = told()
    assert code == 1
    assert 'exclusions.yaml:2:12: "cause" cannot be "weather"' in err


def test_every_figure_of_the_example_is_traced(project: Path, made: dict[str, str]) -> None:
    form = cast("SlaForm", json.loads(made["report.json"]))
    known = Known.of(project, measured=cast("dict[str, Any]", form))
    assert untraced(document(form, table_source=table_source()), known) == []


def stranger() -> SlaForm:
    """Gaps, an unpriced line, another placement, a refused exclusion, the catalog's table, more outages than fit."""
    bill = (line("pool/train/machine", None), line("storage/warm", "1000"))
    hours = [(hour, hour + 1, hour % 2) for hour in range(60)]
    samples = recorded(train=dip(64, 0, 100, 180), warm=(), control=runs(*hours, (60, 744, 1)))
    return reported(
        samples,
        of=lock(bill=bill, placements=2),
        of_agreement=False,
        exclusions=(exclusion("all", 0, 1, cause="maintenance"),),
    )


def test_every_figure_of_a_worse_month_is_traced(project: Path) -> None:
    form = stranger()
    made = document(form, table_source=table_source())
    known = Known.of(project, measured=cast("dict[str, Any]", form))
    assert untraced(made, known) == []
    text = render_markdown(made)
    for said in (
        "Undetermined, because nothing was measured: warm storage.",
        "No series are recorded on the placement away.",
        "Undetermined: the credit of pool/train/machine, which has no price in the lock.",
        "no: no notice was given",
        "The table of promises.",
        f"And {60 // 2 - MOST_SPANS}",
    ):
        assert said in text


def test_the_page_draws_every_stretch_and_fetches_nothing() -> None:
    form = stranger()
    text = page(form, document(form, table_source=table_source()))
    assert text.count("<svg") == 2
    spans = sum(len(part["spans"]) for part in form["parts"])
    assert text.count("<g><title>") == spans
    assert "below target: 2026-10-05 04:00 UTC to 2026-10-08 12:00 UTC (80 h, 0 of 64 there)" in text
    for word in ("<script", "src=", "@import", "url("):
        assert word not in text


def test_a_lock_of_the_example_is_canonical(made: dict[str, str]) -> None:
    found: Lock = parse(made["lock"], file="lock")
    assert to_text(found) == made["lock"]
    assert read_file(EXAMPLE / "checklist.yaml").agreement.maintenance_notice_hours == 72
