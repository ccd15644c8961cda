"""No address that somebody wrote ends in a crash: `urlsplit` raises ValueError for a lone bracket or a wrong port."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from operations.relocation.config.rules import check_address

ROOT = Path(__file__).parents[2]
ROOMS = ("catalogs", "planning", "components", "policies", "operations", "cli", "stacks")
SPLITTERS = {"urlsplit", "urlparse", "urljoin"}
# Reads an address that was judged before it came here, or that we wrote ourselves: by whom.
JUDGED = {
    "components/agents/measure/services.py": "S3_URI is written by our own job",
    "components/platform/foundation/dex.py": "the rule sso_over_https of the checklist",
    "components/platform/observability/opencost.py": "a constant",
    "components/platform/building_blocks/object_store_access.py": "a constant, and an endpoint of a component",
    "components/platform/operations/velero.py": "an endpoint that the component makes",
    "operations/relocation/buckets/preflight.py": "check_address, for endpoints of relocation.yaml",
    "components/agents/mover/store/connection.py": "check_address, for endpoints of relocation.yaml",
    "components/agents/mover/store/s3_client.py": "check_address, for endpoints of relocation.yaml",
    "operations/relocation/steps/preflight.py": "check_address, for mlflow_url of relocation.yaml",
}


def unguarded(node: ast.AST, *, guarded: bool = False) -> Iterator[int]:
    """Lines on which an address is split and nobody waits for the ValueError."""
    if isinstance(node, ast.Try):
        caught = {
            name.id for each in node.handlers for name in ast.walk(each.type or each) if isinstance(name, ast.Name)
        }
        for child in node.body:
            yield from unguarded(child, guarded=guarded or "ValueError" in caught)
        for child in (*node.handlers, *node.orelse, *node.finalbody):
            yield from unguarded(child, guarded=guarded)
        return
    if isinstance(node, ast.With):
        guarded = guarded or any("suppress(ValueError" in ast.unparse(item) for item in node.items)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SPLITTERS and not guarded:
        yield node.lineno
    for child in ast.iter_child_nodes(node):
        yield from unguarded(child, guarded=guarded)


def splitting() -> Iterator[tuple[str, list[int]]]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            text = path.read_text()
            if any(name in text for name in SPLITTERS) and (lines := list(unguarded(ast.parse(text)))):
                yield str(path.relative_to(ROOT)), lines


def test_whoever_splits_an_address_waits_for_one_that_is_none() -> None:
    found = dict(splitting())
    assert {path: lines for path, lines in found.items() if path not in JUDGED} == {}
    assert set(found) >= set(JUDGED)


@pytest.mark.parametrize(
    "text", ["https://[", "https://[x]", "https://a]b", "https://h:99999", "https://h:x", "//", "["]
)
def test_a_wrong_address_is_refused_where_it_is_read(text: str) -> None:
    (broken,) = check_address(text, ("source", "store", "endpoint"), in_clear=True)
    assert "is not an address" in broken.message
    assert broken.hint
