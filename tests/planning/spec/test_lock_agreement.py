"""A lock of another stack, of another option, or one that contradicts itself is refused wherever it is read."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest
from accepted import EXAMPLES, ROOT, accepted
from hypothesis import given, settings
from hypothesis import strategies as st
from locked_stack import write_locked

from cli.main import application
from operations.offline.program import run
from operations.project.accepted_lock import read_accepted_lock, read_stack_lock
from operations.project.workspace import Project
from planning.spec.lock import Lock, parse, to_text
from planning.spec.lock_content import HAS_PRICE, State, inconsistencies
from planning.values.errors import AtollError, InputError

DAY: Final = ("--today", "2026-11-09")
ACCEPTED: Final = (
    ("plan", "demo"),
    ("contract", "demo"),
    ("onboard", "demo"),
    ("handbook", "demo", "--to", "out"),
    ("preflight", "demo", "--no-cloud"),
    ("up", "demo"),
    ("preview", "demo"),
    ("clone", "demo", "east-two", "--region", "us-east-2"),
    ("gitops", "export", "demo", "--to", "out", "--repository", "https://git.example/x"),
    ("accept-test", "demo", "--dry-run"),
)
LOCK: Final = partial(accepted, "demo", option=0)
OWN: Final = (("software", "images", "demo"), ("orphans", "demo"), ("access", "demo", "--user", "ada"))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demo accepted, with the program of every stack beside it."""
    (tmp_path / "Pulumi.yaml").write_text("name: atoll\n", encoding="utf-8")
    write_locked(tmp_path, LOCK())
    shutil.copy(ROOT / "stacks/demo/checklist.yaml", tmp_path / "stacks/demo")
    shutil.copy(ROOT / "stacks/__main__.py", tmp_path / "stacks")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    capsys.readouterr()
    code = application.run(list(arguments))
    return code, capsys.readouterr().err


def test_an_accepted_stack_is_read(project: Path) -> None:
    assert read_accepted_lock(Project(project), "demo") == LOCK()
    assert run("demo", root=project).resources


@pytest.mark.parametrize("command", [*ACCEPTED, *OWN], ids=" ".join)
def test_a_lock_that_was_copied_from_another_stack_is_refused(
    command: tuple[str, ...], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = LOCK().model_copy(update={"stack": "other"})
    (project / "stacks/demo/quote.lock.json").write_text(to_text(other), encoding="utf-8")
    before = sorted(project.rglob("*"))
    code, err = said(*command, capsys=capsys)
    assert code == 1, err
    assert 'it is the lock of "other", not of "demo"' in err
    assert sorted(project.rglob("*")) == before


@pytest.mark.parametrize("command", ACCEPTED, ids=" ".join)
@pytest.mark.parametrize(
    ("config", "words"),
    [
        (None, "Pulumi.demo.yaml is missing"),
        ("", "has no atoll:accepted"),
        ("config: {}\n", "has no atoll:accepted"),
        ("config:\n  atoll:accepted: aws-us-east-1-h100-8\n", "says atoll:accepted: aws-us-east-1-h100-8"),
        ("config:\n  atoll:accepted: [x]\n", 'says atoll:accepted: ["x"]'),
    ],
)
def test_a_configuration_of_another_option_or_none_is_refused(
    command: tuple[str, ...], config: str | None, words: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project / "stacks/Pulumi.demo.yaml"
    path.unlink()
    if config is not None:
        path.write_text(config, encoding="utf-8")
    code, err = said(*command, capsys=capsys)
    option = LOCK().option
    assert code == 1, err
    assert words in err
    assert f"holds {option}" in err
    assert f"atoll accept demo {option}" in err


def test_what_is_done_to_a_running_cluster_does_not_wait_for_the_configuration(project: Path) -> None:
    (project / "stacks/Pulumi.demo.yaml").unlink()
    assert read_stack_lock(Project(project), "demo").stack == "demo"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"stack": "other"}, 'it is the lock of "other"'),
        ({"option": f"{LOCK().option}-other"}, f"holds {LOCK().option}-other"),
    ],
)
def test_the_program_itself_refuses_them(change: dict[str, str], words: str, project: Path) -> None:
    changed = LOCK().model_copy(update=change)
    (project / "stacks/demo/quote.lock.json").write_text(to_text(changed), encoding="utf-8")
    with pytest.raises(AtollError, match=words):
        run("demo", root=project)


def test_the_program_refuses_a_missing_configuration(project: Path) -> None:
    (project / "stacks/Pulumi.demo.yaml").unlink()
    with pytest.raises(AtollError, match="has no atoll:accepted"):
        run("demo", root=project)


@pytest.mark.parametrize("example", EXAMPLES)
def test_what_is_accepted_never_contradicts_itself(example: str) -> None:
    assert list(inconsistencies(accepted(example))) == []
    assert list(inconsistencies(accepted(example, option=0))) == []


def test_every_state_of_a_price_says_what_it_has() -> None:
    assert set(HAS_PRICE) == set(State)


Edit = Callable[[dict[str, Any]], object]
EDITS: Final[tuple[tuple[str, Edit], ...]] = (
    ("placements", lambda body: body.update(placements=[])),
    ("placements.0.pools", lambda body: body["placements"][0]["pools"].append(body["placements"][0]["pools"][0])),
    ("max_nodes", lambda body: body["placements"][0]["pools"][0].update(max_nodes=99)),
    ("min_nodes", lambda body: body["placements"][0]["pools"][0].update(min_nodes=99)),
    ("working", lambda body: body["placements"][0]["pools"][0].update(working=-1, max_nodes=-1)),
    ("node_hours", lambda body: body["placements"][0]["pools"][0]["node_hours"].update(min="9999999")),
    ("node_hours.max", lambda body: body["placements"][0]["pools"][0]["node_hours"].update(max="9999999")),
    ("node_hours", lambda body: body["placements"][0]["pools"][0]["node_hours"].update(min="-1")),
    ("accelerators", lambda body: body["placements"][0]["pools"][0].update(accelerators=3, accelerator=None)),
    ("egress_gb", lambda body: body["placements"][0]["network"]["egress_gb"].update(expected="-4")),
    ("placement.target", lambda body: body["placements"][0]["placement"].update(target="gcp")),
    ("placement.name", lambda body: body["placements"][0]["placement"].update(name="away")),
    ("existing", lambda body: body["placements"][0]["placement"].update(target="existing")),
    ("option", lambda body: body.update(option="gcp-us-central1-h100-8")),
    ("joined", lambda body: body.update(joined=True)),
    ("residency", lambda body: body.update(residency="Mars")),
    ("valid_until", lambda body: body.update(valid_until="2001-01-01")),
    ("contract_months", lambda body: body.update(contract_months=-1)),
    ("ceiling.binds", lambda body: body["ceiling"].update(binds="least")),
    ("ceiling.usd_per_month", lambda body: body["ceiling"].update(usd_per_month="-5")),
    ("bill", lambda body: body["bill"].append(body["bill"][0])),
    ("bill.0.state", lambda body: body["bill"][0].update(state="cheap")),
    ("bill.0.state", lambda body: body["bill"][0].update(state="unpriced")),
    ("bill.0.quantity", lambda body: body["bill"][0].update(quantity=["9", "1", "1"])),
    ("bill.0.usd_per_month", lambda body: body["bill"][0].update(usd_per_month=["0", "0", "0"])),
    ("bill.0.usd_per_unit", lambda body: body["bill"][0].update(usd_per_unit="-1")),
)


def signed_again(lock: Lock, edit: Edit) -> str:
    """The lock after an edit, with the digest that it would have: what a hostile editor writes."""
    body = json.loads(to_text(lock))
    body.pop("digest")
    edit(body)
    digest = sha256(canonical(body).encode()).hexdigest()
    return canonical({**body, "digest": f"sha256:{digest}"})


def canonical(body: dict[str, Any]) -> str:
    return json.dumps(body, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


@pytest.mark.parametrize(("path", "edit"), EDITS, ids=[f"{at} {path}" for at, (path, _) in enumerate(EDITS)])
def test_a_contradiction_is_refused_though_its_digest_is_right(path: str, edit: Edit) -> None:
    with pytest.raises(InputError, match="contradicts itself") as told:
        parse(signed_again(LOCK(), edit), file="lock")
    assert any(path in fault.path for fault in told.value.faults)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(data=st.data())
def test_a_line_of_which_any_amount_is_another_is_refused(data: st.DataObject) -> None:
    lock = accepted(data.draw(st.sampled_from(EXAMPLES)))
    priced = [at for at, line in enumerate(lock.bill) if line.usd_per_month and line.usd_per_month[1] > 1]
    at = data.draw(st.sampled_from(priced))
    factor = data.draw(st.sampled_from([Decimal("0.5"), Decimal("0.9"), Decimal(2)]))
    line = lock.bill[at]
    assert line.usd_per_month is not None
    usd = (line.usd_per_month[0], line.usd_per_month[1] * factor, max(line.usd_per_month) * 4)
    bill = (*lock.bill[:at], line.model_copy(update={"usd_per_month": usd}), *lock.bill[at + 1 :])
    found = list(inconsistencies(lock.model_copy(update={"bill": bill})))
    assert any(where == f"bill.{at}.usd_per_month" for where, _ in found)
