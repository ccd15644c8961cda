from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from operations.relocation.config.reader import parse
from operations.relocation.jobs.objects import IMAGE, MoverJob, build_indexed_job
from planning.values.errors import Fault, InputError

WHOLE = """\
source:
  stack: old
  store:
    kind: other
    endpoint: http://127.0.0.1:9000
    mover: {access_key_env: KEY, secret_key_env: SECRET}
    canary: {access_key_env: CANARY_KEY, secret_key_env: CANARY_SECRET}
target:
  stack: new
  store:
    kind: aws
    endpoint: https://s3.eu-central-1.amazonaws.com
    mover: {access_key_env: KEY, secret_key_env: SECRET}
  kubeconfig_env: NEW_CONFIG
buckets:
  - {source: sets, target: sets, mover: cluster}
movers:
  namespace: movers
  source_address: https://minio.old.example.com
  peers: [{port: 443, cidr: 192.0.2.0/24}, {port: 9000, namespace: minio, labels: {app: minio}}]
  shards: 16
  parallelism: 4
  storage_class: shared
  tolerations: [{key: cloud.google.com/gke-spot, operator: Equal, value: "true", effect: NoSchedule}, {key: spot}]
"""
SET = {name: name for name in ("KEY", "SECRET", "CANARY_KEY", "CANARY_SECRET", "NEW_CONFIG")}


def faults(text: str, *, in_clear: bool = False) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as refused:
        parse(text, file="relocation.yaml", environment=SET, in_clear=in_clear)
    return refused.value.faults


def changed(before: str, after: str) -> str:
    assert before in WHOLE
    return WHOLE.replace(before, after)


def test_movers_are_read_and_become_pods_of_a_cluster() -> None:
    places = parse(WHOLE, file="relocation.yaml", environment=SET).places
    assert places.movers is not None
    job = MoverJob(name="move", pods=places.movers, spec={}, secrets={})
    found: Any = build_indexed_job(job, paths=())
    pod = found["spec"]["template"]["spec"]
    assert found["metadata"]["namespace"] == "movers"
    assert (found["spec"]["completions"], found["spec"]["parallelism"]) == (16, 4)
    assert pod["containers"][0]["image"] == IMAGE
    assert pod["tolerations"] == [
        {"key": "cloud.google.com/gke-spot", "operator": "Equal", "value": "true", "effect": "NoSchedule"},
        {"key": "spot", "operator": "Exists"},
    ]


@pytest.mark.parametrize(
    ("before", "after", "said", "at"),
    [
        ("mover: cluster}", "mover: kluster}", "buckets[0].mover: input should be", "kluster"),
        ("mover: cluster}", "mover: atoll}", 'no bucket has "mover: cluster"', "namespace:"),
        ("  kubeconfig_env: NEW_CONFIG\n", "", '"kubeconfig_env" is missing from "target"', "target:"),
        ("  namespace: movers", "  side: source\n  namespace: movers", 'missing from "source"', "source:"),
        ("  namespace: movers\n", "", '"namespace" is missing from "movers"', "movers:"),
        ("namespace: movers", "namespace: Movers", "movers.namespace: ", "Movers"),
        ("parallelism: 4", "parallelism: 17", "17 pods at once for 16 shards", "17"),
        ("  storage_class: shared\n", "", "4 pods at once need a volume that all of them mount", "4"),
        ("cidr: 192.0.2.0/24}", "cidr: 192.0.2.1/24}", "192.0.2.1/24 is no range of addresses", "192.0.2.1/24"),
        ("cidr: 192.0.2.0/24}", "labels: {}}", "either addresses or pods", "{port: 443"),
        ("{port: 443,", "{port: 443, namespace: s3, labels: {a: b},", "either addresses or pods", "{port: 443"),
        (", labels: {app: minio}", "", "which pods of minio is not said", "{port: 9000"),
        ("{port: 443,", "{port: 0,", "movers.peers[0].port: ", "0,"),
        ("operator: Equal, ", "", "a value is only compared by Equal", '"true"'),
        ("{key: spot}", "{operator: Equal}", "a taint without a name", "{operator: Equal}"),
        ("https://minio.old", "http://minio.old", "would cross the network in the clear", "http://minio.old"),
        ("https://minio.old.example.com", "minio:9000", "movers.source_address: ", "minio:9000"),
        ("shards: 16", "pods: 16", '"pods" is not a field of "movers"', "pods"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(before: str, after: str, said: str, at: str) -> None:
    text = changed(before, after)
    fault = next(each for each in faults(text) if said in each.message.lower() or said in each.message)
    line = text.splitlines()[fault.line - 1]
    assert line[fault.column - 1 :].startswith(at), (line, fault.column)


def test_more_than_one_pod_at_once_says_which_volume_is_needed() -> None:
    (fault,) = faults(changed("  storage_class: shared\n", ""))
    assert 'name its class as "storage_class"' in fault.hint
    assert "ReadWriteMany" in fault.hint
    assert parse(changed("  parallelism: 4\n  storage_class: shared\n", ""), file="", environment=SET).places.movers


def test_a_bucket_whose_movers_are_nowhere_is_told() -> None:
    (fault,) = faults(WHOLE[: WHOLE.index("movers:")])
    assert (fault.message, fault.path) == ('"mover: cluster" needs "movers"', "buckets[0].mover")


def test_a_way_in_the_clear_is_taken_where_it_is_called_safe() -> None:
    text = changed("https://minio.old", "http://minio.old")
    assert parse(text, file="", environment=SET, in_clear=True).places.movers


def test_the_example_in_this_test_has_every_field_that_must_be_there(tmp_path: Path) -> None:
    text = "\n".join(line for line in WHOLE.splitlines() if not line.startswith(("  shards", "  tolerations")))
    (tmp_path / "relocation.yaml").write_text(text.replace("  parallelism: 4", ""))
    found = parse((tmp_path / "relocation.yaml").read_text(), file="", environment=SET).places.movers
    assert found is not None
    assert (found.side, found.shards, found.parallelism, found.claim_gib) == ("target", 8, 1, 10)
