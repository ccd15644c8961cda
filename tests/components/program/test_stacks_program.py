from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import specs
from locked_stack import write_locked

from operations.offline.program import run
from planning.spec.lock import SCHEMA_VERSION, Ceilings, Lock
from planning.values.errors import InputError

if TYPE_CHECKING:
    from planning.spec.cluster import ClusterSpec

ROOT = Path(__file__).parents[3]


def test_the_stacks_program_builds_what_its_lock_decides(tmp_path: Path) -> None:
    write_locked(tmp_path, locked(specs.existing_cluster()))
    (tmp_path / "stacks/__main__.py").write_text((ROOT / "stacks" / "__main__.py").read_text())
    found = run("sample", root=tmp_path)
    assert "atoll:contract:Rented" in {resource.type for resource in found.resources}
    assert found.exports["provider"] == "lambda"
    assert found.exports["stack"] == "sample"


def locked(spec: ClusterSpec) -> Lock:
    ceiling = Ceilings(usd_per_month=None, usd_per_contract=None, usd_per_gpu_hour=None, binds="expected")
    return Lock(
        schema_version=SCHEMA_VERSION,
        stack="sample",
        option=f"{spec.placement.provider}-{spec.placement.region}-h100-8",
        views=("cheapest",),
        checklist_digest="sha256:0",
        prices="embedded",
        prices_digest="sha256:0",
        prices_as_of=None,
        priced_at=date(2026, 11, 1),
        valid_until=date(2026, 12, 1),
        ceiling=ceiling,
        contract_months=12,
        placements=(spec,),
        joined=False,
        bill=(),
    )


def test_a_stack_without_a_lock_says_what_to_do(tmp_path: Path) -> None:
    folder = tmp_path / "stacks"
    folder.mkdir()
    (folder / "__main__.py").write_text((ROOT / "stacks" / "__main__.py").read_text())
    with pytest.raises(InputError, match="there is no lock yet"):
        run("sample", root=tmp_path)


def test_the_program_is_a_table_of_contents() -> None:
    assert len((ROOT / "stacks" / "__main__.py").read_text().splitlines()) < 60
