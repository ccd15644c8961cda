"""The table of readers: each row can be asked, and the guide says of each provider where its prices come from."""

from __future__ import annotations

from inspect import isgeneratorfunction
from pathlib import Path

import pytest

from catalogs.catalog import load
from operations.price_refresh.gpu_clouds.machine_quotes import own_names
from operations.price_refresh.gpu_clouds.oracle import parts_by_item
from operations.price_refresh.gpu_clouds.published import read_published_catalogs
from operations.price_refresh.model import ReaderEntry, SectionKind
from operations.price_refresh.registry import reader_entries, reader_of

GUIDE = Path(__file__).parents[3] / "docs/guides/add-prices.md"
ENTRIES = reader_entries()
HERE = [each for each in ENTRIES if each.module.split(".")[2] == "gpu_clouds"]
FILE = "a file"


def guide_table() -> list[str]:
    """One row a provider: which source has its services and its machines, and the key that each wants."""
    return [f"| {' | '.join(_guide_row(provider))} |" for provider in load().providers]


def _guide_row(provider: str) -> tuple[str, ...]:
    def sources(kind: SectionKind) -> str:
        found = [each.title for each in ENTRIES if provider in each.providers and kind in each.kinds]
        return ", ".join(found) or FILE

    keys = [f"`{key}`" for each in ENTRIES if provider in each.providers for key in each.keys]
    return provider, sources(SectionKind.SERVICES), sources(SectionKind.MACHINES), ", ".join(keys)


def test_the_guide_has_the_table_of_readers() -> None:
    wanted = "\n".join(guide_table())
    assert wanted in GUIDE.read_text(encoding="utf-8"), f"write into {GUIDE.name}:\n{wanted}"


def test_readers_have_names_of_their_own_and_providers_of_the_catalog() -> None:
    assert len({each.id for each in ENTRIES}) == len(ENTRIES)
    assert {name for each in ENTRIES for name in each.providers} <= set(load().providers)
    assert all(each.address.startswith("https://") for each in ENTRIES)


@pytest.mark.parametrize("entry", HERE, ids=lambda entry: entry.id)
def test_a_reader_of_the_table_reads(entry: ReaderEntry) -> None:
    assert isgeneratorfunction(reader_of(entry).read)


def test_every_name_of_ours_is_a_machine_with_as_many_gpus() -> None:
    machines = load().machines
    for (provider, _, accelerators), name in own_names().items():
        assert machines[provider, name].accelerators == accelerators


def test_every_machine_of_runpod_has_a_name_there() -> None:
    named = {name for (provider, _, _), name in own_names().items() if provider == "runpod"}
    assert named == {name for provider, name in load().machines if provider == "runpod"}


def test_gpuhunt_has_a_row_for_each_provider_that_it_is_asked_for() -> None:
    (entry,) = [each for each in ENTRIES if each.id == "gpuhunt"]
    assert set(read_published_catalogs()) == set(entry.providers)
    assert "crusoe" not in entry.providers  # its table is 13 to 33% below Crusoe's page of 2026-09-20


def test_every_priced_item_of_oracle_has_its_parts() -> None:
    lines = load().prices.lines_of_provider("oci")
    assert {line.split(",", 2)[1] for line in lines} == set(parts_by_item())


def test_the_parts_of_a_flexible_machine_are_those_of_its_name() -> None:
    flexible = {item: parts for item, parts in parts_by_item().items() if ".Flex." in item}
    assert flexible
    for item, parts in flexible.items():
        assert "-".join(str(each.times) for each in parts) == item.rpartition(".")[2]
