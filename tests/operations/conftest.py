"""The models of AWS services are read once in a process: EC2's is 10 MB of JSON, and each new client reads it anew."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from botocore.loaders import JSONFileLoader


@pytest.fixture(scope="session", autouse=True)
def _read_models_once() -> Iterator[None]:
    read = cache(JSONFileLoader().load_file)

    def load_file(_loader: JSONFileLoader, path: str) -> Any:
        return read(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JSONFileLoader, "load_file", load_file)
        yield
