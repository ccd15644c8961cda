"""How people move what Atoll does not: commands and manifests to fill in, and what each way loses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.relocation.inventory.assets import AssetKind, AssetTreatment
from planning.relocation.methods.data_loss import losses
from planning.relocation.methods.move_methods import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from planning.relocation.inventory.assets import StatefulAsset
    from planning.relocation.inventory.stack_inventory import Inventory
    from planning.relocation.methods.data_loss import MoverChoice


VOLSYNC: Final = "https://volsync.readthedocs.io/en/stable/usage/rsync-tls/index.html"  # fields read 2026-11-22
VELERO: Final = "https://velero.io/docs/main/file-system-backup/"  # read 2026-11-22
RSYNC: Final = "https://man7.org/linux/man-pages/man1/rsync.1.html"
FILL: Final = "FILL-IN"
GIB: Final = 2**30
_DUMPS: Final[Mapping[str, tuple[str, ...]]] = {
    "pg_dump": (
        "pg_dump --format=custom --file=part.dump SOURCE-URI",
        "pg_restore --no-owner --dbname=TARGET-URI part.dump",
    ),
    "mysqldump": (
        "mysqldump --single-transaction --routines --triggers DATABASE > part.sql",
        "mysql DATABASE < part.sql",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualProcedure:
    """One way.

    Args:
        text: commands and manifests, line by line; contexts SOURCE and TARGET are those of kubectl.
        loses: what it loses, whether it is used or not: nobody has looked into volumes.
    """

    title: str
    text: str
    loses: tuple[str, ...] = ()
    source: str = ""


def list_procedures(thing: StatefulAsset) -> tuple[ManualProcedure, ...]:
    """Ways for a thing, the best first; none where its reason says it all."""
    return tuple(make(thing) for make in _OF_KIND.get(thing.kind, ()))


def _place(thing: StatefulAsset) -> tuple[str, str]:
    """Namespace and name; a mark for what the inventory knows by kind only."""
    namespace, _, name = thing.locator.partition("/")
    known = namespace if namespace and "*" not in namespace else FILL
    return known, name or FILL


def _list_losses(thing: StatefulAsset, mover: str) -> tuple[str, ...]:
    return tuple(each.text for each in losses(BY_NAME[mover], thing.kind, target="", usage=None))


def _volsync(thing: StatefulAsset) -> ManualProcedure:
    namespace, name = _place(thing)
    size = f"{int(thing.bytes.max / GIB) + 1}Gi" if thing.bytes else FILL
    text = f"""\
# Both clusters: VolSync is installed, and its movers may keep owners and modes.
kubectl --context SOURCE annotate namespace {namespace} volsync.backube/privileged-movers=true
kubectl --context TARGET annotate namespace {namespace} volsync.backube/privileged-movers=true
# kubectl --context TARGET apply -f -
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  accessModes: [ReadWriteOnce]
  resources: {{requests: {{storage: {size}}}}}
---
apiVersion: volsync.backube/v1alpha1
kind: ReplicationDestination
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  rsyncTLS:
    copyMethod: Direct
    destinationPVC: {name}
    serviceType: LoadBalancer
# The two marks below are what it says; then copy that Secret into the source's namespace.
kubectl --context TARGET -n {namespace} get replicationdestination {name} -o jsonpath='{{.status.rsyncTLS}}'
kubectl --context TARGET -n {namespace} get secret KEY-SECRET -o json |
  jq '{{apiVersion, kind, type, data, metadata: {{name: .metadata.name, namespace: .metadata.namespace}}}}' |
  kubectl --context SOURCE apply -f -
# kubectl --context SOURCE apply -f -
apiVersion: volsync.backube/v1alpha1
kind: ReplicationSource
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  sourcePVC: {name}
  trigger: {{manual: first}}
  rsyncTLS:
    address: {FILL}
    keySecret: {FILL}
    copyMethod: Snapshot
# Once more after the freeze, when nothing writes any longer.
kubectl --context SOURCE -n {namespace} patch replicationsource {name} --type merge \\
  -p '{{"spec":{{"trigger":{{"manual":"frozen"}}}}}}'
kubectl --context SOURCE -n {namespace} wait replicationsource/{name} --timeout=1h \\
  --for=jsonpath='{{.status.lastManualSync}}'=frozen"""
    loses = (*_list_losses(thing, "volsync"), "what is damaged at the source is damaged in the copy: it proves nothing")
    return ManualProcedure(title="VolSync, rsync over TLS", text=text, loses=loses, source=VOLSYNC)


def _velero(thing: StatefulAsset) -> ManualProcedure:
    namespace, _ = _place(thing)
    text = f"""\
velero --kubecontext SOURCE backup create relocation-{namespace} --include-namespaces {namespace} \\
  --default-volumes-to-fs-backup --wait
# The source's bucket of backups is a location of the target's Velero, which must not write there.
kubectl --context TARGET -n velero patch backupstoragelocation {FILL} --type merge \\
  -p '{{"spec":{{"accessMode":"ReadOnly"}}}}'
velero --kubecontext TARGET restore create --from-backup relocation-{namespace} --wait"""
    loses = (
        *_list_losses(thing, "velero"),
        "volumes that no running pod mounts, so that it has to run before the freeze; what is written after is lost",
        "what is at the target already under the same name is left as it is",
    )
    return ManualProcedure(title="Velero, files by Kopia", text=text, loses=loses, source=VELERO)


def _rsync(thing: StatefulAsset) -> ManualProcedure:
    there = thing.locator if "/" in thing.locator and "*" not in thing.locator else thing.part or FILL
    text = f"""\
# As root on a machine or in a pod that has {there} of the source mounted at /source; /target is the target's.
rsync -aHAX --numeric-ids --delete /source/ root@TARGET-HOST:/target/
# Once more after the freeze; then the proof, which must print nothing.
rsync -aHAX --numeric-ids --delete /source/ root@TARGET-HOST:/target/
rsync -aHAX --numeric-ids --delete --checksum --dry-run --itemize-changes /source/ root@TARGET-HOST:/target/"""
    loses = (*_list_losses(thing, "rsync"), "striping and quotas of the file system, which the target sets")
    return ManualProcedure(title="rsync, then rsync again to prove it", text=text, loses=loses, source=RSYNC)


def _objects(thing: StatefulAsset) -> ManualProcedure:
    text = """\
kubectl --context SOURCE get notebooks.kubeflow.org,experiments.kubeflow.org -A -o yaml > made-by-people.yaml
# Take status, uid, resourceVersion and ownerReferences out, stop notebooks, then:
kubectl --context TARGET apply --dry-run=server -f made-by-people.yaml
kubectl --context TARGET apply -f made-by-people.yaml"""
    loses = (*_list_losses(thing, "exported"), "trials of Katib that run: they begin again")
    return ManualProcedure(title="exported and applied", text=text, loses=loses)


def _secrets(thing: StatefulAsset) -> ManualProcedure:
    names = [each for each in thing.locator.split() if "/" in each]
    listed = "\n".join(f"# {each}" for each in names) or "# their names are known once the cluster was asked"
    text = f"{listed}\nkubectl --context TARGET get secrets -A -l '!app.kubernetes.io/managed-by'"
    return ManualProcedure(title="entered again by whoever made them", text=text)


def _database(thing: StatefulAsset) -> ManualProcedure:
    _, _, part = thing.key.partition("/")
    mover = "pg_dump" if thing.kind is AssetKind.POSTGRESQL else "mysqldump"
    first = f"# Name it under `databases` of relocation.yaml where {part} is a part of ours; else, after the freeze:"
    return ManualProcedure(
        title="dumped and restored", text="\n".join((first, *_DUMPS[mover])), loses=_list_losses(thing, mover)
    )


def _registry(thing: StatefulAsset) -> ManualProcedure:
    mirror = thing.locator or "the mirror"
    text = f"# Every image and chart that the target pulls must be in {mirror}: atoll software images"
    return ManualProcedure(title="filled again, or reached from the target", text=text)


def _bucket(thing: StatefulAsset) -> ManualProcedure:
    text = (
        f"# Name it under `buckets` of a relocation.yaml ({thing.locator or thing.key}).\n"
        "# A store beside the first has a file and a run of its own: atoll relocate run SOURCE TARGET --name tiers"
    )
    return ManualProcedure(title="named in a relocation.yaml", text=text)


_OF_KIND: Final[Mapping[AssetKind, tuple[Callable[[StatefulAsset], ManualProcedure], ...]]] = {
    AssetKind.VOLUME: (_volsync, _rsync, _velero),
    AssetKind.FILE_SYSTEM: (_rsync,),
    AssetKind.OBJECTS: (_objects,),
    AssetKind.SECRETS: (_secrets,),
    AssetKind.POSTGRESQL: (_database,),
    AssetKind.MYSQL: (_database,),
    AssetKind.REGISTRY: (_registry,),
    AssetKind.BUCKET: (_bucket,),
}


STRANGE: Final = "strange/"  # what keys of resources begin with that no row of ours knows
# What still changes until writers stand still: what was looked at before is looked at again after.
WRITTEN: Final = frozenset(
    {AssetKind.BUCKET, AssetKind.POSTGRESQL, AssetKind.MYSQL, AssetKind.FILE_SYSTEM, AssetKind.VOLUME}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualMove:
    """One thing that somebody must see to.

    Args:
        key: as the inventory has it, or `STRANGE` and what was registered.
        why: why Atoll does not.
    """

    key: str
    title: str
    why: str
    ways: tuple[ManualProcedure, ...] = ()


def explain_manual_move(kind: AssetKind, treatment: AssetTreatment, *, runs: str, covered: bool | None) -> str:
    """Why somebody must see to a thing; "" where nobody must.

    Args:
        runs: who runs its mover: "atoll", "provider", "you"; "" where it has none.
        covered: whether a relocation.yaml names it; None where none was read.
    """
    if kind is AssetKind.REGISTRY and treatment is AssetTreatment.MADE_ANEW:
        return "the target must reach it, or have one of its own that was filled"
    if treatment is not AssetTreatment.MOVED or covered:
        return ""
    if runs == "atoll":
        return "" if covered is None else "no relocation.yaml names it"
    if runs == "provider":
        return "the provider's service moves it once you start it"
    return "you move it" if runs else "nothing of ours moves it"


def list_manual_moves(
    inventory: Inventory, chosen: Sequence[tuple[StatefulAsset, MoverChoice | None]], *, covered: Collection[str] | None
) -> tuple[ManualMove, ...]:
    """Every thing that somebody must see to.

    Args:
        covered: keys of what relocation.yaml names; None where no such file was read.
    """
    choices = {thing.key: choice for thing, choice in chosen}

    def list_moves() -> Iterator[ManualMove]:
        for thing in inventory.things:
            choice = choices.get(thing.key)
            named = None if covered is None else thing.key in covered
            runs = choice.mover.runs if choice else ""
            if why := explain_manual_move(thing.kind, thing.treatment, runs=runs, covered=named):
                yield ManualMove(key=thing.key, title=thing.title, why=why, ways=list_procedures(thing))
        for each in inventory.strange:
            yield ManualMove(key=f"{STRANGE}{each}", title=each, why="no row of ours knows what becomes of it")

    return tuple(list_moves())
