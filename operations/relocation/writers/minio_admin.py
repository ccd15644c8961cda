"""MinIO's users and their policies, through its own client `mc`.

A bucket's policy binds only who comes without a key (minio, cmd/auth-handler.go): what stops a user is a policy of its
own. A denial goes before whatever its groups and other policies allow, and binds its access keys too. It does not bind
the root user, whom nothing binds.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, cast, final

from operations.project.signals import with_parent_death_signal
from operations.relocation.runner.step import Move, StepError
from operations.relocation.writers import bucket_policy
from planning.values.json_format import to_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from operations.relocation.config.endpoints import StorePlace

ALIAS: Final = "side"
SECONDS: Final = 60
BUILT: Final = Path(__file__).resolve().parents[3] / "tools" / "bin"
HOW: Final = "`tools/build mc` builds it, https://github.com/minio/mc has it"


@final
class Users:
    """Users of one MinIO, by its administrator, whose keys are in no argument and no file."""

    def __init__(self, place: StorePlace, secrets: Mapping[str, str], *, folder: Path) -> None:
        """Args: folder: an empty one, for the client's own files."""
        self._environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(folder),
            "MC_CONFIG_DIR": str(folder),
            f"MC_HOST_{ALIAS}": _address(place, secrets),
            **({"SSL_CERT_FILE": place.authority} if place.authority else {}),
        }
        self._folder = folder
        self._program = _program()
        self._endpoint = place.endpoint

    def list_policies(self) -> dict[str, tuple[str, ...]]:
        """Every user with its attached policies."""
        lines = self._run("user", "ls", ALIAS).splitlines()
        found = [to_mapping(cast("object", json.loads(each))) for each in lines if each.strip()]
        return {str(each["accessKey"]): _split(each.get("policyName")) for each in found if each.get("accessKey")}

    def write_policy(self, name: str, text: str) -> None:
        path = self._folder / f"{name}.json"
        path.write_text(text, encoding="utf-8")
        self._run("policy", "create", ALIAS, name, str(path))

    def attach(self, name: str, user: str) -> None:
        """Attach our policy; idempotent."""
        self._run("policy", "attach", ALIAS, name, "--user", user)

    def detach(self, name: str, user: str) -> None:
        """Detach our policy; idempotent."""
        self._run("policy", "detach", ALIAS, name, "--user", user)

    def drop_policy(self, name: str) -> None:
        """Delete our policy; idempotent."""
        # `mc policy rm` fails for a policy that is gone, and a second run must not.
        if f'"{name}"' in self._run("policy", "ls", ALIAS):
            self._run("policy", "rm", ALIAS, name)

    def _run(self, *arguments: str) -> str:
        """Output of the client, a JSON object per line.

        Raises:
            StepError: it fails.
        """
        try:
            found = subprocess.run(  # noqa: S603 - its own client, no shell
                with_parent_death_signal([self._program, "--json", "admin", *arguments]),
                env=self._environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=SECONDS,
                stdin=subprocess.DEVNULL,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise StepError(f"mc admin {arguments[0]} {arguments[1]}: {type(error).__name__}", hint=HOW) from error
        if found.returncode:
            raise StepError(
                f"{self._endpoint} refuses `mc admin {arguments[0]} {arguments[1]}`: {_reason(found.stdout)}",
                hint="admin of the store in relocation.yaml must name an administrator's keys",
            )
        return found.stdout


def close(place: StorePlace, buckets: Sequence[str], move: Move, *, side: str) -> dict[str, object]:
    """Attach the deny policy to every user but the copy worker's; what was done, as JSON."""
    mover = move.secrets.get(place.mover.access_key_env, "")
    with TemporaryDirectory(prefix="atoll-mc-") as folder:
        users = Users(place, move.secrets, folder=Path(folder))
        users.write_policy(_name(side), bucket_policy.build_user_policy(buckets))
        done: set[str] = set()
        while waiting := _waiting(users, done | {mover}):
            for user, policies in waiting.items():  # those who were made meanwhile come in the next round
                move.memory.remember(_key(side, user), {"policies": list(policies)})
                if _name(side) not in policies:
                    users.attach(_name(side), user)
                done.add(user)
    return {"kind": place.kind, "policy": _name(side), "users": sorted(done)}


def _waiting(users: Users, done: set[str]) -> dict[str, tuple[str, ...]]:
    return {user: policies for user, policies in users.list_policies().items() if user not in done}


def open_again(place: StorePlace, _buckets: Sequence[str], move: Move, *, side: str) -> dict[str, object]:
    """Detach the policy from every user to whom the freeze attached it, and delete it."""
    with TemporaryDirectory(prefix="atoll-mc-") as folder:
        users = Users(place, move.secrets, folder=Path(folder))
        done: list[str] = []
        for user, there in users.list_policies().items():
            if _name(side) in there and _is_ours(move, side, user):
                users.detach(_name(side), user)
                done.append(user)
        if not any(_name(side) in there for there in users.list_policies().values()):
            users.drop_policy(_name(side))
    return {"kind": place.kind, "users": sorted(done)}


def _is_ours(move: Move, side: str, user: str) -> bool:
    """Whether the freeze attached it."""
    kept = to_mapping(move.memory.recall(_key(side, user)))
    return bool(kept) and _name(side) not in cast("list[object]", kept.get("policies") or [])


def _name(side: str) -> str:
    """Name of our policy."""
    # With the side: both may be one MinIO.
    return f"{bucket_policy.NAME}-{side}"


def _key(side: str, user: str) -> str:
    return f"freeze/{side}/store/user/{user}"


def _split(names: object) -> tuple[str, ...]:
    return tuple(each for each in str(names or "").split(",") if each)


def _address(place: StorePlace, secrets: Mapping[str, str]) -> str:
    """Value of MC_HOST_*, which is split at colons and not decoded.

    Raises:
        StepError: keys are not there, or such that the client would misread them.
    """
    keys = place.admin
    if keys is None:
        raise StepError("MinIO's users cannot be stopped: relocation.yaml names no `admin` of its store")
    access, secret = secrets.get(keys.access_key_env, ""), secrets.get(keys.secret_key_env, "")
    if not access or not secret:
        raise StepError(f"{keys.access_key_env} and {keys.secret_key_env} are not both set")
    if ":" in access + secret:
        raise StepError("mc takes no key with a colon in it", hint=f"give {keys.access_key_env} another key pair")
    scheme, _, host = place.endpoint.partition("://")
    return f"{scheme}://{access}:{secret}@{host}"


def _program() -> str:
    """Path of `mc`.

    Raises:
        StepError: it is not on this machine. There is another program of that name, Midnight Commander.
    """
    built = BUILT / "mc"
    found = str(built) if built.is_file() else shutil.which("mc")
    if not found:
        raise StepError("MinIO's client `mc` is not on PATH", hint=HOW)
    return found


def _reason(output: str) -> str:
    for line in output.splitlines():
        try:
            told = to_mapping(to_mapping(cast("object", json.loads(line))).get("error"))
        except ValueError:
            continue
        cause = to_mapping(to_mapping(told.get("cause")).get("error"))
        return str(cause.get("Code") or told.get("message") or "no reason given")
    return "no reason given"
