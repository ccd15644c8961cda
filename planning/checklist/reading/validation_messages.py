"""What a validator found, said without the validator's own words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.checklist.model.field_descriptions import meanings
from planning.checklist.model.structure import Location, Model, homes, kind_of, kinds, section_at
from planning.checklist.model.units import QuantityError
from planning.inputs.faults import nearest, spell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_LONGEST: Final = 40  # characters of a wrong value that a message repeats
_ALLOWED: Final = re.compile(r"'([^']*)'|(\d+)")
_WORKLOAD: Final = re.compile(r"workloads\[(\w+)\]")
_KIND: Final = re.compile(r"\[\w+\]")
_SYNONYMS: Final = {
    "gpu": "hardware.count",
    "gpus": "hardware.count",
    "gpu_count": "hardware.count",
    "gpu_type": "hardware.accelerator",
    "gpu_memory": "accelerator_memory",
    "budget": "ceiling",
    "limit": "ceiling",
    "team": "engineers",
    "params": "parameters",
    "vpc": "main_cloud",
    "peering": "main_cloud",
    "cloud": "main_cloud",
    "providers": "where.wanted",
}
_PATTERNS: Final = {
    "name": ("lower case letters, digits and dashes, starting with a letter, 31 at most", "acme-research"),
    "owner": ("an e-mail address", "ml-lead@example.com"),
    "email": ("an e-mail address", "ada@example.com"),
    "ssh_key": ("one line of a public key file", "ssh-ed25519 AAAA... ada@example.com"),
    "domain": ("a DNS name in lower case letters, with a dot in it", "ml.example.com"),
    "phone": ("a telephone number with the country's code, in digits and spaces", "+1 555 010 0199"),
    "kubeconfig_env": ("the name of an environment variable, in capitals", "KUBECONFIG"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """One finding. `location` still names a workload's kind after its index; `path` does not."""

    rule: str
    location: Location
    given: object
    limits: Mapping[str, object]

    @property
    def path(self) -> Location:
        """Where in the text."""
        if len(self.location) > 2 and self.location[0] == "workloads":  # noqa: PLR2004 - index, then kind
            return (*self.location[:2], *self.location[3:])
        return self.location

    @property
    def name(self) -> str:
        """The field, or the entry of a list, in quotes."""
        names = [at for at, part in enumerate(self.path) if isinstance(part, str)]
        return f'"{spell(self.path[names[-1] :])}"' if names else "the checklist"

    @property
    def meaning(self) -> str:
        """What the field is for, from the model; "" when it says nothing."""
        names = [at for at, part in enumerate(self.location) if isinstance(part, str)]
        section = section_at(self.location[: names[-1]]) if names else None
        return meanings(section).get(str(self.location[names[-1]]), "") if section else ""

    @property
    def section(self) -> Model | None:
        return section_at(self.location[:-1])


Words = tuple[str, str]  # message, hint


def explain(wrong: Wrong) -> Words:
    if wrong.given is None and wrong.rule not in {"missing", "extra_forbidden"}:
        return _nothing(wrong)
    return _WORDS.get(wrong.rule, _other)(wrong)


def _missing(wrong: Wrong) -> Words:
    field = wrong.location[-1]
    return f'"{field}" is missing from {_in_words(wrong)}', f'add "{field}: ..." ({wrong.meaning})'


def _unknown(wrong: Wrong) -> Words:
    field, section = str(wrong.location[-1]), wrong.section
    message = f'"{_short(field)}" is not a field of {_in_words(wrong)}'
    if field == "<<":
        return message, "write the fields out; merging is not used in a checklist"
    known = tuple(section.model_fields) if section else ()
    if places := homes().get(field):
        return message, f'"{field}" belongs to {" or ".join(dict.fromkeys(map(_place_in_words, places)))}'
    if near := nearest(field, known):
        return message, f'did you mean "{near}"?'
    if meant := _SYNONYMS.get(field.casefold()):
        return message, f'did you mean "{meant}"?'
    return message, f"fields here: {', '.join(known)}"


def _word(wrong: Wrong) -> Words:
    allowed = [text or number for text, number in _ALLOWED.findall(str(wrong.limits["expected"]))]
    near = nearest(str(wrong.given), allowed) if isinstance(wrong.given, str) else ""
    hint = f'did you mean "{near}"? ' if near else ""
    return f"{wrong.name} cannot be {_quote_value(wrong.given)}", f"{hint}one of: {', '.join(allowed)}"


def _kind_unknown(wrong: Wrong) -> Words:
    if "tag" not in wrong.limits:
        return f'"kind" is missing from {wrong.name}', f'add "kind: ...", one of: {", ".join(kinds())}'
    return f'"kind" cannot be {_quote_value(wrong.limits["tag"])}', f"one of: {', '.join(kinds())}"


def _section(wrong: Wrong) -> Words:
    section = section_at(wrong.location)
    fields = f": {', '.join(section.model_fields)}" if section else ""
    return (
        f"{wrong.name} must be a section, not {_quote_value(wrong.given)}",
        f"write its fields below it, indented{fields}",
    )


def _nothing(wrong: Wrong) -> Words:
    section = section_at(wrong.location)
    fields = f"; fields: {', '.join(section.model_fields)}" if section else ""
    return f"{wrong.name} has no value", f"write one, or delete the line{fields}"


def _list(wrong: Wrong) -> Words:
    given = wrong.given if isinstance(wrong.given, (str, int)) else "..."
    return f"{wrong.name} must be a list", f"write [{_short(given)}], or one line with a dash for each entry"


def _whole(wrong: Wrong) -> Words:
    return (
        f"{wrong.name} must be a whole number, not {_quote_value(wrong.given)}",
        "write it without quotes, unit or fraction",
    )


def _flag(wrong: Wrong) -> Words:
    return f"{wrong.name} must be true or false, not {_quote_value(wrong.given)}", "write true or false, without quotes"


def _text(wrong: Wrong) -> Words:
    if isinstance(wrong.given, (int, bool)):
        return (
            f"{wrong.name} must be text, not {_quote_value(wrong.given)}",
            f'put it in quotes: "{_short(wrong.given)}"',
        )
    return f"{wrong.name} must be text, not {_quote_value(wrong.given)}", wrong.meaning


def _pattern(wrong: Wrong) -> Words:
    meaning, example = _PATTERNS.get(str(wrong.path[-1]), ("written differently", ""))
    return f"{wrong.name} must be {meaning}", f'as in "{example}"' if example else ""


def _quantity(wrong: Wrong) -> Words:
    error = wrong.limits.get("error")
    message = str(error) if str(error).startswith('"') else f"{wrong.name} {error}"
    if message.startswith('"') and wrong.name not in message:
        message = f"{wrong.name}: {message}"
    return message, error.hint if isinstance(error, QuantityError) else ""


def _build_bound_message(words: str, *, limit: str) -> Callable[[Wrong], Words]:
    def explain(wrong: Wrong) -> Words:
        return f"{wrong.name} must be {words} {wrong.limits[limit]}, not {wrong.given}", wrong.meaning

    return explain


def _short_list(wrong: Wrong) -> Words:
    return f"{wrong.name} must have at least one entry", wrong.meaning


def _other(wrong: Wrong) -> Words:
    return f"{wrong.name} cannot be {_quote_value(wrong.given)}", wrong.meaning


_WORDS: Final[Mapping[str, Callable[[Wrong], Words]]] = {
    "missing": _missing,
    "extra_forbidden": _unknown,
    "enum": _word,
    "literal_error": _word,
    "union_tag_invalid": _kind_unknown,
    "union_tag_not_found": _kind_unknown,
    "model_type": _section,
    "model_attributes_type": _section,
    "tuple_type": _list,
    "int_type": _whole,
    "bool_type": _flag,
    "string_type": _text,
    "string_pattern_mismatch": _pattern,
    "value_error": _quantity,
    "greater_than": _build_bound_message("more than", limit="gt"),
    "greater_than_equal": _build_bound_message("at least", limit="ge"),
    "less_than": _build_bound_message("less than", limit="lt"),
    "less_than_equal": _build_bound_message("at most", limit="le"),
    "too_short": _short_list,
}


def _in_words(wrong: Wrong) -> str:
    section = wrong.section
    kind = kind_of(section) if section else ""
    if kind:
        return f"{_article(kind)} {kind} workload"
    return f'"{spell(wrong.path[:-1])}"' if len(wrong.path) > 1 else "the checklist"


def _place_in_words(section: str) -> str:
    if not section:
        return "the checklist itself (no indentation)"
    kind = _WORKLOAD.fullmatch(section)
    plain = _KIND.sub("[]", section)
    return f"{_article(kind[1])} {kind[1]} workload" if kind else f'"{plain}"'


def _article(noun: str) -> str:
    return "an" if noun[0] in "aeiou" else "a"


def _quote_value(given: object) -> str:
    if isinstance(given, dict):
        return "a section"
    if isinstance(given, (list, tuple)):
        return "a list"
    return f'"{_short(given)}"'


def _short(given: object) -> str:
    shown = str(given).lower() if isinstance(given, bool) else str(given)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."


def fields_near(missing: Wrong, unknown: Sequence[Wrong]) -> bool:
    """Whether a missing field was written, only misspelt: then its absence is not a second fault."""
    section = missing.section
    beside = [other for other in unknown if other.location[:-1] == missing.location[:-1]]
    known = tuple(section.model_fields) if section else ()
    return any(nearest(str(other.location[-1]), known) == missing.location[-1] for other in beside)
