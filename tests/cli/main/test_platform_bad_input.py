"""What nobody can install: named with the checklist's line, a caret and what to do, before anything is made."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from planning.spec.lock import read_lock, to_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from command_project import Atoll

    Write = Callable[[str], Path]

ROOT = Path(__file__).parents[3]
DAY = ("--today", "2026-11-21")
SSO = "sso: {provider: okta, client_id: atoll, issuer: 'https://acme.okta.example'}"
CHECKLIST = """\
customer: {name: acme, owner: ops@acme.example}
workloads:
  - {name: tune, kind: fine_tuning, model: {parameters: 7B}, tokens: 2B, hardware: {HARDWARE}}
where: {wanted: [PROVIDER], regions: [REGION]}
access:
  users: [{name: ada, email: ada@acme.example, group: admin}]
  SSO
WANTED
ceiling: {usd_per_month: 1000000}
"""


def asking(
    wanted: str = "", *, sso: str = "", hardware: str = "fabric: any", at: tuple[str, str] = ("aws", "us-east-1")
) -> str:
    words = {"WANTED": wanted, "SSO": sso, "HARDWARE": hardware, "PROVIDER": at[0], "REGION": at[1]}
    text = CHECKLIST
    for word, value in words.items():
        text = text.replace(word, value)
    return text


def under(line: int, column: int, text: str) -> str:
    """The excerpt that points at a place of a checklist."""
    shown = text.splitlines()[line - 1]
    return f"  {line} | {shown}\n  {' ' * len(str(line))} | {' ' * (column - 1)}^\n  hint: "


CORE = ("coreweave", "us-east-04")
REFUSED_BY_CHECK = {
    "a part that the provider forbids": (
        asking("platform: {extra: [gpu_operator]}", at=CORE),
        (8, 20),
        "the NVIDIA GPU Operator must not be installed",
    ),
    "two owners, one of them the provider": (
        asking("platform: {extra: [gpu_operator]}"),
        (8, 20),
        "two owners of one part",
    ),
    "two owners, both of them ours": (
        asking("platform: {extra: [gpu_operator, device_plugin]}"),
        (8, 34),
        'two owners of one part: "device_plugin" is wanted, and "gpu_operator", which brings it too',
    ),
    "an issuer that is not https": (
        asking(sso="sso: {provider: oidc, client_id: atoll, issuer: 'http://login.acme.example'}"),
        (7, 51),
        'the issuer "http://login.acme.example" is not an https:// address',
    ),
    "a team without users": (
        asking("teams: [{name: vision}]"),
        (8, 16),
        'team "vision" has no members',
    ),
    "a team whose group nobody knows": (
        asking("teams: [{name: vision, group: ml-vision}]"),
        (8, 31),
        'the group "ml-vision" is nowhere',
    ),
    "a quota over the hardware that is asked for": (
        asking(
            "teams: [{name: vision, group: ml-vision, accelerators: 9}]",
            sso=SSO,
            hardware="accelerator: H100-SXM-80GB, count: 8",
        ),
        (8, 56),
        'the team "vision" is guaranteed 9 accelerators of the 8 there are',
    ),
    "a mirror that is not there": (
        asking("platform: {mirror: copies}"),
        (8, 20),
        "there is no mirror at",
    ),
    "digests that are required and not known": (
        asking("platform: {digests: required}"),
        (8, 21),
        "digests are required, and not resolved of: ",
    ),
    "a part that does not exist": (
        asking("platform: {extra: [katlib]}"),
        (8, 20),
        'there is no platform part "katlib"',
    ),
}


@pytest.mark.parametrize(("text", "place", "said"), REFUSED_BY_CHECK.values(), ids=REFUSED_BY_CHECK)
def test_check_names_it_with_its_line(
    text: str, place: tuple[int, int], said: str, atoll: Atoll, checklist: Write
) -> None:
    checklist(text)
    outcome = atoll("check", "demo")
    assert outcome.code == 1
    assert f"stacks/demo/checklist.yaml:{place[0]}:{place[1]}: " in outcome.err
    assert said in outcome.err
    assert under(*place, text) in outcome.err
    assert "Traceback" not in outcome.err


def test_software_outside_the_tested_release_is_refused_by_the_program(
    project: Path, atoll: Atoll, checklist: Write
) -> None:
    checklist(asking())
    shutil.copy(ROOT / "stacks" / "__main__.py", project / "stacks" / "__main__.py")
    assert atoll("accept", "demo", "cheapest", *DAY).code == 0
    path = project / "stacks/demo/quote.lock.json"
    decided = read_lock(path)
    (home, *others) = decided.placements
    assert home.platform is not None
    parts = tuple(
        part.model_copy(update={"version": "0.18.0"}) if part.name == "kueue" else part for part in home.platform.parts
    )
    moved = home.model_copy(update={"platform": home.platform.model_copy(update={"parts": parts})})
    path.write_text(to_text(decided.model_copy(update={"placements": (moved, *others)})), encoding="utf-8")
    outcome = atoll("plan", "demo", *DAY)
    assert outcome.code == 1
    assert "software outside the tested release: kueue 0.18.0, which was tested at 0.19.2" in outcome.err
    assert "hint: quote and accept again" in outcome.err
    listed = atoll("software", "list", "demo")
    assert listed.code == 1
    assert "kueue 0.18.0, which was tested at 0.19.2" in listed.out


def test_a_guarantee_over_what_the_hardware_has_is_named_where_the_hardware_is_found(
    atoll: Atoll, checklist: Write
) -> None:
    text = asking("teams: [{name: vision, group: ml-vision, accelerators: 999}]", sso=SSO)
    checklist(text)
    outcome = atoll("quote", "demo", *DAY)
    assert outcome.code == 1
    assert "the team vision is guaranteed 999 accelerators" in outcome.err
    assert "stacks/demo/checklist.yaml:8:56: " in outcome.err


def test_a_guarantee_that_the_hardware_has_is_quoted(atoll: Atoll, checklist: Write) -> None:
    hardware = "accelerator: H100-SXM-80GB, count: 8"
    checklist(asking("teams: [{name: vision, group: ml-vision, accelerators: 4}]", sso=SSO, hardware=hardware))
    assert atoll("quote", "demo", *DAY).code == 0
