"""Whether a chart has the values that a release sets: by its default values, its schema and those of its subcharts."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import yaml

from catalogs.software.reader import parts
from planning.costs.resources.resource import Secret, UnknownValue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(__file__).parents[2]
PLATFORM = Path(os.environ.get("ATOLL_SHARED", ROOT / "../shared")).resolve() / "platform"
STAND_IN = "stand-in"

# Values that a chart copies into an object of Kubernetes as they are, by the end of their name: what may be in them;
# None where the keys are the user's own.
KUBERNETES: Mapping[str, frozenset[str] | None] = {
    "nodeselector": None,
    "labels": None,
    "annotations": None,
    "resources": frozenset({"requests", "limits", "claims"}),
    "requests": frozenset({"cpu", "memory", "ephemeral-storage"}),
    "limits": frozenset({"cpu", "memory", "ephemeral-storage"}),
    "tolerations": frozenset({"key", "operator", "value", "effect", "tolerationSeconds"}),
    "affinity": frozenset({"nodeAffinity", "podAffinity", "podAntiAffinity"}),
    "securitycontext": frozenset(
        {
            "allowPrivilegeEscalation",
            "capabilities",
            "fsGroup",
            "fsGroupChangePolicy",
            "privileged",
            "readOnlyRootFilesystem",
            "runAsGroup",
            "runAsNonRoot",
            "runAsUser",
            "seLinuxOptions",
            "seccompProfile",
            "supplementalGroups",
            "sysctls",
        }
    ),
    "env": frozenset({"name", "value", "valueFrom"}),
    "envfrom": frozenset({"prefix", "configMapRef", "secretRef"}),
    "environment": None,
    "envvars": None,
    "secretref": frozenset({"name", "key", "optional"}),
    "volumeclaimtemplate": frozenset({"metadata", "spec"}),
    "volumemounts": frozenset({"name", "mountPath", "subPath", "subPathExpr", "readOnly", "mountPropagation"}),
    "volumes": frozenset(
        {"name", "secret", "configMap", "emptyDir", "hostPath", "persistentVolumeClaim", "projected", "csi"}
    ),
    "initcontainers": frozenset(
        {
            "name",
            "image",
            "imagePullPolicy",
            "command",
            "args",
            "env",
            "envFrom",
            "volumeMounts",
            "resources",
            "securityContext",
            "restartPolicy",
        }
    ),
    "topologyspreadconstraints": frozenset(
        {"maxSkew", "topologyKey", "whenUnsatisfiable", "labelSelector", "minDomains", "matchLabelKeys"}
    ),
}
DEEP = frozenset(
    {
        "affinity",
        "env",
        "envfrom",
        "initcontainers",
        "securitycontext",
        "topologyspreadconstraints",
        "volumeclaimtemplate",
        "volumes",
    }
)


@dataclass(frozen=True)
class Chart:
    """What a chart can be given.

    Args:
        free: dotted paths below which the chart takes anything, though neither its values nor its schema says so.
    """

    name: str
    defaults: Mapping[str, Any]
    schema: Mapping[str, Any]
    free: frozenset[str] = field(default=frozenset())


@cache
def references() -> Mapping[str, Path]:
    """Folder of a chart's own values by the name of the chart; the catalog's word counts before the data's."""
    found = {}
    for source in sorted(PLATFORM.rglob("SOURCE.yaml")):
        named = yaml.safe_load(source.read_text(encoding="utf-8"))
        found.setdefault(str(named.get("chart", "")), source.parent)
    return {**found, **{part.chart: PLATFORM / part.reference for part in parts().values() if part.reference}}


@cache
def chart(name: str, free: frozenset[str] = frozenset()) -> Chart:
    """A chart as the reference data has it.

    Raises:
        LookupError: it is not there.
    """
    folder = references().get(name)
    if folder is None or not (folder / "values.yaml").is_file():
        raise LookupError(f"no values of chart {name} in {PLATFORM}")
    schema = folder / "values.schema.json"
    defaults = {"global": {}, **_yaml(folder / "values.yaml")}
    for key, below in _subcharts(folder):
        defaults[key] = merged({"enabled": True, "global": {}, **below}, defaults.get(key) or {})
    return Chart(
        name=name,
        defaults=defaults,
        schema=json.loads(schema.read_text(encoding="utf-8")) if schema.is_file() else {},
        free=free,
    )


def _subcharts(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    alias = {each["name"]: each.get("alias") for each in _yaml(folder / "SOURCE.yaml").get("dependencies") or ()}
    for path in sorted(folder.glob("subcharts/*.values.yaml")):
        name = path.name.removesuffix(".values.yaml")
        yield alias.get(name) or name, _yaml(path)


def _yaml(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8")) or {}


def merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Values over defaults as Helm lays them: maps key by key, null takes a key away."""
    result = dict(old)
    for key, value in new.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = merged({}, value) if isinstance(value, dict) else value
    return result


def faults(chart_: Chart, values: Mapping[str, Any]) -> list[str]:
    """What of the values the chart does not have, or refuses."""
    return [*unknown_keys(chart_, values, chart_.defaults, [chart_.schema], ""), *refused(chart_, values)]


def refused(chart_: Chart, values: Mapping[str, Any]) -> Iterator[str]:
    """What the chart's schema says against the values, defaults being below them."""
    whole = merged(chart_.defaults, stood_in(values))
    for error in jsonschema.Draft7Validator(chart_.schema).iter_errors(whole):
        yield f"{'.'.join(map(str, error.absolute_path))}: {error.message[:200]}"


def stood_in(value: Any) -> Any:
    """The same value with a string for whatever is not known before creation."""
    if isinstance(value, (UnknownValue, Secret)):
        return STAND_IN
    if isinstance(value, dict):
        return {name: stood_in(each) for name, each in value.items()}
    return [stood_in(each) for each in value] if isinstance(value, list) else value


def unknown_keys(
    chart_: Chart, value: Any, default: Any, schemas: Sequence[Mapping[str, Any]], path: str
) -> Iterator[str]:
    """Dotted paths of what the chart does not have."""
    if path in chart_.free:
        return
    if not isinstance(value, (dict, list)):
        if isinstance(default, dict) and default and isinstance(value, (str, int, float)):
            yield f"{path} is a map in the chart"
        return
    found = [each for schema in schemas for each in _resolved(chart_.schema, schema)]
    if isinstance(value, list):
        examples = [each for each in default if isinstance(each, dict)] if isinstance(default, list) else []
        below = {key: part for each in examples for key, part in each.items()}
        of_items = [each["items"] for each in found if isinstance(each.get("items"), dict)]
        for number, item in enumerate(value):
            if isinstance(item, dict):
                yield from _unknown_in(chart_, item, below, of_items, f"{path}[{number}]")
        return
    yield from _unknown_in(chart_, value, default, found, path)


def _unknown_in(
    chart_: Chart, value: Mapping[str, Any], default: Any, schemas: Sequence[Mapping[str, Any]], path: str
) -> Iterator[str]:
    known: Mapping[str, Any] = default if isinstance(default, dict) else {}
    found = [each for schema in schemas for each in _resolved(chart_.schema, schema)]
    copied, fields = _kubernetes(path)
    if copied and (fields is None or (_ends(path) == "env" and not path.endswith("]"))):
        return
    if not copied and not known and any(_is_open(each) for each in found):
        return
    for key, each in value.items():
        here = f"{path}.{key}" if path else key
        below = [part for schema in found for part in _below(schema, key)]
        if here in chart_.free or (copied and key in (fields or ()) and _ends(path) in DEEP):
            continue
        if key in known or below or key in (fields or ()):
            yield from unknown_keys(chart_, each, known.get(key), below, here)
        else:
            yield here


def _kubernetes(path: str) -> tuple[bool, frozenset[str] | None]:
    ending = _ends(path)
    return (bool(ending), KUBERNETES.get(ending))


def _ends(path: str) -> str:
    last = path.rpartition(".")[2].partition("[")[0].lower()
    return next((ending for ending in sorted(KUBERNETES, key=len, reverse=True) if last.endswith(ending)), "")


def _resolved(root: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A schema, what it refers to, and its alternatives."""
    yield schema
    if "$ref" in schema and str(schema["$ref"]).startswith("#"):
        node: Any = root
        for step in str(schema["$ref"]).removeprefix("#/").split("/"):
            node = node.get(step, {})
        yield from _resolved(root, node)
    for word in ("allOf", "anyOf", "oneOf"):
        for each in schema.get(word, ()):
            yield from _resolved(root, each)


def _is_open(schema: Mapping[str, Any]) -> bool:
    """Whether a schema says that a map has keys of the user's own."""
    kinds = schema.get("type")
    is_map = kinds == "object" or (isinstance(kinds, list) and "object" in kinds)
    closed = schema.get("additionalProperties") is False or schema.get("properties") or schema.get("patternProperties")
    return is_map and not closed


def _below(schema: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    named = schema.get("properties", {}).get(key)
    if isinstance(named, dict):
        yield named
    other = schema.get("additionalProperties")
    if not isinstance(named, dict) and isinstance(other, dict):
        yield other
