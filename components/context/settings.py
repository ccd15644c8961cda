"""Settings of a stack's configuration. What is priced does not depend on them, which is in the lock.

`atoll:estimates` alone says whether what has no price is estimated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import AddressValueError, IPv4Address
from typing import TYPE_CHECKING, Final, cast

import pulumi

from planning.costs.estimates import EstimateUse
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

SECTION: Final = "atoll"
EVERYTHING: Final = "all"
REACHES: Final = (EVERYTHING, "cloud")
ALERT_KINDS: Final = ("webhook", "slack", "teams")  # receivers of Alertmanager


@dataclass(frozen=True, kw_only=True)
class StackSettings:
    """Configuration of one stack (`pulumi config set atoll:<key> ...`).

    Args:
        offline: set by `operations.offline`: the program may make no outside call.
        allow_destroy: switches off the cluster's deletion protection, before a destroy.
        reservations: pool name to the id of the capacity reservation or capacity block its nodes start in.
        inside: whether the contents of the cluster are registered; not with `reach: cloud`, for a first update from
            outside the cluster's network, which creates the VPN that the second one uses.
        vpn_rotation: counter of all keys of the VPN; another number rotates them.
        vpn_rotations: the same for single users, by name.
        audit_trail: whether the cluster's account gets a trail; off where the account has one already.
        link_address: public address of the cluster's egress, where the main cloud is connected by a VPN.
        link_gateway: id of the existing VPN gateway of the main VPC, which can have only one.
        link_peer: address of the main cloud's gateway where the customer created it; link_key: its pre-shared key.
        sso_client_secret: client secret of `access.sso` at the customer's identity provider.
        certificate_issuer: the customer's own cert-manager ClusterIssuer, for the names of web interfaces.
        backup_bucket: the customer's bucket for backups of an existing cluster; backup_endpoint: URL of its
            S3-compatible API; backup_region: in signatures; backup_access_key, backup_secret_key: its keys.
        backup_snapshot_driver: CSI driver of the disks of an existing cluster, where it supports snapshots.
        alert_receiver: address of the alert receiver; alert_kind: its kind.
        forwarding_credentials: file with the main cloud's credentials for logs and metrics: of AWS its credentials
            file, of Google Cloud the key of a service account, of Azure the connection string.
        wandb_api_key, comet_api_key: keys of the experiment tracker, where it is an external service;
            wandb_base_url, comet_base_url: URL of the customer's own server.
        estimates: whether a plan may estimate what has no price; the program builds the same either way.
        airflow_dags: git repository of Airflow's DAGs; airflow_dags_ref: its branch or tag.
    """

    offline: bool
    allow_destroy: bool
    reservations: Mapping[str, str]
    inside: bool = True
    vpn_rotation: int = 0
    vpn_rotations: Mapping[str, int] = field(default_factory=dict[str, int])
    link_address: str = ""
    link_gateway: str = ""
    link_peer: str = ""
    link_key: pulumi.Input[str] = field(default="", repr=False)
    sso_client_secret: pulumi.Input[str] = field(default="", repr=False)
    certificate_issuer: str = ""
    audit_trail: bool = True
    backup_bucket: str = ""
    backup_endpoint: str = ""
    backup_region: str = ""
    backup_access_key: pulumi.Input[str] = field(default="", repr=False)
    backup_secret_key: pulumi.Input[str] = field(default="", repr=False)
    backup_snapshot_driver: str = ""
    alert_receiver: pulumi.Input[str] = field(default="", repr=False)
    alert_kind: str = "webhook"
    forwarding_credentials: pulumi.Input[str] = field(default="", repr=False)
    wandb_api_key: pulumi.Input[str] = field(default="", repr=False)
    wandb_base_url: str = ""
    comet_api_key: pulumi.Input[str] = field(default="", repr=False)
    comet_base_url: str = ""
    estimates: EstimateUse = EstimateUse.ALLOWED
    airflow_dags: str = ""
    airflow_dags_ref: str = "main"


def read_settings() -> StackSettings:
    """The settings of the current stack; raises InputError, which names an invalid setting."""
    config = pulumi.Config(SECTION)
    return StackSettings(
        offline=config.get_bool("offline") or False,
        allow_destroy=config.get_bool("allowDestroy") or False,
        reservations=_mapping(config, "capacityReservations", what="pool names to reservation ids"),
        inside=_inside(config.get("reach") or EVERYTHING),
        vpn_rotation=config.get_int("vpnRotation") or 0,
        vpn_rotations=_counters(_mapping(config, "vpnRotations", what="users' names to whole numbers")),
        link_address=_address(config.get("linkAddress") or "", name="linkAddress"),
        link_gateway=config.get("linkGateway") or "",
        link_peer=_address(config.get("linkPeer") or "", name="linkPeer"),
        link_key=config.get_secret("linkKey") or "",
        sso_client_secret=config.get_secret("ssoClientSecret") or "",
        certificate_issuer=config.get("certificateIssuer") or "",
        audit_trail=config.get_bool("auditTrail") is not False,
        backup_bucket=_whole_bucket(config),
        backup_endpoint=_https(config.get("backupEndpoint") or "", name="backupEndpoint"),
        backup_region=config.get("backupRegion") or "us-east-1",
        backup_access_key=config.get_secret("backupAccessKey") or "",
        backup_secret_key=config.get_secret("backupSecretKey") or "",
        backup_snapshot_driver=config.get("backupSnapshotDriver") or "",
        alert_receiver=config.get_secret("alertReceiver") or "",
        alert_kind=_alert_kind(config.get("alertKind") or ALERT_KINDS[0]),
        forwarding_credentials=config.get_secret("forwardingCredentials") or "",
        wandb_api_key=config.get_secret("wandbApiKey") or "",
        wandb_base_url=_https(config.get("wandbBaseUrl") or "", name="wandbBaseUrl"),
        comet_api_key=config.get_secret("cometApiKey") or "",
        comet_base_url=_https(config.get("cometBaseUrl") or "", name="cometBaseUrl"),
        estimates=_estimates(config.get("estimates") or EstimateUse.ALLOWED),
        airflow_dags=_https(config.get("airflowDags") or "", name="airflowDags"),
        airflow_dags_ref=config.get("airflowDagsRef") or "main",
    )


def _alert_kind(kind: str) -> str:
    if kind not in ALERT_KINDS:
        raise InputError(f"{SECTION}:alertKind is {kind!r}, and must be one of {', '.join(ALERT_KINDS)}")
    return kind


def _estimates(word: str) -> EstimateUse:
    if word not in set(EstimateUse):
        raise InputError(f"{SECTION}:estimates is {word!r}, and must be one of {', '.join(EstimateUse)}")
    return EstimateUse(word)


def _whole_bucket(config: pulumi.Config) -> str:
    bucket = config.get("backupBucket") or ""
    missing = [name for name in ("backupAccessKey", "backupSecretKey") if config.get_secret(name) is None]
    if bucket and missing:
        raise InputError(
            f"{SECTION}:backupBucket is {bucket!r}, and {' and '.join(missing)} missing",
            hint=f"pulumi config set --secret {SECTION}:{missing[0]}",
        )
    return bucket


def _https(address: str, *, name: str) -> str:
    if address and not address.startswith("https://"):
        raise InputError(f"{SECTION}:{name} is {address!r}, and must begin with https://")
    return address


def _mapping(config: pulumi.Config, name: str, *, what: str) -> dict[str, str]:
    found = cast("object", config.get_object(name, {}))
    if not isinstance(found, dict):
        raise InputError(f"{SECTION}:{name} must map {what}")
    return {str(key): str(value) for key, value in cast("dict[object, object]", found).items()}


def _inside(reach: str) -> bool:
    if reach not in REACHES:
        raise InputError(f"{SECTION}:reach is {reach!r}, and must be one of {', '.join(REACHES)}")
    return reach == EVERYTHING


def _counters(found: Mapping[str, str]) -> dict[str, int]:
    for user, count in found.items():
        if not count.isdecimal():
            raise InputError(f"{SECTION}:vpnRotations says {count!r} for {user!r}, which is not a whole number")
    return {user: int(count) for user, count in found.items()}


def _address(text: str, *, name: str) -> str:
    try:
        public = not text or IPv4Address(text).is_global
    except AddressValueError:
        public = False
    if not public:
        raise InputError(
            f"{SECTION}:{name} is {text!r}, which is not a public IPv4 address",
            hint="the cluster's is that of the NAT in front of its nodes, the peer's that of the main cloud's gateway",
        )
    return text
