"""What the model of relocation.yaml cannot say of movers in a cluster."""

from __future__ import annotations

from ipaddress import ip_network
from typing import TYPE_CHECKING, Final

from operations.relocation.config.rule_violation import Broken, check_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from operations.relocation.config.endpoints import MoversPlace, Places, StorePeer, Toleration

CLUSTER: Final = "cluster"
MANY: Final = "its volumes must be ReadWriteMany: a file system that several nodes mount, as of EFS, Filestore or NFS"


def broken(places: Places, *, in_clear: bool) -> Iterator[Broken]:
    """Every rule that is broken.

    Args:
        in_clear: whether stores may be asked without TLS elsewhere than on this machine.
    """
    theirs = [index for index, each in enumerate(places.buckets) if each.mover == CLUSTER]
    movers = places.movers
    if movers is None:
        for index in theirs:
            yield Broken(("buckets", index, "mover"), "the mover cluster needs movers", 'add the section "movers"')
        return
    if not theirs:
        yield Broken(("movers",), "no bucket has the mover cluster", 'delete "movers", or name it at a bucket')
    side = places.source if movers.side == "source" else places.target
    if side.kubeconfig_env is None:
        hint = f"movers run in the cluster of the {movers.side}"
        yield Broken((movers.side,), f'"kubeconfig_env" is missing from "{movers.side}"', hint)
    yield from _pods(movers)
    for index, peer in enumerate(movers.peers):
        yield from _peer(peer, index)
    for index, each in enumerate(movers.tolerations):
        yield from _toleration(each, index)
    yield from check_address(movers.source_address, ("movers", "source_address"), in_clear=in_clear)
    yield from check_address(movers.target_address, ("movers", "target_address"), in_clear=in_clear)


def _pods(movers: MoversPlace) -> Iterator[Broken]:
    at_once = movers.parallelism
    if at_once > movers.shards:
        hint = f"raise shards, or write parallelism: {movers.shards}"
        yield Broken(("movers", "parallelism"), f"{at_once} pods at once for {movers.shards} shards", hint)
    if at_once > 1 and not movers.storage_class:
        said = f"{at_once} pods at once need a volume that all of them mount"
        yield Broken(("movers", "parallelism"), said, f'name its class as "storage_class"; {MANY}')


def _peer(peer: StorePeer, index: int) -> Iterator[Broken]:
    path = ("movers", "peers", index)
    if bool(peer.cidr) == bool(peer.namespace):
        said = "a peer is either addresses or pods: cidr, or namespace with labels"
        yield Broken(path, said, "write one of the two")
    if peer.cidr and not _is_network(peer.cidr):
        yield Broken((*path, "cidr"), f"{peer.cidr} is no range of addresses", "as in 192.0.2.0/24")
    if peer.namespace and not peer.labels:
        yield Broken(path, f"which pods of {peer.namespace} is not said", "add labels, as in {app: minio}")


def _is_network(text: str) -> bool:
    try:
        ip_network(text)
    except ValueError:
        return False
    return True


def _toleration(each: Toleration, index: int) -> Iterator[Broken]:
    path = ("movers", "tolerations", index)
    if not each.key and each.operator == "Equal":
        yield Broken(path, "a taint without a name has no value to be equal", 'add "key"')
    if each.value and each.operator == "Exists":
        yield Broken((*path, "value"), "a value is only compared by Equal", 'write "operator: Equal"')
