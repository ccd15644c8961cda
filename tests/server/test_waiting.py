"""What the other tests rely on: ports of their own, rights in force, labels that stay, and why something never came."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest
from control_plane import LOOPBACK, free_ports
from kube_client import RBAC
from waiting import wait_until

from operations.relocation.rehearsal.processes import PORTS

if TYPE_CHECKING:
    from kube_client import KubeClient, Manifest

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]


def test_what_never_comes_is_said_with_what_was_seen_last() -> None:
    numbers = iter(range(1000))
    assert wait_until(lambda: next(numbers), lambda seen: seen == 2, what="two") == 2
    with pytest.raises(AssertionError, match="not within 0 s: a word; last seen: nothing"):
        wait_until(lambda: "nothing", lambda seen: seen == "word", what="a word", seconds=0)


def test_a_port_is_given_once_and_never_one_that_is_taken() -> None:
    found = [*free_ports(3), *free_ports(3)]
    assert len(set(found)) == 6
    following = found[-1] + 1
    with socket.socket() as taken:
        taken.bind((LOOPBACK, following))
        assert set(free_ports(2)) & {*found, following} == set()
    assert set(found) <= set(PORTS)


def test_rights_are_in_force_as_soon_as_they_are_applied(kube: KubeClient, namespace: str) -> None:
    for number in range(10):
        metadata = {"name": f"reader-{number}", "namespace": namespace}
        role: Manifest = {"apiVersion": f"{RBAC}/v1", "kind": "Role", "metadata": metadata}
        role["rules"] = [{"apiGroups": [""], "resources": ["pods/log", "pods"], "verbs": ["list", "get"]}]
        binding: Manifest = {"apiVersion": f"{RBAC}/v1", "kind": "RoleBinding", "metadata": metadata}
        binding["roleRef"] = {"apiGroup": RBAC, "kind": "Role", "name": metadata["name"]}
        binding["subjects"] = [{"apiGroup": RBAC, "kind": "Group", "name": f"readers-{number}"}]
        assert kube.apply(role).ok
        assert kube.apply(binding).ok
        assert kube.member_of(f"readers-{number}").list_in(namespace, "pods").ok


def test_a_namespace_keeps_the_labels_that_another_test_gave_it(kube: KubeClient, namespace: str) -> None:
    kube.have_namespace(namespace, of="one")
    kube.have_namespace(namespace)
    kube.have_namespace(namespace, also="another")
    manifest: Manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    assert kube.get(manifest).json()["metadata"]["labels"].items() >= {"of": "one", "also": "another"}.items()
