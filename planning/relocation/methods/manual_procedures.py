"""How people move what Atoll does not: commands and manifests to fill in, and what each way loses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.relocation.inventory.assets import Kind, Treatment
from planning.relocation.methods.data_loss import losses
from planning.relocation.methods.move_methods import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from planning.relocation.inventory.assets import Thing
    from planning.relocation.inventory.stack_inventory import Inventory
    from planning.relocation.methods.data_loss import Choice


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
class Way:
    """One way.

    Args:
        text: commands and manifests, line by line; contexts SOURCE and TARGET are those of kubectl.
        loses: what it loses, whether it is used or not: nobody has looked into volumes.
    """

    title: str
    text: str
    loses: tuple[str, ...] = ()
    source: str = ""


def ways(thing: Thing) -> tuple[Way, ...]:
    """Ways for a thing, the best first; none where its reason says it all."""
    return tuple(make(thing) for make in _OF_KIND.get(thing.kind, ()))


def _place(thing: Thing) -> tuple[str, str]:
    """Namespace and name; a mark for what the inventory knows by kind only."""
    namespace, _, name = thing.locator.partition("/")
    known = namespace if namespace and "*" not in namespace else FILL
    return known, name or FILL


def _lost(thing: Thing, mover: str) -> tuple[str, ...]:
    return tuple(each.text for each in losses(BY_NAME[mover], thing.kind, target="", usage=None))


def _volsync(thing: Thing) -> Way:
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
    loses = (*_lost(thing, "volsync"), "what is damaged at the source is damaged in the copy: it proves nothing")
    return Way(title="VolSync, rsync over TLS", text=text, loses=loses, source=VOLSYNC)


def _velero(thing: Thing) -> Way:
    namespace, _ = _place(thing)
    text = f"""\
velero --kubecontext SOURCE backup create relocation-{namespace} --include-namespaces {namespace} \\
  --default-volumes-to-fs-backup --wait
# The source's bucket of backups is a location of the target's Velero, which must not write there.
kubectl --context TARGET -n velero patch backupstoragelocation {FILL} --type merge \\
  -p '{{"spec":{{"accessMode":"ReadOnly"}}}}'
velero --kubecontext TARGET restore create --from-backup relocation-{namespace} --wait"""
    loses = (
        *_lost(thing, "velero"),
        "volumes that no running pod mounts, so that it has to run before the freeze; what is written after is lost",
        "what is at the target already under the same name is left as it is",
    )
    return Way(title="Velero, files by Kopia", text=text, loses=loses, source=VELERO)


def _rsync(thing: Thing) -> Way:
    there = thing.locator if "/" in thing.locator and "*" not in thing.locator else thing.part or FILL
    text = f"""\
# As root on a machine or in a pod that has {there} of the source mounted at /source; /target is the target's.
rsync -aHAX --numeric-ids --delete /source/ root@TARGET-HOST:/target/
# Once more after the freeze; then the proof, which must print nothing.
rsync -aHAX --numeric-ids --delete /source/ root@TARGET-HOST:/target/
rsync -aHAX --numeric-ids --delete --checksum --dry-run --itemize-changes /source/ root@TARGET-HOST:/target/"""
    loses = (*_lost(thing, "rsync"), "striping and quotas of the file system, which the target sets")
    return Way(title="rsync, then rsync again to prove it", text=text, loses=loses, source=RSYNC)


def _objects(thing: Thing) -> Way:
    text = """\
kubectl --context SOURCE get notebooks.kubeflow.org,experiments.kubeflow.org -A -o yaml > made-by-people.yaml
# Take status, uid, resourceVersion and ownerReferences out, stop notebooks, then:
kubectl --context TARGET apply --dry-run=server -f made-by-people.yaml
kubectl --context TARGET apply -f made-by-people.yaml"""
    loses = (*_lost(thing, "exported"), "trials of Katib that run: they begin again")
    return Way(title="exported and applied", text=text, loses=loses)


def _secrets(thing: Thing) -> Way:
    names = [each for each in thing.locator.split() if "/" in each]
    listed = "\n".join(f"# {each}" for each in names) or "# their names are known once the cluster was asked"
    text = f"{listed}\nkubectl --context TARGET get secrets -A -l '!app.kubernetes.io/managed-by'"
    return Way(title="entered again by whoever made them", text=text)


def _database(thing: Thing) -> Way:
    _, _, part = thing.key.partition("/")
    mover = "pg_dump" if thing.kind is Kind.POSTGRESQL else "mysqldump"
    first = f"# Name it under `databases` of relocation.yaml where {part} is a part of ours; else, after the freeze:"
    return Way(title="dumped and restored", text="\n".join((first, *_DUMPS[mover])), loses=_lost(thing, mover))


def _registry(thing: Thing) -> Way:
    mirror = thing.locator or "the mirror"
    text = f"# Every image and chart that the target pulls must be in {mirror}: atoll software images"
    return Way(title="filled again, or reached from the target", text=text)


def _bucket(thing: Thing) -> Way:
    text = (
        f"# Name it under `buckets` of a relocation.yaml ({thing.locator or thing.key}).\n"
        "# A store beside the first has a file and a run of its own: atoll relocate run SOURCE TARGET --name tiers"
    )
    return Way(title="named in a relocation.yaml", text=text)


_OF_KIND: Final[Mapping[Kind, tuple[Callable[[Thing], Way], ...]]] = {
    Kind.VOLUME: (_volsync, _rsync, _velero),
    Kind.FILE_SYSTEM: (_rsync,),
    Kind.OBJECTS: (_objects,),
    Kind.SECRETS: (_secrets,),
    Kind.POSTGRESQL: (_database,),
    Kind.MYSQL: (_database,),
    Kind.REGISTRY: (_registry,),
    Kind.BUCKET: (_bucket,),
}


STRANGE: Final = "strange/"  # what keys of resources begin with that no row of ours knows
# What still changes until writers stand still: what was looked at before is looked at again after.
WRITTEN: Final = frozenset({Kind.BUCKET, Kind.POSTGRESQL, Kind.MYSQL, Kind.FILE_SYSTEM, Kind.VOLUME})


@dataclass(frozen=True, slots=True, kw_only=True)
class ByHand:
    """One thing that somebody must see to.

    Args:
        key: as the inventory has it, or `STRANGE` and what was registered.
        why: why Atoll does not.
    """

    key: str
    title: str
    why: str
    ways: tuple[Way, ...] = ()


def reason(kind: Kind, treatment: Treatment, *, runs: str, covered: bool | None) -> str:
    """Why somebody must see to a thing; "" where nobody must.

    Args:
        runs: who runs its mover: "atoll", "provider", "you"; "" where it has none.
        covered: whether a relocation.yaml names it; None where none was read.
    """
    if kind is Kind.REGISTRY and treatment is Treatment.MADE_ANEW:
        return "the target must reach it, or have one of its own that was filled"
    if treatment is not Treatment.MOVED or covered:
        return ""
    if runs == "atoll":
        return "" if covered is None else "no relocation.yaml names it"
    if runs == "provider":
        return "the provider's service moves it once you start it"
    return "you move it" if runs else "nothing of ours moves it"


def by_hand(
    inventory: Inventory, chosen: Sequence[tuple[Thing, Choice | None]], *, covered: Collection[str] | None
) -> tuple[ByHand, ...]:
    """Every thing that somebody must see to.

    Args:
        covered: keys of what relocation.yaml names; None where no such file was read.
    """
    choices = {thing.key: choice for thing, choice in chosen}

    def found() -> Iterator[ByHand]:
        for thing in inventory.things:
            choice = choices.get(thing.key)
            named = None if covered is None else thing.key in covered
            runs = choice.mover.runs if choice else ""
            if why := reason(thing.kind, thing.treatment, runs=runs, covered=named):
                yield ByHand(key=thing.key, title=thing.title, why=why, ways=ways(thing))
        for each in inventory.strange:
            yield ByHand(key=f"{STRANGE}{each}", title=each, why="no row of ours knows what becomes of it")

    return tuple(found())
