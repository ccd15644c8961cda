"""exclusions.yaml, and what is wrong with it."""

from __future__ import annotations

import pytest
from sla_samples import OCTOBER

from cli.terminal.errors import render_error
from planning.service_levels.exclusions import Cause, read_exclusions
from planning.values.errors import InputError

COMPONENTS = ("nodes/train", "storage/warm", "control_plane")
GOOD = """
exclusions:
  - cause: maintenance
    component: control_plane
    from: 2026-10-25T01:00Z
    to: 2026-10-25T06:00+02:00
    reason: upgrade
    notice_at: "2026-10-20T09:00Z"
  - {cause: customer, component: all, from: 2026-10-01T00:00Z, to: 2026-10-01T01:00Z, reason: they drained it}
"""


def read(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_exclusions(text, file="exclusions.yaml", components=COMPONENTS)
    return [f"{fault.line}:{fault.column} {fault.message}" for fault in caught.value.faults]


def test_a_file_is_read_with_its_zones() -> None:
    one, two = read_exclusions(GOOD, file="x", components=COMPONENTS)
    assert (one.cause, one.component, one.reason) == (Cause.MAINTENANCE, "control_plane", "upgrade")
    assert (one.end - one.start) == 3 * 3600
    assert one.start - OCTOBER.start == (24 * 24 + 1) * 3600
    assert one.start - (one.notice or 0) == 112 * 3600
    assert (two.cause, two.notice) == (Cause.CUSTOMER, None)


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "exclusions: []\n", "exclusions:\n"])
def test_a_file_without_exclusions_has_none(text: str) -> None:
    assert read_exclusions(text, file="x", components=COMPONENTS) == ()


def test_every_fault_at_once_with_its_place() -> None:
    text = """exclusions:
  - cause: maintainance
    component: storage/wram
    from: 2026-10-25T01:00
    to: tomorrow
    reason: ""
  - cause: force_majeure
    component: all
    from: 2026-10-25T01:00Z
    to: 2026-10-25T00:00Z
    reason: flood
    notice_at: 2026-10-25T00:00Z
    who: us
  - nothing
  - cause: customer
"""
    assert read(text) == [
        '2:12 "cause" cannot be "maintainance"',
        '3:16 "component" cannot be "storage/wram"',
        '4:11 "from" has no time zone',
        '5:9 "to" is not a moment: "tomorrow"',
        '6:5 "reason" has no text',
        '10:9 "to" is not after "from"',
        "12:5 only maintenance is announced",
        '13:5 "who" is not a field of an exclusion',
        "14:5 an exclusion is a section of fields",
        '15:5 "component", "from", "to", "reason" missing from this exclusion',
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- cause: customer\n", "1:1 the file has no fields"),
        ("exclusion: []\n", '1:1 "exclusion" is not a field of this file'),
        ("exclusions: yes\n", '1:1 "exclusions" must be a list'),
        ("exclusions:\n\t- x\n", "2:1 a tab stands where only spaces may"),
        ("exclusions: &a []\n", '1:13 "&a": anchors and aliases are not used in a checklist'),
        ("just words", "1:1 the file has no fields"),
    ],
)
def test_files_of_another_form_are_refused(text: str, said: str) -> None:
    assert said in read(text)


def test_a_fault_is_told_with_its_line_and_a_caret() -> None:
    with pytest.raises(InputError) as caught:
        read_exclusions(GOOD.replace("control_plane", "control-plane"), file="x.yaml", components=COMPONENTS)
    text, code = render_error(caught.value)
    assert code == 1
    assert text.splitlines()[:4] == [
        'x.yaml:4:16: "component" cannot be "control-plane"',
        "  4 |     component: control-plane",
        "    |                ^",
        '  hint: did you mean "control_plane"? one of: nodes/train, storage/warm, control_plane, all',
    ]


def test_a_file_that_is_too_long_is_refused() -> None:
    with pytest.raises(InputError, match="over 1 MB"):
        read_exclusions("#" * 1_000_001, file="x", components=COMPONENTS)
