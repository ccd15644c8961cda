"""What stacks/policies.yaml names and nothing has: named with the place where it stands, never in silence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from policy_kit import sound

from policies.settings import PolicySettings
from policies.settings_reader import parse
from policies.table import RULES
from policies.unknown_names import list_unmatched


def unmatched(text: str) -> list[str]:
    law: PolicySettings = parse(f"rules:\n  {text}\n", file="stacks/policies.yaml", rules=RULES)
    return list(list_unmatched(replace(sound(), law=law)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('allowed-machines: {deny: ["p5.*", p5.48xlarg]}', '"p5.48xlarg" matches no machine type today'),
        ('allowed-machines: {allow: ["*", q9.large]}', '"q9.large" matches no machine type today'),
        ("allowed-machines: {deny_accelerators: [H1000-*]}", '"H1000-*" matches no accelerator today'),
        ('allowed-machines: {allow_accelerators: ["*", Z1]}', '"Z1" matches no accelerator today'),
        ("allowed-places: {providers: [aws, asw]}", '"asw" matches no provider today'),
        ("allowed-places: {regions: [us-east-1, us-est-1]}", '"us-est-1" matches no region today'),
        ("component-ceilings: {usd_per_month: {pools: 500}}", '"pools" matches no component in the bill of demo'),
        ("component-ceilings: {usd_per_month: {pool/finetune-8b: 5}}", 'did you mean "pool/finetune-7b"'),
        ("component-ceilings: {stacks: {demo: {storage/wram: 5}}}", '"storage/wram" matches no component'),
        ("unpriced: {at_most_usd_per_month: {shared_sdd: 5}}", '"shared_sdd" matches no word of the price list'),
    ],
)
def test_what_matches_nothing_is_named(text: str, said: str) -> None:
    (line,) = unmatched(text)
    assert said in line
    assert line.startswith(f"stacks/policies.yaml: {text.partition(':')[0]}.")


@pytest.mark.parametrize(
    "text",
    [
        'allowed-machines: {allow: ["*"], deny: ["p5.*"], allow_accelerators: ["*"], deny_accelerators: ["H100-*"]}',
        "allowed-places: {providers: [aws, nebius], regions: [us-east-1, eu-central-1]}",
        "component-ceilings: {usd_per_month: {pool: 500000, pool/finetune-7b: 9000, storage/warm: 90000}}",
        "component-ceilings: {stacks: {demo: {network: 90000}, other: {pool/whatever: 1}}}",
        "unpriced: {at_most_usd_per_month: {shared_ssd: 5, 'aws:fsx/lustreFileSystem:LustreFileSystem': 1}}",
        "tags: {level: mandatory}",
    ],
)
def test_what_matches_something_is_not_named(text: str) -> None:
    assert unmatched(text) == []
