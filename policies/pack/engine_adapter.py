"""Adapter to Pulumi's policy SDK: a gRPC servicer that reads the resources of a run once, for all rules together.

To the engine every rule is a stack policy with its level, severity and settings, but all are evaluated over one model.
The SDK itself reads all resources again for every stack policy, passes inputs and outputs through proxies that raise on
unknown values, and hands out secrets in clear text. So the three evaluating calls are ours, over the messages of the
protocol (pulumi/proto/analyzer.proto); metadata, start and server stay the SDK's. Contract tests check this.
"""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from google.protobuf import empty_pb2, json_format
from pulumi.runtime.proto import analyzer_pb2 as wire
from pulumi_policy import EnforcementLevel, PolicyConfigSchema, PolicyPack, StackValidationPolicy
from pulumi_policy import Severity as PolicySeverity
from pulumi_policy import policy as sdk

from planning.costs.resources.formats.values import stack_of
from planning.values.errors import AtollError
from policies.pack.engine_evaluation import (
    GROUND,
    GROUND_DEMAND,
    GROUND_REMEDY,
    GROUND_TITLE,
    PackPolicyConfig,
    PackRequest,
    answer,
    schema,
)
from policies.pack.engine_resources import Captured, EngineResource
from policies.rule import Severity
from policies.settings import Level
from policies.table import BY_NAME, RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import NoReturn

    from pulumi_policy import Policy

    from policies.pack.engine_evaluation import PackFinding
    from policies.rule import Rule

PACK: Final = "atoll"
NO_VERSION: Final = "0.0.1"  # the engine requires a version; ours is the commit
TESTED_MAJOR: Final = "1"
PROVIDERS: Final = "pulumi:providers:"
LEVELS: Final[Mapping[int, Level]] = {
    wire.ADVISORY: Level.ADVISORY,
    wire.MANDATORY: Level.MANDATORY,
    wire.REMEDIATE: Level.MANDATORY,
    wire.DISABLED: Level.DISABLED,
}
SEVERITIES: Final[Mapping[Severity, wire.PolicySeverity.ValueType]] = {
    Severity.LOW: wire.POLICY_SEVERITY_LOW,
    Severity.MEDIUM: wire.POLICY_SEVERITY_MEDIUM,
    Severity.HIGH: wire.POLICY_SEVERITY_HIGH,
    Severity.CRITICAL: wire.POLICY_SEVERITY_CRITICAL,
}


@dataclass(slots=True)
class Desk:
    """State of one pack process."""

    root: Path
    stack: str = ""
    config: Mapping[str, str] = field(default_factory=dict[str, str])
    asked: Mapping[str, PackPolicyConfig] = field(default_factory=dict[str, PackPolicyConfig])
    captured: Captured = field(default_factory=Captured)

    def judge(self, request: wire.AnalyzeStackRequest) -> Iterator[wire.AnalyzeDiagnostic]:
        """Every finding about the resources of a request, whose captured inputs are then dropped."""
        told, captured = [_read_resource(each) for each in request.resources], self.captured
        self.captured = Captured()
        found = answer(
            PackRequest(
                root=self.root,
                stack=next((stack_of(each.urn) for each in told), self.stack),
                resources=captured.build_resources(told),
                unseen=captured.list_unseen(told),
                config=self.config,
                asked=self.asked,
            )
        )
        yield from (_diagnostic(each) for each in found)


def servicer(desk: Desk) -> type[sdk._PolicyAnalyzerServicer]:  # pyright: ignore[reportPrivateUsage]
    class Servicer(sdk._PolicyAnalyzerServicer):  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001 - see above
        def Analyze(self, request: wire.AnalyzeRequest, _context: object) -> wire.AnalyzeResponse:  # noqa: N802
            desk.captured.take(request.urn, request.properties)
            return wire.AnalyzeResponse()

        def AnalyzeStack(self, request: wire.AnalyzeStackRequest, _context: object) -> wire.AnalyzeResponse:  # noqa: N802
            return wire.AnalyzeResponse(diagnostics=desk.judge(request))

        def Remediate(self, request: wire.AnalyzeRequest, _context: object) -> wire.RemediateResponse:  # noqa: N802
            del request
            return wire.RemediateResponse()

        def Configure(self, request: wire.ConfigureAnalyzerRequest, _context: object) -> empty_pb2.Empty:  # noqa: N802
            desk.asked = {name: _read_policy_config(each) for name, each in request.policyConfig.items()}
            return empty_pb2.Empty()

        def ConfigureStack(  # noqa: N802
            self, request: wire.AnalyzerStackConfigureRequest, _context: object
        ) -> wire.AnalyzerStackConfigureResponse:
            desk.stack, desk.config = request.stack, dict(request.config)
            return wire.AnalyzerStackConfigureResponse()

    return Servicer


def policies() -> list[Policy]:
    """The rules as the engine lists them, after the policy that a stack can be evaluated at all."""
    ground = StackValidationPolicy(
        GROUND,
        GROUND_DEMAND,
        validate=_never,
        enforcement_level=EnforcementLevel.MANDATORY,
        display_name=GROUND_TITLE,
        severity=PolicySeverity.CRITICAL,
        remediation_steps=GROUND_REMEDY,
    )
    return [ground, *(_policy(rule) for rule in RULES)]


def serve(root: Path) -> None:
    """Answer an engine about the project in `root`, until it ends this process.

    Raises:
        AtollError: an untested SDK version; private parts of it are used.
    """
    version = importlib.metadata.version("pulumi_policy")
    if version.partition(".")[0] != TESTED_MAJOR:
        raise AtollError(
            f"pulumi_policy {version} is installed; the pack is tested with {TESTED_MAJOR}.x",
            hint="install the locked versions: make setup",
        )
    sdk._PolicyAnalyzerServicer = servicer(Desk(root))  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001 - what PolicyPack starts
    PolicyPack(PACK, policies(), enforcement_level=EnforcementLevel.MANDATORY)


def _policy(rule: Rule) -> StackValidationPolicy:
    settings = schema(rule.settings)
    return StackValidationPolicy(
        rule.name,
        rule.demand,
        validate=_never,
        enforcement_level=EnforcementLevel(rule.level.value),
        config_schema=PolicyConfigSchema(settings) if settings else None,
        display_name=rule.title,
        severity=PolicySeverity(rule.severity.value),
        remediation_steps=rule.remedy,
    )


def _never(*_arguments: object) -> NoReturn:
    # An SDK that calls a validation did not start our servicer, and nothing may pass then.
    raise AtollError("this pulumi_policy does not ask Atoll's servicer", hint="install the locked versions: make setup")


def _read_resource(each: wire.AnalyzerResource) -> EngineResource:
    return EngineResource(
        urn=each.urn,
        type=each.type,
        name=each.name,
        parent=each.parent,
        custom=each.HasField("provider") or each.type.startswith(PROVIDERS),  # the protocol tells components by that
        protect=each.options.protect,
        provider=each.provider.urn,
        dependencies=tuple(sorted(each.dependencies)),
        property_dependencies={
            name: tuple(sorted(origins.urns)) for name, origins in sorted(each.propertyDependencies.items())
        },
        outputs=each.properties,
    )


def _read_policy_config(config: wire.PolicyConfig) -> PackPolicyConfig:
    properties: dict[str, Any] = json_format.MessageToDict(config.properties)
    return PackPolicyConfig(level=LEVELS.get(config.enforcementLevel, Level.DISABLED), settings=properties)


def _diagnostic(said: PackFinding) -> wire.AnalyzeDiagnostic:
    rule = BY_NAME.get(said.rule)
    return wire.AnalyzeDiagnostic(
        policyName=said.rule,
        policyPackName=PACK,
        policyPackVersion=NO_VERSION,
        description=rule.demand if rule else GROUND_DEMAND,
        message=said.text,
        enforcementLevel=wire.MANDATORY if said.mandatory else wire.ADVISORY,
        urn=said.urn,
        severity=SEVERITIES[rule.severity if rule else Severity.CRITICAL],
    )
