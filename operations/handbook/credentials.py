"""Personal credentials: a folder for each user with VPN profile, kubeconfig and first password."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING, Final, cast

from operations.handbook.stack_outputs import describe_other_stack
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from planning.checklist.model.people import User
    from planning.spec.cluster import ClusterSpec
    from planning.spec.lock import Lock

PROFILES: Final = "vpnProfiles"
KUBECONFIGS: Final = "kubeconfigs"
KUBECONFIG: Final = "kubeconfig"  # one for all roles, where the provider signs everybody in
PASSWORDS: Final = "signInPasswords"  # the name of an output, no password
PLACEMENTS: Final = "placements"
HINT: Final = "update the stack first: its users are those of the last update"
MASK: Final = "[secret]"  # what the engine prints instead of a secret
KEPT: Final = (".git", ".hg", ".svn", ".jj")
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


def folders(lock: Lock, plain: Mapping[str, object]) -> dict[str, str]:
    """Paths and texts of all users' files, each below the user's name.

    Files of an additional placement are in a folder of its name.

    Args:
        plain: outputs of the stack, secrets included.

    Raises:
        InputError: the lock has no users; the outputs are another stack's; a user has no profile, because the last
            update did not know them; or an output is not what the program writes.
    """
    if not lock.spec.access.users:
        raise InputError("the lock has no users", hint="name them in access.users and accept again")
    if not plain:
        raise InputError("the stack has no outputs: nothing is built yet", hint="atoll up first")
    if stranger := describe_other_stack(plain, stack=lock.stack):
        raise InputError(
            stranger, hint=f"atoll outputs {lock.stack} --json --show-secrets writes those of {lock.stack}"
        )
    found: dict[str, str] = {}
    beside = _entries(plain, PLACEMENTS)
    for spec in lock.placements:
        home, name = spec is lock.spec, spec.placement.name
        outputs = plain if home else _entries(beside, name)
        if home or outputs:
            found |= {f"{user}/{'' if home else f'{name}/'}{file}": text for user, file, text in _of(spec, outputs)}
    return found


def _of(spec: ClusterSpec, outputs: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    profiles = _entries(outputs, PROFILES)
    missing = [user.name for user in spec.access.users if spec.vpn and user.name not in profiles]
    if missing:
        raise InputError(f"no VPN profile was made for {', '.join(missing)}", hint=HINT)
    for user in spec.access.users:
        files = dict(_files(user, spec, outputs))
        yield from ((user.name, name, text) for name, text in files.items())
        yield user.name, "READ-ME.txt", "\n".join(_words(user, spec, files)) + "\n"


def _files(user: User, spec: ClusterSpec, outputs: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    profiles, roles = _entries(outputs, PROFILES), _entries(outputs, KUBECONFIGS)
    passwords = _entries(outputs, PASSWORDS)
    if user.name in profiles:
        yield f"{user.name}.conf", _text(profiles, user.name, of=PROFILES)
    # The kubeconfig of an existing cluster is an administrator's, with the credential in it: it is not handed out.
    if spec.existing is None and user.group in roles:
        yield f"{user.group}.kubeconfig", _text(roles, user.group, of=KUBECONFIGS)
    elif spec.existing is None and KUBECONFIG in outputs:
        yield "cluster.kubeconfig", _text(outputs, KUBECONFIG, of=KUBECONFIG)
    if user.name in passwords:
        yield "sign-in.txt", f"{user.email}\n{_text(passwords, user.name, of=PASSWORDS)}\n"


def _words(user: User, spec: ClusterSpec, files: Iterable[str]) -> Iterator[str]:
    yield f"{user.name}: the files in this folder are personal credentials. Do not share them."
    if f"{user.name}.conf" in files:
        yield f"{user.name}.conf: import it into a WireGuard client and connect. It routes the cluster's network only."
    for name in files:
        if name.endswith(".kubeconfig"):
            yield f"{name}: set KUBECONFIG to its path. It contains no credential: you sign in to the cloud."
    if spec.existing is not None:
        yield f"kubectl: an administrator issues a kubeconfig for some hours: atoll access STACK --user {user.name}"
    if "sign-in.txt" in files:
        yield "sign-in.txt: your user name and your first password at the cluster's sign-in."
    elif spec.platform is not None:
        yield "Services: sign in with your usual account."
    yield "If a file is lost or disclosed, report it at once: it is replaced within minutes."


def check_place(folder: Path, names: Iterable[str]) -> None:
    """Whether folders of people's names may lie there.

    Raises:
        InputError: it would be inside a repository, or others could read or exchange what is written.
    """
    if repository := inside_repository(folder.resolve()):
        raise InputError(
            f"{folder} is inside the repository {repository}; credentials never are",
            hint="name a folder outside of every repository",
        )
    if folder.is_dir() and folder.stat().st_mode & OTHERS_WRITE:
        raise InputError(f"{folder}: others can write there", hint="name a new folder, or chmod 700 this one")
    for place in (folder / name for name in sorted({name.rpartition("/")[0] for name in names})):
        # A link that somebody else laid would lead the credentials to where that one can read them.
        if place.is_symlink():
            raise InputError(f"{place} is a link to {place.resolve()}", hint="remove it, or name a new folder")
        if place.is_dir() and place.stat().st_mode & OTHERS:
            raise InputError(f"{place}: others can look into it", hint="chmod 700 it, or name a new folder")


def inside_repository(folder: Path) -> Path | None:
    """The repository that a folder would be in; None for none."""
    return next((each for each in (folder, *folder.parents) if any((each / kept).exists() for kept in KEPT)), None)


def _entries(outputs: Mapping[str, object], name: str) -> Mapping[str, object]:
    """An output that is an object; none where it is missing."""
    value = outputs.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"output {name} is not an object", hint="atoll outputs STACK --json --show-secrets writes it")
    return cast("dict[str, object]", value)


def _text(outputs: Mapping[str, object], name: str, *, of: str) -> str:
    """A text; a kubeconfig may be an object, and JSON is YAML."""
    value = outputs[name]
    if isinstance(value, dict) and value:
        return json.dumps(value, indent=2) + "\n"
    if not isinstance(value, str) or not value.strip() or value == MASK:
        raise InputError(
            f"output {of}: what it holds for {name} is no text of the program's",
            hint="atoll outputs STACK --json --show-secrets writes it",
        )
    return value
