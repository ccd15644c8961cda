"""The reference page of the settings: what a stack's configuration may say, key by key.

`.venv/bin/python -m components.context.settings_reference > docs/reference/settings.md`
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import components

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, kw_only=True)
class StackSettingKey:
    """One key. `targets` are those that read it, "all" for every one."""

    key: str
    targets: str = "all"
    meaning: str
    default: str = ""


SETTINGS: Final = (
    StackSettingKey(
        key="atoll:reach",
        meaning="`cloud` leaves out what is inside the cluster: for a first update from where its API is out of reach",
        default="`all`",
    ),
    StackSettingKey(
        key="atoll:allowDestroy",
        targets="aws, gcp",
        meaning="`true` switches off the cluster's own deletion protection; `atoll destroy` sets and removes it",
        default="`false`",
    ),
    StackSettingKey(
        key="atoll:capacityReservations",
        targets="aws, gcp",
        meaning="pool to the id (AWS) or name (Google Cloud) of the reservation or capacity block it starts in",
        default="none; a capacity block needs one",
    ),
    StackSettingKey(
        key="atoll:vpnRotation",
        meaning="a whole number; another one makes all keys of the VPN anew",
        default="`0`",
    ),
    StackSettingKey(
        key="atoll:vpnRotations",
        meaning="user to a whole number; another one makes that user's keys anew",
        default="`0` for each",
    ),
    StackSettingKey(
        key="atoll:auditTrail",
        targets="aws",
        meaning="`false` where the account has a trail already",
        default="`true`",
    ),
    StackSettingKey(
        key="gcp:project",
        targets="gcp",
        meaning="the project everything is made in",
        default="the environment's",
    ),
    StackSettingKey(
        key="atoll:poolZones",
        targets="gcp",
        meaning="pool to the zone its nodes start in, where they must be close together or are reserved",
        default="the lock's: the first that sells the machine",
    ),
    StackSettingKey(
        key="atoll:billingAccount",
        targets="gcp",
        meaning="billing account in USD in which the budget over the ceiling is made",
        default="none, and no budget",
    ),
    StackSettingKey(
        key="atoll:zone",
        targets="coreweave",
        meaning="availability zone of everything",
        default="the first of the lock's",
    ),
    StackSettingKey(
        key="atoll:cpuMachine",
        targets="coreweave",
        meaning="instance type of nodes that the lock leaves without a name (`cpu-node`)",
        default="needed where there are such nodes",
    ),
    StackSettingKey(
        key="atoll:publicApi",
        targets="coreweave",
        meaning="`true` opens the API to the whole internet, guarded by tokens alone",
        default="`false`",
    ),
    StackSettingKey(
        key="atoll:oidcIssuer",
        targets="coreweave",
        meaning="issuer of your OpenID Connect, whose groups then sign in; goes with `atoll:oidcClient`",
        default="CoreWeave's own tokens",
    ),
    StackSettingKey(
        key="atoll:oidcClient",
        targets="coreweave",
        meaning="client of that issuer",
        default="none",
    ),
    StackSettingKey(
        key="atoll:backupBucket",
        targets="existing",
        meaning="your own bucket for backups; the cluster has none, and a backup beside what it holds dies with it",
        default="none: backups go to the store in the cluster",
    ),
    StackSettingKey(
        key="atoll:backupEndpoint",
        targets="existing",
        meaning="address of its S3-compatible API, with https://",
        default="AWS in that region",
    ),
    StackSettingKey(
        key="atoll:backupRegion",
        targets="existing",
        meaning="its region, as signatures name it",
        default="`us-east-1`",
    ),
    StackSettingKey(
        key="atoll:backupAccessKey",
        targets="existing, coreweave",
        meaning="secret: access key of the bucket; on CoreWeave only where no pod identity webhook is installed",
        default="needed with a bucket of your own",
    ),
    StackSettingKey(
        key="atoll:backupSecretKey",
        targets="existing, coreweave",
        meaning="secret: its secret key",
        default="needed with a bucket of your own",
    ),
    StackSettingKey(
        key="atoll:backupSnapshotDriver",
        targets="existing, coreweave",
        meaning="CSI driver of the network disks, where the cluster takes snapshots: backups are read from these",
        default="none: only mounted volumes are backed up",
    ),
    StackSettingKey(
        key="atoll:linkAddress",
        targets="existing, coreweave",
        meaning="public address that the cluster's traffic leaves from, where a VPN joins it to the main cloud",
        default="needed for the tunnel",
    ),
    StackSettingKey(
        key="atoll:linkGateway",
        targets="existing, coreweave",
        meaning="id of the VPN gateway that the main network on AWS or Azure has already",
        default="a new one",
    ),
    StackSettingKey(
        key="atoll:linkPeer",
        targets="existing, coreweave",
        meaning="address of the main cloud's gateway: Azure's that is there already, or the one you made yourself",
        default="none",
    ),
    StackSettingKey(
        key="atoll:linkKey",
        targets="existing, coreweave",
        meaning="pre-shared key of the gateway that you made yourself, a secret",
        default="none",
    ),
    StackSettingKey(
        key="atoll:ssoClientSecret",
        meaning="secret: client secret of `access.sso` at your identity provider",
        default="needed with `access.sso`",
    ),
    StackSettingKey(
        key="atoll:certificateIssuer",
        meaning="a cert-manager ClusterIssuer that you made, for the certificate of the names that people open",
        default="the cluster's own authority",
    ),
    StackSettingKey(
        key="atoll:alertReceiver",
        meaning="secret: address that alerts are sent to",
        default="none: alerts are seen in Grafana only",
    ),
    StackSettingKey(
        key="atoll:alertKind",
        meaning="what answers at that address: `webhook`, `slack` or `teams`",
        default="`webhook`",
    ),
    StackSettingKey(
        key="atoll:forwardingCredentials",
        meaning="secret: file with the main cloud's credentials, where `main_cloud.logs_and_metrics` is on: of AWS a"
        " credentials file, of Google Cloud a service account's key, of Azure a connection string",
        default="none: the identity of the collector's pods is tried",
    ),
    StackSettingKey(
        key="atoll:wandbApiKey",
        meaning="secret: key of Weights & Biases, where `tracker` is `wandb`",
        default="none: each team puts its own into its namespace",
    ),
    StackSettingKey(
        key="atoll:wandbBaseUrl",
        meaning="address of a Weights & Biases server of your own, with https://",
        default="its public service",
    ),
    StackSettingKey(
        key="atoll:cometApiKey",
        meaning="secret: key of Comet, where `tracker` is `comet`",
        default="none: each team puts its own into its namespace",
    ),
    StackSettingKey(
        key="atoll:cometBaseUrl",
        meaning="address of a Comet server of your own, with https://",
        default="its public service",
    ),
    StackSettingKey(
        key="atoll:airflowDags",
        meaning="git repository that Airflow takes its DAGs from, with https://",
        default="none: Airflow has no DAGs",
    ),
    StackSettingKey(
        key="atoll:airflowDagsRef",
        meaning="branch or tag of that repository",
        default="`main`",
    ),
    StackSettingKey(
        key="atoll:offline",
        meaning="set by `atoll plan` for its own run: nothing outside the program is asked. Leave it alone",
        default="`false`",
    ),
)


ROOM: Final = Path(str(components.__file__)).parent  # every file of it is read
SECTION: Final = "atoll"

_HEAD: Final = """\
# The settings

<!-- Generated by: .venv/bin/python -m components.context.settings_reference -->

What the lock cannot know: ids that your cloud gave, secrets, and switches of one moment. They lie below `config:` in
`stacks/Pulumi.STACK.yaml` and change no price. Write that file by hand, or with Pulumi:

```text
pulumi config set atoll:zone US-EAST-04A --stack my-team
pulumi config set --path 'atoll:poolZones.train' us-central1-a --stack my-team
pulumi config set --secret atoll:linkKey --stack my-team
```

| setting | targets | meaning | default | read in |
|---|---|---|---|---|
"""


def text() -> str:
    read = readers()
    rows = (
        f"| `{each.key}` | {each.targets} | {each.meaning} | {each.default} | `components/{read.get(each.key, '')}` |\n"
        for each in SETTINGS
    )
    return _HEAD + "".join(rows)


def readers() -> dict[str, str]:
    """Every key that the components read, with the file that does; found in their syntax, so that none is forgotten."""
    found: dict[str, str] = {}
    for path in sorted(ROOM.rglob("*.py")):
        source = path.read_text()
        if "Config(" in source:
            tree = ast.parse(source)
            found |= dict.fromkeys(_keys(tree), path.relative_to(ROOM).as_posix())
    return found


def _keys(tree: ast.Module) -> Iterator[str]:
    words = {
        node.target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and (section := _section(call)):
            for argument in call.args:
                word = words.get(argument.id) if isinstance(argument, ast.Name) else getattr(argument, "value", None)
                if isinstance(word, str):
                    yield f"{section}:{word}"


def _section(call: ast.Call) -> str:
    """Section of the configuration that a call reads from; "" for any other call."""
    first = call.args[0] if call.args else None
    reads = isinstance(call.func, ast.Attribute) and call.func.attr.startswith(("get", "require"))
    source = call.func.value if reads and isinstance(call.func, ast.Attribute) else first
    if isinstance(source, ast.Name):
        return SECTION if source.id == "config" else ""
    if reads and isinstance(source, ast.Call) and source.args and isinstance(source.args[0], ast.Constant):
        return str(source.args[0].value)
    return ""


if __name__ == "__main__":
    sys.stdout.write(text())
