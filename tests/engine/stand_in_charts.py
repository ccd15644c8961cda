"""A folder of stand-ins for a mirror: real values, schemas and definitions of every chart around one idle pod.

What they prove: that Helm takes our values by the charts' own schemas, that our objects meet their definitions, and
that everything comes and goes in order. What they cannot: what the charts' own templates make of the values.
"""

from __future__ import annotations

import io
import json
import tarfile
from typing import TYPE_CHECKING, Any

import definitions
import yaml

from catalogs.software.reader import parts
from planning.platform.mirror import MANIFESTS, chart_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from planning.spec.platform import Platform, PlatformComponent

# Folders of the reference data whose definitions a path of the release brings (kubeflow/KUBEFLOW.yaml there).
DEFINED_BY: Mapping[str, tuple[str, ...]] = {
    "common/cert-manager/base": ("cert-manager",),
    "common/istio/istio-crds/base": ("istio",),
    "common/knative/knative-serving/overlays/gateways": ("knative-serving",),
    "applications/dashboard/overlays/istio": ("profiles", "poddefaults"),
    "applications/dashboard/upstream/profile-controller/base/crd": ("profiles",),
    "applications/notebooks-v1/overlays/istio": ("notebooks",),
    "applications/trainer/overlays": ("kubeflow-trainer", "jobset"),
    "applications/pipeline/overlays": ("pipelines",),
    "applications/katib/upstream/installs/katib-with-kubeflow": ("katib",),
    "applications/kserve/kserve": ("kserve",),
}
# Paths that a part reads by themselves, beside those of the catalog.
ALONE: Mapping[str, tuple[str, ...]] = {"dashboard": ("applications/dashboard/upstream/profile-controller/base/crd",)}
# Namespaces that a path of the release makes.
HOMES: Mapping[str, tuple[str, ...]] = {
    "common/cert-manager/base": ("cert-manager",),
    "common/istio/istio-namespace/base": ("istio-system",),
    "common/kubeflow-namespace/base": ("kubeflow", "kubeflow-system"),
    "common/oauth2-proxy/overlays/m2m-dex-only": ("oauth2-proxy",),
    "common/dex/overlays/oauth2-proxy": ("auth",),
    "common/knative/knative-serving/overlays/gateways": ("knative-serving",),
}
# Deployments that our overlays change, by the path that has them: namespace, name, and the container that is changed.
PODS: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "common/cert-manager/base": (
        ("cert-manager", "cert-manager", "cert-manager-controller"),
        ("cert-manager", "cert-manager-cainjector", "cert-manager-cainjector"),
        ("cert-manager", "cert-manager-webhook", "cert-manager-webhook"),
    ),
    "common/dex/overlays/oauth2-proxy": (("auth", "dex", "dex"),),
    "common/oauth2-proxy/overlays/m2m-dex-only": (("oauth2-proxy", "oauth2-proxy", "oauth2-proxy"),),
    "applications/katib/upstream/installs/katib-with-kubeflow": (("kubeflow", "katib-mysql", "katib-mysql"),),
    "applications/notebooks-v1/overlays/istio": (("kubeflow", "jupyter-web-app-deployment", "jupyter-web-app"),),
}
# Services that are patched by objects of ours.
SERVICES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "common/istio/istio-install/overlays/oauth2-proxy": (("istio-system", "istio-ingressgateway"),),
}
# Roles that a chart makes of its other roles, and that are patched by objects of ours.
ROLES: Mapping[str, tuple[str, ...]] = {"kueue": ("kueue-batch-admin-role", "kueue-batch-user-role")}
RELEASE_NAME = "{{ .Release.Name }}"
RELEASE_NAMESPACE = "{{ .Release.Namespace }}"


def mirror(platform: Platform, folder: Path) -> None:
    """Write the stand-in of every chart and every path of manifests of a platform."""
    for part in platform.parts:
        if part.kind == "chart":
            write_chart(part, folder / chart_file(part))
        if part.kind == "kustomize":
            for path in (*part.chart.split(), *ALONE.get(part.name, ())):
                write_path(path, folder / MANIFESTS / part.ref / path)


def write_chart(part: PlatformComponent, file: Path) -> None:
    """A chart's archive: its own values, schema and definitions, and one Deployment named as the release."""
    reference = definitions.PLATFORM / parts()[part.name].reference
    chart = {"apiVersion": "v2", "name": part.chart, "version": part.version, "type": "application"}
    inside = {
        "Chart.yaml": yaml.safe_dump(chart),
        "values.yaml": (reference / "values.yaml").read_text(encoding="utf-8"),
        "templates/stand-in.yaml": yaml.safe_dump(deployment(RELEASE_NAME, RELEASE_NAMESPACE)),
    }
    inside |= {f"templates/{name}.yaml": yaml.safe_dump(role(name)) for name in ROLES.get(part.name, ())}
    schema = reference / "values.schema.json"
    if schema.is_file():
        inside["values.schema.json"] = schema.read_text(encoding="utf-8")
    inside |= {f"crds/{name}": json.dumps(each) for name, each in defined_in(reference).items()}
    file.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(file, "w:gz") as archive:
        for name, text in inside.items():
            entry = tarfile.TarInfo(f"{part.chart}/{name}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))


def write_path(path: str, folder: Path) -> None:
    """A path of manifests: its namespaces, the definitions that it brings, and Deployments that do nothing."""
    found: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": each}} for each in HOMES.get(path, ())
    ]
    for name in DEFINED_BY.get(path, ()):
        found += defined_in(definitions.PLATFORM / name).values()
    found += [deployment(name, namespace, container) for namespace, name, container in PODS.get(path, ())]
    found += [service(name, namespace) for namespace, name in SERVICES.get(path, ())]
    if not found:  # kustomize refuses a path without an object
        name = path.replace("/", "-")
        found.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}})
    write(folder, found)


def write(folder: Path, found: Iterable[dict[str, Any]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "objects.yaml").write_text("---\n".join(json.dumps(each) + "\n" for each in found), encoding="utf-8")
    (folder / "kustomization.yaml").write_text("resources: [objects.yaml]\n", encoding="utf-8")


def defined_in(reference: Path) -> dict[str, dict[str, Any]]:
    """The definitions below a folder by the file's name, without conversion: nobody would answer."""
    found = {path.name: definitions.read(path) for path in sorted(reference.glob("crds/*.yaml"))}
    for each in found.values():
        each["spec"].pop("conversion", None)
    return found


def service(name: str, namespace: str) -> dict[str, Any]:
    """A service that a cloud would give an address."""
    ports = [{"name": "https", "port": 443}]
    metadata = {"name": name, "namespace": namespace}
    selector = {"stand-in": name}
    spec = {"type": "LoadBalancer", "ports": ports, "selector": selector}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def role(name: str) -> dict[str, Any]:
    """A role made of all that carry its name as a label: none."""
    chosen = [{"matchLabels": {name: "true"}}]
    metadata = {"name": name}
    rule = {"clusterRoleSelectors": chosen}
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": metadata,
        "aggregationRule": rule,
    }


def deployment(name: str, namespace: str, container: str = "stand-in") -> dict[str, Any]:
    """One pod that the strictest pod security lets through; kwok says that it runs."""
    inside = {
        "name": container,
        "image": "stand-in.invalid/nothing:1",
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    pod = {
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [inside],
    }
    labels = {"stand-in": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}},
    }
