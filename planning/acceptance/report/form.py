"""Schema of the report's JSON. Amounts are decimals in strings, never floats; an unknown amount is null, never 0."""

from __future__ import annotations

from typing import Final

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

SCHEMA_VERSION: Final = 1
_CLOSED: Final = ConfigDict(extra="forbid", use_attribute_docstrings=True)


@with_config(_CLOSED)
class ReadingForm(TypedDict):
    """One figure of a record."""

    name: str
    value: str
    unit: str


@with_config(_CLOSED)
class MeasuredForm(TypedDict):
    """One run of one check, as its job recorded it."""

    check: str
    subject: str
    """ "node/NAME", "pool/PLACEMENT/NAME", "tier/...", "network/...", "service/..."."""
    at: str
    """UTC, ISO 8601."""
    tool: str
    """Program and version."""
    readings: list[ReadingForm]
    failed: list[str]
    """Faults that the tool found, in its own words."""
    params: dict[str, str]


@with_config(_CLOSED)
class ResultsForm(TypedDict):
    schema_version: int
    stack: str
    option: str
    started: str
    ended: str
    measured: list[MeasuredForm]


@with_config(_CLOSED)
class AcceptancePoolForm(TypedDict):
    """A pool with accelerators, from the lock."""

    subject: str
    name: str
    placement: str
    at: str
    """Path of the pool in the lock: "placements.0.pools.1"."""
    machine: str
    accelerator: str
    accelerators: int
    nodes: int
    """Working nodes and spares."""
    nodes_at: str


@with_config(_CLOSED)
class VerdictForm(TypedDict):
    """One check of one subject."""

    check: str
    subject: str
    pool: str
    title: str
    outcome: str
    """passed, failed, missing, undetermined, noted."""
    sentence: str
    unit: str
    measured: str | None
    least: str | None
    most: str | None
    theory: str | None
    params: dict[str, str]
    why: str
    """Reason of the limits."""
    source: str
    """Id of the source of the limits."""
    at: str
    """Path of the reading in `results`; "" where there is none."""


@with_config(_CLOSED)
class PointForm(TypedDict):
    """One all-reduce, at the worst of its runs."""

    nodes: int
    payload_bytes: int
    bus_gb_per_s: str
    outcome: str
    """ "" for a payload without a promise."""
    at: str


@with_config(_CLOSED)
class CurveForm(TypedDict):
    """The all-reduce of one pool, in GB/s of bus bandwidth."""

    pool: str
    theory: str | None
    least: str | None
    why: str
    source: str
    node_counts: list[int]
    points: list[PointForm]


@with_config(_CLOSED)
class AcceptanceNodeForm(TypedDict):
    """One node; it fails with any of its checks."""

    name: str
    placement: str
    pool: str
    outcome: str
    reasons: list[str]


@with_config(_CLOSED)
class ToolForm(TypedDict):
    """The tool of a check."""

    check: str
    tool: str
    at: str
    """Path of the first record that names it."""


@with_config(_CLOSED)
class SignatureForm(TypedDict):
    """Over the canonical JSON of the whole document, this value empty: sorted keys, no spaces, UTF-8."""

    algorithm: str
    """ed25519."""
    key: str
    """Fingerprint of the public key, as ssh-keygen -lf shows it."""
    value: str
    """base64."""


@with_config(_CLOSED)
class AcceptanceForm(TypedDict):
    """`atoll accept-test --json`."""

    document: str
    """ "atoll acceptance": the signature covers the kind of document."""
    schema_version: int
    stack: str
    option: str
    lock_digest: str
    only: list[str]
    """Requested groups and nodes of a partial run; empty for a full one."""
    outcome: str
    """The worst of all: failed, missing, undetermined, passed."""
    failed_nodes: list[str]
    nodes: list[AcceptanceNodeForm]
    pools: list[AcceptancePoolForm]
    verdicts: list[VerdictForm]
    curves: list[CurveForm]
    unfinished: list[str]
    """Jobs that did not finish, with the reason, and files that name no stack."""
    faults: list[str]
    """Records that were not used, and why."""
    tools: list[ToolForm]
    results: ResultsForm
    signature: SignatureForm | None
