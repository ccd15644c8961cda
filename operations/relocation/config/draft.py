"""A first relocation.yaml for two stacks: what their locks tell, and a mark wherever only people know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from catalogs.providers import find_traits
from components.platform.building_blocks.names import S3_HOST
from operations.relocation.config.endpoints import FILL, StoreKind
from planning.relocation.inventory.assets import AssetKind, Loss, StatefulAsset
from planning.relocation.inventory.expected_assets import from_lock

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.spec.cluster import ClusterSpec
    from planning.spec.lock import Lock

TIERS: Final = "tiers"  # name of the relocation of buckets beside the platform's store
PARTS: Final = ("mlflow", "pipelines", "katib", "model_registry", "airflow")  # with a database, as places name them
MYSQL: Final = frozenset({"pipelines", "katib"})
# Databases of a part that has several, by the word in their variables' names. Pipelines has a third, cachedb, which it
# makes again (mlpipeline-config: dbName, mlmdDb, cacheDb; docs/guides/relocate.md, 2026-11-22).
SEVERAL: Final[Mapping[str, Mapping[str, str]]] = {"pipelines": {"PIPELINES": "mlpipeline", "LINEAGE": "metadb"}}
# Ways to MLflow's server, by side; its allowed hosts list localhost and not 127.0.0.1 (docs/guides/relocate.md).
MLFLOW_PORTS: Final = {"SOURCE": 5000, "TARGET": 5001}
PORTS: Final = {"postgresql": 5432, "mysql": 3306}


def draft(source: Lock, target: Lock) -> str:
    """relocation.yaml with comments, as a draft that people complete."""
    return "\n".join(_lines(source, target)) + "\n"


def drafts(source: Lock, target: Lock) -> dict[str, str]:
    """Text of each relocation by name: "" for the platform's store, "tiers" for buckets beside it."""
    texts = {"": draft(source, target)}
    if _split_buckets(source)[1]:
        texts[TIERS] = "\n".join(_tiers(source, target)) + "\n"
    return texts


def _split_buckets(source: Lock) -> tuple[list[StatefulAsset], list[StatefulAsset]]:
    """Buckets of the platform's store, and those of the provider beside it."""
    buckets = [thing for thing in from_lock(source).moved if thing.kind is AssetKind.BUCKET]
    if not _inside(source.spec):
        return buckets, []
    inside = [thing for thing in buckets if thing.key.startswith("store/")]
    return inside, [thing for thing in buckets if thing not in inside]


def _tiers(source: Lock, target: Lock) -> Iterator[str]:
    """Buckets of tiers, which are the provider's: a relocation of their own."""
    yield f"# Buckets of {source.stack} that lie at its provider, moved by a run of their own:"
    yield f"# atoll relocate run {source.stack} {target.stack} --name {TIERS}"
    yield "# It names environment variables and holds no secret. Fill in the marks; see docs/guides/relocate.md."
    for name, lock, prefix in (("source", source, "SOURCE"), ("target", target, "TARGET")):
        yield f"{name}:"
        yield f"  stack: {lock.stack}"
        yield f"  kubeconfig_env: {prefix}_KUBECONFIG"
        yield from _store(lock.spec, f"{prefix}_{TIERS.upper()}", canary=name == "source", inside=False)
    yield "buckets:"
    for thing in _split_buckets(source)[1]:
        yield from _bucket(thing)
    yield from _terms()


def _lines(source: Lock, target: Lock) -> Iterator[str]:
    yield f"# How {source.stack} is reached, and how {target.stack}: what atoll relocate run moves between them."
    yield "# It names environment variables and holds no secret. Fill in the marks; see docs/guides/relocate.md."
    yield "source:"
    yield from _side(source, "SOURCE", canary=True)
    yield "target:"
    yield from _side(target, "TARGET", canary=False)
    yield "buckets:"
    inside, others = _split_buckets(source)
    for thing in inside:
        yield from _bucket(thing)
    for thing in others:
        yield f"# {thing.title} lies in the provider's own store: it has a relocation.yaml of its own (--name {TIERS})."
    yield from _terms()
    yield from _names(source)


def _terms() -> Iterator[str]:
    yield "window_minutes: 30        # how long writers may stand still"
    yield "observe_minutes: 60       # how long the target is watched before the commit"
    yield "retain_days: 30           # how long the source is kept after it"


def _side(lock: Lock, prefix: str, *, canary: bool) -> Iterator[str]:
    spec = lock.spec
    yield f"  stack: {lock.stack}"
    yield f"  kubeconfig_env: {prefix}_KUBECONFIG"
    yield from _store(spec, prefix, canary=canary, inside=_inside(spec))
    databases = [part for part in PARTS if spec.platform and spec.platform.part(part)]
    if databases:
        yield "  databases:"
        for part in databases:
            yield from _database(part, prefix)
    if "mlflow" in databases:
        port = MLFLOW_PORTS[prefix]
        yield f"  mlflow_url: http://localhost:{port}   # kubectl -n mlflow port-forward service/mlflow {port}:80"


def _database(part: str, prefix: str) -> Iterator[str]:
    engine = "mysql" if part in MYSQL else "postgresql"
    for word, name in SEVERAL.get(part, {part.upper(): "database"}).items():
        yield f"    - part: {part}"
        yield f"      engine: {engine}"
        yield f"      uri_env: {prefix}_{word}_URI   # {engine}://user:password@host:{PORTS[engine]}/{name}"


def _store(spec: ClusterSpec, prefix: str, *, canary: bool, inside: bool) -> Iterator[str]:
    kind = _store_kind(spec, inside=inside)
    traits = find_traits(spec.placement.target)
    yield "  store:"
    yield f"    kind: {kind}"
    yield f"    endpoint: {_endpoint(spec, port=9000 if canary else 9001, inside=inside)}"
    if inside:
        yield f"    authority: {FILL}       # file with ca.crt of the Secret s3-ca in one of its namespaces"
    if traits.virtual_hosts and not inside:
        yield f"    region: {spec.placement.region}"
        yield "    path_style: false"
    yield "    mover:                  # reads at the source, writes at the target"
    yield f"      access_key_env: {prefix}_ACCESS_KEY"
    yield f"      secret_key_env: {prefix}_SECRET_KEY"
    if canary:
        yield "    canary:                 # a writer like any other: the freeze is tried with it"
        yield f"      access_key_env: {prefix}_CANARY_ACCESS_KEY"
        yield f"      secret_key_env: {prefix}_CANARY_SECRET_KEY"
    if kind == "minio":
        yield "    admin:                  # stops MinIO's users"
        yield f"      access_key_env: {prefix}_ADMIN_ACCESS_KEY"
        yield f"      secret_key_env: {prefix}_ADMIN_SECRET_KEY"


def _inside(spec: ClusterSpec) -> bool:
    """Whether the platform's buckets are in a store in the cluster."""
    return spec.platform is not None and spec.platform.object_store != "provider"


def _store_kind(spec: ClusterSpec, *, inside: bool) -> str:
    if inside and spec.platform:
        return "minio" if spec.platform.object_store == "minio" else "other"
    kind = find_traits(spec.placement.target).store_kind
    return kind if kind in get_args(StoreKind) else "other"


def _endpoint(spec: ClusterSpec, *, port: int, inside: bool) -> str:
    if inside:
        return f"https://{S3_HOST}:{port}   # 127.0.0.1 in /etc/hosts, kubectl port-forward behind it"
    endpoint = find_traits(spec.placement.target).store_endpoint
    return endpoint.format(region=spec.placement.region) if endpoint else f"https://{FILL}"


def _bucket(thing: StatefulAsset) -> Iterator[str]:
    name = thing.locator if thing.locator and " " not in thing.locator else FILL
    yield f"  - source: {name}          # {thing.title}"
    yield f"    target: {name}"
    yield f"    loss: {'large' if thing.loss is Loss.LARGE else 'irreplaceable'}"


def _names(source: Lock) -> Iterator[str]:
    names = [
        name for thing in from_lock(source).moved if thing.kind is AssetKind.NAMES for name in thing.locator.split()
    ]
    if not names:
        return
    yield "names:"
    yield "  kind: by_hand             # or route53, with zone; or hosts_file, with file"
    yield "  names:"
    yield from (f"    - {name}" for name in names)
    yield f"  source: {FILL}            # address of the entrance, as atoll outputs says it"
    yield f"  target: {FILL}"
