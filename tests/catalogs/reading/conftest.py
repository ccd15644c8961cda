"""The small catalog as files, and as read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from small_catalog import FILES

from catalogs.catalog import Catalog, load

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def catalog(root: Path) -> Catalog:
    return load(root=root)
