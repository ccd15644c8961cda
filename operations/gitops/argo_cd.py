"""Files of a repository that Argo CD installs the platform from: text by path, the same for the same program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import yaml

from catalogs.files import UnreadableFileError, open_file
from operations.gitops.components import plain
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from operations.gitops.components import ComponentGroup, Plain, Staying
    from planning.costs.resources.resource import Resource

HEADER: Final = "# Written by `atoll gitops export`; the next one writes it anew.\n"
# Exports of earlier releases: their outdated files are removed like ours.
OLD_HEADER: Final = "# Written by `atoll handover`; the next one writes it anew.\n"
PROJECT: Final = "platform"
NAMESPACE: Final = "argocd"
HERE: Final = "https://kubernetes.default.svc"
WAVE: Final = "argocd.argoproj.io/sync-wave"
OCI: Final = "oci://"
OPTIONS: Final = ("ServerSideApply=true", "CreateNamespace=false")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgoCdSource:
    """Where Argo CD will find the files.

    Args:
        repository: URL of the customer's repository.
        revision: branch or tag.
        folder: of the files in it, "" for its top.
    """

    repository: str
    revision: str
    folder: str

    def path(self, below: str) -> str:
        return f"{self.folder.strip('/')}/{below}".lstrip("/")


def files(
    groups: Sequence[ComponentGroup], staying: Sequence[Staying], *, place: ArgoCdSource, overlay: Callable[[str], str]
) -> dict[str, str]:
    """Text by path.

    Args:
        overlay: text of the kustomization in a folder, as the program names the folder.

    Raises:
        InputError: something is read from a folder of this machine, where Argo CD does not get.
    """
    applications: dict[str, Plain] = {}
    written: dict[str, str] = {}
    for group in groups:
        for release in group.releases:
            name = str(release.inputs["name"])
            applications[name] = _application(name, _chart(release), wave=2 * group.wave, space=_space(release))
        for directory in group.directories:
            name, text = directory.name, overlay(str(directory.inputs["directory"]))
            _refuse_local(name, text)
            written[f"overlays/{name}/kustomization.yaml"] = HEADER + text
            source = _git(place, f"overlays/{name}")
            applications[name] = _application(name, source, wave=2 * group.wave)
        if group.objects:
            name = f"{group.name}-objects"
            written |= {f"objects/{group.name}/{_file(each)}": _yaml(_manifest(each)) for each in group.objects}
            source = _git(place, f"objects/{group.name}")
            applications[name] = _application(name, source, wave=2 * group.wave + 1)
    written |= {f"applications/{name}.yaml": _yaml(each) for name, each in applications.items()}
    written["project.yaml"] = _yaml(_project(place, applications))
    written["root.yaml"] = _yaml(_application("platform", _git(place, "applications"), wave=0))
    written["README.md"] = _readme(staying, place=place)
    return dict(sorted(written.items()))


def find_outdated_files(folder: Path, new: Mapping[str, str]) -> list[Path]:
    """Files of an earlier export that this one does not write."""
    kept = {folder / path for path in new}
    return [
        path
        for path in sorted(folder.rglob("*.yaml"))
        if path not in kept and path.is_file() and _begins_with_header(path)
    ]


def _begins_with_header(path: Path) -> bool:
    """Whether a file of somebody's repository is one that we wrote."""
    try:
        with open_file(path) as file:
            return file.read(max(len(HEADER), len(OLD_HEADER))).startswith((HEADER.encode(), OLD_HEADER.encode()))
    except UnreadableFileError:
        return False


def _application(name: str, source: Plain, *, wave: int, space: str = "") -> Plain:
    """One application of Argo CD, synced by hand."""
    destination: dict[str, Plain] = {"server": HERE, **({"namespace": space} if space else {})}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": NAMESPACE, "annotations": {WAVE: str(wave)}},
        "spec": {
            "project": PROJECT,
            "source": source,
            "destination": destination,
            # By hand: everything is in the cluster already, and somebody should read the first difference.
            "syncPolicy": {"syncOptions": list(OPTIONS)},
        },
    }


def _chart(release: Resource) -> Plain:
    inputs = release.inputs
    chart, options = str(inputs["chart"]), inputs.get("repositoryOpts")
    repository = str(options["repo"]) if isinstance(options, dict) and "repo" in options else ""
    if chart.startswith(OCI):
        repository, _, chart = chart.removeprefix(OCI).rpartition("/")
    if not repository:
        raise _local(release.name, chart)
    return {
        "repoURL": repository,
        "chart": chart,
        "targetRevision": str(inputs["version"]),
        "helm": {"releaseName": str(inputs["name"]), "valuesObject": plain(inputs.get("values") or {})},
    }


def _git(place: ArgoCdSource, below: str) -> Plain:
    return {"repoURL": place.repository, "targetRevision": place.revision, "path": place.path(below)}


def _space(release: Resource) -> str:
    space = release.inputs.get("namespace")
    return space if isinstance(space, str) else ""


def _refuse_local(name: str, text: str) -> None:
    document = cast("dict[str, object]", yaml.safe_load(text))
    for base in cast("list[str]", document.get("resources") or []):
        if "://" not in base:
            raise _local(name, base)


def _local(name: str, where: str) -> InputError:
    return InputError(
        f"{name} is read from {where}, a folder of this machine, where Argo CD does not get",
        hint="mirror to a registry (platform.mirror: oci://...) or leave platform.mirror out, then accept again",
    )


def _manifest(resource: Resource) -> Plain:
    """The object as it is applied; what only Pulumi reads is left out."""
    group, _, kind = resource.type.removeprefix("kubernetes:").rpartition(":")
    version = group.removeprefix("core/")
    # The group is part of Pulumi's type; "core" is Pulumi's own word for none.
    found = {name: plain(value) for name, value in resource.inputs.items()}
    return {**found, "apiVersion": str(resource.inputs.get("apiVersion") or version), "kind": kind}


def _file(resource: Resource) -> str:
    kind = resource.type.rpartition(":")[2].lower()
    return f"{kind}-{resource.name}.yaml"


def _project(place: ArgoCdSource, applications: Mapping[str, Plain]) -> Plain:
    """Only the sources that the platform comes from, and only this cluster."""
    sources = {place.repository}
    for each in applications.values():
        spec = cast("dict[str, dict[str, Plain]]", cast("dict[str, object]", each)["spec"])
        sources.add(str(spec["source"]["repoURL"]))
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": PROJECT, "namespace": NAMESPACE},
        "spec": {
            "description": "The platform that Atoll installed",
            "sourceRepos": cast("Plain", sorted(sources)),
            "destinations": [{"server": HERE, "namespace": "*"}],
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
        },
    }


def _readme(staying: Sequence[Staying], *, place: ArgoCdSource) -> str:
    lines = "".join(f"| {each.what} | {each.reason} |\n" for each in staying)
    return (
        "# The platform, for Argo CD\n\n"
        f"Commit this folder to {place.repository} ({place.revision}), then:\n\n"
        "```text\nkubectl apply --server-side -f project.yaml -f root.yaml\n```\n\n"
        "Argo CD shows every part as an application. Read what differs, then sync in the order of the waves.\n"
        "Nothing is pruned and nothing syncs by itself until you say so in the applications.\n\n"
        "## What stays with Atoll\n\n"
        "| object | why |\n|---|---|\n"
        f"{lines}"
    )


def _yaml(document: Plain) -> str:
    return HEADER + yaml.safe_dump(document, sort_keys=True, allow_unicode=True, width=120)
