"""Examples tell what is wrong, not how busy a machine is: they have no deadline, and none is kept beside the code.

`make test` draws the same examples in every run, so that it fails for a change and never for luck. `make test-long`
draws others, from a seed that it shows, walks as many generated checklists as take minutes, and tries further cases of
what `make test` proves with one of each kind. `.ci/run` gives it a
seed made of the tree: other examples for each change, the same for the same tree.
"""

from __future__ import annotations

import asyncio
import secrets
from itertools import groupby
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, seed, settings
from hypothesis.internal.conjecture import providers

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest_plugins = ["command_fixtures"]  # a project in a temporary folder, and the command in this process

FIXED = "fixed"
_FURTHEST = 2**31
_STRIDE = 2**20  # between the checklists of two seeds; no walk of the suite is longer

settings.register_profile(
    FIXED, deadline=None, database=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(FIXED)
# Hypothesis also draws constants of whatever modules of ours are imported by then (its release 6.131), so that an
# example would hang on which tests ran before in the same process. Then no seed gives the same examples again.
providers.is_local_module_file = lambda _path: False  # pyright: ignore[reportPrivateImportUsage]


def pytest_addoption(parser: pytest.Parser) -> None:
    """How tests are drawn and ordered."""
    group = parser.getgroup("atoll")
    group.addoption("--free-seed", type=int, default=None, metavar="SEED", help="draw other examples, from this seed")
    group.addoption("--shuffle", type=int, default=None, metavar="SEED", help="run files and tests in another order")


def pytest_report_header(config: pytest.Config) -> list[str]:
    """What somebody needs to see the same run again."""
    given = ((name, _option(config, name)) for name in ("--free-seed", "--shuffle"))
    return [f"again with {name} {number}" for name, number in given if number is not None]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Draw from the seed that is given; shuffle files, and tests inside each.

    A seed goes before a test's own `derandomize`. A file's tests stay together, for they share what it starts.
    """
    free, order = _option(config, "--free-seed"), _option(config, "--shuffle")
    for item in items if free is not None else ():
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj):
            seed(free)(getattr(item.obj, "__func__", item.obj))
    if order is None:
        return
    chance = Random(order)  # noqa: S311 - an order, no secret
    files = [list(tests) for _, tests in groupby(items, key=lambda item: item.path)]
    chance.shuffle(files)
    for tests in files:
        chance.shuffle(tests)
    items[:] = [test for tests in files for test in tests]


@pytest.fixture(scope="session")
def free_start(pytestconfig: pytest.Config) -> int:
    """The number of the first generated checklist of a long walk: other checklists for each seed."""
    given = _option(pytestconfig, "--free-seed")
    return (secrets.randbelow(_FURTHEST) if given is None else given) * _STRIDE


@pytest.fixture(scope="session")
def main_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """An event loop of the main thread, in which Pulumi's values of every test wait until the session ends.

    An open loop would fail the run as an unclosed resource, where the collector happens to meet it.
    """
    with asyncio.Runner() as runner:  # cancels what still waits
        yield runner.get_loop()


@pytest.fixture(autouse=True)
def _has_a_loop(main_loop: asyncio.AbstractEventLoop) -> None:
    """A value of Pulumi needs a loop, and Python 3.12 and newer make none by themselves."""
    asyncio.set_event_loop(main_loop)


def _option(config: pytest.Config, name: str) -> int | None:
    return config.getoption(name)
