from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operations.relocation.config.endpoints import FILL
from operations.relocation.config.reader import parse, read_file
from operations.relocation.config.rules import pair_databases
from operations.relocation.runner.context import collect_secrets
from operations.relocation.steps.plan import FREE
from operations.relocation.workspace import read_pinned_places
from planning.values.errors import Fault, InputError

WHOLE = """\
source:
  stack: old
  store:
    kind: minio
    endpoint: http://127.0.0.1:9000
    mover: {access_key_env: OLD_KEY, secret_key_env: OLD_SECRET}
    canary: {access_key_env: CANARY_KEY, secret_key_env: CANARY_SECRET}
    admin: {access_key_env: ROOT_KEY, secret_key_env: ROOT_SECRET}
  databases:
    - {part: mlflow, uri_env: OLD_MLFLOW}
target:
  stack: new
  store:
    kind: aws
    endpoint: https://s3.eu-central-1.amazonaws.com
    region: eu-central-1
    mover: {access_key_env: NEW_KEY, secret_key_env: NEW_SECRET, session_token_env: NEW_TOKEN}
  kubeconfig_env: NEW_CONFIG
  databases:
    - {part: mlflow, uri_env: NEW_MLFLOW}
buckets:
  - {source: mlflow, target: mlflow}
  - {source: sets, target: sets, loss: large}
names: {kind: hosts_file, names: [mlflow.example.com], source: 10.0.0.1, target: 10.1.0.1, file: /etc/hosts}
"""
VARIABLES = (
    "OLD_KEY", "OLD_SECRET", "CANARY_KEY", "CANARY_SECRET", "ROOT_KEY", "ROOT_SECRET", "OLD_MLFLOW",
    "NEW_KEY", "NEW_SECRET", "NEW_TOKEN", "NEW_CONFIG", "NEW_MLFLOW",
)  # fmt: skip
SET = {name: f"value of {name}" for name in VARIABLES}


def faults(text: str, *, in_clear: bool = False, environment: dict[str, str] | None = None) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as refused:
        parse(text, file="relocation.yaml", environment=SET if environment is None else environment, in_clear=in_clear)
    return refused.value.faults


def test_a_whole_file_is_read_with_the_values_that_it_names() -> None:
    known = parse(WHOLE, file="relocation.yaml", environment={**SET, "HOME": "/root"})
    assert known.places.target.store.region == "eu-central-1"
    assert known.secrets == SET
    assert [(here.uri_env, there.uri_env) for here, there in pair_databases(known.places)] == [
        ("OLD_MLFLOW", "NEW_MLFLOW")
    ]


def test_every_variable_that_is_not_set_is_named_at_once_where_it_is_named() -> None:
    found = faults(WHOLE, environment={})
    assert [each.message for each in found] == [f"{name} is not set" for name in VARIABLES]
    assert found[0].line == 6
    assert found[0].source_line[found[0].column - 1 :].startswith("OLD_KEY")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("stack: new", "stack: old", 12, "both sides are the same stack"),
        ("{source: sets,", "{source: mlflow,", 23, "bucket mlflow is named twice"),
        ("target: sets,", "target: mlflow,", 23, "bucket mlflow is named twice"),
        ("    canary: {access_key_env: CANARY_KEY, secret_key_env: CANARY_SECRET}\n", "", 3, '"canary" is missing'),
        ("    admin: {access_key_env: ROOT_KEY, secret_key_env: ROOT_SECRET}\n", "", 3, '"admin" is missing'),
        ("access_key_env: CANARY_KEY", "access_key_env: OLD_KEY", 7, "the canary is the user of the copy worker"),
        ("http://127.0.0.1:9000", "http://10.0.0.7:9000", 5, "keys and objects would cross the network"),
        ("    - {part: mlflow, uri_env: NEW_MLFLOW}", "    []", 11, "of mlflow is missing from the target"),
        ("    - {part: mlflow, uri_env: OLD_MLFLOW}", "    []", 20, "of mlflow is missing from the source"),
        ("uri_env: NEW_MLFLOW", "uri_env: NEW_MLFLOW, engine: mysql", 20, "is postgresql at the source"),
        ("uri_env: NEW_MLFLOW", "uri_env: OLD_MLFLOW", 20, "OLD_MLFLOW is named twice"),
        ("kind: aws", "kind: aws\n    admin: {access_key_env: OLD_KEY, secret_key_env: OLD_SECRET}", 15, "only MinIO"),
        ("region: eu-central-1", "authority: /no/such/file", 16, "there is no file /no/such/file"),
        ("kind: hosts_file", "kind: route53", 24, '"zone" is missing from "names"'),
        ("file: /etc/hosts", "file: /etc/hosts, zone: Z1", 24, '"zone" is only for route53'),
        (", file: /etc/hosts", "", 24, '"file" is missing from "names"'),
        ("target: 10.1.0.1, ", "", 24, '"target" is missing from "names"'),
        ("names: {kind", "source: 1\nnames: {kind", 24, "written twice"),
        ("  stack: new", "  stack: new\n  mlflow_url: http://x", 1, '"mlflow_url" is missing from "source"'),
        ("buckets:", "uris:\n  - {source: s3://a, target: s3://b}\n  - {source: s3://a, target: s3://c}\nbuckets:", 23,
         "s3://a is named twice"),
        ("access_key_env: ROOT_KEY", "access_key_env: OLD_KEY", 8,
         "the administrator and the copy worker are the same user"),
        ("kind: aws", "kind: minio\n    admin: {access_key_env: NEW_KEY, secret_key_env: ROOT_SECRET}", 15,
         "the administrator and the copy worker are the same user"),
        ("kind: minio", "kind: mino", 4, "source.store.kind: input should be"),
        ("loss: large", "losses: large", 23, '"losses" is not a field of "buckets[1]"'),
        ("  stack: old\n", "", 1, '"stack" is missing from "source"'),
        ("OLD_SECRET}", "old-secret}", 6, "source.store.mover.secret_key_env: string should match pattern"),
    ],
)  # fmt: skip
def test_each_fault_has_its_line(old: str, new: str, line: int, message: str) -> None:
    assert old in WHOLE
    found = [each for each in faults(WHOLE.replace(old, new, 1)) if message in each.message]
    assert [each.line for each in found] == [line]


def test_a_misspelt_field_is_recognised() -> None:
    assert faults(WHOLE.replace("loss:", "los:"))[0].hint == 'did you mean "loss"?'


def test_the_mover_that_is_gone_is_refused_with_what_to_write() -> None:
    (fault,) = faults(WHOLE.replace("loss: large", "loss: large, mover: rclone"))
    assert (fault.line, fault.message) == (23, "buckets[1].mover: buckets are no longer copied by rclone")
    assert fault.hint.startswith('take "mover" out')


def test_a_plan_that_was_held_with_the_mover_that_is_gone_can_be_rolled_back() -> None:
    known = parse(WHOLE, file="relocation.yaml", environment=SET).places.model_dump(mode="json")
    known["buckets"][1]["mover"] = "rclone"
    free = {name: known.pop(name) for name in sorted(FREE)}
    assert [each.mover for each in read_pinned_places({"places": known, "free": free}).buckets] == ["atoll", "atoll"]


def test_an_address_may_be_declared_to_stay() -> None:
    text = WHOLE.replace("buckets:", "uris:\n  - {source: s3://public, target: s3://public}\nbuckets:")
    (rule,) = parse(text, file="", environment=SET).places.uris
    assert rule.source == rule.target == "s3://public"


def both(source: str, target: str) -> str:
    text = WHOLE.replace("  stack: old", f"  stack: old\n  mlflow_url: {source}")
    return text.replace("  stack: new", f"  stack: new\n  mlflow_url: {target}")


@pytest.mark.parametrize("there", ["http://localhost:5000", "http://LOCALHOST:5000/"])
def test_two_sides_with_one_mlflow_are_refused_where_the_second_is_named(there: str) -> None:
    (found,) = faults(both("http://localhost:5000", there))
    assert (found.line, found.message) == (14, "both sides name the same MLflow")
    assert found.hint == "the target's own, before names are switched"
    known = parse(both("http://localhost:5000", "http://localhost:5001"), file="", environment=SET)
    assert known.places.target.mlflow_url == "http://localhost:5001"


def test_every_mark_of_a_draft_that_is_left_is_shown_and_nothing_else_is_said_of_it() -> None:
    text = (
        WHOLE.replace("{source: mlflow, target: mlflow}", f"{{source: {FILL}, target: {FILL}}}")
        .replace("{source: sets, target: sets", f"{{source: {FILL}, target: {FILL}")
        .replace("kind: minio", f"kind: minio\n    authority: {FILL}")
        .replace("https://s3.eu-central-1.amazonaws.com", f"https://{FILL}")
        .replace("names: [mlflow.example.com]", f"names: [mlflow.example.com, {FILL}]")
    )
    found = faults(text)
    assert {each.message for each in found} == {"still to be filled in"}
    assert [each.line for each in found] == [5, 16, 23, 23, 24, 24, 25]
    assert all(FILL in each.source_line[each.column - 1 :][: len(f"https://{FILL}")] for each in found)
    assert len({(each.line, each.column) for each in found}) == len(found)


def test_two_stores_that_are_not_named_yet_are_not_taken_for_one() -> None:
    text = WHOLE.replace("http://127.0.0.1:9000", f"https://{FILL}").replace("s3.eu-central-1.amazonaws.com", FILL)
    assert [each.message for each in faults(text)] == ["still to be filled in"] * 2


def test_a_bucket_is_not_copied_onto_itself() -> None:
    same = WHOLE.replace("https://s3.eu-central-1.amazonaws.com", "http://127.0.0.1:9000")
    said = [each.message for each in faults(same)]
    assert said == ["bucket mlflow would be copied onto itself", "bucket sets would be copied onto itself"]


def test_every_fault_is_told_in_the_order_of_the_lines() -> None:
    text = WHOLE.replace("stack: new", "stack: old").replace("127.0.0.1", "10.1.1.1").replace(", file: /etc/hosts", "")
    assert [each.line for each in faults(text)] == [5, 12, 24]


def test_without_tls_is_allowed_where_that_is_said() -> None:
    text = WHOLE.replace("127.0.0.1", "10.1.1.1")
    assert parse(text, file="", environment=SET, in_clear=True).places.source.store.endpoint == "http://10.1.1.1:9000"
    for near in ("localhost", "[::1]", "127.9.9.9"):
        parse(WHOLE.replace("127.0.0.1", near), file="", environment=SET)


def test_what_is_no_places_file_is_refused(tmp_path: Path) -> None:
    for text, message in (("", "made of named sections"), ("- a", "named sections"), ("a: [b", "never closed")):
        assert message in faults(text)[0].message
    with pytest.raises(InputError, match="no such file"):
        read_file(tmp_path / "none.yaml", environment={})
    (tmp_path / "relocation").mkdir()
    with pytest.raises(InputError, match="relocation: "):
        read_file(tmp_path / "relocation", environment={})
    path = tmp_path / "relocation.yaml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not a text file"):
        read_file(path, environment={})
    path.write_text(WHOLE + "#" * 1_000_001)
    with pytest.raises(InputError, match="over 1 MB"):
        read_file(path, environment=SET)


@settings(max_examples=150)
@given(st.integers(0, len(WHOLE)), st.text(max_size=5), st.integers(0, 40))
def test_any_text_is_read_or_refused_in_words(at: int, inserted: str, cut: int) -> None:
    text = WHOLE[:at] + inserted + WHOLE[at + cut :]
    with suppress(InputError):
        assert parse(text, file="relocation.yaml", environment=SET).places.buckets


def test_secrets_are_keys_tokens_addresses_and_their_passwords_and_no_names() -> None:
    values = {**SET, "OLD_MLFLOW": "postgresql://mlflow:pass%2Fword@127.0.0.1:5432/mlflow"}
    known = parse(WHOLE, file="", environment=values)
    hidden = collect_secrets(known.places, known.secrets)
    assert {"value of OLD_SECRET", "value of NEW_TOKEN", values["OLD_MLFLOW"], "pass%2Fword", "pass/word"} <= set(
        hidden
    )
    assert "value of OLD_KEY" not in hidden
    assert "value of NEW_CONFIG" not in hidden
