"""Every rule across fields: one checklist that breaks only it, pointing at the line to change."""

from __future__ import annotations

from typing import Any

import pytest

from planning.checklist.model.checklist import Checklist
from planning.checklist.reading.checklist_file import read
from planning.checklist.rules.table import RULES
from planning.values.errors import InputError

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKeyOfAda ada"
TRAINING = {"kind": "training", "name": "train", "model": {"parameters": "7B"}, "tokens": "140B"}
SERVING = {"kind": "inference", "name": "serve", "model": {"parameters": "7B"}}
ADA = {"name": "ada", "email": "ada@acme.example", "ssh_key": KEY}
PEERED = {"provider": "aws", "region": "us-east-1", "vpc_id": "vpc-0a1b2c3d", "vpc_cidr": "10.0.0.0/16"}
SHARERS = {
    "workloads": [{"kind": "notebooks", "name": "lab"}],
    "engineers": {"count": 4, "ides": ["jupyterlab"]},
}
IMPOSSIBLE = ("0.0.0.0/16", "127.0.0.0/16", "169.254.0.0/16", "224.0.0.0/16", "240.0.0.0/16", "255.255.0.0/16")
LAMBDA = {"existing": {"provider": "lambda"}}
FREE = {"existing": {"provider": "nebius"}}  # a provider that forbids nothing of what is asked here


def work(**fields: Any) -> dict[str, Any]:
    return {"workloads": [{**TRAINING, **fields}]}


def serving(**fields: Any) -> dict[str, Any]:
    return {"workloads": [{**SERVING, **fields}]}


def batch(**fields: Any) -> dict[str, Any]:
    return {"workloads": [{"kind": "batch", "name": "prepare", **fields}]}


VNET = (
    "/subscriptions/0a1b2c3d-0000-4000-8000-000000000000/resourceGroups/core"
    "/providers/Microsoft.Network/virtualNetworks/main"
)


EIGHT = work(hardware={"accelerator": "H100-SXM-80GB", "count": 8})


def teams(*asked: dict[str, Any]) -> dict[str, Any]:
    """Teams that Ada is in, as every user without a team of their own."""
    return {"teams": list(asked), "access": {"users": [ADA]}}


def sso(provider: str, **fields: str) -> dict[str, Any]:
    return {"access": {"sso": {"provider": provider, "client_id": "atoll", **fields}}}


def main_cloud(**fields: Any) -> dict[str, Any]:
    return {"main_cloud": {**PEERED, **fields}}


def away(**fields: Any) -> dict[str, Any]:
    """Training and answers, of which the training is elsewhere."""
    placed = {"name": "far", "workloads": ["train"], **fields}
    return {"workloads": [TRAINING, SERVING], "where": {"elsewhere": [placed]}}


def away_without(cloud: str, **fields: Any) -> dict[str, Any]:
    """The same with a provider that is excluded everywhere."""
    asked = away(**fields)
    return {**asked, "where": {**asked["where"], "excluded": [cloud]}}


def settled(*, months: int = 0, **fields: Any) -> dict[str, Any]:
    return {"agreement": fields, "contract": {"months": months}}


def answers(*within: tuple[str, int]) -> list[dict[str, Any]]:
    return [{"sort": sort, "within_minutes": minutes} for sort, minutes in within]


def paid_back(*steps: tuple[str, str]) -> list[dict[str, Any]]:
    return [{"below_percent": below, "credit_percent": credit} for below, credit in steps]


def speeds(*agreed: dict[str, Any]) -> dict[str, Any]:
    return settled(tier_speeds=list(agreed))


WARM = {"tier": "warm", "read_mb_per_s": 10000}
STORED = {"storage": {"warm": {"size": "20TB"}}}
DUTY = {"role": "support", "name": "Ines", "email": "ines@provider.example"}


# rule -> (what breaks it and nothing else, the path of the fault)
BROKEN: dict[str, list[tuple[dict[str, Any], str]]] = {
    "names_unique": [({"workloads": [TRAINING, TRAINING]}, "workloads[1].name")],
    "work_measured": [
        (work(tokens=None), "workloads[0].model"),
        (work(model=None), "workloads[0].tokens"),
        (work(model=None, tokens=None, samples="1M"), "workloads[0].samples"),
        (work(model=None, tokens=None, samples="1M", samples_per_second=50), "workloads[0].samples_per_second"),
        (work(model=None, tokens=None), "workloads[0]"),
    ],
    "mfu_measured": [(work(mfu="0.55"), "workloads[0].mfu")],
    "deadline_on_spot": [(work(spot=True, deadline="2d", checkpointing={"enabled": False}), "workloads[0].spot")],
    "checkpoints_leave_time": [
        (work(checkpointing={"every_minutes": 1, "stall_seconds": 60}), "workloads[0].checkpointing.stall_seconds")
    ],
    "replicas_in_order": [(serving(replicas=3, max_replicas=2), "workloads[0].max_replicas")],
    "load_is_whole": [
        (serving(input_tokens=100), "workloads[0].input_tokens"),
        (serving(requests_per_second=1, input_tokens=9, output_tokens=9, batch=2), "workloads[0].batch"),
    ],
    "replicas_for_slo": [({**serving(replicas=1), "slo_percent": "99.99"}, "workloads[0].replicas")],
    "active_within_all": [
        (work(model={"parameters": "7B", "active_parameters": "8B"}), "workloads[0].model.active_parameters")
    ],
    "cache_facts_together": [
        (serving(model={"parameters": "7B", "kv_heads": 8, "head_dim": 128}), "workloads[0].model.kv_heads")
    ],
    "notebooks_have_engineers": [({"workloads": [{"kind": "notebooks", "name": "books"}]}, "workloads[0]")],
    "batch_asks_something": [
        (batch(), "workloads[0]"),
        (batch(vcpus=8, accelerator_memory="24GB"), "workloads[0].accelerator_memory"),
    ],
    "hot_tier_has_a_node": [({**batch(vcpus=8), "storage": {"hot": {"size": "1TB"}}}, "storage.hot")],
    "counts_agree": [
        (work(hardware={"count": 12, "per_node": 8}), "workloads[0].hardware.count"),
        (work(hardware={"count": 16, "per_node": 8, "nodes": 3}), "workloads[0].hardware.count"),
        (work(hardware={"count": 16, "nodes": 3}), "workloads[0].hardware.count"),
    ],
    "accelerator_known": [
        (work(hardware={"accelerator": "H1000"}), "workloads[0].hardware.accelerator"),
        (work(hardware={"accelerator": "h100"}), "workloads[0].hardware.accelerator"),
        (serving(hardware={"accelerator": "H100-SXM-90GB"}), "workloads[0].hardware.accelerator"),
        (
            work(tokens=None, samples="1M", samples_per_second=9, measured_on="H-100"),
            "workloads[0].measured_on",
        ),
    ],
    "form_exists": [(work(hardware={"accelerator": "MI300X", "form": "SXM"}), "workloads[0].hardware.form")],
    "form_agrees": [(work(hardware={"accelerator": "H100-SXM-80GB", "form": "PCIe"}), "workloads[0].hardware.form")],
    "spot_allowed": [(work(hardware={"purchase": "spot"}), "workloads[0].hardware.purchase")],
    "reservations_have_term": [
        (work(hardware={"purchase": "reserved"}), "workloads[0].hardware.purchase"),
        (
            {**work(hardware={"purchase": "reserved"}), "contract": {"months": 12, "reserve": "nothing"}},
            "workloads[0].hardware.purchase",
        ),
    ],
    "providers_consistent": [
        ({"where": {"wanted": ["aws", "gcp"], "excluded": ["gcp"]}}, "where.excluded[0]"),
        (away_without("gcp", wanted=["aws", "gcp"]), "where.elsewhere[0].wanted[1]"),
    ],
    "existing_is_wanted": [
        ({"where": {**LAMBDA, "excluded": ["lambda"]}}, "where.existing.provider"),
        ({"where": {**LAMBDA, "wanted": ["aws"]}}, "where.existing.provider"),
        (away(wanted=["aws"], **FREE), "where.elsewhere[0].existing.provider"),
        (away_without("nebius", **FREE), "where.elsewhere[0].existing.provider"),
    ],
    "regions_named": [
        ({"main_cloud": {"provider": "aws", "region": " "}}, "main_cloud.region"),
        ({"where": {"regions": ["us-east-1", ""]}}, "where.regions[1]"),
        (away(regions=[" "]), "where.elsewhere[0].regions[0]"),
        (away(existing={"provider": "nebius", "region": ""}), "where.elsewhere[0].existing.region"),
    ],
    "regions_known": [
        ({"where": {"regions": ["us-east-1", "mars-1"]}}, "where.regions[1]"),
        ({"where": {"wanted": ["gcp"], "regions": ["us-east-1"]}}, "where.regions[0]"),
        ({"where": {"regions": ["us-east-1"], "residency": "EU"}}, "where.regions[0]"),
        (away(wanted=["aws"], regions=["us-central1"]), "where.elsewhere[0].regions[0]"),
    ],
    "homes_known": [
        (main_cloud(region="us-esat-1"), "main_cloud.region"),
        (main_cloud(provider="gcp", vpc_id="main", account=None), "main_cloud.region"),
        ({"where": {"existing": {"provider": "azure", "region": "eastus9"}}}, "where.existing.region"),
        ({"where": {"existing": {"provider": "lambda", "region": "us-south-1"}}}, "where.existing.region"),
        (
            away(existing={"provider": "nebius", "region": "eu-north-1"}),
            "where.elsewhere[0].existing.region",
        ),
    ],
    "peering_complete": [
        (main_cloud(vpc_cidr=None), "main_cloud.vpc_id"),
        (main_cloud(vpc_id=None), "main_cloud.vpc_cidr"),
        (main_cloud(vpc_id="", vpc_cidr=None), "main_cloud.vpc_id"),
        (main_cloud(vpc_id=None, vpc_cidr=None, peering_per_month="1TB"), "main_cloud.peering_per_month"),
    ],
    "peering_possible": [
        ({"main_cloud": {"provider": "lambda", "region": "us-east-1", "logs_and_metrics": True}}, "main_cloud.provider")
    ],
    "peering_identities": [
        (main_cloud(vpc_id="my-vpc"), "main_cloud.vpc_id"),
        (main_cloud(account="12345"), "main_cloud.account"),
        (main_cloud(provider="gcp", region="us-east4", vpc_id="acme-core/main", account=None), "main_cloud.vpc_id"),
        (main_cloud(provider="gcp", region="us-east4", vpc_id="main", account="Acme"), "main_cloud.account"),
        (main_cloud(provider="azure", region="eastus", vpc_id="main", account=None), "main_cloud.vpc_id"),
        (main_cloud(provider="azure", region="eastus", vpc_id=VNET, account="core"), "main_cloud.account"),
    ],
    "networks_apart": [(main_cloud(vpc_cidr="10.64.128.0/17"), "main_cloud.vpc_cidr")],
    "network_fits": [
        ({"where": {"cidr": "10.0.0.0/15"}}, "where.cidr"),
        ({"where": {"cidr": "10.0.0.0/26"}}, "where.cidr"),
        ({"where": {"cidr": "52.0.0.0/16"}}, "where.cidr"),
        (away(cidr="10.80.0.0/28"), "where.elsewhere[0].cidr"),
        *(({"where": {"cidr": cidr}}, "where.cidr") for cidr in IMPOSSIBLE),
        *((away(cidr=cidr), "where.elsewhere[0].cidr") for cidr in IMPOSSIBLE),
        ({"where": {"cidr": "192.168.0.0/15"}}, "where.cidr"),
        ({"where": {"cidr": "198.51.100.0/24"}}, "where.cidr"),
    ],
    "networks_possible": [
        *((main_cloud(vpc_cidr=cidr), "main_cloud.vpc_cidr") for cidr in IMPOSSIBLE),
        *(({"where": {**FREE, "cidr": cidr}}, "where.cidr") for cidr in IMPOSSIBLE),
        *((away(**FREE, cidr=cidr), "where.elsewhere[0].cidr") for cidr in IMPOSSIBLE),
        *(({"where": {"api_cidrs": [cidr]}}, "where.api_cidrs[0]") for cidr in (*IMPOSSIBLE, "10.1.0.0/16")),
        (main_cloud(vpc_cidr="10.0.0.0/15"), "main_cloud.vpc_cidr"),
        (main_cloud(vpc_cidr="10.0.0.0/29"), "main_cloud.vpc_cidr"),
    ],
    "api_door_narrow": [({"where": {"api_cidrs": ["203.0.113.0/24", "0.0.0.0/0"]}}, "where.api_cidrs[1]")],
    "vpn_has_addresses": [
        (
            {
                **main_cloud(provider="gcp", region="us-east4", vpc_id="main", vpc_cidr="172.16.0.0/12"),
                "where": {**LAMBDA, "cidr": "10.0.0.0/8"},
            },
            "where.cidr",
        )
    ],
    "places_named": [(away(name="home"), "where.elsewhere[0].name")],
    "workloads_placed": [
        (away(workloads=["train", "nobody"]), "where.elsewhere[0].workloads[1]"),
        (away(workloads=["train", "train"]), "where.elsewhere[0].workloads[1]"),
        (away(workloads=["train", "serve"]), "where.elsewhere"),
    ],
    "people_at_home": [
        (
            {
                "engineers": {"count": 2, "ides": ["vscode"]},
                "workloads": [TRAINING, {"kind": "notebooks", "name": "desk"}],
                "where": {"elsewhere": [{"name": "far", "workloads": ["desk"]}]},
            },
            "where.elsewhere[0].workloads[0]",
        )
    ],
    "ranges_apart": [(away(cidr="10.64.128.0/20"), "where.elsewhere[0].cidr")],
    "users_unique": [
        ({"access": {"users": [ADA, {**ADA, "email": "a@b.example"}]}}, "access.users[1].name"),
        ({"access": {"users": [ADA, {**ADA, "name": "eve", "email": "ADA@acme.example"}]}}, "access.users[1].email"),
    ],
    "vpn_addresses_apart": [
        (
            {"access": {"users": [{**ADA, "name": "aaeo"}, {"name": "aida", "email": "aida@b.example"}]}},
            "access.users[1].name",
        ),
    ],
    "ssh_has_a_key": [({"access": {"ssh": True, "users": [{**ADA, "ssh_key": None}]}}, "access.ssh")],
    "ssh_names_free": [({"access": {"ssh": True, "users": [ADA | {"name": "root"}]}}, "access.users[0].name")],
    "ssh_through_vpn": [
        (
            {"access": {"ssh": True, "vpn": False, "users": [ADA]}, "where": {"api_cidrs": ["203.0.113.0/24"]}},
            "access.ssh",
        )
    ],
    "provider_restrictions_kept": [
        ({"where": {"wanted": ["coreweave"]}, "access": {"ssh": True, "users": [ADA]}}, "access.ssh"),
        ({"where": {"wanted": ["coreweave"], "api_cidrs": ["198.51.100.0/24"]}}, "where.api_cidrs"),
        ({"where": LAMBDA, **work(spot=True, hardware={"purchase": "spot"})}, "workloads[0].hardware.purchase"),
    ],
    "users_get_in": [({"access": {"vpn": False, "users": [ADA]}}, "access.vpn")],
    "commitments_have_a_term": [
        ({"contract": {"reserve": "all"}}, "contract.reserve"),
        ({"contract": {"incentives": True}}, "contract.incentives"),
        ({"ceiling": {"usd_per_contract": 100000}}, "ceiling.usd_per_contract"),
        (settled(exit_after_days=10), "agreement.exit_after_days"),
    ],
    "ceilings_agree": [
        (
            {"contract": {"months": 12}, "ceiling": {"usd_per_contract": 9000, "usd_per_month": 10000}},
            "ceiling.usd_per_contract",
        )
    ],
    "busy_month_is_busier": [
        ({"traffic": {"egress_per_month": "2TB", "egress_per_month_max": "1TB"}}, "traffic.egress_per_month_max")
    ],
    "usage_rises": [
        ({"usage": {"egress": {"low": "2GB", "expected": "1GB", "high": "3GB"}}}, "usage.egress"),
        ({"usage": {"logs": {"low": "1GB", "expected": "2GB", "high": "1GB"}}}, "usage.logs"),
    ],
    "usage_has_its_place": [
        ({"usage": {"growth": {"low": "1GB", "expected": "2GB", "high": "3GB"}}}, "usage.growth"),
        ({"usage": {"reads": {"low": 1, "expected": 2, "high": 3}}}, "usage.reads"),
        ({"usage": {"peering": {"low": "1GB", "expected": "2GB", "high": "3GB"}}}, "usage.peering"),
    ],
    "usage_said_once": [
        (
            {
                "usage": {"egress": {"low": "1GB", "expected": "2GB", "high": "3GB"}},
                "traffic": {"egress_per_month": "1TB", "egress_per_month_max": "2TB"},
            },
            "traffic.egress_per_month_max",
        )
    ],
    "parts_known": [({"platform": {"extra": ["katibb"]}}, "platform.extra[0]")],
    "parts_asked_once": [({"platform": {"extra": ["katib"], "without": ["katib"]}}, "platform.extra[0]")],
    "parts_have_their_needs": [
        ({"platform": {"extra": ["slurm"], "without": ["slurm_operator"]}}, "platform.without[0]")
    ],
    "store_exists": [
        ({"platform": {"object_store": "provider", "without": ["pipelines"]}, "where": where}, "platform.object_store")
        for where in (
            FREE,
            LAMBDA,
            {"wanted": ["nebius", "crusoe"]},
            {"wanted": ["lambda", "nebius", "aws"], "excluded": ["azure"], "existing": {"provider": "aws"}},
        )
    ],
    "parts_reach_store": [
        ({"platform": {"object_store": "provider"}, "where": {"wanted": ["gcp"]}}, "platform.object_store")
    ],
    "one_store": [({"platform": {"extra": ["seaweedfs"]}}, "platform.extra[0]")],
    "removals_include_dependents": [({"platform": {"without": ["istio"]}}, "platform.without[0]")],
    "mirror_is_a_place": [
        ({"platform": {"mirror": "https://mirror.acme.example"}}, "platform.mirror"),
        ({"platform": {"mirror": "oci://"}}, "platform.mirror"),
    ],
    "slices_named": [
        ({**SHARERS, "platform": {"sharing": "mig"}}, "platform.sharing"),
        ({"platform": {"mig_profile": "all-1g.10gb"}}, "platform.mig_profile"),
    ],
    "extra_components_allowed": [
        ({"platform": {"extra": ["gpu_operator"]}, "where": {"wanted": ["gcp"]}}, "platform.extra[0]"),
        ({"platform": {"extra": ["katib", "gpu_operator"]}, "where": LAMBDA}, "platform.extra[1]"),
    ],
    "one_owner": [
        ({"platform": {"extra": ["device_plugin"]}, "where": FREE}, "platform.extra[0]"),
        ({"platform": {"extra": ["gpu_operator"]}, "where": {"wanted": ["aws"]}}, "platform.extra[0]"),
        ({"platform": {"extra": ["gpu_operator", "device_plugin"]}}, "platform.extra[1]"),
    ],
    "sharing_is_ours": [
        ({**SHARERS, "platform": {"sharing": "time_slicing"}, "where": {"wanted": ["gcp"]}}, "platform.sharing"),
        (
            {
                **SHARERS,
                "platform": {"sharing": "mig", "mig_profile": "all-1g.10gb"},
                "where": {"wanted": ["aws"]},
            },
            "platform.sharing",
        ),
    ],
    "sharing_for_notebooks": [
        ({"platform": {"sharing": "time_slicing"}}, "platform.sharing"),
        (
            {
                "workloads": [*SHARERS["workloads"], TRAINING],
                "engineers": SHARERS["engineers"],
                "platform": {"sharing": "time_slicing"},
                "where": {"existing": {"provider": "azure"}},
            },
            "platform.sharing",
        ),
    ],
    "sso_over_https": [
        (sso("okta", issuer="http://acme.okta.com"), "access.sso.issuer"),
        (sso("oidc", issuer="login.acme.com"), "access.sso.issuer"),
        (sso("oidc", issuer="https://[login.acme.com"), "access.sso.issuer"),
        (sso("oidc", issuer="https://login.acme.com:https"), "access.sso.issuer"),
    ],
    "sso_complete": [
        (sso("okta"), "access.sso.provider"),
        (sso("oidc"), "access.sso.provider"),
        (sso("entra", issuer="https://login.microsoftonline.com/acme"), "access.sso.provider"),
    ],
    "sso_keeps_strangers_out": [
        (sso("google"), "access.sso.provider"),
        (sso("github"), "access.sso.provider"),
    ],
    "sso_names_one_tenant": [(sso("entra", tenant="common"), "access.sso.tenant")],
    "sso_tells_groups": [
        (
            {**sso("google", organisation="acme.com"), "teams": [{"name": "vision", "group": "vision@acme.com"}]},
            "teams[0].group",
        )
    ],
    "teams_unique": [
        (teams({"name": "vision"}, {"name": "vision"}), "teams[1].name"),
        (teams({"name": "everybody"}), "teams[0].name"),
    ],
    "teams_have_people": [
        ({"teams": [{"name": "vision"}]}, "teams[0].name"),
        ({"teams": [{"name": "vision", "group": "ml-vision"}]}, "teams[0].group"),
    ],
    "teams_have_workloads": [(teams({"name": "vision", "workloads": ["trian"]}), "teams[0].workloads[0]")],
    "users_in_teams": [({"access": {"users": [{**ADA, "team": "vision"}]}}, "access.users[0].team")],
    "guarantees_fit": [
        ({**EIGHT, **teams({"name": "vision", "accelerators": 9})}, "teams[0].accelerators"),
        (
            {**EIGHT, **teams({"name": "vision", "accelerators": 6}, {"name": "speech", "accelerators": 3})},
            "teams[1].accelerators",
        ),
    ],
    "starts_in_our_time": [
        (settled(starts="2019-01-04"), "agreement.starts"),
        (settled(starts="2127-01-04"), "agreement.starts"),
    ],
    "credits_rise": [
        (settled(credits=paid_back(("99", "10"), ("99.5", "25"))), "agreement.credits[1].below_percent"),
        (settled(credits=paid_back(("99", "10"), ("99.0", "25"))), "agreement.credits[1].below_percent"),
        (settled(credits=paid_back(("99.5", "10"), ("99", "10"))), "agreement.credits[1].credit_percent"),
    ],
    "entries_once": [
        (settled(responses=answers(("urgent", 15), ("urgent", 15))), "agreement.responses[1].sort"),
        (settled(contacts=[DUTY, {**DUTY, "name": "Rui"}]), "agreement.contacts[1].role"),
        (settled(steps=[{"step": "sign", "working_days": 1}] * 2), "agreement.steps[1].step"),
    ],
    "responses_by_urgency": [
        (settled(responses=answers(("high", 60), ("urgent", 90))), "agreement.responses[1].within_minutes"),
    ],
    "speeds_of_tiers": [
        (speeds(WARM), "agreement.tier_speeds[0].tier"),
        ({**speeds(WARM, {**WARM, "tier": "hot"}), **STORED}, "agreement.tier_speeds[1].tier"),
        ({**speeds({**WARM, "placement": "west"}), **STORED}, "agreement.tier_speeds[0].placement"),
    ],
    "speeds_said": [({**speeds({"tier": "warm"}), **STORED}, "agreement.tier_speeds[0]")],
    "speeds_once": [
        ({**speeds(WARM, {"tier": "warm", "write_mb_per_s": 5000}), **STORED}, "agreement.tier_speeds[1].tier"),
    ],
    "exit_after_fix": [(settled(months=12, fix_within_days=30, exit_after_days=10), "agreement.exit_after_days")],
    "upgrade_before_the_end": [
        (settled(upgrade_after_months=12), "agreement.upgrade_after_months"),
        (settled(months=12, upgrade_after_months=12), "agreement.upgrade_after_months"),
    ],
    "burn_in_wanted": [
        ({**settled(burn_in_hours=48), "burn_in": False}, "agreement.burn_in_hours"),
        ({**settled(burn_in_hours=47), "burn_in": True}, "agreement.burn_in_hours"),
    ],
    "burst_is_faster": [({"traffic": {"sustained": "10Gbps", "burst": "5Gbps"}}, "traffic.burst")],
}
CASES = [(name, fields, path) for name, cases in BROKEN.items() for fields, path in cases]


def checklist(fields: dict[str, Any]) -> dict[str, Any]:
    whole = {"customer": {"name": "acme", "owner": "ml-lead@acme.example"}, "workloads": [TRAINING], **fields}
    return {key: _without_none(value) for key, value in whole.items()}


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(inner) for key, inner in value.items() if inner is not None}
    return [_without_none(item) for item in value] if isinstance(value, list) else value


def as_yaml(value: Any, *, indent: int = 0) -> str:
    """YAML with one field a line, so that a fault's line is its field's."""
    if isinstance(value, dict):
        return "".join(f"\n{' ' * indent}{key}:{as_yaml(inner, indent=indent + 2)}" for key, inner in value.items())
    if isinstance(value, list):
        return "".join(f"\n{' ' * indent}-{as_yaml(item, indent=indent + 2)}" for item in value)
    return f' "{value}"' if isinstance(value, str) else f" {str(value).lower()}"


def test_every_rule_has_a_case() -> None:
    assert set(BROKEN) == {rule.__name__ for rule in RULES}


def test_a_sound_checklist_breaks_no_rule() -> None:
    sound = Checklist.model_validate(checklist(main_cloud()))
    assert [broken for rule in RULES for broken in rule(sound)] == []


@pytest.mark.parametrize(("name", "fields", "path"), CASES)
def test_a_rule_is_broken_alone(name: str, fields: dict[str, Any], path: str) -> None:
    asked = Checklist.model_validate(checklist(fields))
    assert [rule.__name__ for rule in RULES for _ in rule(asked)] == [name], path


@pytest.mark.parametrize(("name", "fields", "path"), CASES)
def test_a_broken_rule_points_at_its_line(name: str, fields: dict[str, Any], path: str) -> None:
    text = as_yaml(checklist(fields)).lstrip("\n")
    with pytest.raises(InputError) as caught:
        read(text, file="checklist.yaml")
    (fault,) = caught.value.faults
    assert fault.path == path, name
    assert fault.hint
    field = path.rpartition(".")[2].partition("[")[0]
    assert fault.column
    if not path.endswith("]"):
        assert field in fault.source_line or field in text.splitlines()[fault.line - 2]


def test_faults_of_rules_come_together() -> None:
    fields = {**work(mfu="0.6", spot=False, hardware={"purchase": "spot"}), "contract": {"reserve": "all"}}
    with pytest.raises(InputError) as caught:
        read(as_yaml(checklist(fields)).lstrip("\n"), file="checklist.yaml")
    paths = [fault.path for fault in caught.value.faults]
    assert paths == ["workloads[0].mfu", "workloads[0].hardware.purchase", "contract.reserve"]


def test_every_provider_excluded_leaves_none() -> None:
    clouds = ["aws", "gcp", "azure", "lambda", "coreweave", "nebius", "runpod", "crusoe", "oci", "hyperstack"]
    fields = {"where": {"excluded": [*clouds, "digitalocean", "paperspace"]}}
    asked = Checklist.model_validate(checklist(fields))
    assert ["every provider" in broken.message for rule in RULES for broken in rule(asked)] == [True]


@pytest.mark.parametrize("cidr", ["10.0.0.0/16", "172.31.0.0/18", "192.168.0.0/16", "100.64.0.0/16"])
def test_every_private_range_may_be_a_cluster_network(cidr: str) -> None:
    asked = Checklist.model_validate(checklist({"where": {"cidr": cidr}}))
    assert [broken for rule in RULES for broken in rule(asked)] == []


def test_a_network_of_google_cloud_may_be_wider_than_a_vpc_of_aws() -> None:
    fields = main_cloud(provider="gcp", region="us-east4", account=None, vpc_id="default", vpc_cidr="10.128.0.0/9")
    asked = Checklist.model_validate(checklist(fields))
    assert [broken for rule in RULES for broken in rule(asked)] == []
