from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from components.clouds.existing.cluster.control_plane import check_preconditions

if TYPE_CHECKING:
    from pathlib import Path

    from control_plane import ControlPlane

    from components.clouds.existing.cluster.control_plane import Fact


pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]


def looked_at(path: Path, *, oldest: str = "") -> Fact:
    (fact,) = check_preconditions(path.read_text(), context=None, variable="KUBECONFIG", path=path, oldest=oldest)
    return fact


def changed(plane: ControlPlane, tmp_path: Path, part: str, **fields: str) -> Path:
    whole = yaml.safe_load(plane.kubeconfig.read_text())
    kept = {} if part == "user" else whole[f"{part}s"][0][part]
    whole[f"{part}s"][0][part] = {**kept, **fields}
    path = tmp_path / "config"
    path.write_text(yaml.safe_dump(whole))
    return path


def test_a_cluster_that_answers_can_be_built_on(control_plane: ControlPlane) -> None:
    assert looked_at(control_plane.kubeconfig).state == "right"


def test_a_cluster_older_than_wanted_is_refused(control_plane: ControlPlane) -> None:
    assert "1.99 is the oldest supported version" in looked_at(control_plane.kubeconfig, oldest="1.99").message


def test_a_token_that_the_server_does_not_know_is_refused(control_plane: ControlPlane, tmp_path: Path) -> None:
    fact = looked_at(changed(control_plane, tmp_path, "user", token="of-somebody-else"))
    assert "refuses the credentials (401)" in fact.message
    assert "of-somebody-else" not in fact.message


def test_a_port_where_nothing_listens_is_said(control_plane: ControlPlane, tmp_path: Path) -> None:
    fact = looked_at(changed(control_plane, tmp_path, "cluster", server="https://127.0.0.1:1"))
    assert "the connection is refused" in fact.message
