"""A stack of a project, and what a command line about it led to."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

from cli.commands.checklist.schema import schema

CHECKLIST = """\
customer:
  name: acme
  owner: ops@acme.example
workloads:
  - name: tune
    kind: fine_tuning
    model:
      parameters: 7B
    tokens: 2B
storage:
  cold:
    size: 2TB
where:
  wanted: [aws]
  regions: [us-east-1]
ceiling:
  usd_per_month: 1000000
"""


@dataclass(frozen=True)
class Outcome:
    """What one command line led to."""

    code: int
    out: str
    err: str


Atoll = Callable[..., Outcome]


def valid(name: str, text: str) -> Any:
    """The document in a text, once its published schema holds for it."""
    document = json.loads(text)
    _validator(name).validate(document)
    return document


@cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    """Of a schema that is sound, as another test says of each."""
    return jsonschema.Draft202012Validator(schema(name))


def write_checklist(project: Path, stack: str, text: str) -> Path:
    path = project / "stacks" / stack / "checklist.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
