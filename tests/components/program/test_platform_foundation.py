"""The foundation, part by part: what each registers, and what its overlay changes of the release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pulumi
import specs
import specs_gcp
import yaml
from grounds import changes, grounded, names
from look import at, of_type, one
from platform_samples import handle_of, run_part, spec_with

from components.context.placement import Ingress, Names
from components.platform.building_blocks.manifests import ignore_controller_fields, kustomization
from components.platform.foundation import dex, ingress, istio, operators
from components.platform.kubeflow import dashboard

if TYPE_CHECKING:
    from pathlib import Path

    from planning.spec.cluster import ClusterSpec

POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"
CERTIFICATE = "kubernetes:cert-manager.io/v1:Certificate"
DIRECTORY = "kubernetes:kustomize/v2:Directory"


def test_the_clusters_authority_signs_with_a_key_that_is_made_in_the_cluster() -> None:
    found = run_part("cert_manager", operators.build_cert_manager, spec_with())
    root = one(found, CERTIFICATE, "atoll-ca")
    assert at(root, "spec", "isCA") is True
    assert at(root, "metadata", "namespace") == "cert-manager"
    issuers = {each.name: at(each, "spec") for each in of_type(found, "kubernetes:cert-manager.io/v1:ClusterIssuer")}
    assert issuers["atoll"] == {"ca": {"secretName": "atoll-ca"}}
    assert one(found, DIRECTORY, "cert-manager")


def test_the_gateway_is_a_load_balancer_inside_the_network() -> None:
    spec = spec_with(specs.aws_cluster())
    entrance = Ingress(load_balancer_class="service.k8s.aws/nlb", internal={"scheme": "internal"})
    patches = grounded(spec, istio.patches, ingress=entrance)
    service = changes(patches, "Service", "istio-ingressgateway")
    assert service.change == {"spec": {"type": "LoadBalancer", "loadBalancerClass": "service.k8s.aws/nlb"}}
    assert service.annotations["scheme"] == "internal"
    assert service.annotations["service.beta.kubernetes.io/aws-load-balancer-backend-protocol"] == "ssl"
    assert changes(patches, "Deployment", ".*").change


def test_a_cluster_without_load_balancers_is_entered_from_within() -> None:
    patches = grounded(spec_with(), istio.patches, ingress=Ingress(offered=False))
    assert changes(patches, "Service", "istio-ingressgateway").change == {"spec": {"type": "ClusterIP"}}


def test_google_clusters_have_their_own_overlay_of_istio() -> None:
    assert "common/istio/istio-install/overlays/gke" in grounded(spec_with(specs_gcp.gcp_cluster()), istio.paths)
    assert "common/istio/istio-install/overlays/oauth2-proxy" in grounded(spec_with(), istio.paths)


def test_the_mesh_says_where_a_person_wanted_to_go() -> None:
    (provider,) = yaml.safe_load(yaml.safe_dump(istio.mesh()))["extensionProviders"]
    check = provider["envoyExtAuthzHttp"]
    assert check["service"] == "oauth2-proxy.oauth2-proxy.svc.cluster.local"
    assert list(check["includeAdditionalHeadersInCheck"]) == ["X-Auth-Request-Redirect"]


def test_the_gateway_takes_requests_from_outside_and_from_prometheus() -> None:
    found = run_part("istio", istio.build, spec_with())
    ports: Any = at(one(found, POLICY, "gateway-entrance"), "spec", "ingress", 0, "ports")
    assert [each["port"] for each in ports] == [8080, 8443, 15021]
    assert "allow-metrics" in names(found, POLICY)


def test_everybody_is_sent_on_to_https() -> None:
    (gateway,) = dashboard.gateway_patches()
    plain, shut = gateway.change["spec"]["servers"]  # type: ignore[index]
    assert plain["tls"] == {"httpsRedirect": True}
    assert shut["tls"]["credentialName"] == "gateway-tls"
    assert run_part("kubeflow_base", dashboard.build_kubeflow_base, spec_with())


def test_the_certificate_is_for_every_name_below_the_domain() -> None:
    found = run_part("ingress", ingress.build, spec_with(), domain="ml.example.com")
    made = one(found, CERTIFICATE, "gateway")
    assert at(made, "spec", "dnsNames") == ["*.ml.example.com"]
    assert at(made, "spec", "secretName") == "gateway-tls"
    assert at(made, "spec", "issuerRef", "name") == "atoll"


def test_the_customers_own_issuer_is_asked_where_there_is_one() -> None:
    found = run_part("ingress", ingress.build, spec_with(), settings={"certificate_issuer": "letsencrypt"})
    assert at(one(found, CERTIFICATE, "gateway"), "spec", "issuerRef", "name") == "letsencrypt"


def test_the_balancer_takes_the_providers_certificate() -> None:
    def handle(spec: ClusterSpec) -> Any:
        return handle_of(spec, names=Names(domain="ml.example.com", certificate="arn:aws:acm:sample"))

    found = run_part("ingress", ingress.build, spec_with(specs.aws_cluster()), handle=handle)
    told = at(one(found, "kubernetes:core/v1:ServicePatch", "entrance"), "metadata", "annotations")
    assert told["service.beta.kubernetes.io/aws-load-balancer-ssl-cert"] == "arn:aws:acm:sample"  # type: ignore[index]


def test_external_secrets_reaches_vaults_and_is_reached_by_the_api_server() -> None:
    spec = spec_with(platform={"size": "full"})
    found = run_part("external_secrets", operators.build_external_secrets, spec)
    assert {"external-secrets-webhook", "external-secrets-vaults"} <= names(found, POLICY)


def test_an_overlay_names_its_targets(tmp_path: Path) -> None:
    spec = spec_with(platform={"mirror": str(tmp_path / "mirror")})
    assert spec.platform is not None
    part = spec.platform.part("dex")
    assert part is not None
    made = kustomization(
        part,
        paths=part.chart.split(),
        mirror=str(tmp_path),
        at=tmp_path / "at",
        patches=grounded(spec, dex.patches),
        images={"ghcr.io/dexidp/dex": "mirror:5000/dex:v2.45.1"},
    )
    assert made["resources"] == [f"../manifests/{part.ref}/common/dex/overlays/oauth2-proxy"]
    assert made["images"] == [{"name": "ghcr.io/dexidp/dex", "newName": "mirror:5000/dex", "newTag": "v2.45.1"}]
    assert all(each["target"]["kind"] for each in made["patches"])  # type: ignore[attr-defined]


def test_what_controllers_fill_in_is_left_alone() -> None:
    role: dict[str, Any] = {"metadata": {"name": "kubeflow-admin"}, "aggregationRule": {}, "rules": []}
    left = ignore_controller_fields(
        asked("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", "kubeflow-admin", role)
    )
    assert left is not None
    assert "rules" not in left.props
    own = {"rules": [{"verbs": ["get"]}]}
    assert ignore_controller_fields(asked("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", "dex", own)) is None
    hook = "kubernetes:admissionregistration.k8s.io/v1:ValidatingWebhookConfiguration"
    strict = ignore_controller_fields(asked(hook, "istio:istio-validator-istio-system", {}))
    assert strict is not None
    assert strict.opts.ignore_changes == ["webhooks[*].failurePolicy"]


def asked(token: str, name: str, props: dict[str, Any]) -> pulumi.ResourceTransformArgs:
    return pulumi.ResourceTransformArgs(custom=True, type_=token, name=name, props=props, opts=pulumi.ResourceOptions())
