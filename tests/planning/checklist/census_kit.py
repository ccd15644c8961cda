"""Every field of a checklist, other values for it, and what a quote makes of them: nothing is written by hand."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from catalogs.catalog import load
from planning.checklist.model.checklist import Checklist
from planning.checklist.model.structure import kind_of, sections
from planning.checklist.rules.table import find_broken_rules
from planning.quoting.candidates.market import Market
from planning.quoting.quote_builder import quote
from planning.values.errors import AtollError

Path = tuple[str | int, ...]


class Leaf(NamedTuple):
    """A field that holds a value: where it is, its key in the model ("workloads[training].tokens"), its type."""

    path: Path
    key: str
    field: FieldInfo


TODAY = date(2026, 11, 21)
# Texts that a rule or a pattern asks for, by the field's name; the rest is generated from the type.
TEXTS: Mapping[str, tuple[object, ...]] = {
    "region": ("us-west-2", "us-central1", "any", "eu-north1", "us-central1", "eu-west1"),
    "regions": (["us-west-2"], ["us-east-1", "us-west-2"]),
    "accelerator": ("H100", "L40S", "A100-SXM-80GB", "H200-SXM-141GB"),
    "measured_on": ("A100", "H200-SXM-141GB", "H100-SXM-80GB"),
    "name": ("other",),
    "workloads": (["pretrain"], ["serve"], ["pretrain", "serve"], ["lab"]),
    "team": ("speech", "vision"),
    "group": ("viewer", "admin", "ml-other"),
    "owner": ("else@acme.example",),
    "email": ("else@acme.example",),
    "ssh_key": ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOther ada",),
    "phone": ("+1 555 010 0100",),
    "starts": (date(2027, 3, 1),),
    "account": ("222233334444",),
    "vpc_id": ("vpc-0ffffffffffffffff",),
    "vpc_cidr": ("10.8.0.0/16",),
    "route_table_ids": (["rtb-0a"],),
    "cidr": ("10.96.0.0/16", "10.112.0.0/18"),
    "api_cidrs": (["198.51.100.0/24"],),
    "domain": ("ml.other.example",),
    "kubeconfig_env": ("OTHER_KUBECONFIG",),
    "context": ("other",),
    "issuer": ("https://other.okta.com",),
    "client_id": ("other",),
    "tenant": ("0a1b2c3d-0000-4000-8000-00000000ffff",),
    "organisation": ("other.example",),
    "extra": (["airflow"], ["katib"], ["external_secrets"], ["slurm"]),
    "without": (["opencost"], ["tempo"], ["katib"], ["pipelines"]),
    "mirror": ("oci://mirror.acme.example/atoll",),
    "mig_profile": ("all-2g.20gb", "all-1g.18gb", "all-1g.10gb"),
    "measured": ("usage import of March",),
    "placement": ("far", "home"),
}
SCALES = (Decimal(2), Decimal("0.5"), Decimal(10), Decimal("0.1"), Decimal("0.01"), Decimal(1000))


def leaves(value: object, model: type[BaseModel] = Checklist, at: Path = (), key: str = "") -> Iterator[Leaf]:
    """Every leaf of the sections that a checklist has, written or left to its default."""
    section: Mapping[str, object] = value if isinstance(value, dict) else {}
    for name, field in model.model_fields.items():
        inner, given = models_in(field.annotation), section.get(name)
        here = f"{key}.{name}" if key else name
        if inner and isinstance(given, list):
            for index, each in enumerate(given):
                chosen = inner[0] if len(inner) == 1 else kind_in(inner, each)
                kind = kind_of(chosen)
                yield from leaves(each, chosen, (*at, name, index), f"{here}[{kind}]" if kind else here)
        elif inner and given is not None:
            yield from leaves(given, inner[0], (*at, name), here)
        elif not inner and not is_kind(field.annotation):
            yield Leaf((*at, name), here, field)


def every_key() -> Iterator[str]:
    """The same keys, found from the model alone; the `kind` of a workload chooses the model and is no leaf."""
    for section, model in sections():
        for name, field in model.model_fields.items():
            if not models_in(field.annotation) and not is_kind(field.annotation):
                yield f"{section}.{name}" if section else name


def is_kind(annotation: object) -> bool:
    return get_origin(annotation) is Literal and len(get_args(annotation)) == 1


def models_in(annotation: object) -> tuple[type[BaseModel], ...]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return (annotation,)
    if get_origin(annotation) is Literal:
        return ()
    return tuple(model for part in get_args(annotation) for model in models_in(part))


def kind_in(models: tuple[type[BaseModel], ...], given: Any) -> type[BaseModel]:
    return next(model for model in models if given["kind"] in get_args(model.model_fields["kind"].annotation))


def others(name: str, annotation: object, now: object) -> Iterator[object]:
    """Other values that a field may hold, by what its type says and what it holds now."""
    yield from TEXTS.get(name, ())
    for kind in plain_types(annotation):
        if get_origin(kind) is Literal:
            yield from get_args(kind)
        elif isinstance(kind, type) and issubclass(kind, Enum):
            yield from (each.value for each in kind)
        elif kind is bool:
            yield from (True, False)
        elif kind is int:
            yield from (int(now * scale) for scale in SCALES if isinstance(now, int)) if now else (2, 1, 8, 1000)
            if isinstance(now, int):
                yield from (now + 1, now - 1)
        elif kind is Decimal:
            yield from (
                (str(now * scale) for scale in SCALES) if isinstance(now, Decimal) else ("1", "12", "99.5", "500")
            )
        elif get_origin(kind) is tuple:
            items = list(others("", get_args(kind)[0], None))
            yield from ([each] for each in items)
            yield []
    yield None


def plain_types(annotation: object) -> Iterator[object]:
    """The types that a field's type is made of, without their constraints and without None."""
    if get_origin(annotation) is Annotated:
        yield from plain_types(get_args(annotation)[0])
    elif get_origin(annotation) in (Union, UnionType):
        for part in get_args(annotation):
            yield from plain_types(part)
    elif annotation is not NoneType:
        yield annotation


def value_at(checklist: Checklist, path: Path) -> object:
    found: Any = checklist
    for part in path:
        found = found[part] if isinstance(part, int) else getattr(found, part)
    return found


def changed(base: dict[str, Any], path: Path, value: object, field: FieldInfo) -> dict[str, Any]:
    """The same checklist with another value at a path; quantities with a unit get the one they are kept in."""
    whole = copy.deepcopy(base)
    section: Any = whole
    for part in path[:-1]:
        section = section[part] if isinstance(part, int) else section.setdefault(part, {})
    if value is None:
        section.pop(path[-1], None)
    else:
        section[path[-1]] = with_unit(value, field)
    return whole


def with_unit(value: object, field: FieldInfo) -> object:
    spelled = f"{field.annotation} {field.metadata}"
    if "Decimal" not in spelled or not isinstance(value, str):
        return value
    units = (("gigabytes", "GB"), ("gigabits", "Gbps"), ("days", "d"))
    return f"{Decimal(value):f}" + next((sign for word, sign in units if word in spelled), "")


def sound(fields: dict[str, Any]) -> Checklist | None:
    """The checklist, where no rule is broken."""
    try:
        checklist = Checklist.model_validate(fields)
    except ValidationError:
        return None
    return None if any(find_broken_rules(checklist)) else checklist


class Quotes:
    """Quotes of checklists at one price book, each as a text to compare: options with bills, specs and notes."""

    def __init__(self) -> None:
        self._market = Market(load())
        self._texts: dict[str, str] = {}

    def text(self, checklist: Checklist) -> str:
        """The quote of a checklist, made once: hundreds of fields are compared with the same few bases."""
        key = repr(checklist)
        if key not in self._texts:
            self._texts[key] = self._quoted(checklist)
        return self._texts[key]

    def _quoted(self, checklist: Checklist) -> str:
        try:
            found = quote(checklist, checklist_digest="", stack="census", market=self._market, today=TODAY)
        except AtollError as error:
            return f"refused: {error} {error.hint}"
        return repr(replace(found, stack=""))
