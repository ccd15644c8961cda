"""Examples tell what is wrong, not how busy a machine is: they have no deadline, and none is kept beside the code."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("atoll", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("atoll")
