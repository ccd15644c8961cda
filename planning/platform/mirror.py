"""Mirror of software for air-gapped clusters: a registry, or a folder beside one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from catalogs.software.model import InstallationKind, split
from catalogs.software.reader import RELEASE, downloads, images_of
from planning.platform.digests import SCHEMA_VERSION, address, image_digest
from planning.values.json_format import fill_form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from catalogs.software.model import Image
    from planning.platform.digests import SoftwareLock, Sourced

OCI: Final = "oci://"
CHARTS: Final = "charts"
MANIFESTS: Final = "manifests"
REGISTRY_FILE: Final = "registry"  # in a folder: one line, the registry and path that images were copied to
DOCKER_HUB: Final = "docker.io"


def is_registry(mirror: str) -> bool:
    """Whether a mirror is a registry; else it is a folder, or there is none."""
    return mirror.startswith(OCI)


def files(part: Sourced) -> tuple[str, ...]:
    """What a mirror's folder must hold for a part, relative to it."""
    if part.kind == InstallationKind.CHART:
        return (chart_file(part),)
    if part.kind == InstallationKind.KUSTOMIZE:
        return tuple(f"{MANIFESTS}/{part.ref}/{path}" for path in part.chart.split())
    return ()


def chart_file(part: Sourced) -> str:
    """Archive of a chart, relative to the mirror's folder, named as `helm pull` names it."""
    return f"{CHARTS}/{part.chart}-{part.version}.tgz"


def lacking(parts: Iterable[Sourced], has: Callable[[str], bool]) -> tuple[str, ...]:
    """Every file and folder that a mirror's folder lacks, each once; of a checkout that is not there, its folder."""
    wanted: dict[str, None] = {}
    for part in parts:
        checkout = f"{MANIFESTS}/{part.ref}"
        whole = part.kind == InstallationKind.KUSTOMIZE and not has(checkout)
        wanted.update(dict.fromkeys((checkout,) if whole else files(part)))
    return tuple(file for file in wanted if not has(file))


def downloading(parts: Iterable[Sourced], read: Callable[[str], str]) -> tuple[str, ...]:
    """What is said of each manifest in the folder that still fetches something while it is built.

    Args:
        read: text of a file of the folder; "" where there is none.
    """
    commits = {part.name: part.ref for part in parts}
    found = [
        (f"{MANIFESTS}/{commits[each.part]}/{each.file}", each.address) for each in downloads() if each.part in commits
    ]
    return tuple(f"{file} still fetches {address}" for file, address in found if address in read(file))


def find_mismatched_charts(
    parts: Iterable[Sourced], lock: SoftwareLock, digest_of: Callable[[str], str]
) -> tuple[str, ...]:
    """What is said of each chart in the folder that is not the one whose digest is in the lock."""
    said: list[str] = []
    for part in parts:
        wanted = lock.charts.get(address(part), "")
        if (
            part.kind == InstallationKind.CHART
            and wanted
            and (found := digest_of(chart_file(part))) not in ("", wanted)
        ):
            said.append(f"{chart_file(part)} is {found}, and the lock has {wanted}")
    return tuple(said)


def whole_name(image: str) -> str:
    """An image with the registry that Docker takes for granted: "busybox:1" is "docker.io/library/busybox:1"."""
    first, slash, _ = image.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        return image
    return f"{DOCKER_HUB}/{image}" if slash else f"{DOCKER_HUB}/library/{image}"


def host_and_path(image: str) -> tuple[str, str]:
    """Registry and repository of an image, without tag and digest."""
    host, _, path = split(whole_name(image))[0].partition("/")
    return host, path


def target(image: str, registry: str) -> str:
    """Where an image lies in a mirror's registry: its whole name below the registry's path; as it is without one."""
    return f"{registry.rstrip('/')}/{whole_name(image)}" if registry else image


_CLOSED: Final = ConfigDict(extra="forbid", use_attribute_docstrings=True)


@with_config(_CLOSED)
class CopyForm(TypedDict):
    """A chart to copy."""

    part: str
    source: str
    target: str
    """Under the mirror: an address in its registry, or a file in its folder."""


@with_config(_CLOSED)
class CheckoutForm(TypedDict):
    """Manifests to copy."""

    repository: str
    commit: str
    target: str
    """Folder of the checkout, under the mirror."""


@with_config(_CLOSED)
class FetchedForm(TypedDict):
    """What manifests fetch while they are built: a copy has it beside them instead."""

    part: str
    address: str
    file: str
    """Of the checkout, which names the address."""


@with_config(_CLOSED)
class ImageForm(TypedDict):
    """An image to copy."""

    name: str
    target: str
    """Under the mirror's registry; as it is where none is known."""
    digest: str | None
    parts: list[str]
    held_in: list[str]
    """Who names it: values, objects, configuration (only a patch changes that) or program."""


@with_config(_CLOSED)
class CopiesForm(TypedDict):
    """`atoll software images --json`: what an air-gapped cluster needs."""

    schema_version: int
    release: str
    stack: str | None
    mirror: str
    charts: list[CopyForm]
    manifests: list[CheckoutForm]
    fetched: list[FetchedForm]
    images: list[ImageForm]


def copies_form(
    parts: Sequence[Sourced], *, lock: SoftwareLock, mirror: str, registry: str, stack: str | None
) -> CopiesForm:
    """Everything that some parts are made of, and where a mirror must hold it.

    Args:
        mirror: folder or registry of charts; "" where there is none yet.
        registry: where images go; "" where none is known.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "release": RELEASE,
        "stack": stack,
        "mirror": mirror,
        "charts": [_copy(part, mirror) for part in parts if part.kind == InstallationKind.CHART],
        "manifests": _checkouts(parts),
        "fetched": [fill_form(FetchedForm, each) for each in downloads() if each.part in {part.name for part in parts}],
        "images": [_image(name, held, lock, registry) for name, held in sorted(_group_pulled_images(parts).items())],
    }


def _copy(part: Sourced, mirror: str) -> CopyForm:
    there = f"{mirror.rstrip('/')}/{part.chart}:{part.version}" if is_registry(mirror) else chart_file(part)
    return {"part": part.name, "source": address(part), "target": there}


def _checkouts(parts: Iterable[Sourced]) -> list[CheckoutForm]:
    wanted = dict.fromkeys((part.repository, part.ref) for part in parts if part.kind == InstallationKind.KUSTOMIZE)
    return [{"repository": url, "commit": commit, "target": f"{MANIFESTS}/{commit}"} for url, commit in wanted]


def _group_pulled_images(parts: Iterable[Sourced]) -> Mapping[str, list[Image]]:
    pulled: dict[str, list[Image]] = {}
    for part in parts:
        for image in images_of(part.name):
            pulled.setdefault(image.pulled, []).append(image)
    return pulled


def _image(name: str, held: Sequence[Image], lock: SoftwareLock, registry: str) -> ImageForm:
    return {
        "name": name,
        "target": target(name, registry.removeprefix(OCI)),
        "digest": image_digest(name, lock) or None,
        "parts": sorted({image.part for image in held}),
        "held_in": sorted({str(image.held_in) for image in held}),
    }
