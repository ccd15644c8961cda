"""The pages say what this cluster has, and every figure in them is one of the lock, the checklist or a setting."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from handbook_kit import NAMES, REPOSITORY, altered, catalog, scene, with_agreement, with_part

from catalogs.software.reader import parts
from operations.handbook.contents import PAGES
from operations.handbook.facts import HandbookFacts
from operations.handbook.renderer import pages
from planning.checklist.model.agreement import Agreement
from planning.values.errors import AtollError

TEMPLATES = REPOSITORY / "operations/handbook/pages"
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
FENCE = re.compile(r"^``` .*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
TARGET = re.compile(r"\]\([^)]*\)")
TAGS = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
NAMED = {"S3": "the name of a protocol", "s3": "what is ticked for it"}  # what may be written with a digit, and why


def prose(text: str) -> str:
    for each in (FENCE, CODE, TARGET):
        text = each.sub(" ", text)
    return text


def numbers(text: str) -> Iterator[str]:
    for found in NUMBER.findall(text):
        plain = found.replace(",", "")
        yield plain.rstrip("0").rstrip(".") if "." in plain else plain


def below(value: Any) -> Iterator[str]:
    """Every number in a document, also those inside its texts."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from below(str(key))
            yield from below(each)
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from below(each)
    elif value is not None and not isinstance(value, bool):
        yield from numbers(str(value))


def traced(name: str, facts: HandbookFacts) -> set[str]:
    """What a figure may be: of the lock, the checklist, the catalog, the parts' settings, or reckoned from the lock."""
    found = scene(name)
    known = set(below(json.loads(found.lock.model_dump_json())))
    known |= set(below(json.loads(found.checklist.model_dump_json())))
    known |= {number for each in catalog().accelerators.values() for number in below(str(each.memory_gb))}
    known |= set(below(dict(facts.settings)))
    known |= {number for home in facts.homes for number in below(dict(home.quota))}
    known |= {number for home in facts.homes for queue in home.queues for number in below(dict(queue.guaranteed))}
    known |= {number for pool in facts.pools for number in below(pool.asks)}
    known |= {number for pool in facts.pools for number in below(pool.parts)}
    known |= {
        number for share in facts.shares for number in below([share.nodes, share.standing, share.pool.accelerators])
    }
    amounts = [line.usd_per_month for line in found.lock.bill]
    if None not in amounts:
        known |= set(numbers(f"{sum(each[1] for each in amounts if each):.2f}"))
    return known


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_of_a_page_is_traced(name: str) -> None:
    facts = scene(name).facts
    known = traced(name, facts)
    named = re.compile("|".join(re.escape(each) for each in NAMED))
    strange = [
        (each.page.id, number)
        for each in pages(facts)
        for number in numbers(named.sub("", prose(each.text)))
        if number not in known
    ]
    assert strange == []


def test_the_tracing_sees_a_figure_that_nobody_stated() -> None:
    assert list(numbers(prose("costs 1,234.50 USD `600` [here](a.md#9)\n``` py\n7\n```\n"))) == ["1234.5"]
    assert "98765" not in traced("demo", scene("demo").facts)


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.j2")), ids=lambda path: path.stem)
def test_no_template_writes_a_figure_by_itself(path: Path) -> None:
    text = prose(TAGS.sub("", path.read_text(encoding="utf-8")))
    for each in NAMED:
        text = text.replace(each, "")
    text = re.sub(r"^1\. ", "", text, flags=re.MULTILINE)  # how Markdown numbers a list by itself
    assert NUMBER.findall(text) == []


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.j2")), ids=lambda path: path.stem)
def test_examples_are_files_of_their_own(path: Path) -> None:
    assert "```" not in path.read_text(encoding="utf-8")


def test_every_template_is_in_the_table_and_every_page_has_one() -> None:
    assert sorted(path.name for path in TEMPLATES.iterdir()) == sorted(f"{page.id}.md.j2" for page in PAGES)


@pytest.mark.parametrize("name", NAMES)
def test_pages_are_whole_sentences_of_markdown(name: str) -> None:
    for each in pages(scene(name).facts):
        assert each.text.startswith(f"# {each.page.title}\n\n")
        assert "\n\n\n" not in FENCE.sub("code", each.text)
        for line in prose(each.text).splitlines():
            assert "None" not in line.split(), line


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_a_table_have_as_many_cells_as_its_head(name: str) -> None:
    for each in pages(scene(name).facts):
        head = 0
        for line in each.text.splitlines():
            cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
            assert not (head and cells) or cells == head, (each.page.id, line)
            head = cells


def ids(facts: HandbookFacts) -> set[str]:
    return {each.page.id for each in pages(facts)}


@pytest.mark.parametrize(
    ("part", "page"),
    [("katib", "sweeps"), ("pipelines", "pipelines"), ("notebooks", "notebooks"), ("prometheus", "dashboards")],
)
def test_a_page_is_there_only_where_its_part_is(part: str, page: str) -> None:
    assert page in ids(scene("demo").facts)
    assert page not in ids(with_part("demo", gone=(part,)))


def test_slurm_is_there_only_where_it_has_nodes() -> None:
    assert "slurm" in ids(scene("pretrain-7b").facts)
    assert "slurm" not in ids(scene("demo").facts)


def text_of(facts: HandbookFacts, page: str) -> str:
    return next(each.text for each in pages(facts) if each.page.id == page)


def test_the_demo_names_its_own_namespaces_queues_and_idle_time() -> None:
    facts = scene("demo").facts
    job = text_of(facts, "first-job")
    assert "namespace: work-finetune-7b" in job
    assert "kueue.x-k8s.io/queue-name: models" in job
    assert f"**{facts.settings['idle_minutes']} minutes**" in text_of(facts, "notebooks")


def test_what_only_outputs_know_is_left_open() -> None:
    assert "*known once the cluster is up:* `atoll outputs demo`" in text_of(scene("demo").facts, "get-in")


def test_whoever_was_named_is_whom_to_call() -> None:
    agreement = Agreement.model_validate(
        {
            "contacts": [
                {"role": "engineer_on_call", "name": "Ann | _O'Hara_", "email": "ann@x.example", "phone": "+1 555 0100"}
            ],
            "responses": [{"sort": "urgent", "within_minutes": 15, "weekends": True}],
        }
    )
    text = text_of(with_agreement("demo", agreement), "trouble")
    assert "Ann \\| \\_O'Hara\\_" in text
    assert "+1 555 0100" in text
    assert "15 minutes | yes" in text
    assert "No support contacts" not in text


def test_where_nobody_was_named_the_page_says_so_and_invents_nobody() -> None:
    text = text_of(scene("demo").facts, "trouble")
    assert "No support contacts" in text
    assert scene("demo").checklist.customer.owner in text
    assert "were not agreed" in text


def test_a_link_to_a_page_that_is_not_there_is_words() -> None:
    without = with_part("demo", gone=("model_registry", "kserve"))
    assert "(models.md)" not in "".join(each.text for each in pages(without))


def test_an_unknown_fact_is_refused_and_never_shown() -> None:
    broken = altered(scene("demo").facts, settings={**scene("demo").facts.settings, "idle_minutes": object()})
    with pytest.raises(AtollError, match="no text and no number"):
        pages(broken)


@pytest.mark.parametrize("name", ["demo", "inference-247"])
def test_no_page_includes_an_example_that_a_cluster_without_some_part_has_not(name: str) -> None:
    there = scene(name).facts.parts
    for part in sorted(there):
        gone = {part}
        while more := {each for each in there - gone if gone & set(parts()[each].needs)}:
            gone |= more
        assert pages(with_part(name, gone=tuple(gone))), part
    without_keys = with_part(name, gone=("teams",))
    assert "s3-store" not in "".join(each.text for each in pages(without_keys) if each.page.id == "models")
