from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from machine_scene import places
from machine_stores import SECRETS, FakeStore, World

from components.agents.mover.ledger import CopyLedger, Written
from components.agents.mover.rounds import RoundReport
from components.agents.mover.store.model import Head, StoreError
from operations.relocation.buckets.canary import CONTENT
from operations.relocation.buckets.pairs import find_foreign_objects, pair_buckets
from operations.relocation.buckets.preflight import usable
from operations.relocation.config import manual_confirmations
from operations.relocation.databases.postgres import DatabaseFacts
from operations.relocation.databases.uri_rewrite import Stray, Survey
from operations.relocation.runner.step import Evidence, Move, StepError
from operations.relocation.steps import copy_rounds, observe, plan, preflight, verify
from operations.relocation.steps.preflight import SideQueries
from operations.relocation.steps.table import every_step
from planning.relocation.steps import NAMES, STEPS
from planning.values.errors import in_one_line

FACTS = DatabaseFacts(name="a:5432/mlflow", major=15, size=1, tables=40, schema="1b5f", used=(), mark="")
DATABASES = {
    "source": [{"part": "mlflow", "uri_env": "OLD_URI"}],
    "target": [{"part": "mlflow", "uri_env": "NEW_URI"}],
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    found = World(tmp_path / "relocations" / "old--new")
    found.folder.mkdir(parents=True)
    found.stores.source()
    found.stores.target()
    return found


def asking(world: World, **changed: Any) -> SideQueries:
    known: dict[str, Any] = {
        "connect": world.stores.connect,
        "cluster": lambda _side, _secrets, *, words: 3 if words else None,
        "administrator_answers": lambda _store, _secrets: True,
        "room_left": lambda _store, _secrets: None,
        "mlflow_version": lambda _address: "3.15.0",
        "addresses": lambda _places, _secrets: [],
        "database": lambda place, _secrets: replace(FACTS, name=place.uri_env),
    }
    return SideQueries(**{**known, **changed})


def with_databases(world: World) -> None:
    form = world.places.model_dump(mode="json")
    world.places = places(**{side: {**form[side], "databases": DATABASES[side]} for side in ("source", "target")})


def asked(world: World, **changed: Any) -> Evidence:
    return preflight.do(world.move, asking=asking(world, **changed))


def refusal(world: World, **changed: Any) -> str:
    with pytest.raises(StepError) as refused:
        asked(world, **changed)
    return in_one_line(refused.value)


def test_the_table_has_every_step_of_the_plan_in_its_order() -> None:
    assert tuple(each.name for each in every_step()) == NAMES


def test_whatever_says_that_it_can_be_taken_back_by_more_than_words_has_an_undo() -> None:
    undone = {each.name for each in every_step() if each.undo is not None}
    assert undone == {"seed", "freeze", "dns"}
    assert all(each.way_back for each in STEPS if each.name in undone)


def test_the_plan_that_was_held_is_the_plan_that_runs(world: World) -> None:
    (world.folder / "plan.json").write_text("{}")
    lock = world.folder.parent.parent / "stacks" / "old" / "quote.lock.json"
    lock.parent.mkdir(parents=True)
    lock.write_text("{}")
    assert sorted(json.loads(json.dumps(plan.do(world.move)))["files"]) == ["old/quote.lock.json", "plan.json"]
    world.places = places(transfers=3, window_minutes=7, bandwidth_mib_per_s=9)
    plan.do(world.move)
    world.places = places(sample_percent=50, buckets=[{"source": "mlflow", "target": "other"}])
    lock.write_text("{ }")
    with pytest.raises(StepError, match=r"changed since the plan was held: buckets, sample_percent, old/quote"):
        plan.do(world.move)


def test_both_sides_are_asked_and_nothing_of_it_stays(world: World) -> None:
    world.stores.source()["runs/1"] = b"content"
    found = asked(world)
    assert found["bucket mlflow"] == {"source_clock": "agrees", "target_clock": "agrees", "foreign_objects": 0}
    assert found["room at the target"] == "unknown: the target does not report its free space"
    assert found["versions in the locks"] == "unknown: not both stacks have a lock here"
    assert world.stores.source() == {"runs/1": b"content"}
    assert world.stores.target() == {}


def test_the_mover_need_not_write_at_the_source(world: World) -> None:
    world.stores.source()["a"] = b"1"
    world.places = places(buckets=[{"source": "mlflow", "target": "copy"}])
    world.stores.target("copy")
    world.stores.denied |= {("mlflow", "put"), ("mlflow", "delete")}
    assert "bucket mlflow" in asked(world)


@pytest.mark.parametrize("what", ["list", "get"])
def test_a_bucket_that_may_not_be_read_is_named(world: World, what: str) -> None:
    world.stores.source()["a"] = b"1"
    world.stores.denied.add(("mlflow", what))
    assert f"{what} of bucket mlflow: AccessDenied" in refusal(world)


@pytest.mark.parametrize("what", ["tags", "open", "head"])
def test_an_object_that_goes_while_it_is_asked_about_tells_nothing(world: World, what: str) -> None:
    world.stores.source().update({"a": b"1", "b": b"2"})
    world.stores.gone.add(("a", what))
    assert asked(world)["bucket mlflow"] == {"source_clock": "agrees", "target_clock": "agrees", "foreign_objects": 0}
    world.stores.gone.add(("b", what))
    assert "bucket mlflow" in asked(world)
    world.stores.ahead = 400
    assert "the clock of the source's store is 400 s away" in refusal(world)


def test_a_refusal_of_the_object_behind_one_that_goes_is_told(world: World) -> None:
    world.stores.source().update({"a": b"1", "b": b"2"})
    world.stores.gone.add(("a", "tags"))
    world.stores.denied.add(("mlflow", "get"))
    assert "get of bucket mlflow: AccessDenied" in refusal(world)


def test_a_canary_that_may_not_write_even_now_is_told(world: World) -> None:
    world.stores.denied.add(("mlflow", "put as canary"))
    assert "the canary may not write into bucket mlflow" in refusal(world)


def test_an_address_of_mlflow_that_is_none_is_told_without_its_password() -> None:
    with pytest.raises(StepError, match="MLflow at h is no address") as refused:
        preflight.mlflow_version("http://u:secret@h/")
    assert "secret" not in in_one_line(refused.value)


def test_an_administrator_who_is_refused_is_told(world: World) -> None:
    said = refusal(world, administrator_answers=lambda store, _secrets: store.endpoint.endswith("9000"))
    assert "the store of the target does not answer its administrator" in said


def test_everything_without_a_good_answer_is_told_at_once(world: World) -> None:
    world.stores.source()["big"] = b"x" * 3_000_000
    world.stores.target()["theirs"] = b"1"
    world.stores.ahead = 400
    world.places = places(target={**world.places.target.model_dump(), "mlflow_url": "http://b"},
                          source={**world.places.source.model_dump(), "mlflow_url": "http://a"})  # fmt: skip
    said = refusal(
        world, room_left=lambda _store, _secrets: 2**20, mlflow_version={"http://a": "3.1", "http://b": "2"}.get
    )
    assert "the clock of the source's store is 400 s away" in said
    assert "the clock of the target's store is 400 s away" in said
    assert "bucket mlflow of the target holds 1 objects that are not this relocation's: 'theirs'" in said
    assert "the target is too small: 2 MiB are to be copied, 1 MiB are left" in said
    assert "MLflow is 3.1 at the source and 2 at the target" in said


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ({"major": 14}, "is PostgreSQL 15, the target's is 14: older"),
        ({"schema": "ffff"}, "the schema of mlflow is 1b5f at the source and ffff at the target"),
        ({"name": "OLD_URI"}, "both databases of mlflow are OLD_URI"),
    ],
)
def test_databases_that_do_not_fit_are_told(world: World, there: dict[str, Any], said: str) -> None:
    with_databases(world)

    def database(place: Any, _secrets: Any) -> DatabaseFacts:
        found = replace(FACTS, name=place.uri_env)
        return replace(found, **there) if place.uri_env == "NEW_URI" else found

    assert said in refusal(world, database=database)


def test_a_newer_server_and_an_empty_database_are_welcome(world: World) -> None:
    with_databases(world)

    def database(place: Any, _secrets: Any) -> DatabaseFacts:
        return replace(FACTS, name=place.uri_env, **({"major": 17, "schema": ""} if place.uri_env == "NEW_URI" else {}))

    assert asked(world, database=database)["database 1, mlflow"] == {"source": [15, "1b5f", 1], "target": [17, "", 1]}


def test_a_cluster_that_does_not_answer_is_told_beside_the_rest(world: World) -> None:
    def silent(_side: Any, _secrets: Any, *, words: str) -> int:
        raise StepError(f"the cluster of the {words} does not answer")

    world.stores.target()["theirs"] = b"1"
    said = refusal(world, cluster=silent)
    assert "the cluster of the source does not answer" in said
    assert "'theirs'" in said


def test_addresses_that_the_rewriting_would_refuse_are_told_beside_the_rest(world: World) -> None:
    def unfit(_places: Any, _secrets: Any) -> list[str]:
        raise StepError("mlflow: addresses that fit no rule: 3 in runs.artifact_uri (as s3://a)", hint="add a rule")

    world.stores.target()["theirs"] = b"1"
    said = refusal(world, addresses=unfit)
    assert "3 in runs.artifact_uri (as s3://a); add a rule" in said
    assert "'theirs'" in said
    assert "left to you" in world.said[-1]


def test_a_database_is_held_against_the_rules_by_reading_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked_of: list[tuple[str, bool]] = []
    stray = Stray(column="runs.artifact_uri", count=2, examples=("s3://a/1", "s3://a/2"))
    found = Survey(version="x", changes={}, orphans=(stray,), too_long=(stray,), records={})

    @contextmanager
    def session(place: Any, _secrets: Any, *, writing: bool = False) -> Iterator[str]:
        asked_of.append((place.uri_env, writing))
        yield "connection"

    monkeypatch.setattr(preflight.postgres, "session", session)
    monkeypatch.setattr(preflight, "survey", lambda _connection, _schema, _rules, **_more: found)
    with_databases(world)
    with pytest.raises(StepError) as refused:
        preflight.check_addresses(world.places, SECRETS)
    assert asked_of == [("OLD_URI", False)]
    assert in_one_line(refused.value) == (
        "mlflow: addresses that fit no rule: 2 in runs.artifact_uri (as s3://a/1, s3://a/2); "
        "mlflow: addresses that become too long for their column: 2 in runs.artifact_uri (as s3://a/1, s3://a/2); "
        "add a rule to `uris` of relocation.yaml, where an address stays right one whose source and target are equal; "
        "then roll back and run again"
    )
    monkeypatch.setattr(preflight, "survey", lambda *_, **_more: replace(found, orphans=(), too_long=()))
    assert preflight.check_addresses(world.places, SECRETS) == ["mlflow"]


def test_what_people_have_not_confirmed_is_said_and_stops_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asked(world)["left to you"] == plan.NO_PLAN
    every = {
        key: plan.ManualTask(key=key, title=key, why="no row", written=True)
        for key in ("volumes/notebooks", "secrets/a")
    }
    mark = manual_confirmations.ManualConfirmation(who="ada", when=world.clock(), how="looked", until=world.clock())
    stands = plan.ManualWork(
        every=every,
        marks=manual_confirmations.ManualConfirmations(confirmed={"secrets/a": mark}, empty=frozenset()),
        plan=world.folder / "plan.json",
        path=world.folder / "by-hand.yaml",
    )
    monkeypatch.setattr(plan, "read_manual_work", lambda _places, **_more: stands)
    assert asked(world)["left to you"] == ["volumes/notebooks"]
    assert world.said[-1] == (
        "left to you, and to be confirmed in by-hand.yaml before the databases: volumes/notebooks"
    )


def test_room_is_what_drives_say_without_parity() -> None:
    told = {
        "servers": [{"drives": [{"availspace": 100}] * 4}],
        "backend": {"totalDrivesPerSet": [4], "standardSCParity": 1},
    }
    assert usable(told) == 300
    assert usable({"servers": [{"drives": [{"availspace": 100}, {}]}]}) is None
    assert usable({"servers": [{"drives": [{"availspace": 7}]}]}) == 7
    assert usable([]) is None


def provided(world: World, **changed: Any) -> Evidence:
    before = set(world.stores.buckets)
    done = preflight.provision(world.move, asking=asking(world, **changed))
    return {**done, "calls": [bucket for _, bucket in set(world.stores.buckets) - before]}


def test_a_bucket_that_is_missing_is_made_with_versions_as_the_source_has_them(world: World) -> None:
    del world.stores.buckets["http://127.0.0.1:9100", "mlflow"]
    world.stores.keeps_versions.add("http://127.0.0.1:9000mlflow")
    found = provided(world)
    assert found["calls"] == ["mlflow"]
    assert found["buckets"] == {"mlflow": {"made": True, "versions": True, "foreign": 0}}
    assert provided(world)["calls"] == []


def test_a_bucket_without_versions_stays_without(world: World) -> None:
    assert provided(world)["buckets"] == {"mlflow": {"made": False, "versions": False, "foreign": 0}}


def test_a_target_with_what_is_not_ours_is_refused(world: World) -> None:
    with_databases(world)
    world.stores.target()["theirs"] = b"1"
    with pytest.raises(StepError) as refused:
        provided(world, database=lambda _place, _secrets: replace(FACTS, used=("runs",)))
    said = in_one_line(refused.value)
    assert "bucket mlflow holds 1 objects that are not ours: 'theirs'" in said
    assert "the target's database of mlflow is in use: rows in runs" in said


def test_a_database_that_an_earlier_attempt_restored_is_ours(world: World) -> None:
    with_databases(world)
    marked = replace(FACTS, used=("runs",), mark="atoll relocation old--new")
    found = provided(world, database=lambda _place, _secrets: marked)
    assert found["databases"] == {"1, mlflow": {"tables": 40, "used": ["runs"], "ours": True}}


def test_what_an_earlier_attempt_wrote_or_was_about_to_write_is_ours(world: World) -> None:
    world.stores.target().update({"a": b"1", "b": b"2", "begun": b"3", "theirs": b"4"})
    (pair,) = pair_buckets(world.move)
    with CopyLedger(pair.folder, source=pair.source, target=pair.target, versions=False) as ledger:
        ledger.intend(["begun", "b"])
        ledger.record_written([written(key) for key in ("a", "b", "gone")], done=["b"])
    assert find_foreign_objects(pair, connected=world.stores.connect) == (1, ["theirs"])


def written(key: str) -> Written:
    where = {"target_etag": "e", "target_version": "", "target_time": 0.0}
    return Written(key=key, version="", etag="e", size=1, modified=0.0, line=b"", **where)


def scripted(*seconds: float, **more: Any) -> Any:
    left = iter(seconds)

    def copy(*_places: Any, **_options: Any) -> RoundReport:
        return RoundReport(objects=1, seconds=next(left), **more)

    return {"atoll": copy}


def test_the_first_copy_tells_its_figures(world: World) -> None:
    world.stores.source().update({"a": b"12", "b": b"3"})
    found = copy_rounds.seed(world.move, movers={"atoll": world.copy})
    assert found["mlflow"]["objects"] == 2  # pyright: ignore[reportIndexIssue] - figures
    assert world.stores.target() == {"a": b"12", "b": b"3"}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"foreigns": 2, "foreign": [("k1", "w"), ("k2", "w")]}, "2 objects at the target .*: 'k1', 'k2'"),
        ({"failures": 1, "failed": [("k", "too large")]}, "1 objects cannot be copied: 'k': too large"),
        ({"stopped": True}, "stopped before the end"),
    ],
)  # fmt: skip
def test_what_cannot_be_copied_stops_by_name(world: World, more: dict[str, Any], said: str) -> None:
    with pytest.raises(StepError, match=said):
        copy_rounds.seed(world.move, movers=scripted(1.0, **more))


def test_a_store_that_fails_says_so_in_its_own_words(world: World) -> None:
    def failing(*_places: Any, **_options: Any) -> RoundReport:
        raise StoreError("ExpiredToken: get new ones and run it again", code="ExpiredToken")

    with pytest.raises(StepError, match="get new ones and run it again"):
        copy_rounds.seed(world.move, movers={"atoll": failing})


def test_deltas_end_with_a_round_that_fits_into_a_quarter_of_the_window(world: World) -> None:
    assert copy_rounds.copy_deltas(world.move, movers=scripted(4000, 900, 451, 449))["rounds"] == 4


def test_rounds_that_do_not_get_shorter_stop(world: World) -> None:
    with pytest.raises(StepError, match="3 rounds in a row did not get shorter: 700 s, and 450 s are wanted"):
        copy_rounds.copy_deltas(world.move, movers=scripted(900, 600, 600, 650, 700))


def test_a_round_that_finds_nothing_ends_the_deltas_however_long_it_took(world: World) -> None:
    assert (
        copy_rounds.copy_deltas(world.move, movers={"atoll": lambda *_a, **_k: RoundReport(seconds=9e9)})["rounds"] == 1
    )


def test_the_last_copy_looks_twice(world: World) -> None:
    world.stores.source()["late"] = b"1"
    rounds: list[int] = []

    def copy(*sides: Any, **options: Any) -> RoundReport:
        rounds.append(1)
        return world.copy(*sides, **options)

    copy_rounds.copy_final_delta(world.move, movers={"atoll": copy})
    assert len(rounds) == 3
    copy_rounds.copy_final_delta(world.move, movers={"atoll": copy})
    assert len(rounds) == 5


@pytest.mark.parametrize("at", [2, 3])
def test_a_write_during_the_freeze_is_named(world: World, at: int) -> None:
    world.stores.source().update({"kept": b"1", "deleted": b"1", "changed": b"1"})
    rounds: list[int] = []

    def copy(*sides: Any, **options: Any) -> RoundReport:
        rounds.append(1)
        if len(rounds) == at:
            del world.stores.source()["deleted"]
            world.stores.source().update({"changed": b"2", "new": b"1"})
        return world.copy(*sides, **options)

    with pytest.raises(StepError, match="written at the source during the freeze: 'changed', 'deleted', 'new'"):
        copy_rounds.copy_final_delta(world.move, movers={"atoll": copy})


def test_what_changed_while_it_was_copied_was_written_during_the_freeze(world: World) -> None:
    with pytest.raises(StepError, match="during the freeze: 'runs/1'"):
        copy_rounds.copy_final_delta(world.move, movers=scripted(1.0, changes=1, changed_during=["runs/1"]))


def copied(world: World, **content: bytes) -> None:
    world.stores.source().update(content)
    copy_rounds.seed(world.move, movers={"atoll": world.copy})


def test_a_copy_is_proved_and_the_report_says_so(world: World) -> None:
    copied(world, a=b"12", b=b"345")
    found = verify.do(world.move, connect=world.stores.connect)
    report = json.loads((world.folder / "reports" / "verify-mlflow.json").read_text())
    assert report["sentence"] == "2 objects, 5 bytes, 0 missing, 0 extra, 0 different"
    assert report["proven"]
    assert found["mlflow"]["report"] == "reports/verify-mlflow.json"  # pyright: ignore[reportIndexIssue] - figures


def test_one_bit_a_missing_and_an_extra_object_are_found_by_name(world: World) -> None:
    copied(world, a=b"12", b=b"345", c=b"6")
    world.stores.target().update({"a": b"13", "theirs": b""})
    del world.stores.target()["c"]
    with pytest.raises(StepError) as failed:
        verify.do(world.move, connect=world.stores.connect)
    said = str(failed.value)
    assert "1 missing, 1 extra, 1 different" in said
    for name in ('missing "c"', 'extra "theirs"', 'different "a": bytes'):
        assert name in said


def watched(world: World, **changed: Any) -> Evidence:
    parts: dict[str, Any] = {
        "check": lambda _move: {"links": 3},
        "connect": world.stores.connect,
        "sleep": world.clock.wait,
    }
    return observe.do(world.move, **(parts | changed))


def test_the_target_is_watched_for_as_long_as_was_asked(world: World) -> None:
    copied(world, a=b"1")
    began = world.clock()
    found = watched(world)
    assert found["source"] == "unchanged"
    assert found["looks"] == 61
    assert (world.clock() - began).total_seconds() == 3600


def test_a_kill_does_not_begin_the_watch_anew(world: World) -> None:
    copied(world, a=b"1")

    def killed(seconds: float) -> None:
        world.clock.wait(seconds)
        if len(world.said) % 41 == 40:
            raise KeyboardInterrupt

    began = world.clock()
    with pytest.raises(KeyboardInterrupt):
        watched(world, sleep=killed)
    watched(world)
    assert (world.clock() - began).total_seconds() == 3600


def test_a_check_that_fails_ends_the_watch(world: World) -> None:
    copied(world, a=b"1")

    def failing(_move: Move) -> Evidence:
        raise StepError("models:/vision/1 does not open")

    with pytest.raises(StepError, match="does not open"):
        watched(world, check=failing)


@pytest.mark.parametrize("change", [{"new": b""}, {"a": b"2"}, {"a": None}])
def test_a_write_at_the_source_while_it_is_watched_is_named(world: World, change: dict[str, bytes | None]) -> None:
    copied(world, a=b"1", b=b"2")

    def written(seconds: float) -> None:
        world.clock.wait(seconds)
        for key, content in change.items():
            if content is None:
                world.stores.source().pop(key, None)
            else:
                world.stores.source()[key] = content

    (key,) = change
    with pytest.raises(StepError, match=f"written at the source after the freeze: '{key}'"):
        watched(world, sleep=written)


def test_our_own_canaries_are_nobodys_writes(world: World) -> None:
    copied(world, a=b"1")
    world.stores.source()[".atoll-canary/0123456789abcdef"] = CONTENT
    world.stores.target()[".atoll-canary/y"] = b"1"
    assert watched(world)["source"] == "unchanged"
    verify.do(world.move, connect=world.stores.connect)
    report = json.loads((world.folder / "reports" / "verify-mlflow.json").read_text())
    assert report["left_out_at_the_source"] == {"count": 0, "first": []}


@pytest.mark.parametrize(
    ("key", "content"),
    [(".atoll-canary/0123456789abcdef", b"more"), (".atoll-canary/theirs", CONTENT), (".atoll-canary/", b"")],
)
def test_what_lies_below_our_prefix_and_is_no_canary_is_not_proven(world: World, key: str, content: bytes) -> None:
    copied(world, a=b"1")
    world.stores.source()[key] = content
    with pytest.raises(StepError, match=r"1 left out below \.atoll-canary/ and not ours") as failed:
        verify.do(world.move, connect=world.stores.connect)
    assert key in str(failed.value)
    assert "give what is not ours there another name" in failed.value.hint
    report = json.loads((world.folder / "reports" / "verify-mlflow.json").read_text())
    assert (report["proven"], report["left_out_at_the_source"]) == (False, {"count": 1, "first": [key]})


def test_what_changes_while_it_is_looked_at_is_not_proven(world: World) -> None:
    copied(world, a=b"1", b=b"2")

    class Meddled(FakeStore):
        def head(self, key: str, *, version: str = "") -> Head:
            if key == "b":
                self.stores.target()["b"] = b"3"
            return super().head(key, version=version)

    with pytest.raises(StepError, match="1 changed meanwhile") as failed:
        verify.do(world.move, connect=lambda place: Meddled(world.stores, place))
    assert "somebody writes while it is looked at" in failed.value.hint
    report = json.loads((world.folder / "reports" / "verify-mlflow.json").read_text())
    assert not report["proven"]
    assert report["changed"]["count"] == 1
    assert report["changed"]["first"][0].startswith("b: ")
