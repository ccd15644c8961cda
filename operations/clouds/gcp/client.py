"""The few calls that Google Cloud is asked with; what its SDK leaves untyped ends here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, final

import google.auth
from google.api_core.exceptions import GoogleAPICallError, NotFound, RetryError, ServiceUnavailable
from google.api_core.retry import Retry, if_exception_type
from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError
from google.cloud import asset_v1, compute_v1
from google.protobuf.json_format import ParseError
from requests import RequestException

from operations.clouds.registry import Refusals

if TYPE_CHECKING:
    from collections.abc import Iterable

    from google.auth.credentials import Credentials

# Compute Engine is asked over `requests`: its SDK hands on that one's errors, and its own of what is no JSON.
REFUSED: Final = (GoogleAPICallError, GoogleAuthError, RetryError, RequestException, ParseError)
NO_CREDENTIALS: Final = "no Google Cloud credentials: gcloud auth application-default login"
NO_PROJECT: Final = "no Google Cloud project: pulumi config set gcp:project, or GOOGLE_CLOUD_PROJECT"
# Of both APIs (AUTH_SCOPES of their clients), which do not take cloud-platform.read-only; a person's own login has no
# such scope to narrow down to. What may be done is for the roles of whoever asks to say.
SCOPES: Final = ("https://www.googleapis.com/auth/cloud-platform",)
WAIT_SECONDS: Final = 20.0


# The SDK types neither credentials nor `request` and `retry` of its calls, so each is partly unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# While an API is busy; the SDK by itself goes on for 10 minutes.
AGAIN: Final = Retry(if_exception_type(ServiceUnavailable), timeout=WAIT_SECONDS)


@final
class GoogleProject:
    """One project, asked with the credentials of the environment."""

    def __init__(self, name: str, credentials: Credentials) -> None:
        self._name = name
        self._credentials = credentials

    def get_region(self, name: str) -> compute_v1.Region:
        """A region with its zones and quotas."""
        client = compute_v1.RegionsClient(credentials=self._credentials)
        return client.get(project=self._name, region=name, retry=AGAIN, timeout=WAIT_SECONDS)

    def offers(self, *, zone: str, machine: str) -> bool:
        """Whether a zone has a machine type."""
        client = compute_v1.MachineTypesClient(credentials=self._credentials)
        try:
            client.get(project=self._name, zone=zone, machine_type=machine, retry=AGAIN, timeout=WAIT_SECONDS)
        except NotFound:
            return False
        return True

    def list_reservations(self, name: str) -> Iterable[compute_v1.Reservation]:
        """Reservations of this name, in every zone."""
        client = compute_v1.ReservationsClient(credentials=self._credentials)
        asked = compute_v1.AggregatedListReservationsRequest(project=self._name, filter=f'name = "{name}"')
        return [
            each
            for _, zone in client.aggregated_list(asked, retry=AGAIN, timeout=WAIT_SECONDS)
            for each in zone.reservations
        ]

    def list_instances(self, label: str, value: str) -> Iterable[compute_v1.Instance]:
        """Machines with a label, in every zone."""
        client = compute_v1.InstancesClient(credentials=self._credentials)
        asked = compute_v1.AggregatedListInstancesRequest(project=self._name, filter=f'labels.{label} = "{value}"')
        return [
            each
            for _, zone in client.aggregated_list(asked, retry=AGAIN, timeout=WAIT_SECONDS)
            for each in zone.instances
        ]

    def list_disks(self, label: str, value: str) -> Iterable[compute_v1.Disk]:
        """Disks with a label, in every zone."""
        client = compute_v1.DisksClient(credentials=self._credentials)
        asked = compute_v1.AggregatedListDisksRequest(project=self._name, filter=f'labels.{label} = "{value}"')
        return [
            each for _, zone in client.aggregated_list(asked, retry=AGAIN, timeout=WAIT_SECONDS) for each in zone.disks
        ]

    def list_routers(self, region: str) -> Iterable[compute_v1.Router]:
        """Cloud Routers of a region, which carry no labels."""
        client = compute_v1.RoutersClient(credentials=self._credentials)
        return list(client.list(project=self._name, region=region, retry=AGAIN, timeout=WAIT_SECONDS))

    def list_forwarding_rules(self, region: str) -> Iterable[compute_v1.ForwardingRule]:
        """Forwarding rules of a region: those that GKE makes carry no label of ours."""
        client = compute_v1.ForwardingRulesClient(credentials=self._credentials)
        return list(client.list(project=self._name, region=region, retry=AGAIN, timeout=WAIT_SECONDS))

    def search_assets(self, label: str, value: str) -> Iterable[asset_v1.ResourceSearchResult]:
        """Everything with a label that the asset inventory can search."""
        client = asset_v1.AssetServiceClient(credentials=self._credentials)
        scope, query = f"projects/{self._name}", f"labels.{label}={value}"
        return list(client.search_all_resources(scope=scope, query=query, retry=AGAIN, timeout=WAIT_SECONDS))


def google_of(project: str) -> GoogleProject | str:
    """The project with the credentials of the environment; why there is none where there is none."""
    try:
        credentials, default = google.auth.default(scopes=SCOPES)
    except DefaultCredentialsError:
        return NO_CREDENTIALS
    except GoogleAuthError as error:  # of a workload's identity, which Google is asked about for its project
        return refusal(error)
    name = project or default
    return GoogleProject(name, cast("Credentials", credentials)) if name else NO_PROJECT


def refusal(error: Exception) -> str:
    """Why Google Cloud did not answer, in one line."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__


REFUSALS: Final = Refusals(REFUSED, refusal)
