from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pytest

from operations.offline.program import run
from operations.project.stack_config import PLACEHOLDER, read_config
from planning.costs.resources.resource import Secret
from planning.values.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


def test_configuration_of_the_stack_reaches_the_program(tmp_path: Path) -> None:
    folder = tmp_path / "stacks"
    folder.mkdir()
    text = "config:\n  atoll:flag: true\n  atoll:pools: {train: cr-1}\n  atoll:token: {secure: abc}\n"
    (folder / "Pulumi.sample.yaml").write_text(text)

    def program() -> None:
        config = pulumi.Config("atoll")
        pulumi.export("flag", config.get_bool("flag"))
        pulumi.export("pools", config.get_object("pools"))
        pulumi.export("token", config.require_secret("token"))
        pulumi.export("offline", config.get_bool("offline"))

    exports = run("sample", program=program, root=tmp_path).exports
    assert exports == {"flag": True, "pools": {"train": "cr-1"}, "token": Secret(), "offline": True}


def test_secrets_of_the_stack_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "Pulumi.sample.yaml"
    path.write_text("config:\n  atoll:token: {secure: abc}\n")
    assert read_config(path).values == {"atoll:token": PLACEHOLDER}


@pytest.mark.parametrize("text", ["config: [", "config: 3", "- 1"])
def test_a_stack_file_that_is_none_is_refused_in_words(tmp_path: Path, text: str) -> None:
    path = tmp_path / "Pulumi.sample.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"Pulumi\.sample\.yaml"):
        read_config(path)
