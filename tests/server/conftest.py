from __future__ import annotations

import os
import uuid
from typing import TYPE_CHECKING

import pytest
from _pytest.capture import CaptureManager
from control_plane import WITHOUT_GO, ControlPlane, build, running
from kube_client import KubeClient, Manifest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def control_plane(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A running control plane; where it cannot be built for want of Go, a skip, and a failure in CI."""
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    assert isinstance(capture, CaptureManager)
    with capture.global_and_fixture_disabled():  # the first build takes minutes and says so
        code = build()
    if code == WITHOUT_GO and os.environ.get("CI", "").lower() not in {"true", "1"}:
        pytest.skip("the servers are built with Go, and there is no `go` on PATH")
    if code:
        pytest.fail(f"tools/build ended with {code}; its reason is above")
    with running(tmp_path_factory.mktemp("control-plane")) as plane:
        yield plane


@pytest.fixture(scope="session")
def kube(control_plane: ControlPlane) -> KubeClient:
    return KubeClient(control_plane)


@pytest.fixture
def namespace(kube: KubeClient) -> Iterator[str]:
    """A new namespace in which pods can be admitted; deleted after the test."""
    name = f"test-{uuid.uuid4().hex[:8]}"
    manifest: Manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    answer = kube.apply(manifest)
    assert answer.ok, answer.text
    account: Manifest = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "default", "namespace": name},
    }
    assert kube.wait(account, lambda answer: answer.ok).ok, "the controllers made no service account"
    yield name
    kube.delete(manifest)
