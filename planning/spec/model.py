"""What every decided part of a lock is: frozen, and strict about what it does not know."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class SpecModel(BaseModel):
    """A frozen part of a spec."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
