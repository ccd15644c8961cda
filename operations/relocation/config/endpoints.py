"""relocation.yaml: the two sides of a relocation and how each is reached. It names secrets and never holds one."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

Variable = Annotated[str, Field(pattern=r"^[A-Z_][A-Z0-9_]*$")]
"""Name of an environment variable."""
PLACES_NAME: Final = "relocation.yaml"
FILL: Final = "FILL-IN"  # stands in a draft where only people know; no name of a bucket or host is read from it


class PlacesModel(BaseModel):
    """A frozen part that knows no field but its own."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Keys(PlacesModel):
    """Where a pair of access keys is found."""

    access_key_env: Variable
    """Environment variable with the access key."""
    secret_key_env: Variable
    """Environment variable with the secret key."""
    session_token_env: Variable | None = None
    """Environment variable with the session token, where keys are temporary."""


StoreKind = Literal["minio", "aws", "gcs", "other"]


class StorePlace(PlacesModel):
    """An object store that speaks S3."""

    kind: StoreKind
    """What it is, which decides how its writers are stopped."""
    endpoint: str = Field(pattern=r"^https?://[^/]+$")
    """Address, without a path."""
    region: str = "us-east-1"
    """Region that signatures name."""
    authority: str = ""
    """File of the authority that signed its certificate; none for those of the system."""
    path_style: bool = True
    """Whether buckets stand in the path rather than in the host's name."""
    mover: Keys
    """Who copies: reads at the source, writes at the target."""
    canary: Keys | None = None
    """A writer like any other, by whom the freeze is tried; the source needs one."""
    admin: Keys | None = None
    """Who may stop MinIO's users; only where `kind` is minio."""


class DatabasePlace(PlacesModel):
    """A PostgreSQL or MySQL database of one part."""

    part: Literal["mlflow", "pipelines", "katib", "model_registry", "grafana", "airflow"]
    """Whose it is."""
    engine: Literal["postgresql", "mysql"] = "postgresql"
    """What it is."""
    uri_env: Variable
    """Environment variable with its URI, as in postgresql://user:password@host:5432/mlflow."""


class RelocationSide(PlacesModel):
    """One side."""

    stack: str
    """Name of the stack."""
    store: StorePlace
    """Its object store."""
    kubeconfig_env: Variable | None = None
    """Environment variable that names its kubeconfig; none where no cluster is asked."""
    context: str | None = None
    """Context in that kubeconfig."""
    databases: tuple[DatabasePlace, ...] = ()
    """Databases that are moved; each must be there on both sides."""
    mlflow_url: str = ""
    """Address of MLflow's server; none where there is none."""


class BucketMove(PlacesModel):
    """One bucket, from the source to the target."""

    source: str
    """Its name at the source."""
    target: str
    """Its name at the target."""
    loss: Literal["irreplaceable", "large"] = "irreplaceable"
    """How it is verified: every byte, or a sample of the bytes and everything else of every object."""
    versions: bool = False
    """Whether older versions are moved too."""
    mover: Literal["atoll", "cluster"] = "atoll"
    """What copies it: Atoll on this computer, or Atoll as pods of `movers`."""


class StorePeer(PlacesModel):
    """Where mover pods may connect to: a range of addresses, or pods of a namespace."""

    port: int = Field(ge=1, le=65535)
    """Port of the store."""
    cidr: str = ""
    """Its addresses, as in 192.0.2.0/24; none where the store is made of pods."""
    namespace: str = ""
    """Namespace of the store's pods; none where addresses are named."""
    labels: dict[str, str] = Field(default_factory=dict[str, str])
    """Labels of the store's pods."""


class Toleration(PlacesModel):
    """A toleration of copy worker pods, as for spot nodes: a stopped pod is resumed on another node."""

    key: str = ""
    """Name of the taint; none for every taint."""
    operator: Literal["Exists", "Equal"] = "Exists"
    """Whether its value must be equal."""
    value: str = ""
    """The value; only where it must be equal."""
    effect: Literal["", "NoSchedule", "PreferNoSchedule", "NoExecute"] = ""
    """What the taint does; none for all that it may do."""


class MoversPlace(PlacesModel):
    """Pods that copy and compare the buckets with `mover: cluster`, next to the objects."""

    side: Literal["source", "target"] = "target"
    """Whose cluster they run in."""
    namespace: str = Field(pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$")
    """A namespace that is there, in which the side's kubeconfig may make Jobs, Secrets, ConfigMaps and claims."""
    source_address: str = Field(default="", pattern=r"^(https?://[^/]+)?$")
    """Address of the source's store as pods reach it; none where it is the same as from here."""
    target_address: str = Field(default="", pattern=r"^(https?://[^/]+)?$")
    """Address of the target's store as pods reach it; none where it is the same as from here."""
    peers: tuple[StorePeer, ...] = Field(min_length=1)
    """Where they may connect to; everything else but DNS is closed to them."""
    shards: int = Field(default=8, ge=1, le=1000)
    """Parts of each bucket, which stay the same from the first copy to the last; each part remembers what it copied."""
    parallelism: int = Field(default=1, ge=1)
    """Pods at once; more than one needs `storage_class`."""
    storage_class: str = ""
    """Class of the volume on which they remember what they copied. With more than one pod at once its volumes must be
    ReadWriteMany, for pods run on several nodes; none for the cluster's default."""
    claim_gib: int = Field(default=10, ge=1)
    """Size of that volume."""
    tolerations: tuple[Toleration, ...] = ()
    """Taints that their pods do not mind."""
    node_selector: dict[str, str] = Field(default_factory=dict[str, str])
    """Labels of the nodes that they run on; none for any node."""
    queue: str = ""
    """Local queue of Kueue that admits them; empty without Kueue."""
    image: str = ""
    """Image with Python 3.12 that they run in, as from a mirror; none for that of the platform."""
    monitored: bool = False
    """Whether Prometheus scrapes them, by a PodMonitor; needs the Prometheus operator."""


class UriMove(PlacesModel):
    """Addresses of artifacts that are rewritten at the target."""

    source: str = Field(min_length=1)
    """Prefix as it is written at the source, as in s3://old-bucket/path."""
    target: str = Field(min_length=1)
    """What it becomes."""


class NamesMove(PlacesModel):
    """Names that are switched."""

    kind: Literal["by_hand", "route53", "hosts_file"]
    """Who writes them: you, when asked; Amazon Route 53; a file in the form of /etc/hosts."""
    names: tuple[str, ...] = ()
    """Full names."""
    source: str = ""
    """What they point to before: an address or a name."""
    target: str = ""
    """What they point to after."""
    ttl_seconds: int = Field(default=60, ge=1)
    """Time to live, which must have been lowered to this before."""
    zone: str = ""
    """Id of the hosted zone; only for route53."""
    file: str = ""
    """The file; only for hosts_file."""


class Places(PlacesModel):
    """The whole file."""

    source: RelocationSide
    """Where the customer is."""
    target: RelocationSide
    """Where the customer goes."""
    buckets: tuple[BucketMove, ...] = Field(min_length=1)
    """What is copied."""
    movers: MoversPlace | None = None
    """Copy workers in a cluster; only for buckets with `mover: cluster`."""
    uris: tuple[UriMove, ...] = ()
    """Addresses of artifacts that change; none where MLflow serves them itself."""
    names: NamesMove | None = None
    """Names that are switched; none for none."""
    window_minutes: int = Field(default=30, ge=1)
    """How long writers may stand still."""
    observe_minutes: int = Field(default=60, ge=0)
    """How long the target is watched before the move is committed."""
    retain_days: int = Field(default=30, ge=1)
    """How long the source is kept after."""
    sample_percent: int = Field(default=5, ge=1, le=100)
    """Share of the bytes of large buckets that is read again at the target."""
    bandwidth_mib_per_s: int | None = Field(default=None, ge=1)
    """Most that copies may use; none for all there is."""
    transfers: int = Field(default=8, ge=1, le=64)
    """Objects copied side by side."""
