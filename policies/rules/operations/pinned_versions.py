"""Charts, manifests, images, Kubernetes and node images are named by exact versions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, cast

from catalogs.software.model import COMMIT, is_exact_image, is_exact_version
from planning.costs.resources.resource import Properties, Secret, UnknownValue, UnreadableError
from planning.platform.digests import describe_unresolved
from planning.values.verdict import Verdict
from policies.properties import check_resources, over
from policies.rule import Breach, Rule, Severity
from policies.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from planning.costs.resources.resource import Resource
    from policies.stack_context import StackContext


IMAGES: Final = frozenset({"image", "imageName"})
WAY: Final = frozenset(  # properties between an object and the images of its pods
    ("spec", "template", "jobTemplate", "replicatedJobs", "containers", "initContainers", "ephemeralContainers")
)
TEXTS: Final = ("kubernetes:core/v1:ConfigMap", "kubernetes:core/v1:Secret")  # data, in which "image" means anything
DIGITS: Final = re.compile(r"\d")


def in_object(inputs: Properties) -> Iterator[Properties]:
    """Images of an object's pods.

    Raises:
        UnreadableError: something in which an image may stand cannot be read.
    """
    yield from _along(inputs.at("spec"))


def _along(there: Properties) -> Iterator[Properties]:
    value = there.value
    if isinstance(value, UnknownValue | Secret):
        there.text()  # says why it cannot be read
    if isinstance(value, list):
        for each in there.each():
            yield from _along(each)
    if isinstance(value, Mapping):
        for name in cast("Mapping[str, object]", value):
            if name in IMAGES:
                yield there.at(name)
            elif name in WAY:
                yield from _along(there.at(name))


def in_values(values: Properties) -> Iterator[Properties]:
    """Images and tags that the values of a chart set.

    Raises:
        UnreadableError: the values as a whole, or a part that is about images, cannot be read.
    """
    value = values.value
    if isinstance(value, UnknownValue | Secret):
        if values.path in ("values", "") or _about_images(values.path):
            raise UnreadableError(f"{values.path} cannot be read", path=values.path)
        return
    if isinstance(value, list):
        for each in values.each():
            yield from in_values(each)
    if isinstance(value, Mapping):
        for name in cast("Mapping[str, object]", value):
            inside = values.at(name)
            if name == "tag" or (name == "image" and not isinstance(inside.value, Mapping)):
                yield inside
            else:
                yield from in_values(inside)


def _about_images(path: str) -> bool:
    """Whether the last word of a path names an image, or containers that have one."""
    last = path.rpartition(".")[2].partition("[")[0].lower()
    return last.endswith(("image", "images", "containers"))


def floats(tag: str) -> bool:
    """Whether a tag floats: one without a digit names no release. An empty one is the chart's own."""
    # "stable" and "latest" name no release; no tag at all is the chart's own, which the chart's version pins.
    return bool(tag) and not DIGITS.search(tag)


LIMIT: Final = "software is named by exact version"
KUBERNETES: Final = re.compile(r"v?\d+\.\d+(\.\d+)?([-+].*)?")
RELEASE: Final = "kubernetes:helm.sh/v3:Release"
KUSTOMIZE: Final = "kubernetes:kustomize/v2:Directory"
ADD_ON: Final = "aws:eks/addon:Addon"
NODE_CLASS: Final = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
CLUSTERS: Final[Mapping[str, str]] = {  # the property that says the version
    "aws:eks/cluster:Cluster": "version",
    "gcp:container/cluster:Cluster": "minMasterVersion",
    "coreweave:index/cksCluster:CksCluster": "version",
}
LOGIN: Final = re.compile(r"//[^/@]*@")
REMOTE: Final = re.compile(r"^(\w+://|git@|github\.com/)")


class PinSettings(Settings):
    eks_add_ons: Literal["by_cluster", "exact"] = "by_cluster"
    """Whether an EKS add-on may use AWS's default version for the cluster's Kubernetes version."""


def _breaches(subject: StackContext) -> Iterator[Breach]:
    checks: dict[str, Callable[[Resource, Properties], Iterator[Breach]]] = {
        RELEASE: _release,
        KUSTOMIZE: _manifests,
        NODE_CLASS: _node_image,
        ADD_ON: partial(_add_on, subject.law.get(PinSettings)),
        **dict.fromkeys(CLUSTERS, _cluster),
    }
    for token, check in checks.items():
        yield from check_resources(subject.of_types([token]), check, limit=LIMIT)
    objects = (one for one in subject.resources if _is_object(one))
    yield from check_resources(objects, _object, limit=LIMIT)
    yield from _digests(subject)


def _is_object(resource: Resource) -> bool:
    return resource.type.startswith("kubernetes:") and resource.type not in (RELEASE, KUSTOMIZE, NODE_CLASS, *TEXTS)


def _release(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    version = inputs.at("version").text("")
    if not is_exact_version(version):
        yield _over(
            resource,
            f"its chart has {_describe_version(version, 'version')}",
            "Name the chart's version",
            path="version",
        )
    for found in in_values(inputs.at("values")):
        said = found.text("")
        if floats(said) if found.path.endswith("tag") else bool(said) and not is_exact_image(said):
            yield _over(resource, f"its values name the image {said}", "Name the image by version", path=found.path)


def _manifests(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    # Local folders were rendered from a commit; a remote address has to name one.
    directory = inputs.at("directory").text()
    if REMOTE.search(directory) and not COMMIT.search(directory):
        said = LOGIN.sub("//", directory)
        yield _over(resource, f"its manifests come from {said}", "Name the commit: ?ref=<40 digits>", path="directory")


def _node_image(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    for term in inputs.at("spec").at("amiSelectorTerms").each():
        alias = term.at("alias").text("")
        if alias and floats(alias.partition("@")[2] or "latest"):
            yield _over(resource, f"its nodes start from {alias}", "Name the release of the image", path=term.path)


def _add_on(settings: PinSettings, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    version = inputs.at("addonVersion").text("")
    if floats(version) or (not version and settings.eks_add_ons == "exact"):
        yield _over(
            resource,
            f"it has {_describe_version(version, 'version')}",
            "Name the add-on's version",
            path="addonVersion",
        )


def _cluster(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    path = CLUSTERS[resource.type]
    version = inputs.at(path).text("")
    if not KUBERNETES.fullmatch(version):
        yield _over(
            resource, f"it has {_describe_version(version, 'Kubernetes version')}", "Name the lock's version", path=path
        )


def _object(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    for found in in_object(inputs):
        image = found.text()
        if not is_exact_image(image):
            yield _over(
                resource, f"it runs the image {image}", "Name the image by version or by digest", path=found.path
            )


def _digests(subject: StackContext) -> Iterator[Breach]:
    for spec in subject.lock.placements:
        if spec.platform is None or spec.platform.digests != "required":
            continue
        known = subject.software
        open_ = () if known is None else describe_unresolved(spec.platform.parts, known)
        if known is None or open_:
            yield Breach(
                verdict=Verdict.UNDETERMINED if known is None else Verdict.OVER,
                given="there is no stacks/software.lock.json" if known is None else f"unresolved: {'; '.join(open_)}",
                limit="the checklist requires digests of all software",
                fix="Run `atoll software lock` on a machine with network access, and commit the file",
            )


def _describe_version(version: str, what: str) -> str:
    return f"the {what} {version}" if version else f"no {what}"


def _over(resource: Resource, given: str, fix: str, *, path: str) -> Breach:
    return over(resource, path, given=given, limit=LIMIT, fix=fix)


RULE: Final = Rule(
    name="pinned-versions",
    title="Pinned versions",
    demand="Charts, manifests, images, Kubernetes and node images are named by exact versions.",
    why="A floating version installs something other than what was tested, without a visible change.",
    remedy="Name the version that catalogs/software lists, and a digest where the checklist requires digests.",
    severity=Severity.HIGH,
    judge=_breaches,
    settings=PinSettings,
)
