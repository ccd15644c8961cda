"""Property tests: no time limit for one example (machines differ), and no store of past failures beside the code."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("atoll", deadline=None, database=None)
settings.register_profile("atoll-long", deadline=None, database=None, max_examples=5000)
settings.load_profile("atoll")
