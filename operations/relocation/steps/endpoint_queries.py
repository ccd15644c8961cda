"""What is asked of both sides before anything is copied; a test asks others."""

from __future__ import annotations

import http.client
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from operations.clouds.kubernetes.objects import Kind
from operations.relocation.buckets import capacity, pairs
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from operations.relocation.config.endpoints import DatabasePlace, Places, Side, StorePlace
    from operations.relocation.databases.postgres_facts import DatabaseFacts

    Secrets = Mapping[str, str]

SECONDS: Final = 10
LONGEST: Final = 100  # characters of a version
OK: Final = 200
NAMESPACES: Final = Kind(group="", version="v1", plural="namespaces", name="Namespace", namespaced=False)


def database(place: DatabasePlace, secrets: Secrets) -> DatabaseFacts | None:
    """See `live.database_facts`."""
    from operations.relocation.databases.postgres_facts import facts  # noqa: PLC0415 - a database is asked only here

    return facts(place, secrets)


def cluster(side: Side, secrets: Secrets, *, words: str) -> int | None:
    """How many namespaces a cluster has, by which it is known to answer; None where none is named.

    Raises:
        StepError: it does not answer, or refuses.
    """
    from operations.relocation.cluster.client import opened  # noqa: PLC0415 - a cluster is asked only here

    found = opened(side, secrets, words=words)
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
    from operations.relocation.steps.uri_refusals import hold  # noqa: PLC0415 - databases are asked only here

    return hold(places, secrets)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How each is asked."""

    connect: pairs.Connect = pairs.connect
    database: Callable[[DatabasePlace, Secrets], DatabaseFacts | None] = database
    cluster: Callable[..., int | None] = cluster
    mlflow_version: Callable[[str], str] = mlflow_version
    administrator_answers: Callable[[StorePlace, Secrets], bool] = capacity.administrator_answers
    addresses: Callable[[Places, Secrets], list[str]] = addresses
    room_left: Callable[[StorePlace, Secrets], int | None] = capacity.room_left


ASKING: Final = Asking()
