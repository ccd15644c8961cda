"""What a rehearsal found, as JSON."""

from __future__ import annotations

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

_CLOSED = ConfigDict(extra="forbid")


@with_config(_CLOSED)
class StageForm(TypedDict):
    """One stage."""

    name: str
    seconds: float
    found: str
    """What was seen, in words."""


@with_config(_CLOSED)
class KillForm(TypedDict):
    """One kill."""

    step: str
    inside: bool
    """Whether the step was still running; else it had just ended."""


@with_config(_CLOSED)
class RehearsalForm(TypedDict):
    """`atoll relocate rehearse --json`."""

    schema_version: int
    objects: int
    stages: list[StageForm]
    kills: list[KillForm]
    refused: dict[str, str]
    """Write that was tried during the freeze to what refused it."""
    flipped: str
    """Key of the object of which one bit was changed at the target."""
    proof: list[str]
    """The sentence of each bucket's report, at the end."""
    opened: int
    """Artifacts that MLflow's own client read at the target."""
