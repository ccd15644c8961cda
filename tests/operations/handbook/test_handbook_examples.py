"""Every example is a file that is well formed, and names what the lock has."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from handbook_kit import NAMES, REPOSITORY, scene

from operations.handbook.contents import SNIPPETS
from operations.handbook.renderer import snippets

FOLDER = REPOSITORY / "operations/handbook/snippets"
PAGES = REPOSITORY / "operations/handbook/pages"
QUEUE = "kueue.x-k8s.io/queue-name"
INCLUDED = re.compile(r'snippet\("([^"]+)"\)')


def examples(name: str, ending: str) -> list[tuple[str, str]]:
    return [(file, text) for file, text in snippets(scene(name).facts).items() if file.endswith(ending)]


def objects(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for file, text in examples(name, ".yaml"):
        yield from ((file, each) for each in yaml.safe_load_all(text))


def inside(value: Any, key: str) -> Iterator[Any]:
    """Every value under a key, however deep."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name == key:
                yield each
            yield from inside(each, key)
    elif isinstance(value, list):
        for each in value:
            yield from inside(each, key)


def test_every_template_is_in_the_table_and_the_other_way_round() -> None:
    found = {str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*.j2")}
    assert found == {f"{each.name}.j2" for each in SNIPPETS}


def test_every_example_is_on_a_page() -> None:
    shown = {name for path in PAGES.iterdir() for name in INCLUDED.findall(path.read_text(encoding="utf-8"))}
    assert shown == {each.name for each in SNIPPETS}


def test_every_example_is_had_by_some_stack_or_its_condition_is_tried() -> None:
    had = {file for name in NAMES for file in snippets(scene(name).facts)}
    assert {each.name for each in SNIPPETS} - had == set()


@pytest.mark.parametrize("name", NAMES)
def test_python_compiles(name: str) -> None:
    found = examples(name, ".py")
    assert found
    for file, text in found:
        compile(text, file, "exec")


@pytest.mark.parametrize("name", NAMES)
def test_objects_are_in_a_namespace_and_a_queue_of_the_lock(name: str) -> None:
    facts = scene(name).facts
    queues = {home.namespace: {queue.team for queue in home.queues} | {home.default, "default"} for home in facts.homes}
    for file, each in objects(name):
        assert {"apiVersion", "kind", "metadata", "spec"} <= each.keys(), file
        home = each["metadata"]["namespace"]
        assert home in queues, file
        for queue in inside(each, QUEUE):
            assert queue in queues[home], file


@pytest.mark.parametrize("name", NAMES)
def test_nobody_is_asked_for_more_accelerators_than_the_namespace_may_have(name: str) -> None:
    facts = scene(name).facts
    quotas = {home.namespace: home.quota for home in facts.homes}
    for file, each in objects(name):
        quota = quotas[each["metadata"]["namespace"]]
        for limits in inside(each, "limits"):
            for resource, count in limits.items():
                assert int(count) <= quota[resource], (file, resource)
        if each["kind"] == "TrainJob":  # all of its nodes at once, or none
            asked = each["spec"]["trainer"]
            for resource, count in asked["resourcesPerNode"].get("limits", {}).items():
                assert int(count) * asked["numNodes"] <= quota[resource], (file, resource)
        if "parallelism" in each["spec"]:
            assert each["spec"]["parallelism"] <= max([*quota.values(), 8]), file


@pytest.mark.parametrize("name", NAMES)
def test_jobs_are_admitted_by_the_restricted_standard(name: str) -> None:
    for file, each in objects(name):
        for pod in inside(each, "template"):
            spec = pod.get("spec", {}) if isinstance(pod, dict) else {}
            for container in (each for each in spec.get("containers", []) if "image" in each):  # others are patches
                assert spec["securityContext"]["runAsNonRoot"] is True, file
                assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}, file
                assert container["securityContext"]["allowPrivilegeEscalation"] is False, file


@pytest.mark.parametrize("name", NAMES)
def test_objects_that_mount_a_claim_mount_one_that_there_is(name: str) -> None:
    facts = scene(name).facts
    claims = {each["claimName"] for _, found in objects(name) for each in inside(found, "persistentVolumeClaim")}
    assert claims <= set(facts.claims)


def test_shell_is_well_formed() -> None:
    every = {text for name in NAMES for _, text in examples(name, ".sh")}
    for text in every:
        done = subprocess.run(["/bin/sh", "-n"], input=text, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr + text


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_a_template_is_left(name: str) -> None:
    for file, text in snippets(scene(name).facts).items():
        assert "{{" not in text, file
        assert "{%" not in text, file
        assert text.endswith("\n"), file
        assert "\n\n\n\n" not in text, file
