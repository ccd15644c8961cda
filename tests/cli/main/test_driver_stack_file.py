"""Only our own key of Pulumi.<stack>.yaml is touched."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from operations.project.stack_config import with_accepted
from planning.values.errors import InputError


def changed(tmp_path: Path, text: str) -> str:
    path = tmp_path / "Pulumi.demo.yaml"
    path.write_text(text, encoding="utf-8")
    return with_accepted(path, option="aws-x")


def test_a_new_file_names_the_lock_and_the_option(tmp_path: Path) -> None:
    text = with_accepted(tmp_path / "Pulumi.demo.yaml", option="aws-x")
    assert yaml.safe_load(text) == {"config": {"atoll:accepted": "aws-x"}}
    assert "demo/quote.lock.json" in text


@pytest.mark.parametrize(
    "text",
    [
        "encryptionsalt: v1:abc\n",
        "config:\n  atoll:capacityReservations:\n    train: cr-1 # ours\n",
        "# kept\nconfig:\n    atoll:accepted: other # old\n    aws:profile: x\n",
        'config:\n  "atoll:accepted": other\n  secret:\n    secure: v1:xyz\n',
        "config: {}\n",
        "config:\n",
        "",
    ],
)
def test_everything_else_stays(text: str, tmp_path: Path) -> None:
    before = yaml.safe_load(text) or {}
    after = yaml.safe_load(changed(tmp_path, text))
    assert after == {**before, "config": {**(before.get("config") or {}), "atoll:accepted": "aws-x"}}


def test_comments_stay(tmp_path: Path) -> None:
    assert "# ours" in changed(tmp_path, "config:\n  aws:profile: x # ours\n")


def test_accepting_again_changes_nothing(tmp_path: Path) -> None:
    once = changed(tmp_path, "config:\n  aws:profile: x\n")
    assert changed(tmp_path, once) == once


@pytest.mark.parametrize("text", ["config: {aws:profile: x}\n", "config: [1]\n", "- 1\n", "a: [\n"])
def test_what_no_line_can_be_put_into_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        changed(tmp_path, text)
