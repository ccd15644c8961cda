"""What the platform's namespaces let in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pulumi
import specs
import specs_gcp
from look import at, of_type
from platform_samples import run_part, spec_with

from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.network_policies import (
    EVERYWHERE,
    allow,
    allow_egress,
    allow_webhook,
    api_servers,
)
from components.platform.foundation import namespaces

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.platform.building_blocks.context import PlatformContext

POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"


def registered(opens: Callable[[pulumi.Resource], None]) -> dict[tuple[object, object], Any]:
    """Specifications of the policies that a part makes, by namespace and name."""

    def build(ground: PlatformContext, charges: object, options: pulumi.ResourceOptions) -> RegisteredComponent:
        del ground, charges, options
        home = pulumi.ComponentResource("atoll:platform:Sample", "sample")
        opens(home)
        return RegisteredComponent(resource=home)

    found = of_type(run_part("mlflow", build, spec_with()), POLICY)
    return {(at(each, "metadata", "namespace"), at(each, "metadata", "name")): at(each, "spec") for each in found}


def test_every_namespace_of_ours_is_shut() -> None:
    found = of_type(run_part("namespaces", namespaces.build, spec_with()), POLICY)
    shut = {at(each, "metadata", "namespace") for each in found if at(each, "metadata", "name") == "default-deny"}
    assert {"mlflow", "observability", "object-store", "velero"} <= shut
    denied = [at(each, "spec") for each in found if at(each, "metadata", "name") == "default-deny"]
    assert denied == [{"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}] * len(denied)


def test_the_api_server_is_looked_for_where_the_provider_puts_it() -> None:
    assert "0.0.0.0/0" not in api_servers(spec_with(specs.aws_cluster()))
    assert "0.0.0.0/0" not in api_servers(spec_with(specs_gcp.gcp_cluster()))
    assert api_servers(spec_with()) == ("0.0.0.0/0",)


def test_a_way_is_opened_at_both_ends() -> None:
    def opens(home: pulumi.Resource) -> None:
        allow("to-store", source="mlflow", target="object-store", ports=[9000], target_pods={"app": "s"}, parent=home)

    found = registered(opens)
    inward = found["object-store", "to-store-in"]
    assert inward["podSelector"] == {"matchLabels": {"app": "s"}}
    assert inward["ingress"][0]["ports"] == [{"port": 9000, "protocol": "TCP"}]
    out = found["mlflow", "to-store-out"]["egress"][0]["to"][0]
    assert out["namespaceSelector"]["matchLabels"] == {"kubernetes.io/metadata.name": "object-store"}


def test_whoever_may_call_from_everywhere_opens_one_end() -> None:
    def opens(home: pulumi.Resource) -> None:
        allow("to-mlflow", source=EVERYWHERE, target="mlflow", ports=[5000], parent=home)

    assert list(registered(opens)) == [("mlflow", "to-mlflow-in")]


def test_nothing_reaches_the_nodes_own_identity() -> None:
    found = registered(lambda home: allow_egress("bucket", namespace="velero", parent=home))
    block = found["velero", "bucket"]["egress"][0]["to"][0]["ipBlock"]
    assert block["except"] == ["169.254.169.254/32"]


def test_a_webhook_is_open_on_its_port_alone() -> None:
    found = registered(lambda home: allow_webhook("hook", namespace="mlflow", ports=[9443], parent=home))
    assert found["mlflow", "hook"]["ingress"] == [{"ports": [{"port": 9443, "protocol": "TCP"}]}]
