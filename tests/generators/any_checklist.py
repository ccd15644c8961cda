"""Any valid checklist: every section and every field, valid by how it is made and judged by the real reader.

`bodies` is the strategy of the property tests, `sampled` the fast way to one of a billion by its number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import cast

import yaml
from any_people import any_access, any_agreement, any_teams, money
from any_place import any_main_cloud, any_storage, any_traffic, any_where, fixed_provider
from any_platform import any_platform
from any_workload import Body, any_workloads
from chance import Chance, rising
from hypothesis import strategies as st

from catalogs.providers import profile
from planning.checklist.model.checklist import Checklist
from planning.checklist.model.vocabulary import CloudName, Ide, Operation, Orchestration, Reading, Support
from planning.checklist.reading.checklist_file import read

_COME_AND_GO = (
    "max_replicas", "requests_per_second", "peak_requests_per_second", "input_tokens", "output_tokens",
    "latency_p95_seconds",
)  # fmt: skip
_LOW_TO_HIGH = ("low", "expected", "high")


def any_body(chance: Chance) -> Body:
    """The fields of a checklist."""
    workloads = any_workloads(chance)
    names = [str(each["name"]) for each in workloads]
    accelerated = any(each["kind"] != "batch" or each.get("accelerators") for each in workloads)
    storage = any_storage(chance, accelerated=accelerated)
    main = any_main_cloud(chance) if chance.flag(0.5) else {}
    teams = any_teams(chance, names) if chance.flag(0.3) else []
    contract = _contract(chance)
    months = cast("int", contract.get("months", 0))
    burn_in = chance.flag(0.7)
    owner = chance.among(("ops@acme.example", "a.b+c@x.example"))
    body: Body = {"customer": {"name": chance.among(("acme", "x", "lagoon-labs")), "owner": owner}}
    body |= {"workloads": workloads, "where": any_where(chance, workloads), "storage": storage, "contract": contract}
    body |= {"main_cloud": main} if main else {}
    body |= {"teams": teams} if teams else {}
    if any(each["kind"] == "notebooks" for each in workloads) or chance.flag(0.4):
        ides = [each.value for each in chance.some(list(Ide))]
        body["engineers"] = {"count": chance.scaled_whole(1, 500), "ides": ides}
    body |= {} if burn_in else {"burn_in": False}
    stored = [("home", storage)] + [
        (str(place["name"]), cast("Body", place.get("storage", {})))
        for place in cast("list[Body]", cast("Body", body["where"]).get("elsewhere", []))
    ]
    tiers = [(place, tier) for place, here in stored for tier in ("hot", "warm") if tier in here]
    body |= chance.fields(
        dataset=(0.4, lambda: _dataset(chance)),
        traffic=(0.5, lambda: any_traffic(chance)),
        usage=(0.3, lambda: _usage(chance, cold="cold" in storage, peered="vpc_id" in main)),
        platform=(0.5, lambda: any_platform(chance, workloads, where=cast("Body", body["where"]))),
        ceiling=(0.7, lambda: _ceiling(chance, months)),
        agreement=(0.4, lambda: any_agreement(chance, months=months, burn_in=burn_in, tiers=tiers)),
        tracker=(0.4, lambda: chance.among(("mlflow", "wandb", "comet"))),
        schedulers=(0.2, lambda: ["airflow"]),
        orchestration=(0.4, lambda: chance.among(list(Orchestration)).value),
        operation=(0.4, lambda: chance.among(list(Operation)).value),
        support=(0.5, lambda: chance.among(list(Support)).value),
        support_usd_per_month=(0.3, lambda: chance.whole(0, 20_000)),
        slo_percent=(0.4, lambda: chance.among(("99", "99.9", "99.95", "99.99", "90.5"))),
        spare_share=(0.4, lambda: chance.share("0", "0.5")),
    )
    if teams or chance.flag(0.5):
        body["access"] = any_access(chance, names, [str(team["name"]) for team in teams])
    if cast("Body", cast("Body", body.get("access", {})).get("sso", {})).get("provider", "google") != "google":
        for team in teams:  # Google tells nobody's groups
            team.update(chance.fields(group=(0.5, lambda: chance.among(("ml-engineers", "Research & [Vision]")))))
    _agree(body)
    return body


def _contract(chance: Chance) -> Body:
    months = chance.among((0, 12, 24, 36)) if chance.flag(0.6) else 0
    if not months:
        return chance.fields(reserve=(0.2, lambda: "nothing"), onboarding_usd=(0.3, lambda: money(chance, 1, 5000)))
    return {"months": months} | chance.fields(
        incentives=(0.5, lambda: True),
        reserve=(0.6, lambda: chance.among(("always_on", "all", "nothing"))),
        onboarding_usd=(0.4, lambda: chance.whole(0, 5000)),
    )


def _ceiling(chance: Chance, months: int) -> Body:
    tiny = chance.flag(0.15)
    month = chance.scaled(0.01, 100) if tiny else chance.scaled(500, 1e8)
    body = chance.fields(
        usd_per_month=(0.8, lambda: f"{month:f}"),
        usd_per_gpu_hour=(0.15, lambda: money(chance, 0.05, 200)),
        binds=(0.5, lambda: chance.among(list(Reading)).value),
    )
    if months and chance.flag(0.4):
        body["usd_per_contract"] = f"{month * chance.whole(1, months):f}"
    return body


def _dataset(chance: Chance) -> Body:
    return {"size": chance.gigabytes()} | chance.fields(
        files=(0.5, lambda: chance.among(("huge", "tiny"))),
        file_count=(0.4, lambda: chance.count(1, 1e10)),
        passes_per_day=(0.4, lambda: chance.amount(0.01, 100)),
    )


def _usage(chance: Chance, *, cold: bool, peered: bool) -> Body:
    def volume() -> Mapping[str, object]:
        drawn = [str(chance.scaled_whole(1, 10**6)) for _ in _LOW_TO_HIGH]
        return {name: f"{size}GB" for name, size in rising(*drawn, names=_LOW_TO_HIGH).items()}

    def requests() -> Mapping[str, object]:
        return rising(*[str(chance.scaled_whole(1, 10**12)) for _ in _LOW_TO_HIGH], names=_LOW_TO_HIGH)

    of_cold = 0.5 if cold else 0.0
    return chance.fields(
        egress=(0.4, volume),
        ingress=(0.4, volume),
        logs=(0.4, volume),
        peering=(0.5 if peered else 0.0, volume),
        growth=(of_cold, volume),
        writes=(of_cold, requests),
        reads=(of_cold, requests),
        measured=(0.4, chance.text),
    )


def _agree(body: Body) -> None:
    """Changes what two sections say against each other."""
    workloads, where = cast("list[Body]", body["workloads"]), cast("Body", body["where"])
    contract, access = cast("Body", body["contract"]), cast("Body", body.get("access", {}))
    _hardware_agrees(workloads, contract)
    if float(cast("str", body.get("slo_percent", "0"))) > 99.95:
        for each in workloads:
            if each["kind"] == "inference" and "requests_per_second" not in each:
                each["replicas"] = max(2, cast("int", each.get("replicas", 1)))
                each["max_replicas"] = max(each["replicas"], cast("int", each.get("max_replicas", 2)))
    if "egress" in cast("Body", body.get("usage", {})):
        cast("Body", body.get("traffic", {})).pop("egress_per_month_max", None)
    excluded = cast("list[str]", where.get("excluded", []))
    elsewhere = cast("list[Body]", where.get("elsewhere", []))
    away = {str(name) for place in elsewhere for name in cast("list[str]", place["workloads"])}
    home = [each for each in workloads if each["name"] not in away]
    _allow(fixed_provider(where, excluded), home, access=access, where=where)
    for place in elsewhere:
        here = [each for each in workloads if each["name"] in cast("list[str]", place["workloads"])]
        _allow(fixed_provider(place, excluded), here)


def _hardware_agrees(workloads: Sequence[Body], contract: Body) -> None:
    for each in workloads:
        hardware = cast("Body", each.get("hardware", {}))
        if hardware.get("purchase") == "spot":
            each["spot"] = True
        if hardware.get("purchase") == "reserved":
            contract["months"] = contract.get("months") or 12
            if contract.get("reserve") == "nothing":
                contract["reserve"] = "all"
        if each.get("spot") and each.get("deadline"):
            cast("Body", each.get("checkpointing", {})).pop("enabled", None)


def _allow(
    provider: str | None, workloads: Sequence[Body], *, access: Body | None = None, where: Body | None = None
) -> None:
    """Takes away what the only provider forbids."""
    forbidden = profile(CloudName(provider)).forbidden if provider else ()
    for each in workloads:
        if "autoscaling" in forbidden:
            for name in _COME_AND_GO:
                each.pop(name, None)
        hardware = cast("Body", each.get("hardware", {}))
        if "spot" in forbidden and hardware.get("purchase") == "spot":
            hardware.pop("purchase")
    if "ssh" in forbidden and access:
        access.pop("ssh", None)
    if "api_ranges" in forbidden and where:
        where.pop("api_cidrs", None)


class _Quoted(yaml.SafeDumper):
    """Texts in quotes, so that none of them is a word that YAML readers disagree about."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - the signature is the library's
        return True


def _in_quotes(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')


_Quoted.add_representer(str, _in_quotes)


def as_yaml(body: Mapping[str, object]) -> str:
    """The checklist as a file holds it."""
    return yaml.dump(dict(body), Dumper=_Quoted, allow_unicode=True, sort_keys=False, width=200)


def body_of(number: int) -> Body:
    """The fields of the checklist with this number; always the same."""
    return any_body(Chance(Random(number)))  # noqa: S311 - examples, no secrets


def sampled(number: int) -> Checklist:
    """The checklist with this number.

    Raises:
        InputError: the reader refuses it; `tests/generators/test_any_checklist_valid.py` counts how often.
    """
    return read(as_yaml(body_of(number)), file=f"checklist {number}")


bodies = st.randoms(use_true_random=False).map(lambda source: any_body(Chance(source)))
