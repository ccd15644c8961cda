"""Custom resources of every target's plan, judged by the definitions of the charts that bring them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import definitions
import pytest
from existing_plan import accepted_example, manifests
from platform_plan import ASKED, accepted_asked, objects

if TYPE_CHECKING:
    from pathlib import Path

    from kube_client import KubeClient, Manifest

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"]), definitions.here]

# Example and option to the kinds that must be among its custom resources.
EXAMPLES = {
    "demo": ("same_cloud", {"NodePool", "EC2NodeClass"}),
    "spanning-two": ("cheapest", {"MultiKueueCluster", "MultiKueueConfig", "AdmissionCheck", "ClusterQueue"}),
}
# Kinds of providers' own clusters, whose definitions no chart publishes.
PRIVATE = {"compute.coreweave.com"}
BUILT_IN = (".k8s.io", "apps", "batch", "policy")


def is_custom(manifest: Manifest) -> bool:
    group = definitions.group_of(manifest)
    owned_elsewhere = group in PRIVATE or (group.endswith(BUILT_IN) and "x-k8s" not in group)
    return bool(group) and not owned_elsewhere


def house(kube: KubeClient, manifest: Manifest) -> None:
    """The namespace of an object, without which not even a dry run judges it."""
    name = manifest["metadata"].get("namespace")
    if name:
        kube.have_namespace(name)


@pytest.mark.parametrize("example", sorted(EXAMPLES))
def test_a_charts_definition_accepts_every_custom_resource(example: str, kube: KubeClient, tmp_path: Path) -> None:
    option, wanted = EXAMPLES[example]
    found = [each for each in manifests(accepted_example(tmp_path, example, option), example) if is_custom(each)]
    assert {each["kind"] for each in found} >= wanted
    for each in found:
        group = definitions.group_of(each)
        assert definitions.is_served(kube, each) or definitions.install(kube, group, each["kind"]), each["kind"]
        house(kube, each)
        answer = kube.apply(each, dry_run=True)
        assert answer.ok, f"{each['kind']} {each['metadata']['name']}: {answer.text}"


# What an object needs, without which a patch of it alone is none: of a service, its ports.
LEAST = {"Service": {"spec": {"ports": [{"name": "https", "port": 443}]}}}


@pytest.mark.parametrize("variant", ASKED)
def test_the_server_accepts_every_object_of_a_platform(variant: str, kube: KubeClient, tmp_path: Path) -> None:
    whole, patches = objects(accepted_asked(ASKED[variant], tmp_path))
    judged = [each for each in whole if definitions.group_of(each) not in PRIVATE]
    judged += [{**each, **LEAST.get(each["kind"], {})} for each in patches]
    refused = {title: answer for each in judged if (answer := against(kube, each, title := title_of(each)))}
    assert not refused
    assert {each["kind"] for each in judged} >= {"Namespace", "NetworkPolicy"}


def against(kube: KubeClient, manifest: Manifest, title: str) -> str:
    """Why the server refuses an object; "" where it takes it."""
    group, kind = definitions.group_of(manifest), manifest["kind"]
    if not definitions.is_served(kube, manifest) and not definitions.install(kube, group, kind):
        return f"nothing defines {kind} of {group}"
    house(kube, manifest)
    if kind == "PersistentVolumeClaim":  # another test may have bound the one of that name, whose size is then fixed
        manifest = {**manifest, "metadata": {**manifest["metadata"], "name": f"{manifest['metadata']['name']}-judged"}}
    answer = kube.apply(manifest, dry_run=True)
    return "" if answer.ok else f"{title}: {answer.json().get('message', answer.text)}"


def title_of(manifest: Manifest) -> str:
    metadata = manifest["metadata"]
    return f"{manifest['kind']} {metadata.get('namespace', '')}/{metadata.get('name', '?')}"
