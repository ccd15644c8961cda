"""Examples tell what is wrong, not how busy a machine is: they have no deadline, and none is kept beside the code.

`make test` draws the same examples in every run, so that it fails for a change and never for luck. `make test-long`
draws others each time, from a seed that it shows, and walks as many generated checklists as take minutes.
"""

from __future__ import annotations

import asyncio
import secrets
from itertools import groupby
from random import Random

import pytest
from hypothesis import HealthCheck, settings

FIXED = "fixed"
FREE = "free"
_FURTHEST = 2**31
_STRIDE = 2**20  # between the checklists of two seeds; no walk of the suite is longer

settings.register_profile(
    FIXED, deadline=None, database=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(FREE, settings.get_profile(FIXED), derandomize=False, print_blob=True)
settings.load_profile(FIXED)


def pytest_addoption(parser: pytest.Parser) -> None:
    """How tests are drawn and ordered."""
    group = parser.getgroup("atoll")
    group.addoption("--free-seed", type=int, default=None, metavar="SEED", help="draw other examples, from this seed")
    group.addoption("--shuffle", type=int, default=None, metavar="SEED", help="run files and tests in another order")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the profile before a test is collected, for a test's own settings start from it."""
    if _option(config, "--free-seed") is not None:
        settings.load_profile(FREE)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """What somebody needs to see the same run again."""
    given = ((name, _option(config, name)) for name in ("--free-seed", "--shuffle"))
    return [f"again with {name} {seed}" for name, seed in given if seed is not None]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle files, and tests inside each; a file's tests stay together, for they share what it starts."""
    seed = _option(config, "--shuffle")
    if seed is None:
        return
    chance = Random(seed)  # noqa: S311 - an order, no secret
    files = [list(tests) for _, tests in groupby(items, key=lambda item: item.path)]
    chance.shuffle(files)
    for tests in files:
        chance.shuffle(tests)
    items[:] = [test for tests in files for test in tests]


@pytest.fixture(scope="session")
def free_start(pytestconfig: pytest.Config) -> int:
    """The number of the first generated checklist of a long walk: other checklists for each seed."""
    seed = _option(pytestconfig, "--free-seed")
    return (secrets.randbelow(_FURTHEST) if seed is None else seed) * _STRIDE


@pytest.fixture(scope="session")
def main_loop() -> asyncio.AbstractEventLoop:
    """An event loop of the main thread; values of Pulumi that tests make wait in it until the process ends."""
    return asyncio.new_event_loop()


@pytest.fixture(autouse=True)
def _has_a_loop(main_loop: asyncio.AbstractEventLoop) -> None:
    """A value of Pulumi needs a loop, and Python 3.12 and newer make none by themselves."""
    asyncio.set_event_loop(main_loop)


def _option(config: pytest.Config, name: str) -> int | None:
    return config.getoption(name)
