"""What is asked of both sides before anything is copied; a test asks others."""

from __future__ import annotations

import http.client
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from operations.clouds.kubernetes.objects import ResourceKind
from operations.relocation.buckets import pairs, preflight
from operations.relocation.databases import postgres
from operations.relocation.databases.uri_rewrite import refusals, survey
from operations.relocation.runner.step import StepError
from operations.relocation.steps.rewrite import DECLARE, SCHEMAS, list_moved_prefixes, rules_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from operations.relocation.config.endpoints import DatabasePlace, Places, RelocationSide, StorePlace
    from operations.relocation.databases.postgres import DatabaseFacts
    from operations.relocation.databases.uri_rules import UriRules

    Secrets = Mapping[str, str]


SECONDS: Final = 10
LONGEST: Final = 100  # characters of a version
OK: Final = 200
NAMESPACES: Final = ResourceKind(group="", version="v1", plural="namespaces", name="Namespace", namespaced=False)


def database(place: DatabasePlace, secrets: Secrets) -> DatabaseFacts | None:
    """See `live.database_facts`."""
    from operations.relocation.databases.postgres import facts  # noqa: PLC0415 - a database is asked only here

    return facts(place, secrets)


def cluster(side: RelocationSide, secrets: Secrets, *, words: str) -> int | None:
    """How many namespaces a cluster has, by which it is known to answer; None where none is named.

    Raises:
        StepError: it does not answer, or refuses.
    """
    from operations.relocation.cluster.client import open_cluster  # noqa: PLC0415 - a cluster is asked only here

    found = open_cluster(side, secrets, words=words)
    return None if found is None else len(found.listed(NAMESPACES))


def mlflow_version(address: str, *, authority: str = "") -> str:
    """Version of the MLflow that answers.

    Raises:
        StepError: nobody answers, or something else does.
    """
    parts = urlsplit(address)
    path = f"{parts.path.rstrip('/')}/version"
    secure = ssl.create_default_context(cafile=authority or None) if parts.scheme == "https" else None
    try:
        asked = (
            http.client.HTTPSConnection(parts.netloc, timeout=SECONDS, context=secure)
            if secure
            else http.client.HTTPConnection(parts.netloc, timeout=SECONDS)
        )
    except http.client.InvalidURL as error:
        hint = "mlflow_url is http(s)://host:port, without a user"
        raise StepError(f"what names MLflow at {parts.hostname} is no address", hint=hint) from error
    try:
        asked.request("GET", path)
        answer = asked.getresponse()
        said = answer.read(LONGEST).decode("utf-8", "replace").strip()
    except (OSError, http.client.HTTPException) as error:
        raise StepError(f"MLflow at {address} does not answer: {type(error).__name__}") from error
    finally:
        asked.close()
    if answer.status != OK:
        raise StepError(f"MLflow at {address} answers {answer.status} when asked for its version")
    return said


def addresses(places: Places, secrets: Secrets) -> list[str]:
    """See `uri_refusals`."""
    return check_addresses(places, secrets)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideQueries:
    """How each is asked."""

    connect: pairs.Connect = pairs.connect
    database: Callable[[DatabasePlace, Secrets], DatabaseFacts | None] = database
    cluster: Callable[..., int | None] = cluster
    mlflow_version: Callable[[str], str] = mlflow_version
    administrator_answers: Callable[[StorePlace, Secrets], bool] = preflight.administrator_answers
    addresses: Callable[[Places, Secrets], list[str]] = addresses
    room_left: Callable[[StorePlace, Secrets], int | None] = preflight.room_left


ASKING: Final = SideQueries()


def check_addresses(places: Places, secrets: Mapping[str, str]) -> list[str]:
    """Databases that were looked at, once the rewriting would refuse none of their addresses.

    Each is only read: what is looked for is what stands still later, when a new rule would cost a roll back.

    Raises:
        StepError: with every address that fits no rule or becomes too long, counted; or the rules are not sound.
    """
    rules = rules_for(places)
    known = [each for each in places.source.databases if each.part in SCHEMAS and each.engine == "postgresql"]
    faults = [f"{each.part}: {fault}" for each in known for fault in _find_refusals(each, secrets, rules, places)]
    if faults:
        raise StepError("; ".join(faults), hint=DECLARE, evidence={"faults": faults})
    return [each.part for each in known]


def _find_refusals(place: DatabasePlace, secrets: Mapping[str, str], rules: UriRules, places: Places) -> list[str]:
    with postgres.session(place, secrets) as connection:
        found = survey(connection, SCHEMAS[place.part], rules, moved=list_moved_prefixes(places), counting=False)
    return refusals(found)
