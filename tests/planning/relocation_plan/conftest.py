from __future__ import annotations

import pytest
from relocation_plan_kit import Kit


@pytest.fixture(scope="session")
def kit() -> Kit:
    return Kit()
