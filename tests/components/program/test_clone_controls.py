"""Every claim of the table of security controls, held against what the program registers for that target."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from ipaddress import IPv4Network
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pulumi
import pytest
import specs
import specs_coreweave
import specs_gcp

from components.stack.targets import BUILDERS, build
from operations.offline.program import OfflineRun, run
from planning.clone.comparison.parity import ASKED, EACH, Control, ControlClaim, ControlProof, read_controls
from planning.costs.resources.resource import Resource, Secret, UnknownValue

if TYPE_CHECKING:
    from planning.spec.cluster import ClusterSpec

ROOT = Path(__file__).parents[3]
TARGETS = ("aws", "gcp", "coreweave", "existing")
OPENED = (IPv4Network("198.51.100.0/24"),)
CLAIMS = [(control, target) for control in read_controls() for target in TARGETS]


def spec_of(target: str, *, ranges: bool) -> ClusterSpec:
    made = {
        "aws": specs.aws_cluster,
        "gcp": specs_gcp.gcp_cluster,
        "coreweave": specs_coreweave.coreweave_cluster,
        "existing": specs.existing_cluster,
    }[target]()
    if not ranges:
        return made
    return made.model_copy(update={"network": made.network.model_copy(update={"api_cidrs": OPENED})})


@cache
def registered(target: str, *, ranges: bool = False) -> OfflineRun:
    def program() -> None:
        pulumi.runtime.set_config("atoll:billingAccount", "000000-000000-000000")
        build((spec_of(target, ranges=ranges),), ceiling=specs_gcp.CEILING)

    return run("sample", program=program)


def of(control: Control, target: str) -> OfflineRun:
    return registered(target, ranges=control.asked_by == "ranges")


def found(value: Any, path: tuple[str | int, ...]) -> Iterator[Any]:
    """What stands at a path; nothing where the path ends early."""
    if not path:
        yield value
        return
    first, *rest = path
    if first == EACH:
        for part in value if isinstance(value, list) else ():
            yield from found(part, tuple(rest))
    elif (isinstance(value, dict) and first in value) or (
        isinstance(value, list) and isinstance(first, int) and first < len(value)
    ):
        yield from found(value[first], tuple(rest))


def fits(proof: ControlProof, resource: Resource) -> bool:
    values = list(found(dict(resource.inputs), proof.path))
    if proof.holds:
        return any(proof.holds in value for value in values)
    if proof.equals is not None:
        return bool(values) and all(type(each) is type(proof.equals) and each == proof.equals for each in values)
    return bool(values) and all(isinstance(each, (UnknownValue, Secret)) or bool(each) for each in values)


def words_of(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield str(name)
            yield from words_of(part)
    elif isinstance(value, list):
        for part in value:
            yield from words_of(part)


@cache
def words_in(target: str, *, ranges: bool) -> frozenset[str]:
    resources = registered(target, ranges=ranges).resources
    return frozenset(word.lower() for each in resources for word in (each.type, *words_of(dict(each.inputs))))


def test_every_control_says_something_of_every_target_that_is_built() -> None:
    assert set(TARGETS) == set(BUILDERS) - {"none"}
    for control in read_controls():
        assert set(control.claims) == set(TARGETS), control.name
        assert control.source, control.name
        assert control.asked_by in {"", *ASKED}, control.name
    assert len({control.name for control in read_controls()}) == len(read_controls()) >= 20


@pytest.mark.parametrize(("control", "target"), CLAIMS, ids=lambda each: getattr(each, "name", each))
def test_a_claim_is_seen_in_what_the_program_registers(control: Control, target: str) -> None:
    claim = control.claims[target]
    resources = of(control, target).resources
    for proof in claim.proofs:
        meant = [each for each in resources if each.type == proof.type and fnmatch(each.name, proof.name)]
        assert meant, f"{target} registers no {proof.type} named {proof.name}"
        assert [each.urn for each in meant if not fits(proof, each)] == []


@pytest.mark.parametrize(("control", "target"), CLAIMS, ids=lambda each: getattr(each, "name", each))
def test_what_is_said_to_be_absent_is_in_no_type_and_no_input(control: Control, target: str) -> None:
    seen = words_in(target, ranges=control.asked_by == "ranges")
    for word in control.claims[target].absent:
        assert not [each for each in seen if word.lower() in each], f"{control.name} of {target}"


@pytest.mark.parametrize(("control", "target"), CLAIMS, ids=lambda each: getattr(each, "name", each))
def test_a_claim_names_the_file_that_makes_it(control: Control, target: str) -> None:
    claim = control.claims[target]
    if claim.level == "open":
        assert not claim.made_by
        assert "no source read says" in claim.words
        return
    text = (ROOT / claim.made_by).read_text()
    assert claim.says in text, f"{claim.made_by} does not say {claim.says!r}"


@pytest.mark.parametrize("target", ["aws", "gcp"])
def test_a_target_that_opens_its_api_opens_it_to_the_named_ranges(target: str) -> None:
    (cluster,) = [
        each
        for each in registered(target, ranges=True).resources
        if each.type.endswith("cluster:Cluster") and each.custom
    ]
    assert str(OPENED[0]) in json.dumps(cluster.inputs, default=str)
    assert "0.0.0.0/0" not in json.dumps(cluster.inputs, default=str)


def test_nothing_is_claimed_without_something_that_would_show_it_wrong() -> None:
    bare = [
        (control.name, target)
        for control, target in CLAIMS
        if not _can_fail(control.claims[target]) and control.claims[target].level != "open"
    ]
    assert bare == []


def _can_fail(claim: ControlClaim) -> bool:
    return bool(claim.proofs or claim.absent or claim.says)


def test_the_claims_of_one_target_fail_on_a_target_that_has_none_of_it() -> None:
    """The census itself can fail: what AWS is said to have is not found on CoreWeave."""
    types = {each.type for each in registered("coreweave").resources}
    wrong = [
        control.name
        for control in read_controls()
        if any(proof.type.startswith("aws:") and proof.type not in types for proof in control.claims["aws"].proofs)
    ]
    assert len(wrong) >= 15


def test_a_proof_of_a_wrong_value_does_not_fit() -> None:
    (cluster,) = [each for each in registered("aws").resources if each.type == "aws:eks/cluster:Cluster"]
    path = ("vpcConfig", "endpointPublicAccess")
    assert fits(ControlProof(type=cluster.type, path=path, equals=False), cluster)
    assert not fits(ControlProof(type=cluster.type, path=path, equals=True), cluster)
    assert not fits(ControlProof(type=cluster.type, path=path, equals=0), cluster)
    assert not fits(ControlProof(type=cluster.type, path=("vpcConfig", "nothing")), cluster)
    assert json.dumps(cluster.inputs["enabledClusterLogTypes"])
