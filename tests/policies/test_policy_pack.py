"""The pack over the wire says what the pure rules say, and whatever keeps it from judging it says in words."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import policy_kit
import pytest
from policy_kit import ROOT, STACKS, TODAY, catalog, ceiling, made, sound
from pulumi.runtime.proto import analyzer_pb2 as wire
from pulumi_policy import policy as sdk
from servicer import HIDDEN, ask, struct, told
from test_policy_rules import EVERY_CASE

from components.context import settings
from planning.costs.resources.resource import Resource, UnknownValue
from planning.spec.lock import to_text
from planning.spec.lock_content import inconsistencies
from planning.values.verdict import Verdict
from policies.evaluation import PolicyReport, evaluate_rules
from policies.pack import engine_evaluation
from policies.pack.engine_adapter import Desk, _read_resource, policies, servicer
from policies.pack.engine_evaluation import GROUND, PackPolicyConfig, tighten_settings
from policies.pack.engine_resources import Captured
from policies.rule import Rule
from policies.settings import Level, PolicySettings
from policies.settings_reader import read_law
from policies.stack_context import StackContext
from policies.table import RULES

EXAMPLES = {**STACKS, "existing": ("existing-lambda", "cheapest")}
Said = set[tuple[str, bool, str, str]]


@pytest.fixture(autouse=True)
def _on_the_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(engine_evaluation.TODAY, TODAY.isoformat())
    monkeypatch.setattr(engine_evaluation, "load", catalog)
    monkeypatch.setitem(STACKS, "existing", EXAMPLES["existing"])


def project(folder: Path, stack: StackContext) -> Path:
    """A project in which the stack is accepted, with the limits that it is judged by."""
    home = folder / "stacks" / stack.lock.stack
    home.mkdir(parents=True)
    text = to_text(stack.lock.model_copy(update={"ceiling": stack.ceilings}))
    (home / "quote.lock.json").write_text(text, encoding="utf-8")
    (folder / "stacks" / engine_evaluation.LAW_NAME).write_text(law_text(stack.law), encoding="utf-8")
    if stack.software:
        (folder / "stacks" / engine_evaluation.SOFTWARE_NAME).write_text(
            stack.software.model_dump_json(), encoding="utf-8"
        )
    return folder


def law_text(law: PolicySettings) -> str:
    """A law as a project writes it; JSON is YAML."""
    rules: dict[str, dict[str, object]] = {name: {"level": level} for name, level in law.levels.items()}
    for rule in RULES:
        if rule.settings in law.settings:
            said = law.settings[rule.settings].model_dump(mode="json", exclude_unset=True)
            rules[rule.name] = {**rules.get(rule.name, {}), **said}
    exemptions = [each.model_dump(mode="json", exclude_unset=True) for each in law.exemptions]
    return json.dumps({"rules": rules, "exemptions": exemptions})


def of_wire(found: list[wire.AnalyzeDiagnostic]) -> Said:
    return {(each.policyName, each.enforcementLevel == wire.MANDATORY, each.urn, each.message) for each in found}


def of_report(report: PolicyReport) -> Said:
    return {(each.rule.name, each.stops, each.breach.urn, each.sentence) for each in report.found}


def as_told(stack: StackContext) -> StackContext:
    """The same, as far as Pulumi's protocol can tell it: what is retained is not in it, and limits are the lock's."""
    lock = stack.lock.model_copy(update={"ceiling": stack.ceilings})
    return replace(stack, lock=lock, tells_retention=False, software=stack.software or engine_evaluation.SoftwareLock())


@pytest.mark.parametrize("target", EXAMPLES)
def test_the_servicer_says_of_an_example_what_the_pure_rules_say(target: str, tmp_path: Path) -> None:
    stack = sound(target)
    report = evaluate_rules(as_told(stack), RULES)
    assert of_wire(ask(project(tmp_path, stack), stack.resources)) == of_report(report)
    assert report.verdict is evaluate_rules(stack, RULES).verdict


@pytest.mark.parametrize(("rule", "case"), EVERY_CASE)
def test_the_servicer_says_of_a_broken_stack_what_the_pure_rules_say(
    rule: Rule, case: policy_kit.Breaking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = case.stack()
    if stack.before is not None or stack.whole is not None:
        pytest.skip(f"{rule.name}: the engine tells nothing of what the case changes")
    monkeypatch.setenv(engine_evaluation.TODAY, stack.today.isoformat())
    monkeypatch.setattr(engine_evaluation, "load", lambda: stack.catalog)
    said = of_wire(ask(project(tmp_path, stack), stack.resources))
    if next(inconsistencies(stack.lock), None):  # as a file, such a lock is refused before any rule reads it
        ((name, is_mandatory, _, text),) = said
        assert (name, is_mandatory) == (engine_evaluation.GROUND, True)
        assert "contradicts itself" in text
        return
    assert said == of_report(evaluate_rules(as_told(stack), RULES))


@pytest.mark.parametrize("target", STACKS)
def test_resources_come_over_the_wire_as_they_were_registered(target: str) -> None:
    captured = Captured()
    original = sound(target).resources
    for each in original:
        captured.take(each.urn, struct(each.inputs))
    read = captured.build_resources([_read_resource(told(each)) for each in original])
    for here, there in zip(original, read, strict=True):
        assert _bare(here) == _bare(there)


def _bare(resource: Resource) -> Resource:
    """Without what the protocol does not tell: retention, and which output an unknown is."""
    inputs = {name: _forgetful(value) for name, value in resource.inputs.items()}
    provider = resource.provider if resource.custom else None  # a component only hands it on
    return replace(resource, retain_on_delete=False, inputs=inputs, provider=provider)


def _forgetful(value: object) -> object:
    if isinstance(value, UnknownValue):
        return UnknownValue()
    if isinstance(value, list):
        return [_forgetful(each) for each in value]
    return (
        {name: _forgetful(each) for name, each in value.items() if each is not None}
        if isinstance(value, dict)
        else value
    )


def test_a_secret_never_reaches_a_message(tmp_path: Path) -> None:
    stack = sound()
    said = ask(project(tmp_path, stack), stack.resources)
    assert HIDDEN not in "".join(each.message for each in said)


def only(found: list[wire.AnalyzeDiagnostic]) -> wire.AnalyzeDiagnostic:
    (one,) = (each for each in found if each.policyName == GROUND)
    assert one.enforcementLevel == wire.MANDATORY
    assert "Traceback" not in one.message
    return one


def test_a_stack_without_a_lock_is_stopped_in_words(tmp_path: Path) -> None:
    said = only(ask(tmp_path, sound().resources)).message
    assert "there is no lock yet" in said
    assert "atoll accept" in said


def test_a_lock_edited_by_hand_is_stopped_in_words(tmp_path: Path) -> None:
    home = project(tmp_path, sound()) / "stacks" / "demo" / "quote.lock.json"
    home.write_text(home.read_text(encoding="utf-8").replace('"joined": false', '"joined": true'), encoding="utf-8")
    assert "edited after it was accepted" in only(ask(tmp_path, sound().resources)).message


def test_a_faulty_law_is_stopped_in_words(tmp_path: Path) -> None:
    (project(tmp_path, sound()) / "stacks" / "policies.yaml").write_text("rules: {no-such-rule: {}}", encoding="utf-8")
    assert "no-such-rule" in only(ask(tmp_path, sound().resources)).message


def test_a_day_that_is_none_is_stopped_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(engine_evaluation.TODAY, "soon")
    assert "ATOLL_TODAY is not a date" in only(ask(project(tmp_path, sound()), sound().resources)).message


def test_a_fault_of_ours_is_stopped_without_what_it_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> PolicyReport:
        raise KeyError(HIDDEN)

    monkeypatch.setattr(engine_evaluation, "evaluate_rules", fail)
    said = only(ask(project(tmp_path, sound()), sound().resources)).message
    assert "KeyError" in said
    assert HIDDEN not in said


def test_components_whose_inputs_were_never_sent_cannot_be_judged(tmp_path: Path) -> None:
    said = only(ask(project(tmp_path, sound()), sound().resources, seen=False))
    assert "undetermined" in said.message
    assert "--target" in said.message


def test_what_a_chart_makes_of_itself_is_told_by_the_component_that_installs_it(tmp_path: Path) -> None:
    stack = sound()
    (folder, *_) = (each for each in stack.resources if each.type == "kubernetes:kustomize/v2:Directory")
    service = made("kubernetes:core/v1:Service", "open", parent=folder.urn, spec={"type": "LoadBalancer"})
    as_engine = [replace(each, inputs={}) if each.type == folder.type else each for each in stack.resources]
    here = project(tmp_path, stack)
    assert of_wire(ask(here, [*as_engine, service])) == of_report(evaluate_rules(as_told(stack), RULES))
    astray = replace(service, parent=None)
    assert "public-exposure" in {each.policyName for each in ask(here, [*as_engine, astray])}


def test_the_configuration_of_the_pack_makes_a_rule_stricter_and_never_laxer(tmp_path: Path) -> None:
    law = read_law(tmp_path / "none", rules=RULES)
    mandatory = [rule for rule in RULES if rule.level is Level.MANDATORY]
    advisory = [rule for rule in RULES if rule.level is Level.ADVISORY]
    asked = {rule.name: PackPolicyConfig(level=Level.MANDATORY) for rule in RULES}
    levels, refused = tighten_settings(law, asked, RULES)
    assert refused == ()
    assert levels.levels == {rule.name: Level.MANDATORY for rule in advisory}
    for rule in mandatory:
        _, refused = tighten_settings(law, {rule.name: PackPolicyConfig(level=Level.ADVISORY)}, RULES)
        assert "can only make it stricter" in refused[0]


def test_a_laxer_level_is_a_mandatory_finding(tmp_path: Path) -> None:
    lax = {GROUND: wire.PolicyConfig(enforcementLevel=wire.DISABLED)}
    said = only(ask(project(tmp_path, sound()), sound().resources, config=lax)).message
    assert "set to disabled; it is mandatory" in said
    unknown = {"no-such": wire.PolicyConfig(enforcementLevel=wire.MANDATORY)}
    assert "no rule 'no-such'" in only(ask(tmp_path, sound().resources, config=unknown)).message


def test_every_rule_is_listed_with_a_schema_that_an_engine_can_read() -> None:
    listed = {each.name: each for each in policies()}
    assert [*listed] == [GROUND, *(rule.name for rule in RULES)]
    for rule in RULES:
        found = listed[rule.name]
        assert found.remediation_steps == rule.remedy
        properties = found.config_schema.properties if found.config_schema else {}
        assert set(properties) == set(rule.settings.model_fields)
        text = json.dumps(properties)
        assert '"$ref"' not in text
        assert '"default"' not in text
        assert "(?" not in text
    info = servicer(Desk(ROOT))("atoll", "0.0.1", policies(), sdk.EnforcementLevel.MANDATORY)
    assert len(info.GetAnalyzerInfo(None, None).policies) == len(listed)


def test_the_sdk_is_as_the_adapter_takes_it() -> None:
    assert "_PolicyAnalyzerServicer(" in inspect.getsource(sdk.PolicyPack.__init__)
    for call in ("Analyze", "AnalyzeStack", "Remediate", "Configure", "ConfigureStack", "GetAnalyzerInfo"):
        assert [*inspect.signature(getattr(sdk._PolicyAnalyzerServicer, call)).parameters][:1] == ["self"]
    with pytest.raises(Exception, match="does not ask Atoll's servicer"):
        next(each for each in policies() if each.name == GROUND).validate(None, None)


def test_the_reach_of_a_stack_is_read_as_its_program_reads_it() -> None:
    assert f"{settings.SECTION}:reach" == engine_evaluation.REACH
    assert settings.EVERYTHING == engine_evaluation.EVERYTHING


def test_a_first_update_that_stops_short_is_judged_as_the_whole_cluster(tmp_path: Path) -> None:
    stack = ceiling(sound(), usd_per_month=1)
    cloud_only = [each for each in stack.resources if not each.type.startswith(("kubernetes:", "atoll:platform:"))]
    here = project(tmp_path, stack)
    whole = {each.message for each in ask(here, stack.resources) if not each.urn}
    part = {each.message for each in ask(here, cloud_only, stack_config={"atoll:reach": "cloud"}) if not each.urn}
    assert {each for each in whole if "month" in each} <= part


def test_nothing_is_printed_before_the_port() -> None:
    code = "import policies.pack.engine_adapter as s; s.PolicyPack = lambda *a, **k: None; import policies.__main__"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout == ""
    assert done.stderr == ""


def test_a_verdict_over_the_wire_is_over_where_the_ceiling_is_crossed(tmp_path: Path) -> None:
    stack = ceiling(sound(), usd_per_month=1)
    report = evaluate_rules(as_told(stack), RULES)
    said = of_wire(ask(project(tmp_path, stack), stack.resources))
    assert said == of_report(report)
    assert any(mandatory for _, mandatory, _, _ in said) is (report.verdict is not Verdict.WITHIN)
