"""Outputs handed over: masked, taken apart, written for one pair of eyes."""

from __future__ import annotations

from pathlib import Path

import pytest
from engine_fakes import FakeStack

from operations.engine.session import build_output_files, list_output_rows, read_outputs, write_private
from planning.values.errors import InputError

MASKED = {"endpoints": {"api": "https://a", "token": "[secret]"}, "vpnProfiles": {"ann": "[secret]"}}
PLAIN = {"endpoints": {"api": "https://a", "token": "hidden"}, "vpnProfiles": {"ann": "[Interface]\n"}}


def test_secrets_are_decrypted_only_when_they_are_wanted() -> None:
    stack = FakeStack(answers={"stack output --json": MASKED, "stack output --json --show-secrets": PLAIN})
    assert read_outputs(stack.opened(), secrets=False).plain == {}
    found = read_outputs(stack.opened(), secrets=True)
    assert found.show(secrets=False) == MASKED
    assert found.show(secrets=True) == PLAIN


def test_mappings_are_taken_apart_by_name() -> None:
    assert dict(list_output_rows({"a": {"b": {"c": 1}}, "d": [1], "e": {}})) == {"a.b.c": 1, "d": [1], "e": {}}


def test_kubeconfigs_and_profiles_become_files() -> None:
    outputs = {
        "kubeconfig": {"apiVersion": "v1", "kind": "Config"},
        "kubeconfigs": {"engineer": "of an engineer"},
        "vpnProfiles": {"ann@acme.example": "of ann"},
        "buckets": {"models": "acme-models"},
    }
    found = build_output_files(outputs)
    assert sorted(found) == ["admin.kubeconfig", "ann@acme.example.conf", "engineer.kubeconfig"]
    assert '"kind": "Config"' in found["admin.kubeconfig"]


def test_another_placement_has_a_folder_of_its_own(tmp_path: Path) -> None:
    there = {"kubeconfigs": {"admin": "of the admin there"}, "region": "us-east"}
    found = build_output_files({"kubeconfigs": {"admin": "of the admin here"}, "placements": {"training": there}})
    assert found == {"admin.kubeconfig": "of the admin here", "training/admin.kubeconfig": "of the admin there"}
    written = write_private(tmp_path / "hand", found)
    assert [path.stat().st_mode & 0o777 for path in written] == [0o600, 0o600]
    assert (tmp_path / "hand" / "training").stat().st_mode & 0o777 == 0o700
    with pytest.raises(InputError, match="cannot name a file"):
        build_output_files({"placements": {"..": there}})


@pytest.mark.parametrize("owner", ["../ann", "a/b", ".ann", "", "a\nb"])
def test_an_owner_that_cannot_name_a_file_is_refused(owner: str) -> None:
    with pytest.raises(InputError, match="cannot name a file"):
        build_output_files({"vpnProfiles": {owner: "x"}})


def test_the_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "hand-over"
    (path,) = write_private(folder, {"ann.conf": "[Interface]"})
    assert path.read_text() == "[Interface]\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_file_that_others_could_read_is_replaced_by_one_they_cannot(tmp_path: Path) -> None:
    old = tmp_path / "ann.conf"
    old.write_text("old")
    old.chmod(0o644)
    write_private(tmp_path, {"ann.conf": "new"})
    assert (old.read_text(), old.stat().st_mode & 0o777) == ("new\n", 0o600)
