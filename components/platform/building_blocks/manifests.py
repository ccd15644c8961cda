"""Manifests of a component: paths of a pinned repository, patched by a kustomize overlay beside the project."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes
import yaml

from components.platform.building_blocks.artifact_mirror import UP
from components.platform.building_blocks.images import image_map
from planning.platform.mirror import MANIFESTS, is_registry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.platform.building_blocks.context import PlatformContext, PlatformResource
    from planning.spec.platform import PlatformComponent


ROLE: Final = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole"
CHECKS: Final = "kubernetes:admissionregistration.k8s.io/v1:ValidatingWebhookConfiguration"
ISTIOS: Final = "istio-validator"  # istiod makes it strict once it answers (istio.io, pkg/webhooks/validation)
POLICY: Final = "webhooks[*].failurePolicy"


def ignore_controller_fields(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
    """Ignore rules of roles that are empty or aggregated, and the failure policy of Istio's webhook."""
    # The server returns an empty list of rules as nothing, which would be a change at every preview.
    if args.type_ == ROLE and ("aggregationRule" in args.props or not args.props.get("rules")):
        rest = {name: value for name, value in args.props.items() if name != "rules"}
        return pulumi.ResourceTransformResult(props=rest, opts=args.opts)
    if args.type_ == CHECKS and ISTIOS in args.name:
        left = pulumi.ResourceOptions(ignore_changes=[POLICY])
        return pulumi.ResourceTransformResult(props=args.props, opts=pulumi.ResourceOptions.merge(args.opts, left))
    return None


SECONDS_TO_FETCH: Final = 300  # the repository is fetched anew for each path; kustomize itself gives up after 27
# Requests of the mesh's proxy beside a pod with little traffic: 0.2 vCPU and 60 MB serve 1,000 requests a
# second (istio.io, performance and scalability); the release reserves 100m and 128Mi for each.
PROXY: Final[Mapping[str, str]] = {"sidecar.istio.io/proxyCPU": "20m", "sidecar.istio.io/proxyMemory": "64Mi"}
FOLDER: Final = ".atoll/manifests"  # beside stacks/, which git ignores: every update writes it anew


@dataclass(frozen=True, kw_only=True)
class Patch:
    """A change of one object, or of all that match.

    Names are those in the release's own files, without the hash that kustomize appends to generated ones; where an
    object mentions another by name, the mention follows.

    Args:
        kind: of the object.
        name: of the object; a regular expression of the whole name, as kustomize has it.
        namespace: of the object; "" for any.
        change: a strategic merge patch, without the object's metadata; None to leave the object out. Lists of custom
            resources are replaced as a whole.
        annotations: what the object is annotated with besides.
        operations: JSON patch operations instead.
    """

    kind: str
    name: str
    namespace: str = ""
    change: Mapping[str, object] | None = None
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    operations: Sequence[Mapping[str, object]] = ()


def manifests(
    own: PlatformResource,
    patches: Sequence[Patch] = (),
    *,
    paths: Sequence[str] = (),
    namespace: str = "",
    after: Sequence[pulumi.Resource] = (),
    transforms: Sequence[pulumi.ResourceTransform] = (),
) -> kubernetes.kustomize.v2.Directory:
    """The objects of a component's repository.

    Args:
        paths: in the repository; those of the catalog by default.
        namespace: of every object that has one; "" to leave it as it is.
        after: what must be there before them.
    """
    context, part = own.context, own.part
    folder = Path("..") / FOLDER / pulumi.get_stack() / context.handle.placement.name / own.name
    if not context.settings.offline:
        document = kustomization(
            part,
            paths=paths or paths_of(part),
            mirror=context.platform.mirror,
            at=folder,
            patches=patches,
            images=image_map(part, context),
            namespace=namespace,
        )
        _write(folder, document)
    options = pulumi.ResourceOptions(
        parent=own, depends_on=list(after), transforms=[*transforms, ignore_controller_fields]
    )
    return kubernetes.kustomize.v2.Directory(own.name, directory=str(folder), opts=options)


def paths_of(part: PlatformComponent) -> tuple[str, ...]:
    """The component's paths, in the order of the catalog."""
    return tuple(part.chart.split())


def on_system(context: PlatformContext, *, name: str = ".*") -> tuple[Patch, ...]:
    """Have deployments run on the platform's own nodes, where nodes carry our labels."""
    if not context.on_system:
        return ()
    chosen = {"spec": {"template": {"spec": {"nodeSelector": dict(context.on_system)}}}}
    return (Patch(kind="Deployment", name=name, change=chosen),)


def request_resources(name: str, container: str, *, cpu: str, memory: str, kind: str = "Deployment") -> Patch:
    """Set the requests of a container, where the release sets none."""
    pod = {"containers": [{"name": container, "resources": {"requests": {"cpu": cpu, "memory": memory}}}]}
    return Patch(kind=kind, name=name, change={"spec": {"template": {"spec": pod}}})


def proxies() -> Patch:
    return Patch(kind="Deployment", name=".*", change={"spec": {"template": {"metadata": {"annotations": {**PROXY}}}}})


def kustomization(
    part: PlatformComponent,
    *,
    paths: Sequence[str],
    mirror: str,
    at: Path,
    patches: Sequence[Patch] = (),
    images: Mapping[str, str] | None = None,
    namespace: str = "",
) -> dict[str, object]:
    """The kustomize overlay of a component.

    Args:
        images: image in the manifests, without its tag, to the image that takes its place.
    """
    return {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        **({"namespace": namespace} if namespace else {}),
        "resources": [source(part, path, mirror=mirror, at=at) for path in paths],
        "patches": [_patch(each) for each in patches],
        "images": [_image(name, new) for name, new in (images or {}).items()],
    }


def source(part: PlatformComponent, path: str, *, mirror: str, at: Path) -> str:
    """Source of a path of the repository: its commit, or the mirror's folder."""
    if not mirror or is_registry(mirror):
        return f"{part.repository}//{path}?ref={part.ref}&timeout={SECONDS_TO_FETCH}"
    return os.path.relpath(UP / mirror / MANIFESTS / part.ref / path, at)


def _patch(patch: Patch) -> dict[str, object]:
    target = {"kind": patch.kind, "name": patch.name, **({"namespace": patch.namespace} if patch.namespace else {})}
    if patch.operations:
        return {"target": target, "patch": yaml.safe_dump(list(patch.operations), sort_keys=False)}
    # The target chooses the objects; kustomize wants an identity in a merge patch all the same.
    identity = {"apiVersion": "v1", "kind": patch.kind, "metadata": {"name": "any", "annotations": patch.annotations}}
    body = {"$patch": "delete"} if patch.change is None else dict(patch.change)
    return {"target": target, "patch": yaml.safe_dump({**identity, **body}, sort_keys=False)}


def _image(name: str, new: str) -> dict[str, str]:
    """Entry of `images:`; a digest follows "@", a tag the ":" of the last path element."""
    bare, _, digest = new.partition("@")
    if digest:
        return {"name": name, "newName": bare, "digest": digest}
    folder, slash, last = new.rpartition("/")
    short, _, tag = last.partition(":")
    return {"name": name, "newName": f"{folder}{slash}{short}", **({"newTag": tag} if tag else {})}


def _write(folder: Path, document: Mapping[str, object]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / "kustomization.yaml.new"
    draft.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    draft.replace(folder / "kustomization.yaml")


DEFINITION: Final = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"
CLAIM: Final = "kubernetes:core/v1:PersistentVolumeClaim"
NAMESPACE: Final = "kubernetes:core/v1:Namespace"


def build_retention_transform(token: str, *, ending: str = "", protect: bool = False) -> pulumi.ResourceTransform:
    """Keep objects of a type in the cluster when the stack deletes them.

    Args:
        token: their type.
        ending: of their logical name; "" for all of the type.
        protect: refuse to delete them, too. Not on a cluster of the stack's own, which could never be destroyed then.
    """

    def keep(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        if args.type_ != token or not args.name.endswith(ending):
            return None
        kept = pulumi.ResourceOptions(protect=protect or None, retain_on_delete=True)
        return pulumi.ResourceTransformResult(props=args.props, opts=pulumi.ResourceOptions.merge(args.opts, kept))

    return keep


def claims(context: PlatformContext) -> tuple[Patch, ...]:
    """Have volumes on the cluster's network disks, where its default class may be another."""
    disk = context.volume_class
    return (
        (Patch(kind="PersistentVolumeClaim", name=".*", change={"spec": {"storageClassName": disk}}),) if disk else ()
    )
