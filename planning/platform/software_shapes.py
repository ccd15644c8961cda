"""Shapes of the JSON of the software catalog; `atoll schema --of software` and `--of copies` publish them."""

from __future__ import annotations

from typing import Final

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

_CLOSED: Final = ConfigDict(extra="forbid", use_attribute_docstrings=True)


@with_config(_CLOSED)
class PinnedForm(TypedDict):
    """A platform part with its version, and how far it is pinned."""

    name: str
    title: str
    kind: str
    version: str
    source: str
    """Repository, name and version in one line; "" for objects of our own."""
    digest: str | None
    """SHA-256 of the chart's archive, or the commit of manifests; null where it is not resolved."""
    digest_state: str
    """"resolved", "our own", or "unresolved: " and what is missing."""
    unresolved: list[str]
    """Chart and images without a digest."""


@with_config(_CLOSED)
class LeftOutForm(TypedDict):
    """A part that is not installed."""

    name: str
    title: str
    reason: str


@with_config(_CLOSED)
class FootprintForm(TypedDict):
    """What a part takes, and when it is there without being asked for."""

    licence: str
    sizes: list[str]
    built_by: str
    """"" for the platform; else who installs it without one too: the builder of a target, or "ways" (in and out)."""
    images: int
    cpu_millicores: int
    memory_mib: int
    disk_gb: int
    as_of: str | None
    """Day of the source that version and footprint were read from."""


@with_config(_CLOSED)
class ListedForm(PinnedForm, FootprintForm):
    """A row of the software catalog."""


@with_config(_CLOSED)
class TestedForm(TypedDict):
    """A version that was tested together with the others of its release."""

    subject: str
    version: str
    source: str


@with_config(_CLOSED)
class SoftwareForm(TypedDict):
    """`atoll software list --json`."""

    schema_version: int
    release: str
    stack: str | None
    parts: list[ListedForm]
    not_installed: list[LeftOutForm]
    tested: list[TestedForm]
    faults: list[str]
    """Versions that float, tags that move, tuples that are torn; empty where there are none."""


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
    """`atoll software images --json`: what a cluster without a way out needs."""

    schema_version: int
    release: str
    stack: str | None
    mirror: str
    charts: list[CopyForm]
    manifests: list[CheckoutForm]
    fetched: list[FetchedForm]
    images: list[ImageForm]
