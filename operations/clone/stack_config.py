"""Pulumi.<clone>.yaml: what of the source's configuration holds at the new place. Secrets and their keys never do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, cast
from urllib.parse import parse_qs

import yaml

from operations.project.stack_config import KEY, NEW
from planning.clone.decisions.decision import CloneDecision, DecisionChoice
from planning.inputs.yaml_document import read_fields
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from planning.checklist.model.checklist import Checklist
    from planning.clone.target import Target

PROVIDER: Final = "secretsprovider"
SCHEMES: Final = ("awskms://", "gcpkms://", "azurekeyvault://", "hashivault://")  # operations/engine/environment.py
OWN_WAYS: Final = ("passphrase", "default")
Carry = Literal["always", "same provider", "never"]
# Every key of `components.context.settings_reference`, and whether a clone takes it over.
CARRIED: Final[Mapping[str, tuple[Carry, str]]] = {
    "atoll:reach": ("never", "a first update of the clone starts from the beginning"),
    "atoll:allowDestroy": ("never", "the clone is protected until it is destroyed"),
    "atoll:capacityReservations": ("never", "a reservation is bound to its zone; set the clone's own"),
    "atoll:vpnRotation": ("never", "the clone's keys are new"),
    "atoll:vpnRotations": ("never", "the clone's keys are new"),
    "atoll:auditTrail": ("same provider", "it is about the account"),
    "gcp:project": ("same provider", "the clone is made in the same project"),
    "atoll:poolZones": ("never", "zones of the old region"),
    "atoll:billingAccount": ("same provider", "the same account pays"),
    "atoll:zone": ("never", "a zone of the old region"),
    "atoll:cpuMachine": ("same provider", "a machine of that provider"),
    "atoll:publicApi": ("never", "a door is opened by hand, or not at all"),
    "atoll:oidcIssuer": ("same provider", "people sign in at the same place"),
    "atoll:oidcClient": ("same provider", "people sign in at the same place"),
    "atoll:backupBucket": ("never", "backups of two clusters in one bucket overwrite each other"),
    "atoll:backupEndpoint": ("never", "of the source's bucket"),
    "atoll:backupRegion": ("never", "of the source's bucket"),
    "atoll:backupAccessKey": ("never", "a secret"),
    "atoll:backupSecretKey": ("never", "a secret"),
    "atoll:backupSnapshotDriver": ("same provider", "the driver of that provider's disks"),
    "atoll:linkAddress": ("never", "the clone's traffic leaves from another address"),
    "atoll:linkGateway": ("never", "whether the gateway takes a second tunnel is yours to say"),
    "atoll:linkPeer": ("never", "as the gateway"),
    "atoll:linkKey": ("never", "a secret"),
    "atoll:ssoClientSecret": ("never", "a secret"),
    "atoll:certificateIssuer": ("never", "an object inside the source's cluster"),
    "atoll:alertReceiver": ("never", "a secret"),
    "atoll:alertKind": ("always", "the same people are told"),
    "atoll:forwardingCredentials": ("never", "a secret"),
    "atoll:wandbApiKey": ("never", "a secret"),
    "atoll:wandbBaseUrl": ("always", "the same server"),
    "atoll:cometApiKey": ("never", "a secret"),
    "atoll:cometBaseUrl": ("always", "the same server"),
    "atoll:airflowDags": ("always", "the same repository"),
    "atoll:airflowDagsRef": ("always", "the same repository"),
    "atoll:estimates": ("always", "the clone is judged as its source is"),
    "atoll:offline": ("never", "set by Atoll itself"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigKey:
    """One key of the source's configuration and what becomes of it."""

    name: str
    carried: bool
    why: str
    value: object = None
    secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PortableConfig:
    """The source's stack file without what belongs to the source alone."""

    provider: str
    keys: tuple[ConfigKey, ...]


def read_portable_config(path: Path, *, same_provider: bool) -> PortableConfig:
    """What a stack file says that a clone may take over; nothing where there is no file.

    Raises:
        InputError: it is not YAML, or no mapping.
    """
    fields = read_fields(path, hint="repair it; the clone would lose its keys", may_be_missing=True)
    config = fields.get("config")
    entries = cast("dict[object, object]", config) if isinstance(config, dict) else {}
    return PortableConfig(
        provider=str(fields.get(PROVIDER) or ""),
        keys=tuple(_key(str(name), each, same_provider=same_provider) for name, each in entries.items() if name != KEY),
    )


def _key(name: str, value: object, *, same_provider: bool) -> ConfigKey:
    if _holds_secret(value):
        return ConfigKey(name=name, carried=False, why="a secret: it is encrypted for the source alone", secret=True)
    carry, why = CARRIED.get(name, ("never", "a key that Atoll does not know; set it where the clone needs it"))
    carried = carry == "always" or (carry == "same provider" and same_provider)
    if carry == "same provider" and not same_provider:
        why = "of the other provider"
    return ConfigKey(name=name, carried=carried, why=why, value=value if carried else None)


def _holds_secret(value: object) -> bool:
    """Whether any part of a value is encrypted."""
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return "secure" in fields or any(_holds_secret(each) for each in fields.values())
    return isinstance(value, list) and any(_holds_secret(each) for each in cast("list[object]", value))


def provider_decision(has: str, *, lock_region: str, target: Target) -> Iterator[CloneDecision]:
    """Which key encrypts the clone's secrets, where the source has one."""
    if not has.startswith(SCHEMES):
        return
    yield CloneDecision(
        path=PROVIDER,
        why="the source's secrets are encrypted with a key of its own"
        + (f" in {region}" if (region := _region(has)) else "")
        + "; a clone that keeps it cannot be opened where that key is out of reach",
        old=_without_query(has),
        choices=(
            DecisionChoice(
                "URL", f"a key of the clone's own, as in {has.split('://', maxsplit=1)[0]}://...?region={target.region}"
            ),
            DecisionChoice("passphrase", "a passphrase, asked for by the first `atoll up`"),
            DecisionChoice("default", "as the backend keeps secrets"),
        ),
        settle=lambda checklist, answer: _check_provider_key(
            checklist, answer, has=has, old=lock_region, target=target
        ),
    )


def _check_provider_key(checklist: Checklist, answer: str, *, has: str, old: str, target: Target) -> Checklist:
    """Refuse a key that would make the clone lean on the source's place; the checklist itself has no part in it."""
    if answer not in OWN_WAYS and not answer.startswith(SCHEMES):
        ways = f"{', '.join(OWN_WAYS)}, or {', '.join(SCHEMES)}"
        raise InputError(f'"{answer[:40]}" is no secrets provider', hint=ways)
    if _without_query(answer) == _without_query(has) and answer not in OWN_WAYS and _region(answer) == _region(has):
        raise InputError("that is the source's key", hint="a clone has a key of its own")
    if old != target.region and _region(answer) == old:
        raise InputError(
            f"that key is in {old}, which the clone is to be independent of", hint=f"a key with ?region={target.region}"
        )
    return checklist


def _region(url: str) -> str:
    return (parse_qs(url.partition("?")[2].partition("#")[0]).get("region") or [""])[0]


def _without_query(url: str) -> str:
    """A URL without its query."""
    # The query may name profiles and accounts, which say nothing about which key it is.
    return url.partition("?")[0]


def config_text(stack: str, *, option: str, keys: tuple[ConfigKey, ...], provider: str) -> str:
    text = NEW.format(stack=stack, key=KEY, option=option)
    carried = {each.name: each.value for each in keys if each.carried}
    if carried:
        body = yaml.safe_dump(carried, sort_keys=True, allow_unicode=True, width=10_000)
        text += "".join(f"  {line}\n" for line in body.splitlines())
    return text if not provider or provider in OWN_WAYS else f"{PROVIDER}: {provider}\n{text}"
